import EventLog

/// Parts of a log to begin in the middle: what lies before one is a checkpoint and a few blocks, however long the log
/// is.
extension LogSource {
  /// The part from the block of an event on, or from an earlier one where a transaction is open there; the log itself
  /// where that is all of it.
  ///
  /// - Parameters:
  ///   - end: The block to end before; nil for the last.
  ///   - hasState: Whether anybody asks for the state, or for what is woken.
  /// - Throws: `LogError` where what the state before the part is made of cannot be read, `ToolError` where an event
  ///   before it does not fit.
  func part(from seq: UInt64, before end: Int? = nil, hasState: Bool = true) throws -> LogSource {
    var first = min(index(of: seq), max(0, blocks.count - 1))
    let last = min(end ?? blocks.count, blocks.count)
    if hasState {
      while first > 0, depth(before: first) > 0 { first -= 1 }
    }
    if first == 0, last == blocks.count { return self }
    return LogSource(first..<max(first, last), of: self, base: hasState ? try base(before: first) : nil)
  }

  /// The event that began the chain of causes, and how many steps away it is.
  func root(of seq: UInt64) -> (seq: UInt64, depth: Int) {
    var (root, depth) = (seq, 0)
    // Causes come before effects, so this ends; what no reader would follow is not followed.
    while depth < 1 << 18, let cause = event(root)?.cause, cause < root { (root, depth) = (cause, depth + 1) }
    return (root, depth)
  }

  private func base(before block: Int) throws -> StateFold? {
    if block == 0 { return base }
    let fold = try reader.fold(at: blocks[block].firstSeq - 1)
    if let failure = fold.failure { throw ToolError(self, failure.seq, failure.error) }
    return fold
  }

  /// How many transactions are open before a block.
  private func depth(before block: Int) -> Int {
    reader.openTransactions(before: blocks[block]) ?? depths[block]
  }

  /// How many transactions are open before each block, where no index tells. Cost: a pass over the log.
  func countDepths() -> [Int] {
    var depths: [Int] = []
    var depth = base?.openTransactions ?? 0
    var opener: BlockOpener?
    var row = EventLog.Row()
    for block in blocks.indices {
      depths.append(depth)
      guard var rows = rows(ofBlock: block, &opener) else { continue }
      while (try? rows.next(&row)) == true {
        if row.kind == .begin { depth += 1 }
        if row.kind == .end { depth = max(0, depth - 1) }
      }
    }
    return depths
  }
}
