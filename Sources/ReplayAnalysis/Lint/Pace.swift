import EventLog

/// How fast actions came one after another, which tells whether a person can have made them.
///
/// Where a test drives an app, seconds of a person become milliseconds: what is so close together there was not meant to be,
/// and nothing can be said about what a display would have shown between. Only outermost actions count, since what an action
/// starts may be as fast as it likes. Hands drag at the rate of a display, which is 120 times a second.
struct Pace {
  /// Actions without a cause.
  private(set) var actions = 0
  /// Those that began sooner after the one before than a person can act.
  private(set) var hurried = 0
  private var last: UInt64?

  /// The least time between two actions of a person, in nanoseconds: half of that between two events of a drag.
  static let gap: UInt64 = 4_000_000
  /// Fewer may be what an app does when it is launched.
  private static let hurriedLeast = 16

  /// Looks at a row.
  @inline(__always)
  mutating func apply(_ row: borrowing EventLog.Row) {
    if row.kind == .action, row.cause == 0 { add(row.time) }
  }

  private mutating func add(_ time: UInt64) {
    actions += 1
    if let passed = last.flatMap({ time.since($0) }), passed <= Self.gap { hurried += 1 }
    last = time
  }

  /// Whether most of the actions came faster than a person makes them, so that no burst and no flood can be judged.
  var isFasterThanLife: Bool { hurried >= Self.hurriedLeast && 2 * hurried >= actions }

  /// What is said of such a recording; nil of others.
  var sentence: String? {
    guard isFasterThanLife else { return nil }
    return "recorded faster than life: \(hurried.grouped) of \(Units.count(actions, "action")) came within"
      + " \(Self.gap / 1_000_000) ms of the one before, so bursts and floods are not judged"
  }
}
