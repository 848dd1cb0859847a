import OrderedCollections

/// Values by name, in the order in which they were added: the fields of an object, or the entries of a map.
///
/// Names are compared byte for byte, see ``ExactString``, so two spellings of an accented letter are two
/// names.
public struct NamedValues<Content>: RandomAccessCollection, ExpressibleByDictionaryLiteral {
  @usableFromInline var contents: OrderedDictionary<ExactString, Content>

  /// Creates an empty collection.
  @inlinable public init() { contents = [:] }

  /// Creates an empty collection with room for some values.
  @inlinable public init(minimumCapacity: Int) {
    contents = OrderedDictionary(minimumCapacity: minimumCapacity)
  }

  /// Creates a collection from pairs. No two names may have the same bytes.
  @inlinable public init(uniqueKeysWithValues values: some Sequence<(String, Content)>) {
    contents = OrderedDictionary(uniqueKeysWithValues: values.lazy.map { (ExactString($0), $1) })
  }

  /// Creates a collection from a literal. No two names may have the same bytes.
  @inlinable public init(dictionaryLiteral values: (String, Content)...) {
    self.init(uniqueKeysWithValues: values)
  }

  @inlinable init(_ contents: OrderedDictionary<ExactString, Content>) { self.contents = contents }

  /// The index of the first name.
  @inlinable public var startIndex: Int { 0 }
  /// The index after the last name.
  @inlinable public var endIndex: Int { contents.count }

  // The standard library's ways to these are slow in code that is not specialised.
  /// The number of names.
  @inlinable public var count: Int { contents.count }
  /// Whether there are no names.
  @inlinable public var isEmpty: Bool { contents.isEmpty }

  /// The name and the value at a position.
  @inlinable public subscript(position: Int) -> (key: String, value: Content) {
    let (name, value) = contents.elements[position]
    return (name.string, value)
  }

  /// The value for a name; nil if there is none. A new name is added at the end. Cost: a hash.
  @inlinable public subscript(name: String) -> Content? {
    get { contents[ExactString(name)] }
    _modify { yield &contents[ExactString(name)] }
  }

  /// The names, in order.
  @inlinable public var keys: LazyMapCollection<OrderedSet<ExactString>, String> {
    contents.keys.lazy.map(\.string)
  }

  /// The name at an index.
  @inlinable package func name(at position: Int) -> String { contents.keys[position].string }

  /// The values in the order of their names. They can be changed in place.
  @inlinable public var values: OrderedDictionary<ExactString, Content>.Values {
    get { contents.values }
    _modify { yield &contents.values }
  }

  /// The index of a name; nil if it is missing.
  @inlinable public func index(forKey name: String) -> Int? { contents.index(forKey: ExactString(name)) }

  /// Sets the value for a name, and returns the old value.
  @discardableResult @inlinable
  public mutating func updateValue(_ value: Content, forKey name: String) -> Content? {
    contents.updateValue(value, forKey: ExactString(name))
  }

  /// Sets the value for a name, and returns the old value. A new name is inserted at `position`.
  @discardableResult @inlinable
  public mutating func updateValue(_ value: Content, forKey name: String, insertingAt position: Int)
    -> Content?
  {
    contents.updateValue(value, forKey: ExactString(name), insertingAt: position).originalMember
  }

  /// Removes a name, and returns its value.
  @discardableResult @inlinable public mutating func removeValue(forKey name: String) -> Content? {
    contents.removeValue(forKey: ExactString(name))
  }

  /// Reserves room. Cost: linear in the number of values.
  @inlinable public mutating func reserveCapacity(_ minimumCapacity: Int) {
    contents.reserveCapacity(minimumCapacity)
  }

  /// Whether both have the same names in the same order. Cost: linear, without hashing.
  @inlinable package func hasSameNames(as other: Self) -> Bool {
    contents.keys.elements == other.contents.keys.elements
  }

  /// Whether both share the storage of their names. Cost: constant.
  package func sharesNames(with other: Self) -> Bool {
    contents.keys.elements.withUnsafeBufferPointer { a in
      other.contents.keys.elements.withUnsafeBufferPointer { a.baseAddress == $0.baseAddress && !a.isEmpty }
    }
  }

  /// The same names with other values.
  @inlinable public func mapValues<Other>(_ transform: (Content) throws -> Other) rethrows
    -> NamedValues<Other>
  {
    NamedValues<Other>(try contents.mapValues(transform))
  }
}

// These are not generic, so that the dictionary is specialised in this file. In an app's debug build, this package is
// optimised file by file, and a file calls the generic code of another as it is.
extension NamedValues<Value> {
  /// Whether the body returns true for all names with their values, in order, until one returns false.
  func allFields(_ body: (_ name: String, _ value: Value) -> Bool) -> Bool {
    for position in 0..<contents.count {
      let (name, value) = contents.elements[position]
      if !body(name.string, value) { return false }
    }
    return true
  }

  /// Calls the body with each name and its value, in order.
  func forEachField(_ body: (_ name: String, _ value: Value) -> Void) {
    for position in 0..<contents.count {
      let (name, value) = contents.elements[position]
      body(name.string, value)
    }
  }

  /// The value at a position, which can be changed in place.
  subscript(valueAt position: Int) -> Value {
    @inline(__always) get { contents.values[position] }
    @inline(__always) _modify { yield &contents.values[position] }
  }
}

extension NamedValues: Sendable where Content: Sendable {}

extension NamedValues: CustomStringConvertible {
  /// A description like that of a dictionary.
  public var description: String { contents.description }
}

/// Two collections are equal if they have the same names in the same order with equal values.
extension NamedValues: Equatable where Content: Equatable {}

extension NamedValues: Hashable where Content: Hashable {}

extension Dictionary where Key == ExactString {
  /// The value for a name.
  @inlinable package subscript(name: String) -> Value? {
    get { self[ExactString(name)] }
    _modify { yield &self[ExactString(name)] }
  }

  /// The value for a name, or the given one if there is none.
  @inlinable package subscript(name: String, default value: @autoclosure () -> Value) -> Value {
    get { self[ExactString(name), default: value()] }
    _modify { yield &self[ExactString(name), default: value()] }
  }
}
