/// A session, as the tables of summaries describe it.
package struct FleetSession: Hashable, Sendable {
  package var id: String
  package var version: String?
  package var deviceClass: String?
  /// How many sessions this one stands for.
  package var weight: Double
  /// The path of its log, as given when it was summarised.
  package var log: String

  package init(id: String, version: String?, deviceClass: String?, weight: Double, log: String) {
    self.id = id
    self.version = version
    self.deviceClass = deviceClass
    self.weight = weight
    self.log = log
  }
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

/// Adds up what kinds of writes and projections cost in many sessions. Memory depends only on the number of
/// kinds.
///
/// Sums are kept in buckets of sessions, with equal numbers of sessions each. A bootstrap draws buckets
/// instead of sessions; for a class of at most ``bucketCount`` sessions this is the same.
package struct FleetTally: Sendable {
  /// All sessions, or those of one class of devices.
  package enum Scope: Hashable, Sendable {
    case all
    /// Nil for sessions without a device class.
    case of(deviceClass: String?)
  }

  /// A session that shows something, and where.
  package struct Example: Sendable {
    package var session: FleetSession
    /// In nanoseconds.
    package var cost: UInt64
    /// An event to look at; nil if none is known.
    package var seq: UInt64?
    fileprivate var seqCost: UInt64 = 0
  }

  /// The cost of a subject in the sessions of a scope.
  struct Sums: Sendable {
    /// Weighted nanoseconds, by bucket.
    var costs = [Double](repeating: 0, count: FleetTally.bucketCount)
    /// The number of sessions that had it.
    var sessions = 0
    var worst: Example?
    /// For actions: half of the sessions' times until the last run, and 95 % of them.
    var p50 = DurationHistogram()
    var p95 = DurationHistogram()
  }

  /// The sessions of a scope.
  struct Sessions: Sendable {
    /// Sums of weights, by bucket.
    var weights = [Double](repeating: 0, count: FleetTally.bucketCount)
    var count = 0
  }

  struct Key: Hashable, Sendable {
    var subject: FleetSubject
    var scope: Scope
  }

  static let bucketCount = 128
  struct Limits: Sendable {
    /// More kinds than apps have. Further kinds are not counted.
    var kinds = 50_000
    /// More than apps have kinds times classes. A further kind is counted over all sessions, but not by
    /// class.
    var kindsOfClasses = 100_000
    /// Sessions of further device classes count under ``otherClasses``.
    var classes = 64
  }

  static let otherClasses = "other"
  private let limits: Limits

  private(set) var sums: [Key: Sums] = [:]
  private(set) var sessions: [Scope: Sessions] = [:]
  /// The shapes of cascades, with the number of sessions that had each.
  private(set) var shapes: [String: Shape] = [:]
  /// Whether there were more kinds, or device classes, than can be counted.
  package private(set) var isCrowded = false
  /// The number of keys whose scope is all sessions.
  private var kindCount = 0

  package struct Shape: Sendable {
    package var root: String?
    package var count: UInt64 = 0
    package var sessions = 0
    /// In nanoseconds.
    package var time: UInt64 = 0
    package var worst: Example
  }

  package init() { self.init(Limits()) }

  init(_ limits: Limits) { self.limits = limits }

  /// The number of sessions that were counted.
  package var sessionCount: Int { sessions[.all]?.count ?? 0 }

  /// Counts a session.
  ///
  /// - Returns: A ticket with which to add the session's costs.
  package mutating func add(_ session: FleetSession) -> Ticket {
    var scope = Scope.of(deviceClass: session.deviceClass)
    // One of the scopes is ``Scope/all``, once there is any.
    if sessions[scope] == nil, sessions.count > limits.classes {
      scope = .of(deviceClass: Self.otherClasses)
      isCrowded = true
    }
    let places = (bucket(of: .all), bucket(of: scope))
    sessions[.all]?.weights[places.0] += session.weight
    sessions[scope]?.weights[places.1] += session.weight
    return Ticket(session: session, scope: scope, bucket: places.0, classBucket: places.1)
  }

  /// A session that was counted.
  package struct Ticket: Sendable {
    package let session: FleetSession
    /// The scope of its device class.
    fileprivate let scope: Scope
    fileprivate let bucket: Int
    fileprivate let classBucket: Int
  }

  private mutating func bucket(of scope: Scope) -> Int {
    let count = sessions[scope, default: Sessions()].count
    sessions[scope, default: Sessions()].count += 1
    return count % Self.bucketCount
  }

  /// Adds the cost of a subject in a session, in nanoseconds. To be called once for each subject and session.
  ///
  /// - Parameter settled: Of an action, how long it took until the last run that it led to, in half and in 95 % of the cases.
  package mutating func add(
    _ subject: FleetSubject, cost: UInt64, seq: UInt64?, settled: (p50: UInt64, p95: UInt64)? = nil,
    in ticket: Ticket
  ) {
    let example = Example(session: ticket.session, cost: cost, seq: seq)
    let weighted = Double(cost) * ticket.session.weight
    for (scope, bucket) in [(Scope.all, ticket.bucket), (ticket.scope, ticket.classBucket)] {
      let key = Key(subject: subject, scope: scope)
      if sums[key] == nil {
        let hasRoom =
          scope == .all ? kindCount < limits.kinds : sums.count - kindCount < limits.kindsOfClasses
        guard hasRoom else {
          isCrowded = true
          continue
        }
        if scope == .all { kindCount += 1 }
      }
      sums[key, default: Sums()].costs[bucket] += weighted
      sums[key]?.sessions += 1
      if let settled, scope == .all {
        sums[key]?.p50.add(settled.p50)
        sums[key]?.p95.add(settled.p95)
      }
      if cost > sums[key]?.worst?.cost ?? 0 { sums[key]?.worst = example }
    }
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
    for scope in [Scope.all, ticket.scope] {
      let key = Key(subject: subject, scope: scope)
      guard let worst = sums[key]?.worst, worst.session.id == ticket.session.id,
        worst.seq == nil || time > worst.seqCost
      else { continue }
      sums[key]?.worst?.seq = seq
      sums[key]?.worst?.seqCost = time
    }
  }
}
