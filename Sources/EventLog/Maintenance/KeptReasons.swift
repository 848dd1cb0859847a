/// Whether what led to a run is in the part: a child runs because its parent did, and that may be dropped.
struct KeptReasons {
  private struct Life {
    var parent: ExactString?
    var hadParent = false
    var hasRun = false
    /// The units that woke it since its last run.
    var units: Set<UInt64> = []
    /// Those that woke it by writes which were dropped.
    var lost: Set<UInt64> = []
    /// What its last run was for.
    var reason: UInt64?
  }

  /// Whether the log says what was woken; else nobody knows what a run was for.
  var hasTimeline = false
  private var lives: [ExactString: Life] = [:]
  /// A log may say that each of two is the parent of the other.
  private static let depthMax = 1000

  mutating func begin(_ name: String, parent: String?, hadParent: Bool) {
    lives[ExactString(name)] = Life(parent: parent.map { ExactString($0) }, hadParent: hadParent)
  }

  mutating func wake(_ name: String, by unit: UInt64?) {
    if let unit { lives[ExactString(name), default: Life()].units.insert(unit) }
  }

  /// Notes that what a unit woke it by was dropped.
  mutating func lose(_ name: String, by unit: UInt64?) {
    if let unit { lives[ExactString(name), default: Life()].lost.insert(unit) }
  }

  /// Notes a run, and returns whether its cause is its reason in the part, too.
  mutating func run(_ name: String, for cause: UInt64?) -> Bool {
    let name = ExactString(name)
    guard let cause else {
      note(name, nil)
      return true
    }
    let isReason = isReason(cause, of: name)
    note(name, isReason ? cause : nil)
    return isReason
  }

  private mutating func note(_ name: ExactString, _ reason: UInt64?) {
    lives[name, default: Life()].hasRun = true
    lives[name]?.reason = reason
    lives[name]?.units = []
    lives[name]?.lost = []
  }

  private func isReason(_ cause: UInt64, of name: ExactString) -> Bool {
    guard hasTimeline, let life = lives[name], life.hasRun, !life.units.contains(cause) else { return true }
    if life.lost.contains(cause) { return false }
    if !life.hadParent { return true }
    var parent = life.parent
    for _ in 0..<Self.depthMax {
      guard let name = parent, let life = lives[name] else { return false }
      if life.reason == cause { return true }
      parent = life.parent
    }
    return false
  }
}
