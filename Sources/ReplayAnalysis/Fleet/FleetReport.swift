import EventLog

/// What a page about many sessions shows.
package struct FleetReport: Codable, Sendable {
  /// The sessions of a version, or of a day.
  package struct Point: Codable, Sendable {
    /// The version, or the day; nil for sessions that say none.
    package var name: String?
    package private(set) var sessions = 0
    /// The mean time of runs in a session in nanoseconds, and of those with the same output as before, weighted.
    package private(set) var time = 0.0
    package private(set) var wasted = 0.0
    private var weight = 0.0

    package init(_ name: String?) { self.name = name }

    /// Counts a session.
    package mutating func add(weight: Double, time: UInt64, wasted: UInt64) {
      sessions += 1
      self.weight += weight
      self.time += (Double(time) - self.time) * weight / self.weight
      self.wasted += (Double(wasted) - self.wasted) * weight / self.weight
    }

    enum CodingKeys: String, CodingKey {
      case name, sessions
      case time = "total_ns"
      case wasted = "wasted_ns"
    }

    package init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      name = try values.decodeIfPresent(String.self, forKey: .name)
      sessions = try values.decode(Int.self, forKey: .sessions)
      time = try values.decode(Double.self, forKey: .time)
      wasted = try values.decode(Double.self, forKey: .wasted)
    }
  }

  /// The name of the tables, without their folders.
  package var title: String
  /// In order.
  package var versions: [Point]
  package var days: [Point]
  /// The versions that are compared; empty if there are not two.
  package var compared: [String] = []
  package var difference: FleetDifference?
  /// What would have been found, as text; nil if it is not known.
  private var detectable: String?
  /// Whether there are too few sessions to compare, and how many are needed.
  package var isUndecided = false
  package var least: Int
  /// What costs most in the last version, or in all sessions.
  package var ranking: FleetRanking

  package init(title: String, versions: [Point], days: [Point], ranking: FleetRanking, least: Int) {
    self.title = title
    self.versions = versions
    self.days = days
    self.least = least
    self.ranking = ranking
    self.ranking.keep(Self.linesMax)
  }

  /// Adds what got worse and better from one version to the next.
  package mutating func add(_ difference: FleetDifference, _ versions: [String], isUndecided: Bool) {
    compared = versions
    self.isUndecided = isUndecided
    self.difference = difference
    detectable = difference.detectable?.sentence
    self.difference?.keep(Self.linesMax)
  }

  /// More lines than anybody reads.
  private static let linesMax = 200

  enum CodingKeys: String, CodingKey {
    case title, versions, days, compared, difference, detectable, least, ranking
    case isUndecided = "is_undecided"
  }
}

extension FleetRanking {
  fileprivate mutating func keep(_ count: Int) {
    writes = Array(writes.prefix(count))
    projections = Array(projections.prefix(count))
    actions = Array(actions.prefix(count))
  }
}

extension FleetDifference {
  fileprivate mutating func keep(_ count: Int) {
    worse = Array(worse.prefix(count))
    better = Array(better.prefix(count))
    new = Array(new.prefix(count))
    gone = Array(gone.prefix(count))
    renamed = Array(renamed.prefix(count))
    newShapes = Array(newShapes.prefix(count))
  }
}
