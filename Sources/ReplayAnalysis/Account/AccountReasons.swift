import EventLog
import Invalidation

/// What put each projection out of date since its last run, as far as the account asks.
struct AccountReasons {
  /// A write of an action, outside of transactions, that put a projection out of date.
  struct ActionWrite {
    var time: UInt64
    var path: PathID
    var action: UInt64
    var root: UInt64
    var depth: Int32
    /// Whether the action had ended long before.
    var isLate: Bool
  }

  private struct State {
    var answered = Answered.nothing
    /// The last invalidation, and the write if it is one of an action.
    var unit: UInt64 = 0
    var write: ActionWrite?
    /// The write that the last run answered.
    var previous: ActionWrite?
    /// How often in a row a run has answered a write that followed from the one before.
    var rounds: Int32 = 0
    /// The event with which the projection was made or moved, and a sum of what it began by reading; 0 for nothing.
    var birth: UInt64 = 0
    var firstReads: UInt64 = 0

    mutating func invalidate(_ kind: Answered, by seq: UInt64, _ last: ActionWrite?) {
      answered = max(answered, kind)
      (unit, write) = (seq, last)
    }
  }

  private var states = ProjectionMap<State>(default: State())
  /// That of the projection that ended last.
  private var departed = State()
  private var actions = AccountActions()

  /// From when on an action has ended long ago.
  static let longAgo: UInt64 = 1_000_000_000
  private static let rounds: Int32 = 3

  /// Takes in the current row of a run, which the writes have. Must be called before anything is asked about it.
  mutating func observe(_ run: inout LogRun, _ writes: inout WriteTally) {
    actions.observe(run.row)
    if run.hits.isEmpty { return }
    let write = write(&run)
    for hit in run.hits {
      states[hit.projection].invalidate(writes.kind(of: hit.causes), by: hit.unit, write)
    }
  }

  /// The row, if it is a write of an action that puts projections out of date.
  private func write(_ run: inout LogRun) -> ActionWrite? {
    guard let path = run.path, actions.current > 0, let seq = run.hits.first?.unit, seq == run.row.seq
    else { return nil }
    let (root, depth) = run.root(of: seq)
    let ended = actions.end(of: actions.current)
    return ActionWrite(
      time: run.row.time, path: path, action: actions.current, root: root, depth: Int32(clamping: depth),
      isLate: ended.flatMap { run.row.time.since($0) }.map { $0 >= Self.longAgo } ?? false)
  }

  /// The action of the current row, 0 if it has none, and when it ended.
  var action: (seq: UInt64, ended: UInt64?) { (actions.current, actions.end(of: actions.current)) }

  // MARK: Lives

  /// A projection was made, or moved to another parent.
  mutating func begin(_ projection: ProjectionID, at seq: UInt64, isMove: Bool) {
    states[projection] = isMove ? departed : State()
    states[projection].birth = seq
  }

  /// A projection ended, or is about to move. Returns what it had begun by reading.
  mutating func end(_ projection: ProjectionID) -> UInt64 {
    departed = states[projection]
    states[projection] = State()
    return departed.firstReads
  }

  /// Keeps the first reads of a life, in no order.
  mutating func markReads(of projection: ProjectionID, _ paths: [PathID]) {
    guard states[projection].firstReads == 0, !paths.isEmpty else { return }
    let sum = paths.reduce(UInt(0)) { $0 &+ UInt(bitPattern: $1.hashValue) }
    states[projection].firstReads = max(1, UInt64(truncatingIfNeeded: sum))
  }

  // MARK: Runs

  /// Adds to a run, the current row, what it answers, and starts over.
  mutating func answer(_ run: inout AccountedRun) {
    let state = states[run.projection]
    (run.birth, run.firstReads, run.action) = (state.birth, state.firstReads, actions.current)
    let isAnswer = state.unit > 0 && state.unit == run.cause
    let write = isAnswer ? state.write : nil
    var rounds: Int32 = 0
    if let write, let previous = state.previous {
      run.isRepeated = write.repeats(previous)
      rounds = write.follows(previous) ? state.rounds + 1 : 0
    }
    if isAnswer { run.answers = state.answered }
    run.isLooping = (write?.isLate ?? false) && rounds + 1 >= Self.rounds
    states[run.projection] = State(
      previous: write, rounds: rounds, birth: state.birth, firstReads: state.firstReads)
  }
}

extension AccountReasons.ActionWrite {
  /// Whether the action had just written the same.
  fileprivate func repeats(_ other: Self) -> Bool {
    path == other.path && action == other.action
      && time.since(other.time).map { $0 <= AccountLine.burstGap } ?? false
  }

  /// Whether it is further along in one chain of causes.
  fileprivate func follows(_ other: Self) -> Bool {
    path == other.path && root == other.root && depth > other.depth
  }
}

/// The action of each recent event, and when actions ended.
struct AccountActions {
  /// That of the current row; 0 if it has none.
  private(set) var current: UInt64 = 0
  private var actions = RecentRing<UInt64>(keeping: 1 << 18)
  /// When an action ended first, of those that ended last.
  private var ended: [UInt64: UInt64] = [:]
  private static let endedMax = 1 << 16

  mutating func observe(_ row: borrowing EventLog.Row) {
    let outer = actions[row.cause] ?? 0
    current = row.kind == .action ? row.seq : outer
    if current > 0 { actions.append(row.seq, current) }
    guard row.kind == .finish, row.cause > 0, outer == row.cause, ended[outer] == nil else { return }
    if ended.count >= Self.endedMax { ended.removeAll(keepingCapacity: true) }
    ended[outer] = row.time
  }

  func end(of action: UInt64) -> UInt64? { ended[action] }
}
