import EventLog

/// Decides which sets of a run the app would not make under other rules.
///
/// Of the sets to a throttled path, the first passes, and then the first of each interval. A set that was
/// caused by one that is left out is left out too. Only sets to numbers and Booleans are ever left out, since
/// later events may refer to the contents of an array, an object or a text.
struct LeftOutSets {
  enum Answer {
    case asRecorded
    case leftOut
    /// The set is made, but replaces another value than in the recording: this one, or an unknown one if nil.
    case onto(Value?)
  }

  private struct Gate {
    var passed: UInt64 = 0
    var hasPassed = false
    /// Whether a set was left out after the last one that passed.
    var isBehind = false
    /// The value of the last set that passed; valid until a container is written, which changes `version`.
    var value = Value.null
    var version: UInt64 = 0
  }

  /// The number of sets that were left out.
  private(set) var count = 0
  /// How many of those were left out because their cause was.
  private(set) var causedCount = 0
  /// The number of writes to throttled paths that could not be left out.
  private(set) var keptCount = 0
  /// The number of paths, of the current epoch, whose last set was left out.
  private(set) var behindCount = 0

  /// The rule that applies to a path.
  private enum Rule: Hashable {
    case noRule, quiet
    /// The throttle with this index.
    case throttle(Int)
  }

  private let throttles: [ThrottleRule]
  private let quiet: [PathPattern]
  private var gates = PathMap<Gate>(default: Gate())
  /// The epoch of the paths in ``gates``.
  private var epoch: UInt32 = 0
  /// Grows with each write other than a set to a scalar, which may change values at other paths.
  private var version: UInt64 = 1
  /// The rule of each path; nil if not determined yet.
  private var rules = PathMap<Rule?>(default: nil)
  /// The sets that were left out most recently.
  private var seqs = RecentRing<Void>(keeping: 1 << 16)
  private var matched: Set<Rule> = []

  init(_ rules: WhatIfRules) {
    throttles = rules.throttles
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
    if row.kind != .set || !row.value.isScalar { version += 1 }
    if contains(row.cause) {
      guard canBeLeftOut(row, path, run.tables) else { return .asRecorded }
      causedCount += 1
      return leaveOut(path, row.seq)
    }
    let isBehind = gates[path].isBehind
    switch rule {
    case .noRule: return isBehind ? pass(path, row) : .asRecorded
    case .quiet: return row.isSameValue && !isBehind ? leaveOut(path, row.seq) : pass(path, row)
    case .throttle(let index):
      guard canBeLeftOut(row, path, run.tables) else {
        if !row.isSameValue { keptCount += 1 }
        let answer = isBehind ? pass(path, row) : .asRecorded
        // The next set may replace an object that a later event removes, so it must pass.
        gates[path].hasPassed = false
        return answer
      }
      if row.isSameValue, !isBehind { return .asRecorded }
      let gate = gates[path]
      let isTooEarly =
        gate.hasPassed && row.time.since(gate.passed).map { $0 < throttles[index].interval } ?? false
      return isTooEarly ? leaveOut(path, row.seq) : pass(path, row)
    }
  }

  /// Whether an event was left out, if it is recent enough to be known.
  func contains(_ seq: UInt64) -> Bool { seqs[seq] != nil }

  /// The paths of the rules that no write matched.
  var unmet: [String] {
    throttles.indices.filter { !matched.contains(.throttle($0)) }.map { throttles[$0].path.description }
      + (matched.contains(.quiet) ? [] : quiet.map(\.description))
  }

  private mutating func pass(_ path: PathID, _ row: EventLog.Row) -> Answer {
    let last = gates[path]
    gates[path] = Gate(passed: row.time, hasPassed: true, value: row.value, version: version)
    guard last.isBehind else { return .asRecorded }
    behindCount -= 1
    guard row.kind == .set else { return .asRecorded }
    return .onto(last.version == version ? last.value : nil)
  }

  private mutating func leaveOut(_ path: PathID, _ seq: UInt64) -> Answer {
    if !gates[path].isBehind { behindCount += 1 }
    gates[path].isBehind = true
    seqs.note(seq, ())
    count += 1
    return .leftOut
  }

  /// Whether a write can be left out, unless its path ends in the property `id`.
  static func canLeaveOut(_ row: EventLog.Row) -> Bool {
    if case .string = row.value { return false }
    return row.kind == .set && row.value.isScalar
  }

  private func canBeLeftOut(_ row: EventLog.Row, _ path: PathID, _ tables: borrowing RunTables) -> Bool {
    Self.canLeaveOut(row) && tables.path(path).components.last != .property("id")
  }

  private mutating func rule(of path: PathID, _ tables: borrowing RunTables) -> Rule {
    if let known = rules[path] { return known }
    let written = tables.path(path)
    let rule: Rule =
      if let index = throttles.lastIndex(where: { $0.path.matches(written) }) { .throttle(index) } else {
        quiet.contains { $0.matches(written) } ? .quiet : .noRule
      }
    rules[path] = rule
    matched.insert(rule)
    return rule
  }
}
