import EventLog

/// Decides how objects are encoded: which of them the log knows, and the identities of values that cannot be
/// compared.
///
/// Conform to ``ObjectEncoding``, which implements ``reference(to:in:)`` for recorded objects.
public protocol ReferenceEncoding: AnyObject {
  /// The recorded form of a value if it is an object that the log records; nil for other values.
  func reference(to value: Any, in context: inout EncodingContext) -> Value?

  /// A number that identifies this object in the log. It is the same at each call, and never an address.
  func identity(of object: AnyObject) -> UInt64

  /// A number that has never been returned before, for a value that cannot be compared.
  func freshIdentity() -> UInt64

  /// The recorded form of a value of which only its equality with others may be shown; `redacted` by default.
  func hashed<T>(_ value: T) -> Value
}

extension ReferenceEncoding {
  /// Returns `redacted`, without a hash.
  public func hashed<T>(_ value: T) -> Value { .redacted }
}

/// Assigns a number to each object, which stays the same as long as the object lives and is never assigned
/// again.
///
/// Objects are referenced weakly. Cost: a dictionary lookup for each call. Entries of freed objects are
/// removed whenever the table has doubled.
public struct ObjectIdentities {
  private struct Entry {
    weak var object: AnyObject?
    var number: UInt64
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  private var last: UInt64 = 0
  private var sweepAt = 64

  /// Creates an empty table; the first number is 1.
  public init() {}

  /// The object's number; assigns the next one if it has none.
  public mutating func identity(of object: AnyObject) -> UInt64 {
    let key = ObjectIdentifier(object)
    // If another object had this address before, the weak reference is nil.
    if let entry = entries[key], entry.object != nil { return entry.number }
    if entries.count >= sweepAt {
      entries = entries.filter { $0.value.object != nil }
      sweepAt = max(64, entries.count * 2)
    }
    let number = freshIdentity()
    entries[key] = Entry(object: object, number: number)
    return number
  }

  /// A number that is never assigned to an object.
  public mutating func freshIdentity() -> UInt64 {
    last += 1
    return last
  }
}
