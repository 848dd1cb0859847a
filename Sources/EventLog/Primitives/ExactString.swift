/// A string that equals another only byte for byte, and is ordered by its bytes.
///
/// Swift's own equality takes two spellings of an accent as one string, and with that as one key of a dictionary. A log
/// gives back what it was given, so whatever it names is compared as this.
public struct ExactString: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The string itself.
  public let string: String

  /// The string, to be compared by its bytes.
  public init(_ string: String) { self.string = string }

  /// Whether the bytes are the same. Cost: linear in them; constant when the lengths differ.
  public static func == (a: ExactString, b: ExactString) -> Bool { a.string.hasSameBytes(as: b.string) }

  /// Whether the bytes come first.
  public static func < (a: ExactString, b: ExactString) -> Bool {
    a.string.utf8.lexicographicallyPrecedes(b.string.utf8)
  }

  /// Hashes the bytes. Cost: linear in them.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: string) }

  /// The string itself.
  public var description: String { string }
}

extension Hasher {
  /// Takes in a string byte for byte, and where it ends.
  mutating func combine(bytesOf string: String) {
    // Only strings bridged from elsewhere are not contiguous.
    let isDone: Void? = string.utf8.withContiguousStorageIfAvailable {
      combine(bytes: UnsafeRawBufferPointer($0))
    }
    if isDone == nil { for byte in string.utf8 { combine(byte) } }
    // No byte of UTF-8.
    combine(0xFF as UInt8)
  }
}

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

extension Set<ExactString> {
  /// Names.
  package init(names: some Sequence<String>) { self.init(names.lazy.map { ExactString($0) }) }

  /// Whether a name is in the set.
  package func contains(_ name: String) -> Bool { contains(ExactString(name)) }

  /// Adds a name; whether it is new.
  @discardableResult package mutating func insert(_ name: String) -> Bool {
    insert(ExactString(name)).inserted
  }

  /// Takes a name out; whether it was there.
  @discardableResult package mutating func remove(_ name: String) -> Bool { remove(ExactString(name)) != nil }
}
