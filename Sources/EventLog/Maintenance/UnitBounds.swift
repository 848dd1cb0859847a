// Where a log can be cut without taking apart what belongs together: a transaction, and an event with the
// invalidations that it led to, which come right after it.

extension LogReader {
  /// The first event of the outermost transaction that is open before an event; the event itself if there is none.
  ///
  /// Cost: the rows since a block before which no transaction is open.
  func firstSeq(ofUnitAt seq: UInt64) throws(LogError) -> UInt64 {
    let before = blocks.filter { $0.kind == BlockKind.events && $0.firstSeq < seq }
    let start = before.lastIndex { openTransactions(before: $0) == 0 } ?? 0
    var depth = 0
    if start == 0, firstSeq > 1 { depth = try fold(at: firstSeq - 1).openTransactions }
    var begin = firstSeq
    let opener = try BlockOpener(self)
    for block in before[start...] {
      try forEachRow(of: block, opener) { row in
        guard row.seq < seq else { return false }
        if row.kind == .begin {
          if depth == 0 { begin = row.seq }
          depth += 1
        } else if row.kind == .end {
          depth = max(0, depth - 1)
        }
        return true
      }
    }
    return depth > 0 ? begin : seq
  }

  /// The last of the invalidations that follow an event; the event itself if there are none.
  func lastSeq(ofUnitAt seq: UInt64) throws(LogError) -> UInt64 {
    var last = seq
    let opener = try BlockOpener(self)
    for block in blocks where block.kind == BlockKind.events && block.endSeq > seq + 1 {
      var isOver = false
      do throws(LogError) {
        try forEachRow(of: block, opener) { row in
          if row.seq <= last { return true }
          isOver = row.kind != .invalidate
          if !isOver { last = row.seq }
          return !isOver
        }
      } catch {
        // What cannot be read is not part of the range.
        if error.code == .damaged { return last }
        throw error
      }
      if isOver { break }
    }
    return last
  }

  /// Calls a function with the rows of a block, until it returns false.
  private func forEachRow(
    of block: BlockInfo, _ opener: BlockOpener, _ body: (borrowing Row) -> Bool
  ) throws(LogError) {
    var rows = try opener.rows(of: block)
    var row = Row()
    do throws(DecodeFault) { while try rows.next(&row), body(row) {} } catch {
      throw damage(error, in: block.offset)
    }
  }
}
