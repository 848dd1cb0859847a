import EventLog

/// Tells whether a log was recorded faster than life, as by a test that acts without waiting. Then what is close in time need not
/// be close for a person, so nothing that depends on it is judged.
struct RecordingPace {
  /// The app's own actions, and the times of the first and the last.
  private var actions = 0
  private var first: UInt64 = 0
  private var last: UInt64 = 0

  private static let actionsLeast = 20
  /// Twice as many actions a second as a hand's fastest samples.
  private static let actionsMost: UInt64 = 240
  private static let second: UInt64 = 1_000_000_000

  init() {}

  /// Looks at a row.
  @inline(__always)
  mutating func apply(_ row: borrowing EventLog.Row) {
    guard row.kind == .action, row.cause == 0 else { return }
    actions += 1
    if actions == 1 { first = row.time }
    last = max(last, row.time)
  }

  private var span: UInt64 { last.since(first) ?? 0 }

  var isFasterThanLife: Bool {
    actions >= Self.actionsLeast && UInt64(actions) * Self.second > Self.actionsMost * span
  }

  /// What is not judged, as a sentence; nil if everything is.
  var limit: String? {
    if !isFasterThanLife { return nil }
    return "\(Units.count(actions, "action")) in \(Units.duration(span)) are faster than life: bursts and floods are not judged."
  }
}
