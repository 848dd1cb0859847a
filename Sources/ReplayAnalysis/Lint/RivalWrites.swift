import EventLog

/// Finds paths that two callbacks set to different values because of one action, where the second was due before the first had
/// written: so it does not answer the first, and what stays is of the one that came last.
///
/// Flags and numbers are set on and back and counted up by several, and edits of a collection add up; so only sets of other
/// values count. What a task writes later is left out, since it is mostly what was waited for.
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
    var evidence = Evidence()
  }

  private struct Last {
    var write: Consequences.Write
    var writer: GroupID<ProjectionID>
    var value: Value
    var root: UInt64
    var flush: UInt32
  }

  private(set) var found: [Pair: Found] = [:]
  private var last: [PathID: Last] = [:]
  private var flush: UInt32 = 0
  private static let placesMax = 1 << 12

  init() {}

  /// Looks at a write that follows from another.
  mutating func apply(_ write: Consequences.Write, _ run: inout LogRun) {
    guard let path = write.path, let group = write.group else { return }
    guard let writer = write.link.writer, !write.link.isLate, let value = write.value, !write.isFlagOrNumber
    else { return forget(path) }
    let now = Last(
      write: write, writer: writer, value: value, root: run.root(of: write.seq).seq, flush: flush)
    if let last = last[path], isRival(now, of: last) { count(last, now, group) }
    if last.count >= Self.placesMax { last.removeAll(keepingCapacity: true) }
    last[path] = now
  }

  /// Forgets what was written to a place before something else wrote it.
  mutating func forget(_ path: PathID) { if !last.isEmpty { last[path] = nil } }

  /// Starts the next flush.
  mutating func endFlush() { flush &+= 1 }

  private func isRival(_ now: Last, of last: Last) -> Bool {
    // Two callbacks of one write of which the second waits on purpose show two states one after the other.
    let isOfOther = now.write.link.parent != last.write.link.parent
    return now.writer != last.writer && now.root == last.root && now.value != last.value
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
  }
}
