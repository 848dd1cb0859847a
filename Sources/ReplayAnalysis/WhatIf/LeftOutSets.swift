import EventLog

/// Which sets of a run the app would not make under other rules.
///
/// Of a path that is throttled the first set passes, and then the first of each interval. What a set that is left out
/// led to is left out too. Only numbers and Booleans are: later events refer to what is in an array, an object or a text.
struct LeftOutSets {
  enum Answer {
    case asRecorded
    case leftOut
    /// It is made, onto another value than it was: that is what it was before, where it is known.
    case onto(Value?)
  }

  private struct Gate {
    var passed: UInt64 = 0
    var hasPassed = false
    /// Whether a set was left out since the last that was not.
    var isBehind = false
    /// What the last set that was not left out put there, as long as no container was written since.
    var value = Value.null
    var version: UInt64 = 0
  }

  /// Sets that were left out.
  private(set) var count = 0
  /// Those of them that a callback had made because of others.
  private(set) var causedCount = 0
  /// Writes of paths to be throttled that could not be left out.
  private(set) var keptCount = 0
  /// Paths whose last set was left out, as far as that is remembered.
  private(set) var behindCount = 0

  /// Which rule is about a path.
  private enum Rule: Hashable {
    case noRule, quiet
    /// The one with this index.
    case throttle(Int)
  }

  private let throttles: [ThrottleRule]
  private let quiet: [PathPattern]
  private var gates = PathMap<Gate>(default: Gate())
  /// The epoch of their paths.
  private var epoch: UInt32 = 0
  /// Grows with each write of something that has parts.
  private var version: UInt64 = 1
  /// Nil where it was not looked for yet.
  private var rules = PathMap<Rule?>(default: nil)
  /// The sets that were left out last.
  private var seqs = RecentRing<Void>(keeping: 1 << 16)
  private var matched: Set<Rule> = []

  init(_ rules: WhatIfRules) {
    throttles = rules.throttles
    quiet = rules.quiet
  }

  /// What becomes of the last row, which is a write.
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
        // The next set may take an object away that a later event removes, so it is not left out.
        gates[path].hasPassed = false
        return answer
      }
      if row.isSameValue, !isBehind { return .asRecorded }
      let gate = gates[path]
      let isTooEarly = gate.hasPassed && row.time &- gate.passed < throttles[index].interval
      return isTooEarly ? leaveOut(path, row.seq) : pass(path, row)
    }
  }

  /// Whether an event was left out, as far as that is remembered.
  func contains(_ seq: UInt64) -> Bool { seqs[seq] != nil }

  /// The rules that met no write.
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

  /// Whether a write of another property than an id can be left out.
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
