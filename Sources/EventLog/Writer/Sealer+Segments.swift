extension Sealer {
  /// Whether the segment is large or long enough. It ends where no transaction is open, so that a state is known
  /// where the next one begins, unless that takes too long.
  var isSegmentFull: Bool {
    guard let rotation = output.rotation, rotation.isFull(offset, time: lastTime) else { return false }
    return checkpointer?.isInTransaction != true || rotation.isOverfull(offset)
  }

  /// Goes on in a new file, which begins with the state.
  mutating func beginSegment(durableSeq: UInt64, isSynced: Bool) throws(LogError) {
    try output.beginSegment(time: lastTime, isSynced: isSynced)
    try writeSegmentHeader(durableSeq: durableSeq)
  }

  /// Begins a segment, in this file.
  mutating func writeSegmentHeader(durableSeq: UInt64) throws(LogError) {
    guard let header else { return }
    try writeHeader(header, firstSeq: nextSeq, time: lastTime)
    if checkpointer?.isInTransaction == false { try writeCheckpoint(durableSeq: durableSeq, always: true) }
  }
}
