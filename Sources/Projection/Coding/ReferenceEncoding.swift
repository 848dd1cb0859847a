import EventLog

/// What encoding asks about objects: which of them the log knows, and identities for values that cannot be compared.
///
/// Conform to ``ObjectEncoding``, which implements ``reference(to:in:)`` for recorded objects.
public protocol ReferenceEncoding: AnyObject {
  /// What the log holds of a value that is an object it records; nil for every other value.
  func reference(to value: Any, in context: inout EncodingContext) -> Value?

  /// A number that identifies this object in the log: the same at each call, never an address.
  func identity(of object: AnyObject) -> UInt64

  /// A number that was never returned before, for a value that cannot be compared.
  func freshIdentity() -> UInt64

  /// What the log holds of a value of which it may only show whether it equals another: `redacted` by default.
  func hashed<T>(_ value: T) -> Value
}

extension ReferenceEncoding {
  /// Not even a hash: `redacted`.
  public func hashed<T>(_ value: T) -> Value { .redacted }
}

/// Gives each object a number, which stays the same as long as the object lives and is never given to another.
///
/// Objects are held weakly. Cost: a dictionary lookup a call; entries of freed objects are removed each time that the
/// table has doubled.
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

  /// The object's number, the next one if it has none.
  public mutating func identity(of object: AnyObject) -> UInt64 {
    let key = ObjectIdentifier(object)
    // Another object may have had this address before: then the weak reference is nil.
    if let entry = entries[key], entry.object != nil { return entry.number }
    if entries.count >= sweepAt {
      entries = entries.filter { $0.value.object != nil }
      sweepAt = max(64, entries.count * 2)
    }
    let number = freshIdentity()
    entries[key] = Entry(object: object, number: number)
    return number
  }

  /// A number that no object has or will get.
  public mutating func freshIdentity() -> UInt64 {
    last += 1
    return last
  }
}
