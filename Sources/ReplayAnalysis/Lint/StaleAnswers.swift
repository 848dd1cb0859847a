import EventLog

/// Finds writes of an action that come after those of an action that began later, and stay: an older request's answer that
/// lands after the newer one's.
///
/// It looks at what actions themselves write, not at what follows from that. A write is no longer stale once the newer action
/// writes the place again.
struct StaleAnswers {
  /// A stale write, and what it came after.
  struct Answer {
    var seq: UInt64
    /// The older action, and the newer one; the first in which their chains differ.
    var older: UInt64
    var newer: UInt64
    /// The write of the newer action.
    var over: UInt64
  }

  struct Found {
    var first: Answer
    var writes = 0
    var evidence = Evidence()
  }

  /// The last write of a place by the action that began last.
  private struct Landed {
    var seq: UInt64
    /// The action, then those around it, from the outermost to the nearest.
    var chain: [UInt64]
    /// The actions that wrote the place lately.
    var writers: [UInt64]
    var stale: (answer: Answer, group: GroupID<PathID>)?
  }

  private(set) var found: [GroupID<PathID>: Found] = [:]
  private var actions = SpanTracker(.action)
  private var landed: [PathID: Landed] = [:]

  /// More places are not followed, which bounds the memory.
  private static let placesMax = 1 << 16
  private static let writersMax = 8

  init() {}

  @inline(__always)
  mutating func follow(_ run: inout LogRun) {
    actions.observe(&run)
    if actions.hasOver { _ = actions.removeOver() }
  }

  /// Looks at a write of the app itself, once it was followed.
  @inline(__always)
  mutating func apply(_ row: borrowing EventLog.Row, _ path: PathID, of group: GroupID<PathID>) {
    if actions.current > 0 { take(row, path, group) }
  }

  private mutating func take(_ row: borrowing EventLog.Row, _ path: PathID, _ group: GroupID<PathID>) {
    let chain = actions.chain
    guard let action = chain.last else { return }
    guard let last = landed[path] else {
      if landed.count >= Self.placesMax {
        for place in landed.values { keep(place.stale) }
        landed.removeAll(keepingCapacity: true)
      }
      landed[path] = Landed(seq: row.seq, chain: chain, writers: [action], stale: nil)
      return
    }
    var writers = last.writers
    if !writers.contains(action) { writers = writers.suffix(Self.writersMax - 1) + [action] }
    let fork = zip(chain, last.chain).first { $0 != $1 }
    guard let (this, newer) = fork, this < newer else {
      // It is of the same action, or of a newer one; that still shows what the stale write did.
      if fork != nil { keep(last.stale) }
      landed[path] = Landed(seq: row.seq, chain: chain, writers: writers, stale: nil)
      return
    }
    landed[path]?.writers = writers
    if row.isSameValue { return }
    // A flag or a counter that the older action had set is set back.
    if last.writers.contains(action), row.value.isFlagOrNumber { return }
    keep(last.stale)
    landed[path]?.stale = (Answer(seq: row.seq, older: this, newer: newer, over: last.seq), group)
  }

  private mutating func keep(_ stale: (answer: Answer, group: GroupID<PathID>)?) {
    guard let (answer, group) = stale else { return }
    found[group, default: Found(first: answer)].writes += 1
    found[group]?.evidence.append(answer.seq)
  }

  /// Counts the writes that stayed until the end of the run.
  mutating func finish() {
    let stale = landed.values.compactMap(\.stale).sorted { $0.answer.seq < $1.answer.seq }
    for stale in stale { keep(stale) }
    landed = [:]
  }
}

extension Value {
  fileprivate var isFlagOrNumber: Bool {
    switch self {
    case .bool, .int, .uint, .double: true
    default: false
    }
  }
}
