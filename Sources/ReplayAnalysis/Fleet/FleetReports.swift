import EventLog

/// A session to look at, and where in it.
package struct FleetExample: Codable, Sendable {
  package var sessionID: String
  package var log: String
  /// An event to look at; nil if none is known.
  package var seq: UInt64?

  init(_ example: FleetTally.Example) {
    (sessionID, log, seq) = (example.session.id, example.session.log, example.seq)
  }

  enum CodingKeys: String, CodingKey {
    case sessionID = "session_id"
    case log
    case seq
  }
}

/// Ranks what cost the users of an app the most, over one set of sessions.
package struct FleetRanking: Codable, Sendable {
  package struct Line: Codable, Sendable {
    package var kind: String
    /// The mean time per session in nanoseconds, over all sessions, weighted.
    package var time: Double
    /// The share of the total cost of all subjects with the same role.
    package var share: Double
    /// The number of sessions that had it.
    package var sessions: Int
    package var example: FleetExample?
    /// For actions: how long it took until the last run that one led to, in half and in 95 % of the cases of the median
    /// session, in nanoseconds; nil if nothing ran after any.
    package var p50: UInt64?
    package var p95: UInt64?

    enum CodingKeys: String, CodingKey {
      case kind, time, share, sessions, example
      case p50 = "p50_ns"
      case p95 = "p95_ns"
    }
  }

  package var sessions: Int
  /// Kinds of writes, by the time of the wasted runs that they led to.
  package var writes: [Line]
  /// Kinds of projections, by the time of their runs.
  package var projections: [Line]
  /// Labels of actions, by the time of the runs that they led to.
  package var actions: [Line]
  /// Whether there were more kinds than can be counted.
  package var isCrowded: Bool

  /// Ranks the subjects of a tally.
  package init(_ tally: FleetTally) {
    sessions = tally.sessionCount
    writes = Self.lines(of: .write, tally)
    projections = Self.lines(of: .projection, tally)
    actions = Self.lines(of: .action, tally)
    isCrowded = tally.isCrowded
  }

  private static func lines(of role: FleetSubject.Role, _ tally: FleetTally) -> [Line] {
    let weight = tally.sessions[.all]?.weights.reduce(0, +) ?? 0
    var found: [(kind: String, cost: Double, sums: FleetTally.Sums)] = []
    var sum = 0.0
    for (key, sums) in tally.sums where key.scope == .all && key.subject.role == role {
      let cost = sums.costs.reduce(0, +)
      if cost > 0 { found.append((key.subject.kind, cost, sums)) }
    }
    found.sort { $0.cost != $1.cost ? $0.cost > $1.cost : ExactString($0.kind) < ExactString($1.kind) }
    // Added in the order of the lines, so that rounding is the same each time.
    for line in found { sum += line.cost }
    return found.map { line in
      Line(
        kind: line.kind, time: weight > 0 ? line.cost / weight : 0, share: line.cost / sum,
        sessions: line.sums.sessions, example: line.sums.worst.map { FleetExample($0) },
        p50: line.sums.p50.count > 0 ? line.sums.p50.quantile(percent: 50) : nil,
        p95: line.sums.p95.count > 0 ? line.sums.p95.quantile(percent: 50) : nil)
    }
  }

  enum CodingKeys: String, CodingKey {
    case sessions, writes, projections, actions
    case isCrowded = "is_crowded"
  }
}

/// The costs that are higher in one set of sessions than in another, beyond what chance explains.
package struct FleetDifference: Codable, Sendable {
  package struct Line: Codable, Sendable {
    package var role: FleetSubject.Role
    package var kind: String
    /// Whether the line is for all devices, or for ``deviceClass``.
    package var isOfAll: Bool
    package var deviceClass: String?
    /// The mean time per session in nanoseconds, in each set, over all sessions of the class, weighted.
    package var before: Double
    package var after: Double
    /// The confidence interval of the increase, in nanoseconds.
    package var low: Double
    package var high: Double
    /// The number of sessions in the second set that had it.
    package var sessions: Int
    package var example: FleetExample?

    enum CodingKeys: String, CodingKey {
      case role, kind, before, after, low, high, sessions, example
      case isOfAll = "is_of_all"
      case deviceClass = "device_class"
    }
  }

  /// A shape of cascades that the first set does not have.
  package struct NewShape: Codable, Sendable {
    package var hash: String
    package var root: String?
    package var count: UInt64
    package var sessions: Int
    /// In nanoseconds.
    package var time: UInt64
    package var example: FleetExample

    enum CodingKeys: String, CodingKey {
      case root, count, sessions, example
      case hash = "shape_hash"
      case time = "total_ns"
    }
  }

  package struct Options: Sendable {
    /// Fewer sessions than this are not compared.
    package var sessionsMin = 30
    /// The least increase that is reported, as a share of the cost before.
    package var growthMin = 0.05
    /// The confidence of the interval.
    package var confidence = 0.99
    package var samples = 2_000
    package var seed: UInt64 = 1

    package init() {}
  }

  /// The number of sessions in each set.
  package var sessions: [Int]
  /// What got worse, ordered by the extra cost over all sessions, the largest first.
  package var worse: [Line] = []
  package var newShapes: [NewShape] = []
  /// Whether there were more kinds than can be counted.
  package var isCrowded: Bool

  /// Compares two sets of sessions.
  package init(_ a: FleetTally, _ b: FleetTally, _ options: Options = Options()) {
    sessions = [a.sessionCount, b.sessionCount]
    isCrowded = a.isCrowded || b.isCrowded
    let bootstrap = FleetBootstrap(a, b, options)
    let weight = b.sessions[.all]?.weights.reduce(0, +) ?? 0
    var found: [(line: Line, extra: Double)] = []
    for subject in Set(b.sums.keys.map(\.subject)) {
      for line in bootstrap.lines(of: subject) {
        let scope = line.isOfAll ? FleetTally.Scope.all : .of(deviceClass: line.deviceClass)
        let share = (b.sessions[scope]?.weights.reduce(0, +) ?? 0) / max(weight, .leastNonzeroMagnitude)
        found.append((line, (line.after - line.before) * share))
      }
    }
    found.sort { a, b in
      if a.extra != b.extra { return a.extra > b.extra }
      if a.line.role != b.line.role { return a.line.role.rawValue < b.line.role.rawValue }
      if a.line.kind != b.line.kind { return ExactString(a.line.kind) < ExactString(b.line.kind) }
      return ExactString(a.line.deviceClass ?? "") < ExactString(b.line.deviceClass ?? "")
    }
    worse = found.map(\.line)
    for (hash, shape) in b.shapes where a.shapes[hash] == nil && shape.sessions >= options.sessionsMin {
      newShapes.append(
        NewShape(
          hash: hash, root: shape.root, count: shape.count, sessions: shape.sessions, time: shape.time,
          example: FleetExample(shape.worst)))
    }
    newShapes.sort { $0.time != $1.time ? $0.time > $1.time : $0.hash < $1.hash }
  }

  enum CodingKeys: String, CodingKey {
    case sessions, worse
    case newShapes = "new_shapes"
    case isCrowded = "is_crowded"
  }
}

/// Estimates how far chance alone would move a difference, by a bootstrap over buckets of sessions. The draws
/// are the same for all kinds and in each run, since the seed is fixed.
struct FleetBootstrap {
  private let a: FleetTally
  private let b: FleetTally
  private let options: FleetDifference.Options
  /// How often each bucket was drawn: for each sample, the buckets of the first set and those of the second.
  private let draws: [(a: [Double], b: [Double])]

  init(_ a: FleetTally, _ b: FleetTally, _ options: FleetDifference.Options) {
    (self.a, self.b, self.options) = (a, b, options)
    var random = FleetRandom(state: options.seed)
    func draw() -> [Double] {
      var counts = [Double](repeating: 0, count: FleetTally.bucketCount)
      for _ in 0..<FleetTally.bucketCount {
        counts[Int(random.next() >> 32) % FleetTally.bucketCount] += 1
      }
      return counts
    }
    var draws: [(a: [Double], b: [Double])] = []
    for _ in 0..<options.samples { draws.append((draw(), draw())) }
    self.draws = draws
  }

  /// Where a subject got worse: one line for all devices if it did in every class or in none by itself; else
  /// one line for each class where it did.
  func lines(of subject: FleetSubject) -> [FleetDifference.Line] {
    var classes: [FleetDifference.Line] = []
    var eligible = 0
    let scopes = b.sessions.keys.filter { $0 != .all }
    for scope in scopes where isLarge(scope, subject) {
      eligible += 1
      if let line = line(of: subject, in: scope) { classes.append(line) }
    }
    let all = isLarge(.all, subject) ? line(of: subject, in: .all) : nil
    if let all, classes.isEmpty || classes.count == eligible { return [all] }
    return classes
  }

  /// Whether a scope has enough sessions to compare.
  private func isLarge(_ scope: FleetTally.Scope, _ subject: FleetSubject) -> Bool {
    let key = FleetTally.Key(subject: subject, scope: scope)
    return (a.sessions[scope]?.count ?? 0) >= options.sessionsMin
      && (b.sums[key]?.sessions ?? 0) >= options.sessionsMin
  }

  private func line(of subject: FleetSubject, in scope: FleetTally.Scope) -> FleetDifference.Line? {
    let key = FleetTally.Key(subject: subject, scope: scope)
    guard let sessionsA = a.sessions[scope], let sessionsB = b.sessions[scope], let sums = b.sums[key] else {
      return nil
    }
    let costsA = a.sums[key]?.costs ?? [Double](repeating: 0, count: FleetTally.bucketCount)
    let before = costsA.reduce(0, +) / sessionsA.weights.reduce(0, +)
    let after = sums.costs.reduce(0, +) / sessionsB.weights.reduce(0, +)
    guard after > before * (1 + options.growthMin) else { return nil }
    var differences = draws.compactMap { draw -> Double? in
      let weightA = Self.sum(sessionsA.weights, draw.a)
      let weightB = Self.sum(sessionsB.weights, draw.b)
      guard weightA > 0, weightB > 0 else { return nil }
      return Self.sum(sums.costs, draw.b) / weightB - Self.sum(costsA, draw.a) / weightA
    }
    guard !differences.isEmpty else { return nil }
    differences.sort()
    let outside = (1 - options.confidence) / 2
    func quantile(_ share: Double) -> Double {
      differences[min(differences.count - 1, max(0, Int(share * Double(differences.count))))]
    }
    let (low, high) = (quantile(outside), quantile(1 - outside))
    guard low > 0 else { return nil }
    var deviceClass: String?
    if case .of(let name) = scope { deviceClass = name }
    return FleetDifference.Line(
      role: subject.role, kind: subject.kind, isOfAll: scope == .all, deviceClass: deviceClass,
      before: before, after: after, low: low, high: high, sessions: sums.sessions,
      example: sums.worst.map { FleetExample($0) })
  }

  private static func sum(_ values: [Double], _ counts: [Double]) -> Double {
    var sum = 0.0
    for index in values.indices { sum += values[index] * counts[index] }
    return sum
  }
}

/// Random numbers from a seed, the same in each run (SplitMix64).
private struct FleetRandom {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
