extension LogReader {
  /// The state after an event: that after the last one if `seq` is larger, the empty one for 0.
  ///
  /// Cost: one checkpoint and the events behind it, or all events before where the log has no checkpoint. Throws
  /// `damaged` if what is needed cannot be read, `missingState` if the log begins in the middle without a checkpoint,
  /// and `invalidEvent` if an event does not fit those before it.
  public func state(at seq: UInt64) throws(LogError) -> State {
    var fold = try fold(at: seq)
    if let failure = fold.failure { throw misfit(failure) }
    return fold.state
  }

  /// The state and the projections that live after an event, as ``state(at:)``. An event that does not fit is told
  /// by the fold.
  package func fold(at seq: UInt64) throws(LogError) -> StateFold {
    try rereading { log throws(LogError) in try log.foldAsListed(at: seq) }
  }

  private func foldAsListed(at seq: UInt64) throws(LogError) -> StateFold {
    if seq >= nextSeq - 1 { try checkEnd() }
    var fold = try lastCheckpoint(atOrBefore: seq) ?? StateFold()
    if let first = blocks.first, fold.seq + 1 < first.firstSeq { throw noState(before: first.firstSeq) }
    let start = fold.seq
    try pass(blocks.lazy.filter { $0.isOfEvents(from: start + 1, to: seq) }) { _, rows throws(DecodeFault) in
      try fold.apply(&rows, upTo: seq)
    }
    return fold
  }

  private func noState(before seq: UInt64) -> LogError {
    LogError(
      .missingState, path: path, byteOffset: 0,
      message:
        "the log begins with event \(seq), and the state before it is not in it; use the part before, too")
  }

  /// An event that does not fit, as an error of this log.
  package func misfit(_ failure: StateFold.Failure) -> LogError {
    LogError(
      .invalidEvent, path: path, byteOffset: block(containing: failure.seq)?.offset,
      message: "event \(failure.seq) does not fit the events before it: \(failure.error)")
  }

  /// Reads blocks, where nothing but reading can fail.
  private func pass(
    _ blocks: some Sequence<BlockInfo>, _ body: (BlockInfo, inout BlockRows) throws(DecodeFault) -> Void
  ) throws(LogError) {
    do { try read(blocks) { try body($0, &$1) } } catch let error as LogError { throw error } catch {
      throw LogError(.internal, path: path, message: "\(error)")
    }
  }
}

extension LogReader {
  /// The places of all checkpoints among ``blocks``, in order.
  package var checkpoints: [Range<Int>] {
    var found: [Range<Int>] = []
    var end = blocks.count
    while let range = checkpoint(before: end) {
      found.append(range)
      end = range.lowerBound
    }
    return found.reversed()
  }

  /// What a checkpoint holds; nil if it is not whole, or says what cannot be.
  package func checkpoint(_ range: Range<Int>) throws(LogError) -> StateFold? {
    var events: [Event.Body] = []
    do throws(LogError) {
      try pass(blocks[range]) { _, rows throws(DecodeFault) in
        var cursor = BlockCursor(rows)
        while let event = try cursor.next() { events.append(event.body) }
      }
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
    let first = blocks[range.lowerBound]
    return StateFold(checkpoint: events, after: first.firstSeq - 1, time: first.baseTime)
  }

  /// What the last whole checkpoint holds that lies before the event with this seq or right behind it. One that cannot
  /// be read is passed over: it can be made again from the events.
  private func lastCheckpoint(atOrBefore seq: UInt64) throws(LogError) -> StateFold? {
    var end = blocks.count
    while let range = checkpoint(before: end) {
      if blocks[range.lowerBound].firstSeq - 1 <= seq, let fold = try checkpoint(range) { return fold }
      end = range.lowerBound
    }
    return nil
  }

  /// The blocks of the last checkpoint before an index: those in a row with one first seq.
  private func checkpoint(before end: Int) -> Range<Int>? {
    guard let last = blocks[..<end].lastIndex(where: { $0.kind == BlockKind.checkpoint }) else { return nil }
    let isPart = { (block: BlockInfo) in
      block.kind == BlockKind.checkpoint && block.firstSeq == blocks[last].firstSeq
    }
    let before = blocks[..<last].lastIndex { !isPart($0) }
    return (before.map { $0 + 1 } ?? 0)..<last + 1
  }
}

extension BlockInfo {
  fileprivate func isOfEvents(from first: UInt64, to last: UInt64) -> Bool {
    kind == BlockKind.events && endSeq > first && firstSeq <= last
  }
}
