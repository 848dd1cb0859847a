import EventLog

/// Which sets of a run the app would not make under other rules.
///
/// Of a place that is throttled the first set passes, and then the first of each interval. What a set that is left out
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
  /// Writes at places to be throttled that could not be left out.
  private(set) var keptCount = 0
  /// Places whose last set was left out.
  var behindCount: Int { gates.values.count { $0.isBehind } }

  private let throttles: [ThrottleRule]
  private let quiet: [PathPattern]
  /// By the number of the path.
  private var gates = DenseMap<Int, Gate>(default: Gate())
  /// Grows with each write of something that has parts.
  private var version: UInt64 = 1
  /// By the number of the path: see ``rule(of:_:)``; nil where it was not looked for yet.
  private var rules = DenseMap<Int, Int32?>(default: nil)
  private var generation = 0
  /// The sets that were left out last.
  private var seqs = RecentRing<Void>(keeping: 1 << 16)
  private var matched: Set<Int32> = []

  private static let quietRule: Int32 = 1 << 30

  init(_ rules: WhatIfRules) {
    throttles = rules.throttles
    quiet = rules.quiet
  }

  /// What becomes of the last row, which is a write.
  mutating func answer(_ run: inout Run, _ path: Int) -> Answer {
    let rule = rule(of: path, run.tables)
    let row = run.row
    if row.kind != .set || !row.value.isScalar { version += 1 }
    if contains(row.cause) {
      guard row.kind == .set, canBeLeftOut(row, path, run.tables) else { return .asRecorded }
      causedCount += 1
      return leaveOut(path, row.seq)
    }
    let isBehind = gates[path].isBehind
    if rule == Self.quietRule {
      return row.isSameValue && !isBehind ? leaveOut(path, row.seq) : pass(path, row)
    }
    guard rule > 0 else { return isBehind ? pass(path, row) : .asRecorded }
    guard row.kind == .set, canBeLeftOut(row, path, run.tables) else {
      if !row.isSameValue { keptCount += 1 }
      return .asRecorded
    }
    if row.isSameValue, !isBehind { return .asRecorded }
    let gate = gates[path]
    let interval = throttles[Int(rule) - 1].interval
    if gate.hasPassed, row.time &- gate.passed < interval { return leaveOut(path, row.seq) }
    return pass(path, row)
  }

  /// Whether an event was left out, as far as that is remembered.
  func contains(_ seq: UInt64) -> Bool { seqs[seq] != nil }

  /// The rules that met no write.
  var unmet: [String] {
    throttles.indices.filter { !matched.contains(Int32($0) + 1) }.map { throttles[$0].path.description }
      + (matched.contains(Self.quietRule) ? [] : quiet.map(\.description))
  }

  private mutating func pass(_ path: Int, _ row: EventLog.Row) -> Answer {
    let last = gates[path]
    gates[path] = Gate(passed: row.time, hasPassed: true, value: row.value, version: version)
    guard last.isBehind, row.kind == .set else { return .asRecorded }
    return .onto(last.version == version ? last.value : nil)
  }

  private mutating func leaveOut(_ path: Int, _ seq: UInt64) -> Answer {
    gates[path].isBehind = true
    seqs.note(seq, ())
    count += 1
    return .leftOut
  }

  private func canBeLeftOut(_ row: EventLog.Row, _ path: Int, _ tables: borrowing RunTables) -> Bool {
    if case .string = row.value { return false }
    return row.value.isScalar && tables.paths.path(path).components.last != .property("id")
  }

  /// The number of a throttle from 1, ``quietRule``, or 0 for none.
  private mutating func rule(of path: Int, _ tables: borrowing RunTables) -> Int32 {
    if generation != tables.generation {
      generation = tables.generation
      rules.removeAll(keepingCapacity: true)
      gates.removeAll()
    }
    if let known = rules[path] { return known }
    let text = tables.paths.path(path)
    let rule =
      throttles.lastIndex { $0.path.matches(text) }.map { Int32($0) + 1 }
      ?? (quiet.contains { $0.matches(text) } ? Self.quietRule : 0)
    rules[path] = rule
    matched.insert(rule)
    return rule
  }
}
