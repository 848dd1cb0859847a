import EventLog

/// Compares what callbacks, bodies and derived values wrote in a recorded session and in one that was driven by it: after each
/// write, transaction or mark that both have, the writes that it led to, path by path.
///
/// Cost: both logs once. Memory: a few writes of each with what they led to.
struct DriveReactions {
  private var recorded: ReactionReader
  private var driven: ReactionReader
  private(set) var differences: [DriveComparison.Reaction] = []
  private(set) var count = 0
  private static let keptMax = 200

  init(_ recorded: LogSource, _ driven: LogSource) {
    self.recorded = ReactionReader(recorded)
    self.driven = ReactionReader(driven)
  }

  mutating func run() {
    while true {
      switch (recorded.first, driven.first) {
      case (let a?, let b?):
        if a.head == b.head {
          compare(recorded.take(), driven.take())
        } else if driven.distance(to: a.head, atMost: recorded.distance(to: b.head)) != nil {
          // Only the driven session did this.
          compare([], driven.take())
        } else {
          compare(recorded.take(), [])
        }
      case (_?, nil): compare(recorded.take(), [])
      case (nil, _?): compare([], driven.take())
      case (nil, nil): return
      }
    }
  }

  private mutating func compare(_ a: [Event], _ b: [Event]) {
    var waiting = b
    for event in a {
      guard let path = event.body.writtenPath?.withoutNumbers else { continue }
      if let partner = waiting.firstIndex(where: { $0.body.writtenPath?.withoutNumbers == path }) {
        let other = waiting.remove(at: partner)
        if !event.body.writes(as: other.body) { note(.different, event, other) }
      } else {
        note(.missing, event, nil)
      }
    }
    for event in waiting { note(.new, nil, event) }
  }

  private mutating func note(
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

/// Goes through a log by what was driven, or may be, each with the writes that it led to.
private struct ReactionReader {
  struct Unit {
    /// What it is; nil for what comes before the first.
    var head: Head?
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
  /// Units that were read and not taken; the last may go on.
  private var units: [Unit] = [Unit()]
  private var isOver = false
  /// How far one looks for a unit that only one log has.
  private static let distanceMax = 64

  init(_ log: LogSource) {
    self.log = log
    nextSeq = log.firstSeq
    read(units: 1)
  }

  /// The next unit, whole; nil at the end.
  var first: Unit? { units.first }

  /// Takes what the next unit led to.
  mutating func take() -> [Event] {
    let unit = units.removeFirst()
    read(units: 1)
    return unit.reactions
  }

  /// How many units come before one with a head; nil if it is not among the next.
  mutating func distance(to head: Head?, atMost most: Int? = nil) -> Int? {
    read(units: Self.distanceMax)
    guard let distance = units.prefix(Self.distanceMax).firstIndex(where: { $0.head == head }) else {
      return nil
    }
    return most.map { distance <= $0 } ?? true ? distance : nil
  }

  /// Reads until so many units are whole, or the log ends.
  private mutating func read(units count: Int) {
    while units.count <= count, !isOver {
      guard nextSeq <= log.lastSeq, let event = log.event(nextSeq) else {
        isOver = true
        return
      }
      nextSeq += 1
      if let head = Head(event) {
        units.append(Unit(head: head))
      } else if event.body.writtenPath != nil, !units.isEmpty {
        units[units.count - 1].reactions.append(event)
      }
    }
  }
}

extension ReactionReader.Head {
  /// What an event is if nothing caused it; nil for any other.
  fileprivate init?(_ event: Event) {
    if event.cause != nil { return nil }
    switch event.body {
    case .set(let path, _, _), .splice(let path, _, _, _, _), .remove(let path, _):
      // Derived values are published without a cause when the app asks for them.
      if path.root == .named("derived") { return nil }
      self = .write(event.body.kind, path.withoutNumbers)
    case .begin(let label): self = .begin(label.map(ExactString.init))
    case .end: self = .end
    case .mark(let label):
      if label.hasPrefix("diagnostic: ") || label.hasPrefix("drive: ") { return nil }
      self = .mark(ExactString(label))
    default: return nil
    }
  }
}

extension Path {
  /// The same with one number for all objects: that of an object is another in another run.
  fileprivate var withoutNumbers: Path {
    guard case .object = root else { return self }
    return Path(root: .object(ObjectID(1)), components: components)
  }
}

extension Event.Body {
  /// Whether it writes what another does, whatever numbers objects have.
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
  /// The same with one number for all objects.
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
