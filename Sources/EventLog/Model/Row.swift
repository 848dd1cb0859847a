/// The id of a path or a string within one block; it has a meaning only with that block's tables. The type parameter
/// distinguishes the two.
public struct BlockID<Named>: Hashable, Sendable {
  @usableFromInline let number: UInt32

  /// Creates the id for an index in the tables.
  @inlinable public init(index: Int) { number = UInt32(truncatingIfNeeded: index) }

  /// Creates an id from a number of a row; nil for the largest number, which means that the row has none.
  @inlinable init?(number: UInt32) {
    if number == .max { return nil }
    self.number = number
  }

  /// The index in the tables.
  @inlinable public var index: Int { Int(number) }
}

/// The id of a path within one block.
public typealias BlockPathID = BlockID<Path>

/// The id of a string within one block.
public typealias StringID = BlockID<String>

/// One event as its block holds it: numbers, and its value. Paths and strings are ids in the block's
/// ``BlockTables``, so that reading a row allocates nothing unless its value is a text or a container.
public struct Row: Sendable {
  /// The sequence number.
  public internal(set) var seq: UInt64 = 0
  /// Nanoseconds since the session began.
  public internal(set) var time: UInt64 = 0
  /// The seq of the cause; 0 if there is none.
  public internal(set) var cause: UInt64 = 0
  /// What happened.
  public internal(set) var kind = EventKind.end
  @usableFromInline var flags = EventFlags()
  // Ids as plain numbers, with the largest number for none, which take half the space of optionals.
  @usableFromInline var pathNumber = UInt32.max
  @usableFromInline var nameNumber = UInt32.max
  @usableFromInline var parentNumber = UInt32.max
  @usableFromInline var siteNumber = UInt32.max
  /// The thread, task and stack that wrote it.
  public internal(set) var origin = Origin()
  /// For `set` the value, for `splice` the inserted value; otherwise `null`.
  public internal(set) var value = Value.null
  /// For `splice`: the offset, in bytes or elements.
  public internal(set) var offset = 0
  /// For `splice`: the number of bytes or elements deleted there.
  public internal(set) var delete = 0
  /// For `evaluate`: the duration in nanoseconds.
  public internal(set) var duration: UInt64 = 0
  /// For `evaluate`: how much of the duration went into comparing values, in nanoseconds.
  public internal(set) var comparing: UInt64 = 0

  /// The strings of an event's ``Event/origin``.
  public struct Origin: Sendable {
    @usableFromInline var threadNumber = UInt32.max
    @usableFromInline var taskNumber = UInt32.max
    @usableFromInline var stackNumber = UInt32.max
    @usableFromInline var strandNumber: UInt32 = 0

    /// The name of the thread.
    @inlinable public var thread: StringID? { StringID(number: threadNumber) }
    /// The name of the task.
    @inlinable public var task: StringID? { StringID(number: taskNumber) }
    /// The call stack.
    @inlinable public var stack: StringID? { StringID(number: stackNumber) }
    /// As ``EventLog/Origin/strand``.
    @inlinable public var strand: Int { Int(strandNumber) }
  }

  /// An empty row to read into.
  public init() {}

  /// For `set`, `splice` and `remove`: the path.
  @inlinable public var path: BlockPathID? { BlockPathID(number: pathNumber) }
  /// The name of the projection that the event is about.
  @inlinable public var projection: StringID? {
    kind.subject == .projection ? StringID(number: nameNumber) : nil
  }
  /// For `begin`, `mark` and `action`: the label.
  @inlinable public var label: StringID? { kind.subject == .label ? StringID(number: nameNumber) : nil }
  /// For `projection`: the name of the parent.
  @inlinable public var parent: StringID? { StringID(number: parentNumber) }
  /// The site.
  @inlinable public var site: StringID? { StringID(number: siteNumber) }
  /// For `set`, `splice` and `remove`: whether nothing changed by the property's own comparison.
  @inlinable public var isSameValue: Bool { flags.isSameValue }
  /// For `reads`: whether it is a change of what is read, rather than all of it.
  public var isChangeOfReads: Bool { kind == .reads && flags.isChange }
  /// For `projection`: the tracking.
  public var tracking: Tracking { flags.tracking ?? .element }
  /// For `evaluate`: whether the output changed; nil if that is not known.
  public var changed: Bool? { flags.changed }
  /// For `evaluate`: whether the input changed; nil if that is not known.
  public var inputChanged: Bool? { flags.inputChanged }
  /// For `finish`: how the action ended; nil for another kind.
  public var outcome: ActionOutcome? { kind == .finish ? flags.outcome : nil }
  /// ``inputChanged`` as written in JSON Lines.
  package var input: String? { inputChanged.map { $0 ? "changed" : "same" } }
}

/// The texts that the ids of a row stand for, and the lists that do not fit a row: those of a block, or of
/// one event.
package protocol RowTexts {
  /// The path with an id.
  func path(_ id: BlockPathID) -> Path
  /// The string with an id.
  func string(_ id: StringID) -> String
  /// For `reads`: the paths read; for a change of reads, the added paths.
  var readPaths: [BlockPathID] { get }
  /// For a change of reads: the dropped paths.
  var droppedPaths: [BlockPathID] { get }
  /// For `invalidate`: the causes.
  var invalidationCauses: [UInt64] { get }
}

// MARK: From a row to an event

extension Event {
  /// The event in a row.
  package init(_ row: borrowing Row, _ texts: borrowing some RowTexts) {
    self.init(
      seq: row.seq, time: row.time, cause: row.cause == 0 ? nil : row.cause, site: texts.text(row.site),
      origin: Origin(
        thread: texts.text(row.origin.thread), task: texts.text(row.origin.task),
        stack: texts.text(row.origin.stack), strand: row.origin.strand),
      body: Body(row, texts))
  }
}

extension Event.Body {
  /// The body of the event in a row.
  package init(_ row: borrowing Row, _ texts: borrowing some RowTexts) {
    self =
      switch row.kind {
      case .set: .set(texts.writtenPath(of: row), row.value, sameValue: row.isSameValue)
      case .splice:
        .splice(
          texts.writtenPath(of: row), offset: row.offset, delete: row.delete, insert: row.value,
          sameValue: row.isSameValue)
      case .remove: .remove(texts.writtenPath(of: row), sameValue: row.isSameValue)
      case .projection:
        .projection(name: texts.name(of: row), parent: texts.text(row.parent), tracking: row.tracking)
      case .reads: .reads(projection: texts.name(of: row), Reads(row, texts))
      case .invalidate: .invalidate(projection: texts.name(of: row), causes: texts.invalidationCauses)
      case .evaluate:
        .evaluate(
          projection: texts.name(of: row), duration: row.duration, changed: row.changed,
          inputChanged: row.inputChanged, comparing: row.comparing)
      case .dispose: .dispose(projection: texts.name(of: row))
      case .begin: .begin(label: texts.text(row.label))
      case .end: .end
      case .mark: .mark(label: texts.name(of: row))
      case .action: .action(label: texts.name(of: row))
      case .finish: .finish(row.outcome ?? .returned)
      }
  }
}

extension Reads {
  /// The reads in a row of `reads`.
  package init(_ row: borrowing Row, _ texts: borrowing some RowTexts) {
    self =
      row.isChangeOfReads
      ? .change(added: texts.paths(texts.readPaths), dropped: texts.paths(texts.droppedPaths))
      : .paths(texts.paths(texts.readPaths))
  }
}

extension RowTexts {
  fileprivate func text(_ id: StringID?) -> String? { id.map { string($0) } }

  fileprivate func paths(_ ids: [BlockPathID]) -> [Path] { ids.map { path($0) } }

  /// The path of a row that writes one.
  fileprivate func writtenPath(of row: borrowing Row) -> Path {
    path(BlockPathID(index: Int(row.pathNumber)))
  }

  /// The projection's name or the label of a row that has one.
  fileprivate func name(of row: borrowing Row) -> String { string(StringID(index: Int(row.nameNumber))) }
}

// MARK: From an event to a row

/// An event as a row with its own texts, for code that takes rows.
package struct EventRow: RowTexts, Sendable {
  /// The row, whose ids refer to the texts here.
  package private(set) var row = Row()
  package private(set) var readPaths: [BlockPathID] = []
  package private(set) var droppedPaths: [BlockPathID] = []
  package private(set) var invalidationCauses: [UInt64] = []
  private var paths: [Path] = []
  private var strings: [String] = []

  /// Converts an event. A cause of 0 counts as none.
  package init(_ event: Event) {
    row.seq = event.seq
    row.time = event.time
    row.cause = event.cause ?? 0
    row.kind = event.body.kind
    fill(from: event.body)
    row.siteNumber = add(event.site)
    row.origin.threadNumber = add(event.origin?.thread)
    row.origin.taskNumber = add(event.origin?.task)
    row.origin.stackNumber = add(event.origin?.stack)
    row.origin.strandNumber = UInt32(clamping: event.origin?.strand ?? 0)
  }

  package func path(_ id: BlockPathID) -> Path { paths[id.index] }

  package func string(_ id: StringID) -> String { strings[id.index] }

  private mutating func fill(from body: Event.Body) {
    switch body {
    case .set(let path, let value, let sameValue):
      write(path, sameValue)
      row.value = value
    case .splice(let path, let offset, let delete, let insert, let sameValue):
      write(path, sameValue)
      row.offset = offset
      row.delete = delete
      row.value = insert
    case .remove(let path, let sameValue): write(path, sameValue)
    case .projection(let name, let parent, let tracking):
      row.nameNumber = add(name)
      row.parentNumber = add(parent)
      row.flags = EventFlags(tracking, hasParent: parent != nil)
    case .reads(let name, .paths(let paths)):
      row.nameNumber = add(name)
      readPaths = add(paths)
    case .reads(let name, .change(let added, let dropped)):
      row.nameNumber = add(name)
      row.flags = EventFlags(isChange: true)
      readPaths = add(added)
      droppedPaths = add(dropped)
    case .invalidate(let name, let causes):
      row.nameNumber = add(name)
      invalidationCauses = causes
    case .evaluate(let name, let duration, let changed, let inputChanged, let comparing):
      row.nameNumber = add(name)
      row.duration = duration
      row.comparing = comparing
      row.flags = EventFlags(changed: changed, inputChanged: inputChanged)
    case .dispose(let name): row.nameNumber = add(name)
    case .begin(let label):
      row.nameNumber = add(label)
      row.flags = EventFlags(hasLabel: label != nil)
    case .end: break
    case .mark(let label), .action(let label): row.nameNumber = add(label)
    case .finish(let outcome): row.flags = EventFlags(outcome)
    }
  }

  private mutating func write(_ path: Path, _ sameValue: Bool) {
    paths = [path]
    row.pathNumber = 0
    row.flags = EventFlags(sameValue: sameValue)
  }

  /// Adds paths and returns their ids.
  private mutating func add(_ more: [Path]) -> [BlockPathID] {
    paths += more
    return (paths.count - more.count..<paths.count).map { BlockPathID(index: $0) }
  }

  /// Adds a string and returns the number of its id.
  private mutating func add(_ string: String?) -> UInt32 {
    guard let string else { return .max }
    strings.append(string)
    return UInt32(strings.count - 1)
  }
}
