import EventLog

/// The runs of one flush, and what happened below them, until the flush is over; see ``AccountLine`` for both words.
struct AccountFlush {
  /// The children of one kind below one parent.
  struct Kind: Hashable {
    var parent: ProjectionID
    var group: GroupID<ProjectionID>
  }

  /// Something that happened to a child.
  struct Below {
    enum Change {
      case made(ProjectionID, birth: UInt64)
      case ended(ProjectionID, firstReads: UInt64)
      case hadOtherInput
    }

    var kind: Kind
    var change: Change
    var cause: UInt64
    /// How many runs of the flush came before it.
    var position = 0
  }

  /// The end of a projection's life.
  struct End {
    var projection: ProjectionID
    var seq: UInt64
    var time: UInt64
    /// Whether it was a child, whose end was appended before.
    var isChild: Bool
    /// The last run of its parent but for the one that ended it; 0 for none. A run of the child before both was replaced:
    /// one between them may have been within the later one.
    fileprivate(set) var lastKept: UInt64 = 0
    fileprivate var change: Int?
    fileprivate var position = 0

    init(projection: ProjectionID, seq: UInt64, time: UInt64, isChild: Bool) {
      (self.projection, self.seq, self.time, self.isChild) = (projection, seq, time, isChild)
    }
  }

  /// What a flush consists of, in its order.
  enum Step {
    case run(AccountedRun)
    case end(End)
  }

  /// The children that took others' places in the flush that was over last.
  private(set) var exchanges: [Exchange] = []
  private var runs: [AccountedRun] = []
  private var below: [Below] = []
  private var ends: [End] = []
  /// The index of the nearest run of each projection; used only while runs are looked up.
  private var nearest = ProjectionMap<Int32?>(default: nil)

  /// The most that is kept of one flush, which bounds the memory. A longer one is split.
  private static let itemsMax = 1 << 18

  var hasRuns: Bool { !runs.isEmpty }

  var isFull: Bool { max(runs.count, below.count, ends.count) >= Self.itemsMax }

  mutating func append(_ run: AccountedRun) {
    runs.append(run)
    guard run.inputChanged == true, let parent = run.parent else { return }
    append(
      Below(kind: Kind(parent: parent, group: run.group), change: .hadOtherInput, cause: run.cause))
  }

  mutating func append(_ change: Below) {
    below.append(change)
    below[below.count - 1].position = runs.count
  }

  mutating func append(_ end: End) {
    ends.append(end)
    ends[ends.count - 1].position = runs.count
    if end.isChild { ends[ends.count - 1].change = below.indices.last }
  }

  /// Takes the last end back: the projection has only moved.
  mutating func undoEnd(of projection: ProjectionID, at seq: UInt64) {
    if let last = ends.last, last.projection == projection, last.seq == seq { ends.removeLast() }
  }

  /// Ends the flush, and hands on its steps.
  ///
  /// - Parameter living: How many children of a kind live now.
  mutating func removeAll(living: [Kind: Int], _ body: (Step) -> Void) {
    let owners = owners()
    for owner in owners { if let owner { runs[owner].hasWorkBelow = true } }
    findLastKept(owners)
    findMadeAnew(owners, living)
    forEachStep(body)
    runs.removeAll(keepingCapacity: true)
    below.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  private func forEachStep(_ body: (Step) -> Void) {
    var next = ends.startIndex
    for index in 0...runs.count {
      while next < ends.count, ends[next].position == index {
        body(.end(ends[next]))
        next += 1
      }
      if index < runs.count { body(.run(runs[index])) }
    }
  }

  // MARK: What happened below which run

  /// The index of the run to which each change belongs; nil if its parent did not run.
  private mutating func owners() -> [Int?] {
    if below.isEmpty { return [] }
    let (last, next) = (lastRuns(), nextRuns())
    return below.indices.map { owner(of: below[$0], last: last[$0], next: next[$0]) }
  }

  private func owner(of change: Below, last: Int?, next: Int?) -> Int? {
    guard let last, let next else { return last ?? next }
    if case .ended = change.change { return last }
    let isOfLast = runs[last].cause == change.cause && runs[next].cause != change.cause
    return isOfLast ? last : next
  }

  /// The last run of the parent before each change.
  private mutating func lastRuns() -> [Int?] {
    var found: [Int?] = []
    var index = 0
    for change in below {
      while index < change.position {
        nearest[runs[index].projection] = Int32(index)
        index += 1
      }
      found.append(nearest[change.kind.parent].map { Int($0) })
    }
    forgetNearest()
    return found
  }

  /// The next run of the parent after each change.
  private mutating func nextRuns() -> [Int?] {
    var found: [Int?] = Array(repeating: nil, count: below.count)
    var index = runs.count
    for change in below.indices.reversed() {
      while index > below[change].position {
        index -= 1
        nearest[runs[index].projection] = Int32(index)
      }
      found[change] = nearest[below[change].kind.parent].map { Int($0) }
    }
    forgetNearest()
    return found
  }

  private mutating func forgetNearest() { for run in runs { nearest[run.projection] = nil } }

  private mutating func findLastKept(_ owners: [Int?]) {
    if ends.isEmpty { return }
    let earlier = earlierRuns()
    for index in ends.indices {
      guard let owner = ends[index].change.flatMap({ owners[$0] }), runs[owner].seq < ends[index].seq else {
        continue
      }
      ends[index].lastKept = earlier[owner].map { runs[$0].seq } ?? 0
    }
  }

  /// The run before each run of the same projection.
  private mutating func earlierRuns() -> [Int?] {
    var found: [Int?] = []
    for index in runs.indices {
      found.append(nearest[runs[index].projection].map { Int($0) })
      nearest[runs[index].projection] = Int32(index)
    }
    forgetNearest()
    return found
  }

  // MARK: What was made anew

  private struct Key: Hashable {
    var owner: Int
    var group: GroupID<ProjectionID>
  }

  private mutating func findMadeAnew(_ owners: [Int?], _ living: [Kind: Int]) {
    exchanges.removeAll(keepingCapacity: true)
    var found: [Key: Exchange] = [:]
    var keys: [UInt64: Key] = [:]
    for (change, owner) in zip(below, owners) {
      guard let owner else { continue }
      let key = Key(owner: owner, group: change.kind.group)
      switch change.change {
      case .made(let child, let birth):
        found[key, default: Exchange(kind: change.kind)].made.append(child)
        keys[birth] = key
      case .ended(let child, let reads):
        found[key, default: Exchange(kind: change.kind)].append(child, havingRead: reads)
      case .hadOtherInput: break
      }
    }
    found = found.filter { $1.made.count == $1.ended.count }
    if found.isEmpty { return }
    for index in runs.indices where runs[index].isFirst {
      guard let key = keys[runs[index].birth], found[key]?.isWhole(living) == true else { continue }
      runs[index].replaced = found[key]?.remove(havingRead: runs[index].firstReads)
    }
    exchanges = found.sorted { ($0.key.owner, $0.key.group) < ($1.key.owner, $1.key.group) }.map(\.value)
    for index in exchanges.indices { exchanges[index].isWhole = exchanges[index].isWhole(living) }
  }
}

extension AccountFlush {
  /// The children of one kind that were made in a run of their parent, in which as many others ended.
  struct Exchange {
    let kind: Kind
    fileprivate(set) var made: [ProjectionID] = []
    fileprivate(set) var ended: [ProjectionID] = []
    /// Whether no others of the kind are left.
    fileprivate(set) var isWhole = false
    /// Those that ended and that none is known to stand for yet, by what they had begun by reading.
    private var left: [UInt64: ArraySlice<ProjectionID>] = [:]

    fileprivate init(kind: Kind) { self.kind = kind }

    fileprivate mutating func append(_ child: ProjectionID, havingRead reads: UInt64) {
      ended.append(child)
      left[reads, default: []].append(child)
    }

    /// Takes out one that had begun by reading this. An only child must have read something.
    fileprivate mutating func remove(havingRead reads: UInt64) -> ProjectionID? {
      made.count > 1 || reads != 0 ? left[reads]?.popFirst() : nil
    }

    fileprivate func isWhole(_ living: [Kind: Int]) -> Bool { living[kind] == made.count }
  }
}
