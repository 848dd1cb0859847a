import EventLog

/// The writes that follow from other writes, and who made them: a callback or a body while it ran, or a task that it started.
///
/// A write within a run has the cause of that run, and the log has the run when it ends: so it is of the next run with the
/// same cause. What has still no run when the flush is over is of a task, whose cause is the same.
struct Consequences {
  /// A write, or the end of a transaction, that follows from another write. Actions in between do not count.
  struct Link {
    /// What it follows from, and the event of the app's own with which the chain began.
    var parent: UInt64
    var origin: UInt64
    var time: UInt64
    /// The number of the stretch without a pause in which it was made; see ``Consequences/stretch``.
    var stretch: UInt32
    /// The callback or body that made it, as far as known.
    fileprivate(set) var writer: GroupID<ProjectionID>?
    /// The same as one of several of that name; nil if a task made it.
    fileprivate(set) var instance: ProjectionID?
    /// Whether it was made after the run of that, by a task.
    fileprivate(set) var isLate = false

    /// Whether no run is known in which it was made.
    var isOfTask: Bool { isLate || writer == nil }
  }

  struct Write {
    var seq: UInt64
    var cause: UInt64
    var link: Link
    /// Nil for the end of a transaction.
    var path: PathID?
    var group: GroupID<PathID>?
    /// The value of a set; nil for other writes.
    var value: Value?
    var isSameValue: Bool
    var isFlagOrNumber: Bool
  }

  private var links = RecentRing<Link>(keeping: 1 << 16)
  /// The groups that ran for an event.
  private var ran = RecentRing<[GroupID<ProjectionID>]>(keeping: 1 << 14)
  /// Those of the flush, and the indices of those whose run has not ended.
  private(set) var writes: [Write] = []
  private var open: [Int] = []
  /// Those that made a write while they ran.
  private(set) var writers: Set<GroupID<ProjectionID>> = []
  /// Grows with each event of the app's own, and with each pause in which nothing happens. What a callback writes in the stretch
  /// in which it was called follows at once, however long the work takes; a callback that waits comes after a pause.
  private(set) var stretch: UInt32 = 0
  private var lastTime: UInt64 = 0

  /// The time of a frame of a screen, in nanoseconds: nobody sees what is replaced within it.
  static let frame: UInt64 = 16_666_667
  /// The shortest pause: longer than a thread of a busy machine waits for its turn, and shorter than a callback is debounced.
  private static let pause = 3 * frame
  private static let writesMax = 1 << 12
  private static let groupsMax = 8

  init() {}

  /// The link of a write; nil if it is one of the app's own.
  func link(of seq: UInt64) -> Link? { links[seq] }

  @inline(__always)
  mutating func observe(_ run: inout LogRun) {
    let start = run.row.time - run.row.duration
    if start > lastTime + Self.pause { stretch &+= 1 }
    lastTime = max(lastTime, run.row.time)
    switch run.row.kind {
    case .set, .splice, .remove, .begin, .end, .action: follow(&run)
    default: break
    }
  }

  private mutating func follow(_ run: inout LogRun) {
    let (kind, seq) = (run.row.kind, run.row.seq)
    let parent = parent(of: run.row.cause, &run)
    guard parent > 0 else {
      if kind != .end { stretch &+= 1 }
      return
    }
    if kind == .begin { return }
    let link = Link(
      parent: parent, origin: links[parent]?.origin ?? parent, time: run.row.time, stretch: stretch)
    links.append(seq, link)
    guard kind != .action, writes.count < Self.writesMax else { return }
    open.append(writes.count)
    writes.append(
      Write(
        seq: seq, cause: run.row.cause, link: link, path: run.path,
        group: run.path.map { run.group(of: $0) }, value: kind == .set ? run.row.value : nil,
        isSameValue: run.row.isSameValue, isFlagOrNumber: run.row.value.isFlagOrNumber))
  }

  /// The write nearest in the chain of a cause; 0 if the cause is the app's own.
  private func parent(of cause: UInt64, _ run: inout LogRun) -> UInt64 {
    if cause == 0 { return 0 }
    return run.isOwn(cause) ? links[cause]?.parent ?? 0 : run.unit(cause)
  }

  /// Looks at a run that has ended. A first run is followed by what `onFirstAppear` writes, which is of no run.
  mutating func countRun(_ entry: FlushRuns.Entry) {
    guard entry.cause > 0 else { return }
    if !entry.isFirst { add(entry.group, ranFor: entry.cause) }
    if open.isEmpty { return }
    for index in open where writes[index].link.parent == entry.cause && !entry.isFirst {
      writes[index].link.instance = entry.projection
      attribute(index, to: entry.group)
      writers.insert(entry.group)
    }
    open.removeAll { writes[$0].link.parent == entry.cause }
  }

  private mutating func add(_ group: GroupID<ProjectionID>, ranFor cause: UInt64) {
    let known = ran[cause] ?? []
    if known.count < Self.groupsMax, !known.contains(group) { ran.append(cause, known + [group]) }
  }

  private mutating func attribute(_ index: Int, to writer: GroupID<ProjectionID>?, isLate: Bool = false) {
    writes[index].link.writer = writer
    writes[index].link.isLate = isLate
    links.append(writes[index].seq, writes[index].link)
  }

  /// Attributes the rest of a flush that is over: to the only callback that ran for the same cause, or the only projection.
  mutating func settle(_ run: borrowing LogRun) {
    for index in open {
      let known = ran[writes[index].link.parent] ?? []
      let callbacks = known.filter { run.text($0).isCallbackName }
      let found = callbacks.isEmpty ? known : callbacks
      attribute(index, to: found.count == 1 ? found[0] : nil, isLate: true)
    }
    open.removeAll(keepingCapacity: true)
  }

  /// Starts the next flush. What is not attributed by now, as where nothing ran, stays so.
  mutating func removeAll() {
    writes.removeAll(keepingCapacity: true)
    open.removeAll(keepingCapacity: true)
  }
}

extension Value {
  var isFlagOrNumber: Bool {
    switch self {
    case .bool, .int, .uint, .double: true
    default: false
    }
  }
}
