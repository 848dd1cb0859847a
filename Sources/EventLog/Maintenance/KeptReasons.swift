/// Decides whether a filtered log still shows why a projection ran. A child runs because its parent did, and
/// the parent may be dropped.
struct KeptReasons {
  private struct Life {
    var parent: ExactString?
    var hadParent = false
    var hasRun = false
    /// The units that invalidated the projection since its last run.
    var units: Set<UInt64> = []
    /// The units that invalidated it only by writes that were dropped.
    var lost: Set<UInt64> = []
    /// The cause of its last run, if that cause is kept as the reason.
    var reason: UInt64?
  }

  /// Whether the log has invalidations. Without them, the reason of a run is unknown.
  var hasTimeline = false
  private var lives: [ExactString: Life] = [:]
  /// Bounds the memory for a projection that a hostile log invalidates without end and never runs. The units
  /// beyond are not counted, and its next run keeps its cause.
  fileprivate static let unitsMax = 4096
  /// Ends the search: in a damaged or hostile log, two projections may be each other's parent.
  private static let depthMax = 1000

  mutating func begin(_ name: String, parent: String?, hadParent: Bool) {
    lives[ExactString(name)] = Life(parent: parent.map { ExactString($0) }, hadParent: hadParent)
  }

  mutating func invalidate(_ name: String, by unit: UInt64?) {
    lives[ExactString(name), default: Life()].units.insert(unit)
  }

  /// Records that a unit invalidated the projection by dropped writes only.
  mutating func lose(_ name: String, by unit: UInt64?) {
    lives[ExactString(name), default: Life()].lost.insert(unit)
  }

  /// Forgets a projection that is gone.
  mutating func end(_ name: String) { lives[ExactString(name)] = nil }

  /// Adds a run. Returns whether its cause is still its reason in the filtered log.
  mutating func run(_ name: String, for cause: UInt64?) -> Bool {
    let name = ExactString(name)
    guard let cause else {
      insert(name, nil)
      return true
    }
    let isReason = isReason(cause, of: name)
    insert(name, isReason ? cause : nil)
    return isReason
  }

  private mutating func insert(_ name: ExactString, _ reason: UInt64?) {
    lives[name, default: Life()].hasRun = true
    lives[name]?.reason = reason
    lives[name]?.units = []
    lives[name]?.lost = []
  }

  private func isReason(_ cause: UInt64, of name: ExactString) -> Bool {
    guard hasTimeline, let life = lives[name], life.hasRun, !life.units.contains(cause),
      life.units.count < Self.unitsMax
    else { return true }
    if life.lost.contains(cause) { return false }
    if !life.hadParent { return true }
    var parent = life.parent
    for _ in 0..<Self.depthMax {
      guard let name = parent, let life = lives[name] else { return false }
      // A child that runs within its parent ends before it.
      if life.reason == cause || life.units.contains(cause) { return true }
      parent = life.parent
    }
    return false
  }
}

extension Set<UInt64> {
  fileprivate mutating func insert(_ unit: UInt64?) {
    if let unit, count < KeptReasons.unitsMax { insert(unit) }
  }
}
