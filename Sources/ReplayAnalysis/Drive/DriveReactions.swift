import Algorithms
import EventLog

/// Compares the writes that callbacks, bodies and derived values made in a recorded session with those in a
/// session driven by it. For each write, transaction or mark that both sessions have, it compares path by
/// path what that event led to, however much later.
///
/// Cost: one pass over both logs. Memory: for each log at most ``ReactionReader/unitsMax`` units and
/// ``ReactionReader/reactionsMax`` reactions. A reaction whose unit is no longer kept counts for the oldest
/// that is.
struct DriveReactions {
  private var recorded: ReactionReader
  private var driven: ReactionReader
  private(set) var differences: [DriveComparison.Reaction] = []
  private(set) var count = 0
  private static let keptMax = 200

  /// - Parameter seqs: The events of the recording to compare.
  init(_ recorded: LogSource, _ seqs: Range<UInt64>, _ driven: LogSource) {
    self.recorded = ReactionReader(recorded, seqs)
    self.driven = ReactionReader(driven, driven.firstSeq..<driven.lastSeq &+ 1)
  }

  mutating func run() {
    while true {
      switch (recorded.first, driven.first) {
      case (let a?, let b?):
        if a.head == b.head {
          compare(recorded.removeFirst(), driven.removeFirst())
        } else if driven.distance(to: a.head, atMost: recorded.distance(to: b.head)) != nil {
          // Only the driven session has this unit.
          compare([], driven.removeFirst())
        } else {
          compare(recorded.removeFirst(), [])
        }
      case (_?, nil): compare(recorded.removeFirst(), [])
      case (nil, _?): compare([], driven.removeFirst())
      case (nil, nil): return
      }
    }
  }

  private mutating func compare(_ a: [Event], _ b: [Event]) {
    // The events of each path in reverse, so that `popLast` returns the first.
    var waiting: [Path: [Event]] = [:]
    for event in b.reversed() { waiting[event.writtenPathWithoutNumbers, default: []].append(event) }
    for event in a {
      if let other = waiting[event.writtenPathWithoutNumbers]?.popLast() {
        if !event.body.writes(as: other.body) { append(.different, event, other) }
      } else {
        append(.missing, event, nil)
      }
    }
    for event in waiting.values.joined().sorted(by: { $0.seq < $1.seq }) { append(.new, nil, event) }
  }

  private mutating func append(
    _ change: DriveComparison.Reaction.Change, _ recorded: Event?, _ driven: Event?
  ) {
    count += 1
    guard differences.count < Self.keptMax, let path = (recorded ?? driven)?.body.writtenPath else { return }
    differences.append(
      DriveComparison.Reaction(
        change: change, path: "\(path)", recorded: recorded.map { PrintedJSON($0.json()) },
        driven: driven.map { PrintedJSON($0.json()) }, events: (recorded, driven)))
  }
}

/// Reads a log as units: an event that nothing caused, with all the writes that it led to.
private struct ReactionReader {
  /// An event that nothing caused; the first unit stands for the time before any such event.
  struct Unit {
    /// The event itself; nil in the first unit.
    var head: Head?
    var seq: UInt64
    var reactions: [Event] = []
  }

  enum Head: Hashable {
    case write(EventKind, Path)
    case begin(ExactString?)
    case end
    case mark(ExactString)
  }

  private let log: LogSource
  private var nextSeq: UInt64
  private let endSeq: UInt64
  /// The units that were read but not taken, by seq. Later events may still belong to any of them.
  private var units: ArraySlice<Unit>
  /// The number of reactions in these units.
  private var reactionCount = 0
  /// For each event with a cause, the seq of the event without cause at the head of its cause chain.
  private var heads = RecentRing<UInt64>(keeping: 1 << 16)
  private var isOver = false
  /// How many units are read beyond one before it is compared, and so how many others may pass before a timer
  /// fires.
  static let unitsMax = 1_024
  static let reactionsMax = 1 << 16
  /// How many units are searched for one that may be in one log only.
  private static let distanceMax = 64

  init(_ log: LogSource, _ seqs: Range<UInt64>) {
    self.log = log
    nextSeq = max(log.firstSeq, seqs.lowerBound)
    endSeq = seqs.upperBound
    units = [Unit(seq: 0)]
    read()
  }

  /// The next unit, complete; nil at the end.
  var first: Unit? { units.first }

  /// Removes the next unit, and returns its reactions.
  mutating func removeFirst() -> [Event] {
    let reactions = units[units.startIndex].reactions
    // A slice keeps the elements before its start alive, so their reactions are released here.
    units[units.startIndex].reactions = []
    units.removeFirst()
    reactionCount -= reactions.count
    read()
    return reactions
  }

  /// The number of units before one with this head; nil if it is not among the next `distanceMax`, or lies
  /// farther away than `most`.
  func distance(to head: Head?, atMost most: Int? = nil) -> Int? {
    let next = units.prefix(Self.distanceMax)
    guard let index = next.firstIndex(where: { $0.head == head }) else { return nil }
    let distance = index - next.startIndex
    return most.map { distance <= $0 } ?? true ? distance : nil
  }

  /// Reads until enough units follow the first one for it to count as complete, or the log ends.
  private mutating func read() {
    while units.count <= Self.unitsMax, reactionCount < Self.reactionsMax, !isOver {
      guard nextSeq < endSeq, nextSeq <= log.lastSeq, let event = log.event(nextSeq) else {
        isOver = true
        return
      }
      nextSeq += 1
      if let cause = event.cause {
        let head = heads[cause] ?? cause
        heads.append(event.seq, head)
        if event.body.isReaction { add(event, to: head) }
      } else if let head = Head(event) {
        units.append(Unit(head: head, seq: event.seq))
      } else if event.body.isReaction {
        // A derived value that the app itself reads publishes its result without a cause.
        add(event, to: event.seq)
      }
    }
  }

  /// Adds a reaction to its unit, or to the last unit before it.
  private mutating func add(_ event: Event, to head: UInt64) {
    guard !units.isEmpty else {
      units.append(Unit(seq: 0, reactions: [event]))
      reactionCount += 1
      return
    }
    let index = units.partitioningIndex { $0.seq > head }
    units[max(index - 1, units.startIndex)].reactions.append(event)
    reactionCount += 1
  }
}

extension ReactionReader.Head {
  /// The head of a unit; nil if the event does not begin one.
  fileprivate init?(_ event: Event) {
    switch event.body {
    case .set(let path, _, _), .splice(let path, _, _, _, _), .remove(let path, _):
      if path.isDerived { return nil }
      self = .write(event.body.kind, path.withoutNumbers)
    case .begin(let label): self = .begin(label.map(ExactString.init))
    case .end: self = .end
    case .mark(let label):
      if !MarkLabel(label).isOfApp { return nil }
      self = .mark(ExactString(label))
    default: return nil
    }
  }
}

extension Event {
  /// The path that the event writes, with ``Path/withoutNumbers``. The event must be a write.
  fileprivate var writtenPathWithoutNumbers: Path {
    body.writtenPath?.withoutNumbers ?? Path(root: .named(""))
  }
}

extension Path {
  /// Whether the path is where a derived value publishes its results.
  fileprivate var isDerived: Bool { root == .named("derived") }

  /// The same path with one id for all objects, since the ids of objects differ between sessions.
  fileprivate var withoutNumbers: Path {
    guard case .object = root else { return self }
    return Path(root: .object(ObjectID(1)), components: components)
  }
}

extension Event.Body {
  /// Whether it is a write, which code may make in reaction to another event.
  fileprivate var isReaction: Bool { writtenPath != nil }

  /// Whether it writes the same as another, whatever the ids of objects.
  fileprivate func writes(as other: Event.Body) -> Bool {
    switch (self, other) {
    case (.set(_, let a, let isSameA), .set(_, let b, let isSameB)):
      isSameA == isSameB && a.withoutNumbers == b.withoutNumbers
    case (
      .splice(_, let offsetA, let deleteA, let a, let isSameA),
      .splice(_, let offsetB, let deleteB, let b, let isSameB)
    ):
      offsetA == offsetB && deleteA == deleteB && isSameA == isSameB && a.withoutNumbers == b.withoutNumbers
    case (.remove(_, let isSameA), .remove(_, let isSameB)): isSameA == isSameB
    default: false
    }
  }
}

extension Value {
  /// The same value with one id for all objects.
  fileprivate var withoutNumbers: Value {
    guard mayHoldObjects else { return self }
    switch self {
    case .reference: return .reference(ObjectID(1))
    case .array(let elements): return .array(elements.map(\.withoutNumbers))
    case .map(let fields): return .map(fields.mapValues(\.withoutNumbers))
    case .object(var definition):
      definition.id = ObjectID(1)
      definition.fields = definition.fields.mapValues(\.withoutNumbers)
      return .object(definition)
    default: return self
    }
  }
}
