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

  /// A set that waits until its path was not set for some time.
  struct Late {
    var path: Path
    var value: Value
    fileprivate var due: UInt64
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
  /// The sets that wait, at most one for each path, those that have waited longest first.
  private var late: [Late] = []
  /// The rule of each path; nil if not determined yet.
  private var rules = PathMap<Rule?>(default: nil)
  /// The sets that were left out most recently.
  private var seqs = RecentRing<Void>(keeping: 1 << 16)
  private var matched: Set<Rule> = []
  private static let lateMax = 1 << 12

  init(_ rules: WhatIfRules) {
    paces = rules.paces
    quiet = rules.quiet
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
      if paces[index].waits { return wait(path, paces[index].interval, run) }
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
    guard let index = late.firstIndex(where: { $0.due <= time }) else { return nil }
    defer { nextDue = late.map(\.due).min() ?? .max }
    // It was counted as left out, though its path is set after all.
    count -= 1
    return late.remove(at: index)
  }

  private mutating func wait(_ path: PathID, _ interval: UInt64, _ run: borrowing LogRun) -> Answer {
    let written = run.tables.path(path)
    late.removeAll { $0.path == written }
    guard late.count < Self.lateMax, let value = run.valueAfter(path) else { return pass(path, run) }
    let (due, overflow) = run.row.time.addingReportingOverflow(interval)
    late.append(Late(path: written, value: value, due: overflow ? .max - 1 : due))
    nextDue = late.map(\.due).min() ?? .max
    return leaveOut(path, run.row.seq)
  }

  private mutating func pass(_ path: PathID, _ run: borrowing LogRun) -> Answer {
    let wasBehind = gates[path].isBehind
    gates[path] = Gate(passed: run.row.time, hasPassed: true)
    guard wasBehind else { return .asRecorded }
    behindCount -= 1
    return run.valueAfter(path).map { .setting($0) } ?? .asRecorded
  }

  private mutating func leaveOut(_ path: PathID, _ seq: UInt64) -> Answer {
    if !gates[path].isBehind { behindCount += 1 }
    gates[path].isBehind = true
    count(seq)
    return .leftOut
  }

  private mutating func count(_ seq: UInt64) {
    seqs.note(seq, ())
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
