import EventLog

/// Who knows the objects of a log while values are encoded: a session, or a test.
public protocol ObjectEncoding: AnyObject {
  /// What the log says of the object: `.reference` when it knows it; otherwise `.object` with a new id and
  /// what `context.fields(of:)` gives.
  ///
  /// The object must count as known before its fields are encoded: they may lead back to it. Fields of objects may
  /// lead on to others without end, so one that lies deep is better referred to, and defined later.
  func value(of object: any RecordedObject, in context: inout EncodingContext) -> Value

  /// A number that tells this object from every other in the log: the same at each call, never an address.
  func identity(of object: AnyObject) -> UInt64

  /// A number that was never given before, for a value that cannot be compared.
  func freshIdentity() -> UInt64

  /// What the log holds of a value of which it may only tell whether it equals another: `redacted` by default.
  func hashed<T>(_ value: T) -> Value
}

extension ObjectEncoding {
  /// Not even that.
  public func hashed<T>(_ value: T) -> Value { .redacted }
}

/// Numbers for objects, stable for as long as each object lives and never given twice.
///
/// Holds objects weakly. Cost: a dictionary lookup for each call; entries of freed objects are swept when
/// the table has doubled.
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

  /// The object's number.
  public mutating func identity(of object: AnyObject) -> UInt64 {
    let key = ObjectIdentifier(object)
    // An address is reused after its object is freed: then the weak reference is nil.
    if let entry = entries[key], entry.object != nil { return entry.number }
    if entries.count >= sweepAt {
      entries = entries.filter { $0.value.object != nil }
      sweepAt = max(64, entries.count * 2)
    }
    let number = freshIdentity()
    entries[key] = Entry(object: object, number: number)
    return number
  }

  /// A number that no object has or gets.
  public mutating func freshIdentity() -> UInt64 {
    last += 1
    return last
  }
}
