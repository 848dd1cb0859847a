extension Sealer {
  /// Writes a checkpoint if the log has grown enough for one.
  mutating func writeCheckpointIfDue(durableSeq: UInt64) throws(LogError) {
    guard checkpointer?.isDue == true else { return }
    try writeCheckpoint(durableSeq: durableSeq, always: false)
  }

  /// Writes the state after the last event that was written, and returns whether it did: there is none before the
  /// first event, none when checkpoints are off, and none after an event that does not fit the state.
  ///
  /// A segment begins with one, however small: `always`.
  @discardableResult
  mutating func writeCheckpoint(durableSeq: UInt64, always: Bool) throws(LogError) -> Bool {
    guard let nextSeq = checkpointer?.nextSeq, nextSeq > 1, let time = checkpointer?.time,
      let bodies = checkpointer?.bodies()
    else { return false }
    var frames: [SealedBlock] = []
    var chain = chain
    for body in bodies {
      let block = try seal(
        kind: BlockKind.checkpoint, body: body.body, splits: body.splits, events: 0, firstSeq: nextSeq,
        baseTime: time, durableSeq: durableSeq, chain: chain)
      chain = block.payloadHash
      frames.append(block)
    }
    let size = frames.reduce(0) { $0 + $1.frame.count }
    guard checkpointer?.accepts(size) == true || always else { return false }
    for block in frames { try append(block) }
    checkpointer?.noteWritten()
    return true
  }
}
