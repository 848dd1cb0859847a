import EventLog

/// Decides which sets of a run the app would not make under other rules.
///
/// Of the sets to a throttled path, the first passes, and then the first of each interval; of those to a debounced path,
/// the last before each pause. A set that was caused by one that is left out is left out too. Only sets to scalars
/// and edits of texts are ever left out, since later events may refer to the contents of an array or an object.
struct LeftOutSets {
  enum Answer {
    case asRecorded
    case leftOut
    /// The path is set to this value, since what it has may differ from the recording.
    case setting(Value)
  }

  /// A set that has waited until its path was not set for some time.
  struct Late {
    var path: Path
    var value: Value
  }

  /// The sets that wait by one rule, in the order in which they are due. One whose path was set again since is still
  /// here, but no longer in `waiting`.
  private struct Queue {
    var items: [(due: UInt64, path: Path)] = []
    var head = 0

    var first: (due: UInt64, path: Path)? { head < items.count ? items[head] : nil }

    mutating func removeFirst() {
      head += 1
      if head < 1024 || 2 * head < items.count { return }
      items.removeFirst(head)
      head = 0
    }
  }

  private struct Gate {
    var passed: UInt64 = 0
    var hasPassed = false
    /// Whether a set was left out after the last one that passed.
    var isBehind = false
  }

  /// The number of sets that were left out.
  private(set) var count = 0
  /// How many of those were left out because their cause was.
  private(set) var causedCount = 0
  /// The number of writes to paced paths that could not be left out.
  private(set) var keptCount = 0
  /// The number of paths, of the current epoch, whose last set was left out.
  private(set) var behindCount = 0
  /// The time from which on a set no longer waits; the largest if none waits.
  private(set) var nextDue = UInt64.max

  /// Whether a value was needed that only a run which derives has: what an edit leaves of a text.
  private(set) var lacksState = false

  /// The rule that applies to a path.
  private enum Rule: Hashable {
    case noRule, quiet
    /// The pace with this index.
    case pace(Int)
  }

  private let paces: [PaceRule]
  private let quiet: [PathPattern]
  private var gates = PathMap<Gate>(default: Gate())
  /// The epoch of the paths in ``gates``.
  private var epoch: UInt32 = 0
  /// The last set of each path that waits.
  private var waiting: [Path: (due: UInt64, value: Value)] = [:]
  /// What waits by each pace.
  private var queues: [Queue]
  /// The rule of each path; nil if not determined yet.
  private var rules = PathMap<Rule?>(default: nil)
  /// The sets that were left out most recently.
  private var seqs = RecentRing<Void>(keeping: 1 << 16)
  private var matched: Set<Rule> = []
  private static let waitingMax = 1 << 16

  init(_ rules: WhatIfRules) {
    paces = rules.paces
    quiet = rules.quiet
    queues = paces.map { _ in Queue() }
  }

  /// Decides about the current row, which must be a write.
  mutating func answer(_ run: inout LogRun, _ path: PathID) -> Answer {
    if epoch != path.epoch {
      epoch = path.epoch
      behindCount = 0
    }
    let rule = rule(of: path, run.tables)
    let row = run.row
    let canLeaveOut = Self.canLeaveOut(row) && run.tables.path(path).components.last != .property("id")
    if contains(row.cause) {
      guard canLeaveOut else { return .asRecorded }
      causedCount += 1
      return leaveOut(path, row.seq)
    }
    let isBehind = gates[path].isBehind
    switch rule {
    case .noRule: return pass(path, run)
    case .quiet:
      guard row.isSameValue, !isBehind else { return pass(path, run) }
      count(row.seq)
      return .leftOut
    case .pace(let index):
      guard canLeaveOut else {
        if !row.isSameValue { keptCount += 1 }
        let answer = pass(path, run)
        // The next set may replace an object that a later event removes, so it must pass.
        gates[path].hasPassed = false
        return answer
      }
      if row.isSameValue, !isBehind { return .asRecorded }
      if paces[index].waits { return wait(path, for: index, run) }
      let gate = gates[path]
      let isTooEarly =
        gate.hasPassed && row.time.since(gate.passed).map { $0 < paces[index].interval } ?? false
      return isTooEarly ? leaveOut(path, row.seq) : pass(path, run)
    }
  }

  /// Whether an event was left out, if it is recent enough to be known.
  func contains(_ seq: UInt64) -> Bool { seqs[seq] != nil }

  /// The paths of the rules that no write matched.
  var unmet: [String] {
    paces.indices.filter { !matched.contains(.pace($0)) }.map { paces[$0].path.description }
      + (matched.contains(.quiet) ? [] : quiet.map(\.description))
  }

  /// Removes a set that has waited long enough at this time, if there is one.
  mutating func popLate(at time: UInt64) -> Late? {
    var found: Late?
    for index in queues.indices where found == nil {
      while let first = queues[index].first, found == nil {
        let isCurrent = waiting[first.path]?.due == first.due
        if isCurrent, first.due > time { break }
        queues[index].removeFirst()
        if isCurrent, let late = waiting.removeValue(forKey: first.path) {
          found = Late(path: first.path, value: late.value)
          // It was counted as left out, though its path is set after all.
          count -= 1
        }
      }
    }
    nextDue = queues.compactMap { $0.first?.due }.min() ?? .max
    return found
  }

  private mutating func wait(_ path: PathID, for pace: Int, _ run: borrowing LogRun) -> Answer {
    let written = run.tables.path(path)
    guard waiting.count < Self.waitingMax, let value = valueAfter(path, run) else { return pass(path, run) }
    // The largest time stands for none.
    let due = min(run.row.time + paces[pace].interval, .max - 1)
    waiting[written] = (due, value)
    queues[pace].items.append((due, written))
    nextDue = min(nextDue, due)
    return leaveOut(path, run.row.seq)
  }

  private mutating func pass(_ path: PathID, _ run: borrowing LogRun) -> Answer {
    let wasBehind = gates[path].isBehind
    gates[path] = Gate(passed: run.row.time, hasPassed: true)
    guard wasBehind else { return .asRecorded }
    behindCount -= 1
    return valueAfter(path, run).map { .setting($0) } ?? .asRecorded
  }

  /// The value that the current row leaves at its path in the log; nil if it is no scalar, or if it is not known.
  mutating func valueAfter(_ path: PathID, _ run: borrowing LogRun) -> Value? {
    if run.row.kind == .set || run.derives { return run.valueAfter(path) }
    lacksState = true
    return nil
  }

  private mutating func leaveOut(_ path: PathID, _ seq: UInt64) -> Answer {
    if !gates[path].isBehind { behindCount += 1 }
    gates[path].isBehind = true
    count(seq)
    return .leftOut
  }

  private mutating func count(_ seq: UInt64) {
    seqs.append(seq, ())
    count += 1
  }

  /// Whether a write can be left out, unless its path ends in the property `id`.
  static func canLeaveOut(_ row: EventLog.Row) -> Bool {
    switch row.kind {
    case .set: row.value.isScalar
    case .splice: if case .string = row.value { true } else { false }
    default: false
    }
  }

  private mutating func rule(of path: PathID, _ tables: borrowing RunTables) -> Rule {
    if let known = rules[path] { return known }
    let written = tables.path(path)
    let rule: Rule =
      if let index = paces.lastIndex(where: { $0.path.matches(written) }) { .pace(index) } else {
        quiet.contains { $0.matches(written) } ? .quiet : .noRule
      }
    rules[path] = rule
    matched.insert(rule)
    return rule
  }
}
