import Algorithms
import EventLog

/// Parts of a log, to begin reading in the middle. Before a part only a checkpoint and a few blocks are read,
/// however long the log is.
extension LogSource {
  /// The part from the block of an event on, or from an earlier block if a transaction is open there. Returns
  /// the log itself if the part would be all of it.
  ///
  /// - Parameters:
  ///   - end: The part ends before the block of this event; nil for the end of the log.
  ///   - hasState: Whether the state or the invalidations are needed.
  /// - Throws: `LogError` if the state before the part cannot be read, `AnalysisError` if an event before it
  ///   does not fit.
  package func part(from seq: UInt64, before end: UInt64? = nil, hasState: Bool = true) throws -> LogSource {
    try retried {
      var first = min(index(of: seq), max(0, blocks.count - 1))
      let last = end.map { index(of: $0) } ?? blocks.count
      if hasState {
        while first > 0, depth(before: first) > 0 { first -= 1 }
      }
      if first == 0, last == blocks.count { return self }
      let base = hasState ? try base(before: first) : nil
      let part = LogSource(first..<max(first, last), of: self, base: base)
      // Reads the first block, so that a wrong index is noticed: the state must be that before the first
      // event.
      var opener: BlockOpener?
      if hasState { _ = part.rows(from: part.firstSeq, &opener) }
      return part
    }
  }

  /// The part from an event on; the whole log if the state at that event cannot be read.
  func readablePart(from seq: UInt64) throws -> LogSource {
    do { return try part(from: seq) } catch let error as LogError where error.code == .damaged {
      return self
    }
  }

  /// The root of an event's cause chain, and the number of steps to it. Cost: a look at each event of the chain,
  /// up to one that an earlier call came by.
  func root(of seq: UInt64) -> (seq: UInt64, depth: Int) {
    var way: [UInt64] = []
    var (root, depth) = (seq, 0)
    // Causes come before effects, so this ends. A longer chain is of no use to a reader.
    while way.count < Self.rootsMax, let cause = event(root)?.cause, cause < root {
      way.append(root)
      root = cause
      if let known = roots[cause] {
        (root, depth) = known
        break
      }
    }
    if way.count == Self.rootsMax { return (root, way.count) }
    if roots.count + way.count > 2 * Self.rootsMax { roots.removeAll() }
    for seq in way.reversed() {
      depth += 1
      roots[seq] = (root, depth)
    }
    return (root, depth)
  }

  private static let rootsMax = 1 << 18

  /// An event and its causes up to the root, which is last. Cost: a look at each.
  func causeChain(of seq: UInt64) -> [UInt64] {
    var chain = [seq]
    while chain.count < Self.rootsMax, let cause = event(chain[chain.count - 1])?.cause,
      cause < chain[chain.count - 1]
    {
      chain.append(cause)
    }
    return chain
  }

  /// The costs of starting at an event.
  func startCosts() -> StartCosts { StartCosts(self) }

  private func base(before block: Int) throws -> StateFold? {
    if block == 0 { return base }
    let fold = try fold(at: blocks[block].firstSeq - 1)
    if let failure = fold.failure { throw AnalysisError(self, .misfit(seq: failure.seq, failure.error)) }
    return fold
  }

  /// The number of transactions that are open before a block.
  func depth(before block: Int) -> Int {
    guard blocks.indices.contains(block) else { return 0 }
    return reader.openTransactions(before: blocks[block]) ?? depths[block]
  }

  /// The number of transactions that are open before each block, for a log whose index does not tell. Cost: a
  /// pass over the log.
  func countDepths() -> [Int] {
    var depths: [Int] = []
    var depth = base?.openTransactions ?? 0
    var opener: BlockOpener?
    var row = EventLog.Row()
    for block in blocks {
      depths.append(depth)
      guard var rows = rows(from: block.firstSeq, &opener)?.rows else { continue }
      while (try? rows.next(&row)) == true {
        if row.kind == .begin { depth += 1 }
        if row.kind == .end { depth = max(0, depth - 1) }
      }
    }
    return depths
  }

  /// The times of some events in nanoseconds; those that cannot be read are missing. Cost: reading the blocks that have
  /// them, each once.
  func times(of seqs: some Sequence<UInt64>) -> [UInt64: UInt64] {
    var times: [UInt64: UInt64] = [:]
    var wanted = Set(seqs).sorted()[...]
    var opener: BlockOpener?
    var row = EventLog.Row()
    while let seq = wanted.first, let opened = rows(from: seq, &opener) {
      var rows = opened.rows
      while let next = wanted.first, next < opened.block.endSeq, (try? rows.next(&row)) == true {
        while let next = wanted.first, next <= row.seq {
          if next == row.seq { times[next] = row.time }
          wanted.removeFirst()
        }
      }
      wanted = wanted.drop { $0 < opened.block.endSeq }
    }
    return times
  }

  /// The state after an event. Cost: reading a checkpoint and what follows it; if these are damaged, a pass
  /// over all readable events up to it.
  package func state(at seq: UInt64) throws -> State {
    do {
      let fold = try fold(at: seq)
      if let failure = fold.failure { throw AnalysisError(self, .misfit(seq: failure.seq, failure.error)) }
      return fold.state
    } catch let error as LogError where error.code == .damaged {}
    var run = LogRun(self, .state)
    while try run.next(), run.row.seq <= seq { try run.carryOut() }
    try run.checkFit()
    return run.state
  }
}

/// The number of events that are read before a given event, when a part of a log begins there: those of its
/// block, and before these all since the last checkpoint, or since the beginning if there is none.
struct StartCosts {
  private let blocks: [UInt64]
  private let checkpoints: [UInt64]

  fileprivate init(_ log: LogSource) {
    blocks = log.blocks.map(\.firstSeq)
    let all = log.reader.blocks
    checkpoints = log.reader.checkpoints.map { all[$0.lowerBound].firstSeq }
  }

  /// The cost in events. Applying an event to the state costs about as much as analysing it.
  func cost(of seq: UInt64) -> UInt64 {
    let known = Self.last(checkpoints, upTo: Self.last(blocks, upTo: seq))
    return seq - known
  }

  /// Puts together what is found in one pass over a part of the log. Two ranges are joined if reading on costs no more than
  /// starting again.
  ///
  /// - Parameter items: In the order in which their ranges begin.
  func parts<Item>(
    of items: [Item], _ range: (Item) -> Range<UInt64>
  ) -> [(items: [Item], events: Range<UInt64>)] {
    var parts: [(items: [Item], events: Range<UInt64>)] = []
    for item in items {
      let range = range(item)
      if let known = parts.last?.events, range.lowerBound <= known.upperBound + cost(of: range.lowerBound) {
        parts[parts.count - 1].items.append(item)
        parts[parts.count - 1].events = known.lowerBound..<max(known.upperBound, range.upperBound)
      } else {
        parts.append(([item], range))
      }
    }
    return parts
  }

  private static func last(_ seqs: [UInt64], upTo seq: UInt64) -> UInt64 {
    let index = seqs.partitioningIndex { $0 > seq }
    return index > 0 ? seqs[index - 1] : 0
  }
}

extension Range<UInt64> {
  /// The number of events.
  var length: UInt64 { upperBound - lowerBound }
}
