/// One thing that happened, as the log holds it. Two events are equal if their names and texts are equal byte
/// for byte.
public struct Event: Hashable, Sendable {
  /// The sequence number: from 1 without gaps. The order of events is the order of `seq`, never of time.
  public var seq: UInt64
  /// Nanoseconds since the session began.
  public var time: UInt64
  /// The event whose callback or evaluation led to this one, if any; always smaller than `seq`.
  public var cause: UInt64?
  /// The place in the source code that wrote it, as `Chat.swift:42`.
  public var site: String?
  /// The thread, task and stack that wrote it, if the recording was asked to keep them.
  public var origin: Origin?
  /// What happened.
  public var body: Body

  /// Creates an event.
  public init(
    seq: UInt64, time: UInt64, cause: UInt64? = nil, site: String? = nil, origin: Origin? = nil, body: Body
  ) {
    self.seq = seq
    self.time = time
    self.cause = cause
    self.site = site
    self.origin = origin?.unlessEmpty
    self.body = body
  }

  /// What happened, with the data of each kind of event.
  public enum Body: Sendable {
    /// The value at a path was set. `sameValue` means that nothing changed by the property's own comparison.
    case set(Path, Value, sameValue: Bool)
    /// A part of a string (offsets in UTF-8 bytes, `insert` is a string) or of an array (offsets in elements,
    /// `insert` is an array) was replaced.
    case splice(Path, offset: Int, delete: Int, insert: Value, sameValue: Bool)
    /// An entry, element or property was removed.
    case remove(Path, sameValue: Bool)
    /// A projection was created.
    case projection(name: String, parent: String?, tracking: Tracking)
    /// What the projection reads from now on.
    case reads(projection: String, Reads)
    /// The session found the projection out of date because of the events in `causes`. The event's own
    /// `cause` is the end of the flush's transaction, or the single event.
    case invalidate(projection: String, causes: [UInt64])
    /// The projection ran. `changed` is whether its output differed from that of its last run, `inputChanged`
    /// whether the input from its parent differed; each is nil if that is not known. `comparing` is how much of its
    /// duration went into comparing values, as far as that was measured: its children's inputs and its output.
    case evaluate(
      projection: String, duration: UInt64, changed: Bool?, inputChanged: Bool? = nil, comparing: UInt64 = 0)
    /// The projection ended.
    case dispose(projection: String)
    /// A transaction began.
    case begin(label: String?)
    /// The innermost open transaction ended.
    case end
    /// A note from the app.
    case mark(label: String)
    /// The app began something that leads to writes. What it led to has it as its cause, directly or by way of others.
    case action(label: String)
    /// The action that is the event's `cause` ended. How long it took is the difference of their times.
    case finish(ActionOutcome)
  }
}

extension Event {
  /// The site of a write that was made together with the write before it, with nothing run in between. An
  /// example is a write by a class's `didSet` after the property was stored.
  package static let continuingSite = "with the write before"

  /// Whether all parts are equal.
  public static func == (a: Event, b: Event) -> Bool {
    a.seq == b.seq && a.time == b.time && a.cause == b.cause && a.site.hasSameBytes(as: b.site)
      && a.origin == b.origin && a.body == b.body
  }

  /// Hashes consistently with `==`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(seq)
    hasher.combine(body)
  }
}

extension Event.Body: Hashable {
  /// Whether both are of the same kind and have equal data.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.set(let a, let x, let isSameA), .set(let b, let y, let isSameB)):
      a == b && x == y && isSameA == isSameB
    case (
      .splice(let a, let offsetA, let deleteA, let x, let isSameA),
      .splice(let b, let offsetB, let deleteB, let y, let isSameB)
    ):
      a == b && offsetA == offsetB && deleteA == deleteB && x == y && isSameA == isSameB
    case (.remove(let a, let isSameA), .remove(let b, let isSameB)): a == b && isSameA == isSameB
    case (.projection(let a, let parentA, let x), .projection(let b, let parentB, let y)):
      a.hasSameBytes(as: b) && parentA.hasSameBytes(as: parentB) && x == y
    case (.reads(let a, let x), .reads(let b, let y)): a.hasSameBytes(as: b) && x == y
    case (.invalidate(let a, let x), .invalidate(let b, let y)): a.hasSameBytes(as: b) && x == y
    case (
      .evaluate(let a, let durationA, let x, let inputA, let comparingA),
      .evaluate(let b, let durationB, let y, let inputB, let comparingB)
    ):
      a.hasSameBytes(as: b) && durationA == durationB && x == y && inputA == inputB
        && comparingA == comparingB
    case (.dispose(let a), .dispose(let b)), (.mark(let a), .mark(let b)), (.action(let a), .action(let b)):
      a.hasSameBytes(as: b)
    case (.finish(let a), .finish(let b)): a == b
    case (.begin(let a), .begin(let b)): a.hasSameBytes(as: b)
    case (.end, .end): true
    default: false
    }
  }

  /// Hashes consistently with `==`, by the path, projection or label.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .set(let path, let value, _):
      hasher.combine(path)
      hasher.combine(value)
    case .splice(let path, let offset, _, let insert, _):
      hasher.combine(path)
      hasher.combine(offset)
      hasher.combine(insert)
    case .remove(let path, _): hasher.combine(path)
    case .begin(let label): hasher.combine(label.map(ExactString.init))
    case .mark(let label), .action(let label): hasher.combine(bytesOf: label)
    default: hasher.combine(projectionName.map(ExactString.init))
    }
  }
}

extension Event.Body {
  /// The kind of event.
  public var kind: EventKind {
    switch self {
    case .set: .set
    case .splice: .splice
    case .remove: .remove
    case .projection: .projection
    case .reads: .reads
    case .invalidate: .invalidate
    case .evaluate: .evaluate
    case .dispose: .dispose
    case .begin: .begin
    case .end: .end
    case .mark: .mark
    case .action: .action
    case .finish: .finish
    }
  }

  /// The path that the event writes, if it writes one.
  package var writtenPath: Path? {
    switch self {
    case .set(let path, _, _), .splice(let path, _, _, _, _), .remove(let path, _): path
    default: nil
    }
  }

  /// The projection that the event is about, if it is about one.
  package var projectionName: String? {
    switch self {
    case .projection(let name, _, _), .reads(let name, _), .invalidate(let name, _): name
    case .evaluate(let name, _, _, _, _), .dispose(let name): name
    default: nil
    }
  }

  /// The same data for a projection of another name, for the kinds that are about a projection.
  package func renamingProjection(_ name: String) -> Event.Body {
    switch self {
    case .projection(_, let parent, let tracking): .projection(name: name, parent: parent, tracking: tracking)
    case .reads(_, let reads): .reads(projection: name, reads)
    case .invalidate(_, let causes): .invalidate(projection: name, causes: causes)
    case .evaluate(_, let duration, let changed, let inputChanged, let comparing):
      .evaluate(
        projection: name, duration: duration, changed: changed, inputChanged: inputChanged,
        comparing: comparing)
    case .dispose: .dispose(projection: name)
    default: self
    }
  }

  /// Whether the event changed nothing; nil for the kinds that do not record this.
  public var sameValue: Bool? {
    switch self {
    case .set(_, _, let sameValue), .splice(_, _, _, _, let sameValue), .remove(_, let sameValue): sameValue
    default: nil
    }
  }

  /// Whether the event changed no value. This is true of the kinds that write none.
  package var isSameValue: Bool { sameValue ?? true }

  /// The same data with another `sameValue`, for the kinds that have one.
  public func settingSameValue(_ sameValue: Bool) -> Event.Body {
    switch self {
    case .set(let path, let value, _): .set(path, value, sameValue: sameValue)
    case .splice(let path, let offset, let delete, let insert, _):
      .splice(path, offset: offset, delete: delete, insert: insert, sameValue: sameValue)
    case .remove(let path, _): .remove(path, sameValue: sameValue)
    default: self
    }
  }
}

/// How an action ended.
public enum ActionOutcome: String, Hashable, Sendable, CaseIterable {
  /// Its code returned.
  case returned
  /// Its code threw an error other than of a cancellation.
  case threw
  /// Its task was cancelled before the code returned, or the code threw a `CancellationError`.
  case cancelled

  /// What the action did: `threw an error`.
  package var sentence: String {
    switch self {
    case .returned: "returned"
    case .threw: "threw an error"
    case .cancelled: "was cancelled"
    }
  }
}

/// What a projection reads, from an event on. Each path is bound to the slot that it leads to at this event, see
/// ``State/bound(_:)``.
public enum Reads: Hashable, Sendable {
  /// All paths that it reads.
  case paths([Path])
  /// A change of what it reads. `dropped` is applied first.
  case change(added: [Path], dropped: [Path])

  /// All paths that it names.
  package var allPaths: [Path] {
    switch self {
    case .paths(let paths): paths
    case .change(let added, let dropped): added + dropped
    }
  }

  /// The same with each path replaced.
  package func mapPaths<E: Error>(_ transform: (Path) throws(E) -> Path) throws(E) -> Reads {
    switch self {
    case .paths(let paths): .paths(try paths.map(transform))
    case .change(let added, let dropped):
      .change(added: try added.map(transform), dropped: try dropped.map(transform))
    }
  }
}

/// How precisely a projection tracks what it reads.
public enum Tracking: String, Hashable, Sendable, CaseIterable {
  /// By element: invalidated only when a value it read differs.
  case element
  /// By property, as `@Observable` does: invalidated by any change within a property it read.
  case property
  /// By object, as `ObservableObject` does: invalidated by any set of any property, also to the same value.
  case object
}

extension String {
  /// The name that the instances of one projection share: `Row` for `Row#42`.
  package var projectionGroup: String {
    guard let mark = utf8.firstIndex(of: 0x23), mark != startIndex else { return self }
    return String(self[..<mark])
  }
}

/// The thread, task and code that made an event. An event has these only if the recording was asked to keep them; its strand
/// is always known.
public struct Origin: Hashable, Sendable {
  /// The name of the thread.
  public var thread: String?
  /// The name of the task.
  public var task: String?
  /// The call stack, the innermost call first, as addresses in images; FORMAT.md says how it is written.
  public var stack: String?
  /// Which of the strands of code that ran at once made the event. An event belongs to the transactions that are open on its own
  /// strand, and to those of the session, strand 1. It is 0 unless a transaction of another is open.
  public var strand = 0

  /// Creates an origin.
  public init(thread: String? = nil, task: String? = nil, stack: String? = nil, strand: Int = 0) {
    self.thread = thread
    self.task = task
    self.stack = stack
    self.strand = strand
  }

  /// Whether it names no thread, task or stack.
  package var isUnnamed: Bool { thread == nil && task == nil && stack == nil }

  /// The origin; nil if it is empty.
  fileprivate var unlessEmpty: Origin? { isUnnamed && strand == 0 ? nil : self }

  /// Whether all parts are equal, byte for byte.
  public static func == (a: Origin, b: Origin) -> Bool {
    a.thread.hasSameBytes(as: b.thread) && a.task.hasSameBytes(as: b.task)
      && a.stack.hasSameBytes(as: b.stack) && a.strand == b.strand
  }

  /// Hashes consistently with `==`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(thread.map(ExactString.init))
    hasher.combine(task.map(ExactString.init))
    hasher.combine(stack.map(ExactString.init))
  }
}
