import OrderedCollections

/// Values by name, in the order in which they were added: the fields of an object, the entries of a map.
///
/// Names are compared byte for byte, see ``ExactString``; so two spellings of an accent are two names.
public struct NamedValues<Content>: RandomAccessCollection, ExpressibleByDictionaryLiteral {
  @usableFromInline var contents: OrderedDictionary<ExactString, Content>

  /// No values.
  @inlinable public init() { contents = [:] }

  /// No values, with room for some.
  @inlinable public init(minimumCapacity: Int) {
    contents = OrderedDictionary(minimumCapacity: minimumCapacity)
  }

  /// Creates values from names of which no two have the same bytes.
  @inlinable public init(uniqueKeysWithValues values: some Sequence<(String, Content)>) {
    contents = OrderedDictionary(uniqueKeysWithValues: values.lazy.map { (ExactString($0), $1) })
  }

  /// Creates values from names of which no two have the same bytes.
  @inlinable public init(dictionaryLiteral values: (String, Content)...) {
    self.init(uniqueKeysWithValues: values)
  }

  @inlinable init(_ contents: OrderedDictionary<ExactString, Content>) { self.contents = contents }

  /// Where the first name is.
  @inlinable public var startIndex: Int { 0 }
  /// How many names there are.
  @inlinable public var endIndex: Int { contents.count }

  /// The name and the value at a position.
  @inlinable public subscript(position: Int) -> (key: String, value: Content) {
    let (name, value) = contents.elements[position]
    return (name.string, value)
  }

  /// The value under a name. A new one comes last. Cost: a hash.
  @inlinable public subscript(name: String) -> Content? {
    get { contents[ExactString(name)] }
    _modify { yield &contents[ExactString(name)] }
  }

  /// The names, in order.
  @inlinable public var keys: LazyMapCollection<OrderedSet<ExactString>, String> {
    contents.keys.lazy.map(\.string)
  }

  /// The name at a position.
  @inlinable package func name(at position: Int) -> String { contents.keys[position].string }

  /// The values, in order of their names; each may be changed where it stands.
  @inlinable public var values: OrderedDictionary<ExactString, Content>.Values {
    get { contents.values }
    _modify { yield &contents.values }
  }

  /// Where a name is.
  @inlinable public func index(forKey name: String) -> Int? { contents.index(forKey: ExactString(name)) }

  /// Puts a value under a name, and returns what was there.
  @discardableResult @inlinable
  public mutating func updateValue(_ value: Content, forKey name: String) -> Content? {
    contents.updateValue(value, forKey: ExactString(name))
  }

  /// Puts a value under a name, before others if the name is new, and returns what was there.
  @discardableResult @inlinable
  public mutating func updateValue(_ value: Content, forKey name: String, insertingAt position: Int)
    -> Content?
  {
    contents.updateValue(value, forKey: ExactString(name), insertingAt: position).originalMember
  }

  /// Removes a name, and returns what was there.
  @discardableResult @inlinable public mutating func removeValue(forKey name: String) -> Content? {
    contents.removeValue(forKey: ExactString(name))
  }

  /// Makes room. Cost: linear in what is there.
  @inlinable public mutating func reserveCapacity(_ minimumCapacity: Int) {
    contents.reserveCapacity(minimumCapacity)
  }

  /// Whether the same names stand in the same order. Cost: linear, without a hash.
  @inlinable package func hasSameNames(as other: Self) -> Bool {
    contents.keys.elements == other.contents.keys.elements
  }

  /// Whether the names are stored once for both. Cost: constant.
  package func sharesNames(with other: Self) -> Bool {
    contents.keys.elements.withUnsafeBufferPointer { a in
      other.contents.keys.elements.withUnsafeBufferPointer { a.baseAddress == $0.baseAddress && !a.isEmpty }
    }
  }

  /// Other values under the same names.
  @inlinable public func mapValues<Other>(_ transform: (Content) throws -> Other) rethrows
    -> NamedValues<Other>
  {
    NamedValues<Other>(try contents.mapValues(transform))
  }
}

extension NamedValues: Sendable where Content: Sendable {}

extension NamedValues: CustomStringConvertible {
  /// As a dictionary describes itself.
  public var description: String { contents.description }
}

/// Equal when the same names stand in the same order with equal values.
extension NamedValues: Equatable where Content: Equatable {}

extension NamedValues: Hashable where Content: Hashable {}

extension Dictionary where Key == ExactString {
  /// The value under a name.
  @inlinable package subscript(name: String) -> Value? {
    get { self[ExactString(name)] }
    _modify { yield &self[ExactString(name)] }
  }

  /// The value under a name, made if there is none.
  @inlinable package subscript(name: String, default value: @autoclosure () -> Value) -> Value {
    get { self[ExactString(name), default: value()] }
    _modify { yield &self[ExactString(name), default: value()] }
  }
}
