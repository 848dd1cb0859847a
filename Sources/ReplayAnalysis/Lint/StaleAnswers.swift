import EventLog

/// Finds answers that come after those to a later question, and stay: an older request's answer that lands after the newer
/// one's.
///
/// A question is what the answer follows from: an action, or the write that made a callback start a task. What a callback writes
/// itself comes at once, so it answers nothing late. A write is no longer stale once the newer question's chain writes the
/// place again. What goes on to write a place is a stream or a refresh, and answers no question.
struct StaleAnswers {
  /// A stale write, and what it came after.
  struct Answer {
    var seq: UInt64
    /// The older action or write, and the newer one; the first in which their chains differ.
    var older: UInt64
    var newer: UInt64
    /// The write of the newer one.
    var over: UInt64
  }

  struct Found {
    var first: Answer
    var writes = 0
    var evidence = Evidence()
  }

  /// What a write follows from, and how often that wrote the place.
  private struct Writer {
    var cause: UInt64
    var writes = 1
    /// Its second write; 0 for none.
    var second: UInt64 = 0
  }

  private struct Stale {
    var answer: Answer
    var cause: UInt64
    var group: GroupID<PathID>
  }

  /// The last write of a place by what began last.
  private struct Landed {
    var seq: UInt64
    /// The causes, from the outermost to the nearest.
    var chain: [UInt64]
    /// What wrote the place lately.
    var writers: [Writer]
    var stale: Stale?
  }

  /// A write, as far as it matters.
  private struct Write {
    var seq: UInt64
    var cause: UInt64
    var isSameValue: Bool
    var isFlagOrNumber: Bool
    var mayBeLate: Bool
  }

  private(set) var found: [GroupID<PathID>: Found] = [:]
  private var landed: [PathID: Landed] = [:]
  /// The chains of recent causes, which several writes have.
  private var chains: [UInt64: [UInt64]] = [:]

  /// More places are not followed, which bounds the memory.
  private static let placesMax = 1 << 16
  private static let writersMax = 8
  private static let chainsMax = 1 << 12
  private static let stepsMax = 64
  /// From so many writes on it is a stream.
  private static let streamLeast = 4

  init() {}

  /// Looks at a write of the app itself, the current row.
  @inline(__always)
  mutating func apply(_ path: PathID, of group: GroupID<PathID>, _ run: inout LogRun) {
    guard run.row.cause > 0 else { return }
    let write = Write(
      seq: run.row.seq, cause: run.row.cause, isSameValue: run.row.isSameValue,
      isFlagOrNumber: run.row.value.isFlagOrNumber, mayBeLate: true)
    apply(write, path, group, &run)
  }

  /// Looks at a write that follows from another.
  mutating func apply(_ write: Consequences.Write, _ run: inout LogRun) {
    // What an action wrote has been seen.
    guard let path = write.path, let group = write.group, !run.isOwn(write.cause) else { return }
    let now = Write(
      seq: write.seq, cause: write.cause, isSameValue: write.isSameValue,
      isFlagOrNumber: write.isFlagOrNumber, mayBeLate: write.link.isLate)
    apply(now, path, group, &run)
  }

  private mutating func apply(
    _ write: Write, _ path: PathID, _ group: GroupID<PathID>, _ run: inout LogRun
  ) {
    let chain = chain(of: write.cause, &run)
    guard let last = landed[path] else {
      if landed.count >= Self.placesMax {
        for place in landed.values { keep(place.stale) }
        landed.removeAll(keepingCapacity: true)
      }
      landed[path] = Landed(seq: write.seq, chain: chain, writers: [Writer(cause: write.cause)], stale: nil)
      return
    }
    let (writers, writer) = Self.add(write, to: last.writers)
    let fork = zip(chain, last.chain).first { $0 != $1 }
    guard let (this, newer) = fork, this < newer else {
      // It is of the same chain, or of a newer one; that still shows what the stale write did.
      if fork != nil { keep(last.stale) }
      landed[path] = Landed(seq: write.seq, chain: chain, writers: writers, stale: nil)
      return
    }
    landed[path]?.writers = writers
    let isStream = writer.writes >= Self.streamLeast || 1..<newer ~= writer.second
    if last.stale?.cause == write.cause {
      if isStream { landed[path]?.stale = nil }
      return
    }
    // A flag or a counter that the older one had set is set back.
    let isSetBack = writer.writes > 1 && write.isFlagOrNumber
    guard write.mayBeLate, !write.isSameValue, !isSetBack, !isStream,
      isSameQuestion(chain, before: last.chain, &run)
    else { return }
    keep(last.stale)
    landed[path]?.stale = Stale(
      answer: Answer(seq: write.seq, older: this, newer: newer, over: last.seq), cause: write.cause,
      group: group)
  }

  private static func add(_ write: Write, to writers: [Writer]) -> (all: [Writer], this: Writer) {
    var writers = writers
    if let index = writers.firstIndex(where: { $0.cause == write.cause }) {
      writers[index].writes += 1
      if writers[index].writes == 2 { writers[index].second = write.seq }
      return (writers, writers[index])
    }
    let writer = Writer(cause: write.cause)
    return (writers.suffix(writersMax - 1) + [writer], writer)
  }

  /// Whether two chains end in the same question, the first asked earlier: two actions, or two writes of one path. An older
  /// action that wrote that path last asked last.
  private func isSameQuestion(_ a: [UInt64], before b: [UInt64], _ run: inout LogRun) -> Bool {
    guard let first = a.last, let second = b.last, let one = run.entry(first), let other = run.entry(second)
    else { return false }
    if one.kind == .action || other.kind == .action { return one.kind == other.kind }
    if let one = one.path, let other = other.path, run.group(of: one) != run.group(of: other) { return false }
    return one.kind.isWrite == other.kind.isWrite && first < second
  }

  /// The chain of a cause, from its root on.
  private mutating func chain(of cause: UInt64, _ run: inout LogRun) -> [UInt64] {
    if let known = chains[cause] { return known }
    var (before, steps): ([UInt64], [UInt64]) = ([], [])
    var next = cause
    while next > 0, steps.count < Self.stepsMax {
      if let known = chains[next] {
        before = known
        break
      }
      steps.append(next)
      guard let entry = run.entry(next), entry.cause < next else { break }
      next = entry.cause
    }
    let chain = Array((before + steps.reversed()).prefix(Self.stepsMax))
    if chains.count >= Self.chainsMax { chains.removeAll(keepingCapacity: true) }
    chains[cause] = chain
    return chain
  }

  private mutating func keep(_ stale: Stale?) {
    guard let stale else { return }
    found[stale.group, default: Found(first: stale.answer)].writes += 1
    found[stale.group]?.evidence.append(stale.answer.seq)
  }

  /// Counts the writes that stayed until the end of the run.
  mutating func finish() {
    let stale = landed.values.compactMap(\.stale).sorted { $0.answer.seq < $1.answer.seq }
    for stale in stale { keep(stale) }
    landed = [:]
  }
}
