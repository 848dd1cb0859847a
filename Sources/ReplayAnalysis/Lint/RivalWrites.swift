import EventLog

/// Finds paths that two callbacks set to different values because of one action, where the second was due before the first had
/// written: so it does not answer the first, and what stays is of the one that came last.
///
/// Flags and numbers are set on and back and counted up by several, and edits of a collection add up; so only sets of other
/// values count. What a task writes later is left out, since it is mostly what was waited for. Callbacks of one name are two only
/// if they follow the same path: those of the elements of a list each speak of their own.
struct RivalWrites {
  struct Pair: Hashable {
    var path: GroupID<PathID>
    var first: GroupID<ProjectionID>
    var second: GroupID<ProjectionID>
  }

  struct Found {
    var times = 0
    /// The event with which the chain of the first one began.
    var root: UInt64
    var values: (Value, Value)
    /// Whether the values were the same each time.
    var isAlike = true
    /// The runs that would not be if one value were set: those of the first callback, and those that showed what was replaced.
    var needless = LintReport.Price.zero
    var evidence = Evidence()
  }

  private struct Last {
    var write: Consequences.Write
    var writer: GroupID<ProjectionID>
    var instance: ProjectionID
    var value: Value
    var root: UInt64
    var flush: UInt32
  }

  /// Two writes of the flush.
  private struct Rivals {
    var pair: Pair
    var first: Last
    var second: Last
  }

  private(set) var found: [Pair: Found] = [:]
  private var last: [PathID: Last] = [:]
  private var present: [Rivals] = []
  private var flush: UInt32 = 0
  private static let placesMax = 1 << 12

  init() {}

  /// Looks at a write that follows from another.
  mutating func apply(
    _ write: Consequences.Write, _ sites: borrowing CallbackSites, _ run: inout LogRun
  ) {
    guard let path = write.path, let group = write.group else { return }
    guard let writer = write.link.writer, let instance = write.link.instance, let value = write.value,
      !write.isFlagOrNumber
    else { return forget(path) }
    let now = Last(
      write: write, writer: writer, instance: instance, value: value, root: run.root(of: write.seq).seq,
      flush: flush)
    if let last = last[path], isRival(now, of: last), areTwo(now, last, sites) { count(last, now, group) }
    if last.count >= Self.placesMax { last.removeAll(keepingCapacity: true) }
    last[path] = now
  }

  /// Forgets what was written to a place before something else wrote it.
  mutating func forget(_ path: PathID) { if !last.isEmpty { last[path] = nil } }

  /// Ends a flush, with its runs.
  mutating func settle(_ entries: [FlushRuns.Entry]) {
    for rivals in present { count(rivals, entries) }
    present.removeAll(keepingCapacity: true)
    flush &+= 1
  }

  /// The first callback need not have run, nor who ran for the second write before: what they showed was replaced.
  private mutating func count(_ rivals: Rivals, _ entries: [FlushRuns.Entry]) {
    let (first, second) = (rivals.first.write, rivals.second.write)
    let readers = Set(entries.filter { $0.cause == second.seq }.map(\.projection))
    for entry in entries where entry.seq > first.link.origin && entry.seq < second.seq && !entry.isFirst {
      let isOfFirst = entry.projection == rivals.first.instance && entry.cause == first.link.parent
      guard isOfFirst || readers.contains(entry.projection) else { continue }
      found[rivals.pair]?.needless.runs += 1
      found[rivals.pair]?.needless.time += entry.duration
    }
  }

  /// Whether writes are of two callbacks, and not of two instances of one.
  private func areTwo(_ a: Last, _ b: Last, _ sites: borrowing CallbackSites) -> Bool {
    if a.writer != b.writer { return true }
    guard let path = sites.read(of: a.instance) else { return false }
    return sites.read(of: b.instance) == path
  }

  private func isRival(_ now: Last, of last: Last) -> Bool {
    // Two callbacks of one write of which the second waits on purpose show two states one after the other.
    let isOfOther = now.write.link.parent != last.write.link.parent
    return now.instance != last.instance && now.root == last.root && now.value != last.value
      && now.write.link.parent < last.write.seq && (isOfOther || now.flush == last.flush)
  }

  private mutating func count(_ first: Last, _ second: Last, _ group: GroupID<PathID>) {
    let pair = Pair(path: group, first: first.writer, second: second.writer)
    var known = found[pair] ?? Found(root: first.root, values: (first.value, second.value))
    known.times += 1
    if known.values != (first.value, second.value) { known.isAlike = false }
    known.evidence.append(first.write.seq)
    known.evidence.append(second.write.seq)
    found[pair] = known
    present.append(Rivals(pair: pair, first: first, second: second))
  }
}
