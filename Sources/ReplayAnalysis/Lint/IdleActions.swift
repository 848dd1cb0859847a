import EventLog

/// Counts actions that led to nothing that anything shows: only to sets of what was there, or to changes that woke nobody.
///
/// Each action counts with all that it led to, and with those within it. What no write follows from, as a scroll that is not
/// recorded, is neither.
struct IdleActions {
  /// The actions of one label.
  struct Label {
    var actions = 0
    /// Those that only set places to what they were, and of these those that set an object which is not recorded.
    var equal = 0
    var opaque = 0
    /// Those that changed something which woke nobody.
    var unheard = 0
    /// Those that woke something.
    var heard = 0
    /// The paths that they wrote.
    var paths: [GroupID<PathID>: Int] = [:]
    var evidence = Evidence()
  }

  private struct Action {
    var label: ExactString
    var hasEqual = false
    var hasOpaque = false
    var hasChanged = false
    var isHeard = false
    var paths: [GroupID<PathID>] = []
  }

  private(set) var labels: [ExactString: Label] = [:]
  private var actions: [UInt64: Action] = [:]
  /// The outermost action of recent events.
  private var owners = RecentRing<UInt64>(keeping: 1 << 16)
  private static let actionsMax = 1 << 12
  private static let pathsMax = 4

  init() {}

  /// Looks at a row with what it invalidates.
  @inline(__always)
  mutating func observe(_ run: inout LogRun) {
    switch run.row.kind {
    case .action, .set, .splice, .remove, .end: follow(&run)
    default: break
    }
  }

  private mutating func follow(_ run: inout LogRun) {
    let (seq, cause) = (run.row.seq, run.row.cause)
    var owner = cause > 0 ? owners[cause] ?? 0 : 0
    if owner == 0, run.row.kind == .action {
      owner = seq
      if actions.count >= Self.actionsMax { finish() }
      actions[seq] = Action(label: ExactString(run.label ?? ""))
    }
    guard owner > 0 else { return }
    owners.append(seq, owner)
    guard var action = actions[owner] else { return }
    if !run.hits.isEmpty { action.isHeard = true }
    if let path = run.path {
      let group = run.group(of: path)
      if run.row.isSameValue { action.hasEqual = true } else { action.hasChanged = true }
      if run.row.value.holdsOpaque { action.hasOpaque = true }
      if action.paths.count < Self.pathsMax, !action.paths.contains(group) { action.paths.append(group) }
    }
    actions[owner] = action
  }

  /// Counts the actions so far.
  mutating func finish() {
    for (seq, action) in actions.sorted(by: { $0.key < $1.key }) {
      var label = labels[action.label] ?? Label()
      label.actions += 1
      if action.isHeard {
        label.heard += 1
      } else if action.hasChanged {
        label.unheard += 1
      } else if action.hasEqual {
        label.equal += 1
        if action.hasOpaque { label.opaque += 1 }
      }
      for path in action.paths { label.paths[path, default: 0] += 1 }
      label.evidence.append(seq)
      labels[action.label] = label
    }
    actions.removeAll(keepingCapacity: true)
  }
}

extension Value {
  /// Whether it is a value that cannot be recorded, or a part of it is.
  fileprivate var holdsOpaque: Bool {
    switch self {
    case .opaque: true
    case .array(let elements): elements.contains { $0.holdsOpaque }
    case .map(let fields): fields.values.contains { $0.holdsOpaque }
    default: false
    }
  }
}
