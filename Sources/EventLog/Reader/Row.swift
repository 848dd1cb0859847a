/// One event as its block holds it: numbers, and the value it carries. Paths and strings are numbers in the block's
/// ``BlockTables``, so that taking a row costs no allocation unless its value is text or a container.
public struct Row: Sendable {
  /// What happened; the cases of ``Event/Body``.
  public enum Kind: UInt8, Sendable {
    case set, splice, remove, projection, reads, invalidate, evaluate, dispose, begin, end, mark

    /// The name of the kind in JSON Lines.
    public var name: String { Self.names[Int(rawValue)] }

    private static let names = [
      "set", "splice", "remove", "projection", "reads", "invalidate", "evaluate", "dispose", "begin", "end",
      "mark",
    ]
  }

  /// The sequence number.
  public internal(set) var seq: UInt64 = 0
  /// Nanoseconds since the session began.
  public internal(set) var time: UInt64 = 0
  /// The seq of the cause; 0 where there is none.
  public internal(set) var cause: UInt64 = 0
  /// The string that is the site; -1 where there is none.
  public internal(set) var site = -1
  /// Who wrote it.
  public internal(set) var origin = Origin()
  /// What happened.
  public internal(set) var kind = Kind.end
  var flags: UInt8 = 0
  /// Of `set`, `splice` and `remove`: the path; else -1.
  public internal(set) var path = -1
  /// The string that names the projection, or is the label of `begin` and `mark`; -1 where there is none.
  public internal(set) var name = -1
  /// Of `projection`: the string that names the parent; else -1.
  public internal(set) var parent = -1
  /// Of `set` the value, of `splice` the insert; else `null`.
  public internal(set) var value = Value.null
  /// Of `splice`: where, in bytes or elements.
  public internal(set) var offset = 0
  /// Of `splice`: how much is deleted there.
  public internal(set) var delete = 0
  /// Of `evaluate`: nanoseconds.
  public internal(set) var duration: UInt64 = 0

  /// The strings that tell of an event's ``Origin``; each -1 where there is none.
  public struct Origin: Sendable {
    /// The name of the thread.
    public internal(set) var thread = -1
    /// The name of the task.
    public internal(set) var task = -1
    /// The call stack.
    public internal(set) var stack = -1
  }

  /// An empty row to read into.
  public init() {}

  /// Whether ``name`` is that of a projection.
  public var isAboutProjection: Bool {
    switch kind {
    case .projection, .reads, .invalidate, .evaluate, .dispose: true
    default: false
    }
  }
  /// Of `set`, `splice` and `remove`: whether by the rule of the property nothing changed.
  public var isSameValue: Bool { flags & EventFlag.sameValue != 0 }
  /// Of `projection`.
  public var tracking: Tracking { Tracking(code: flags >> EventFlag.trackingShift & 3) ?? .element }
  /// Of `evaluate`: whether the output differed, where that could be told.
  public var changed: Bool? {
    let code = flags >> EventFlag.changedShift & 3
    return code == 0 ? nil : code == 2
  }
}
