/// A path of one block. Only the tables of that block know which.
public struct BlockPathID: Hashable, Sendable {
  @usableFromInline let number: UInt32

  /// The path with an index in the tables.
  @inlinable public init(index: Int) { number = UInt32(truncatingIfNeeded: index) }

  /// Nil for the largest number, with which a row says that there is none.
  @inlinable init?(number: UInt32) {
    if number == .max { return nil }
    self.number = number
  }

  /// Its index in the tables.
  @inlinable public var index: Int { Int(number) }
}

/// A string of one block. Only the tables of that block know which.
public struct StringID: Hashable, Sendable {
  @usableFromInline let number: UInt32

  /// The string with an index in the tables.
  @inlinable public init(index: Int) { number = UInt32(truncatingIfNeeded: index) }

  /// Nil for the largest number, with which a row says that there is none.
  @inlinable init?(number: UInt32) {
    if number == .max { return nil }
    self.number = number
  }

  /// Its index in the tables.
  @inlinable public var index: Int { Int(number) }
}

/// One event as its block holds it: numbers, and the value it carries. Paths and strings are ids in the block's
/// ``BlockTables``, so that taking a row costs no allocation unless its value is text or a container.
public struct Row: Sendable {
  /// The sequence number.
  public internal(set) var seq: UInt64 = 0
  /// Nanoseconds since the session began.
  public internal(set) var time: UInt64 = 0
  /// The seq of the cause; 0 where there is none.
  public internal(set) var cause: UInt64 = 0
  /// What happened.
  public internal(set) var kind = EventKind.end
  @usableFromInline var flags = EventFlags()
  // The ids by their numbers, the largest number where there is none: half as large as optionals.
  @usableFromInline var pathNumber = UInt32.max
  @usableFromInline var nameNumber = UInt32.max
  @usableFromInline var parentNumber = UInt32.max
  @usableFromInline var siteNumber = UInt32.max
  /// The thread, task and stack that wrote it.
  public internal(set) var origin = Origin()
  /// Of `set` the value, of `splice` the insert; else `null`.
  public internal(set) var value = Value.null
  /// Of `splice`: where, in bytes or elements.
  public internal(set) var offset = 0
  /// Of `splice`: how much is deleted there.
  public internal(set) var delete = 0
  /// Of `evaluate`: nanoseconds.
  public internal(set) var duration: UInt64 = 0

  /// The strings of an event's ``Event/origin``.
  public struct Origin: Sendable {
    @usableFromInline var threadNumber = UInt32.max
    @usableFromInline var taskNumber = UInt32.max
    @usableFromInline var stackNumber = UInt32.max

    /// The name of the thread.
    @inlinable public var thread: StringID? { StringID(number: threadNumber) }
    /// The name of the task.
    @inlinable public var task: StringID? { StringID(number: taskNumber) }
    /// The call stack.
    @inlinable public var stack: StringID? { StringID(number: stackNumber) }
  }

  /// An empty row to read into.
  public init() {}

  /// Of `set`, `splice` and `remove`: the path.
  @inlinable public var path: BlockPathID? { BlockPathID(number: pathNumber) }
  /// The name of the projection that it is about.
  @inlinable public var projection: StringID? {
    kind.subject == .projection ? StringID(number: nameNumber) : nil
  }
  /// Of `begin` and `mark`: the label.
  @inlinable public var label: StringID? { kind.subject == .label ? StringID(number: nameNumber) : nil }
  /// Of `projection`: the name of the parent.
  @inlinable public var parent: StringID? { StringID(number: parentNumber) }
  /// The site.
  @inlinable public var site: StringID? { StringID(number: siteNumber) }
  /// Of `set`, `splice` and `remove`: whether by the rule of the property nothing changed.
  @inlinable public var isSameValue: Bool { flags.isSameValue }
  /// Of `reads`: whether it says what is read besides and no longer, rather than everything that is read.
  public var isChangeOfReads: Bool { kind == .reads && flags.isChange }
  /// Of `projection`.
  public var tracking: Tracking { flags.tracking ?? .element }
  /// Of `evaluate`: whether the output differed; nil where that is not known.
  public var changed: Bool? { flags.changed }
  /// Of `evaluate`: whether what was handed in differed; nil where that is not known.
  public var inputChanged: Bool? { flags.inputChanged }
  /// The same as JSON Lines say it.
  package var input: String? { inputChanged.map { $0 ? "changed" : "same" } }
}

/// What the ids in a row stand for, and what a row has too many of to hold them: the texts of a block, or of one event.
package protocol RowTexts {
  /// The path with an id.
  func path(_ id: BlockPathID) -> Path
  /// The string with an id.
  func string(_ id: StringID) -> String
  /// The paths that are read by the row, if it is `reads`: all of them, or those that a change adds.
  var readPaths: [BlockPathID] { get }
  /// The paths that a change of reads drops.
  var droppedPaths: [BlockPathID] { get }
  /// The causes of the row, if it is `invalidate`.
  var invalidationCauses: [UInt64] { get }
}

// MARK: From a row to an event

extension Event {
  /// The event that a row holds.
  package init(_ row: borrowing Row, _ texts: borrowing some RowTexts) {
    self.init(
      seq: row.seq, time: row.time, cause: row.cause == 0 ? nil : row.cause, site: texts.text(row.site),
      origin: Origin(
        thread: texts.text(row.origin.thread), task: texts.text(row.origin.task),
        stack: texts.text(row.origin.stack)),
      body: Body(row, texts))
  }
}

extension Event.Body {
  /// What happened by a row.
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
          inputChanged: row.inputChanged)
      case .dispose: .dispose(projection: texts.name(of: row))
      case .begin: .begin(label: texts.text(row.label))
      case .end: .end
      case .mark: .mark(label: texts.name(of: row))
      }
  }
}

extension Reads {
  /// What a row of `reads` says.
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

  /// The name of the projection, or the label, of a row that has one.
  fileprivate func name(of row: borrowing Row) -> String { string(StringID(index: Int(row.nameNumber))) }
}

// MARK: From an event to a row

/// An event as a row with texts of its own, for code that takes rows.
package struct EventRow: RowTexts, Sendable {
  /// The row, whose ids are those of the texts here.
  package private(set) var row = Row()
  package private(set) var readPaths: [BlockPathID] = []
  package private(set) var droppedPaths: [BlockPathID] = []
  package private(set) var invalidationCauses: [UInt64] = []
  private var paths: [Path] = []
  private var strings: [String] = []

  /// Takes an event apart. A cause of 0 is none.
  package init(_ event: Event) {
    row.seq = event.seq
    row.time = event.time
    row.cause = event.cause ?? 0
    row.kind = event.body.kind
    take(event.body)
    row.siteNumber = add(event.site)
    row.origin.threadNumber = add(event.origin?.thread)
    row.origin.taskNumber = add(event.origin?.task)
    row.origin.stackNumber = add(event.origin?.stack)
  }

  package func path(_ id: BlockPathID) -> Path { paths[id.index] }

  package func string(_ id: StringID) -> String { strings[id.index] }

  private mutating func take(_ body: Event.Body) {
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
    case .evaluate(let name, let duration, let changed, let inputChanged):
      row.nameNumber = add(name)
      row.duration = duration
      row.flags = EventFlags(changed: changed, inputChanged: inputChanged)
    case .dispose(let name): row.nameNumber = add(name)
    case .begin(let label):
      row.nameNumber = add(label)
      row.flags = EventFlags(hasLabel: label != nil)
    case .end: break
    case .mark(let label): row.nameNumber = add(label)
    }
  }

  private mutating func write(_ path: Path, _ sameValue: Bool) {
    paths = [path]
    row.pathNumber = 0
    row.flags = EventFlags(sameValue: sameValue)
  }

  /// The ids that paths get.
  private mutating func add(_ more: [Path]) -> [BlockPathID] {
    paths += more
    return (paths.count - more.count..<paths.count).map { BlockPathID(index: $0) }
  }

  /// The number of the id that a string gets.
  private mutating func add(_ string: String?) -> UInt32 {
    guard let string else { return .max }
    strings.append(string)
    return UInt32(strings.count - 1)
  }
}
