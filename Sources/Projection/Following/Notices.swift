import EventLog
import Invalidation

/// What the standard library and publishers have told one task, in order, since the last look.
///
/// The readers of a property are told together with the observer of the property, before or after it. So of all changes a reader was
/// told of the last one before its notice, or of the next. A task may change objects of several actors in turn; a reader, which runs
/// on one, is told of changes on that one.
struct Notices {
  /// Where notices come in order: in a task, or else on a thread.
  enum TaskOrThread: Hashable {
    case task(Int)
    case thread(UInt)

    static var current: TaskOrThread {
      withUnsafeCurrentTask { $0.map { .task($0.hashValue) } } ?? .thread(RecursiveLock.currentThread)
    }
  }

  /// A property that is about to change.
  struct Change {
    let object: FollowedObject
    let property: Int
    let cause: UInt64?

    fileprivate var slot: SlotID { object.attachment.slot(property) }
    fileprivate var actor: ObjectIdentifier? { object.isolation.map { ObjectIdentifier($0) } }
  }

  /// What to do at a turn.
  struct Turn {
    /// The changes, in order, each with the readers to which it may have been told.
    var changes: [(change: Change, readers: [TrackedReader])] = []
    /// The readers of which something changed that the session does not follow.
    var others: [TrackedReader] = []
    /// For each reader that was told something, the number of the changes before.
    fileprivate var told: [ObjectIdentifier: Int] = [:]

    /// Whether a reader would have been told of a change if it had read what changed.
    func wouldHaveHeard(_ reader: TrackedReader, of change: Int) -> Bool {
      told[ObjectIdentifier(reader)].map { $0 > change } ?? reader.isObserved
    }
  }

  private enum Notice {
    case change(Change)
    /// Something that a run of a node has read is about to change.
    case reader(TrackedReader, run: UInt64, isOnMain: Bool)
  }

  private var all: [Notice] = []
  private static let countMax = 4_096

  var isEmpty: Bool { all.isEmpty }

  mutating func append(_ change: Change) { all.append(.change(change)) }

  mutating func append(_ reader: TrackedReader, run: UInt64, isOnMain: Bool) {
    all.append(.reader(reader, run: run, isOnMain: isOnMain))
    if all.count <= Self.countMax { return }
    // Those that have run since are not asked for.
    all.removeAll { if case .reader(let reader, let run, _) = $0 { reader.run != run } else { false } }
  }

  /// Which readers may run that were told of no change that is followed: their actor must be that of the caller.
  enum Others { case none, onMain, all }

  /// Removes and returns some changes, with the readers that were told of them. The rest stays.
  ///
  /// Cost: linear in the number of notices.
  mutating func pop(_ others: Others, where isMeant: (Change) -> Bool) -> Turn {
    var turn = Turn()
    // For each notice, the number in the turn of a change that is removed.
    var numbers: [Int?] = []
    for notice in all {
      guard case .change(let change) = notice, isMeant(change) else {
        numbers.append(nil)
        continue
      }
      numbers.append(turn.changes.count)
      turn.changes.append((change, []))
    }
    if turn.changes.count == all.count {
      all = []
      return turn
    }
    var rest: [Notice] = []
    let next = nextChanges()
    var (last, removed) = (Int?.none, 0)
    for (index, notice) in all.enumerated() {
      switch notice {
      case .change:
        last = index
        if numbers[index] == nil { rest.append(notice) } else { removed += 1 }
      case .reader(let reader, let run, let isOnMain):
        guard run == reader.run else { continue }
        let both = [last, next[index]].compactMap { $0 }.filter { reader.runs(on: actor(at: $0)) }
        if both.isEmpty {
          let mayRun = others == .all || others == .onMain && isOnMain
          if mayRun { turn.others.append(reader) } else { rest.append(notice) }
          continue
        }
        let known = both.filter { index in slot(at: index).map { reader.learned.contains($0) } ?? false }
        let told = known.isEmpty ? both : known
        if told.contains(where: { numbers[$0] == nil }) { rest.append(notice) }
        for number in told.compactMap({ numbers[$0] }) {
          turn.changes[number].readers.append(reader)
          reader.markActor(turn.changes[number].change.actor)
        }
        turn.told[ObjectIdentifier(reader)] = removed
      }
    }
    all = rest
    return turn
  }

  /// For each notice, the index of the next change behind it.
  private func nextChanges() -> [Int?] {
    var following: [Int?] = Array(repeating: nil, count: all.count)
    var next: Int?
    for index in all.indices.reversed() {
      following[index] = next
      if case .change = all[index] { next = index }
    }
    return following
  }

  private func actor(at index: Int) -> ObjectIdentifier? {
    if case .change(let change) = all[index] { change.actor } else { nil }
  }

  private func slot(at index: Int) -> SlotID? {
    if case .change(let change) = all[index] { change.slot } else { nil }
  }
}
