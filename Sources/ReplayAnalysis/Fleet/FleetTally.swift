/// A session, as the tables of summaries describe it.
package struct FleetSession: Hashable, Sendable {
  package var id: String
  package var version: String?
  package var deviceClass: String?
  /// What the app tells its sessions apart by besides, by name.
  package var dimensions: [String: String]
  /// How many sessions this one stands for.
  package var weight: Double
  /// The path of its log, as given when it was summarised.
  package var log: String
  /// How long it was, in nanoseconds.
  package var duration: UInt64
  /// The number of its writes.
  package var writes: UInt64

  package init(
    id: String, version: String?, deviceClass: String?, dimensions: [String: String] = [:], weight: Double,
    log: String, duration: UInt64 = 0, writes: UInt64 = 0
  ) {
    self.id = id
    self.version = version
    self.deviceClass = deviceClass
    self.dimensions = dimensions
    self.weight = weight
    self.log = log
    self.duration = duration
    self.writes = writes
  }
}

/// For what a cost is given.
package enum FleetUnit: String, Codable, Sendable, CaseIterable {
  case session
  /// A minute from the first event of a session to its last.
  case minute
  case write

  /// How many of these a session has.
  func count(in session: FleetSession) -> Double {
    switch self {
    case .session: 1
    case .minute: Double(session.duration) / 60e9
    case .write: Double(session.writes)
    }
  }
}

/// Sessions that are compared with each other and with no others: one class of devices, and the same of each of the app's
/// own dimensions.
package struct FleetStratum: Hashable, Sendable {
  /// Nil for sessions without a device class.
  package var deviceClass: String?
  package var dimensions: [String: String]
}

/// Something in a session that costs time, by its kind.
package struct FleetSubject: Hashable, Sendable {
  package enum Role: String, Codable, Sendable, CaseIterable {
    /// A kind of paths. Its cost is the time of the wasted runs that writes to these paths led to.
    case write
    /// A kind of projections. Its cost is the time of their runs.
    case projection
    /// The actions with one label. Their cost is the time of the runs that they led to.
    case action
  }

  package var role: Role
  package var kind: String

  package init(_ role: Role, _ kind: String) {
    self.role = role
    self.kind = kind
  }
}

/// Adds up what kinds of writes, projections and actions cost in many sessions. Memory depends on the number of kinds, and
/// on how different their costs are, and hardly on the number of sessions.
package struct FleetTally: Sendable {
  /// A session that shows something, and where.
  package struct Example: Sendable {
    package var session: FleetSession
    /// In nanoseconds.
    package var cost: UInt64
    /// An event to look at; nil if none is known.
    package var seq: UInt64?
    fileprivate var seqCost: UInt64 = 0
  }

  /// The cost of a subject in all sessions.
  struct Sums: Sendable {
    /// Weighted nanoseconds.
    var cost = 0.0
    /// The number of sessions that had it.
    var sessions = 0
    var worst: Example?
    /// For actions: half of the sessions' times until the last run, and 95 % of them.
    var p50 = DurationHistogram()
    var p95 = DurationHistogram()
    /// By the number of the stratum.
    var cells: [Int: Cell] = [:]
  }

  /// The cost of a subject in a stratum.
  struct Cell: Sendable {
    /// For each unit.
    var costs = FleetCosts()
    var worst: Example?

    fileprivate mutating func add(_ cost: UInt64, _ example: Example, _ units: Double) {
      costs.add(Double(cost) / units, weight: example.session.weight * units)
      if cost > worst?.cost ?? 0 { worst = example }
    }
  }

  struct Limits: Sendable {
    /// More kinds than apps have. Further kinds are not counted.
    var kinds = 50_000
    /// More than apps have kinds times strata. A further one is counted over all sessions, but not by stratum.
    var cells = 200_000
    /// Sessions of further strata are counted, but not compared: which they are depends on the order of sessions.
    var strata = 256
  }

  private let limits: Limits
  package let unit: FleetUnit

  private(set) var sums: [FleetSubject: Sums] = [:]
  private var cellCount = 0
  /// The strata, with the number of each and its sessions.
  private(set) var strata: [FleetStratum: Int] = [:]
  private(set) var sides: [FleetSide] = []
  /// The sum of weights of all sessions.
  private(set) var weight = 0.0
  /// The shapes of cascades, with the number of sessions that had each.
  private(set) var shapes: [String: Shape] = [:]
  /// Whether there were more kinds, or strata, than can be counted.
  package private(set) var isCrowded = false
  /// The number of sessions that were counted.
  package private(set) var sessionCount = 0
  /// The number of sessions that were not, since their logs are not whole, or since they have nothing of the unit.
  package private(set) var partialCount = 0
  /// The number of logs that could not be read, or not to their end, by the code of the failure.
  package private(set) var failures: [String: Int] = [:]
  /// The apps that the sessions are of.
  package private(set) var apps: Set<String> = []

  package struct Shape: Sendable {
    package var root: String?
    package var count: UInt64 = 0
    package var sessions = 0
    /// In nanoseconds.
    package var time: UInt64 = 0
    package var worst: Example
  }

  package init(per unit: FleetUnit = .session) { self.init(Limits(), per: unit) }

  init(_ limits: Limits, per unit: FleetUnit = .session) { (self.limits, self.unit) = (limits, unit) }

  /// Counts a session.
  ///
  /// - Returns: A ticket with which to add the session's costs; nil if it has nothing of the unit.
  package mutating func add(_ session: FleetSession) -> Ticket? {
    let units = unit.count(in: session)
    guard units > 0 else {
      partialCount += 1
      return nil
    }
    let stratum = FleetStratum(deviceClass: session.deviceClass, dimensions: session.dimensions)
    sessionCount += 1
    weight += session.weight * units
    if strata[stratum] == nil, sides.count < limits.strata {
      strata[stratum] = sides.count
      sides.append(FleetSide())
    }
    let number = strata[stratum]
    if let number { sides[number].add(weight: session.weight * units) } else { isCrowded = true }
    return Ticket(session: session, stratum: number, units: units)
  }

  /// Counts a session whose log is not whole, and which therefore costs less than a whole one.
  package mutating func addPartial() { partialCount += 1 }

  /// Counts a log that could not be read, or not to its end.
  package mutating func addFailure(_ code: String) {
    if failures[code] != nil || failures.count < Self.codesMax { failures[code, default: 0] += 1 }
  }

  /// More codes than there are.
  private static let codesMax = 100

  /// A session that was counted.
  package struct Ticket: Sendable {
    package let session: FleetSession
    /// The number of its stratum; nil if that is not compared.
    fileprivate let stratum: Int?
    /// How many units the session has.
    fileprivate let units: Double
  }

  /// Adds the cost of a subject in a session, in nanoseconds. To be called once for each subject and session.
  ///
  /// - Parameter settled: Of an action, how long it took until the last run that it led to, in half and in 95 % of the cases.
  package mutating func add(
    _ subject: FleetSubject, cost: UInt64, seq: UInt64?, settled: (p50: UInt64, p95: UInt64)? = nil,
    in ticket: Ticket
  ) {
    let example = Example(session: ticket.session, cost: cost, seq: seq)
    if sums[subject] == nil, sums.count < limits.kinds { sums[subject] = Sums() }
    guard let place = sums.index(forKey: subject) else {
      isCrowded = true
      return
    }
    sums.values[place].cost += Double(cost) * ticket.session.weight
    sums.values[place].sessions += 1
    if let settled {
      sums.values[place].p50.add(settled.p50)
      sums.values[place].p95.add(settled.p95)
    }
    if cost > sums.values[place].worst?.cost ?? 0 { sums.values[place].worst = example }
    guard let stratum = ticket.stratum else { return }
    if sums.values[place].cells[stratum] == nil {
      if cellCount >= limits.cells {
        isCrowded = true
        return
      }
      cellCount += 1
    }
    sums.values[place].cells[stratum, default: Cell()].add(cost, example, ticket.units)
  }

  /// Adds the cascades of one shape in a session. To be called after all costs of the session's paths were
  /// added.
  ///
  /// - Parameters:
  ///   - root: The title of their root: `set store.rows[*].count`.
  ///   - time: The time of their runs, in nanoseconds.
  ///   - seq: The root of the cascade that took longest.
  package mutating func addCascades(
    shape: String, root: String?, count: UInt64, time: UInt64, seq: UInt64, in ticket: Ticket
  ) {
    let example = Example(session: ticket.session, cost: time, seq: seq)
    if shapes[shape] != nil || shapes.count < limits.kinds {
      var known = shapes[shape] ?? Shape(root: root, worst: example)
      known.count += count
      known.time += time
      known.sessions += 1
      if time > known.worst.cost { known.worst = example }
      shapes[shape] = known
    } else {
      isCrowded = true
    }
    // The longest cascade of a path is the best example of what writes to it cost.
    guard let path = root?.split(separator: " ", maxSplits: 1).last else { return }
    let subject = FleetSubject(.write, String(path))
    sums[subject]?.worst?.take(seq, time, of: ticket.session)
    if let stratum = ticket.stratum {
      sums[subject]?.cells[stratum]?.worst?.take(seq, time, of: ticket.session)
    }
  }

  /// Notes the app of a session.
  package mutating func add(app: String) { if apps.count < Self.codesMax { apps.insert(app) } }
}

extension FleetTally.Example {
  /// Takes an event of the same session for the place to look at if it took longer.
  fileprivate mutating func take(_ seq: UInt64, _ time: UInt64, of session: FleetSession) {
    guard self.session.id == session.id, self.seq == nil || time > seqCost else { return }
    (self.seq, seqCost) = (seq, time)
  }
}
