extension LogRecovery {
  /// The events of a log that no block holds any more, without recovering anything. Empty for a log that is whole, or
  /// that only was not closed.
  ///
  /// Throws `notALog` if no block can be read, and `io`. Cost: linear in the log.
  public static func lostRanges(of path: String) throws(LogError) -> [LostRange] {
    let set: SegmentSet
    do { set = try SegmentSet(path, in: SystemFileSystem()) } catch {
      throw LogError(.io, path: path, errno: error.rawValue, message: "cannot open the log: \(error)")
    }
    let survey = try LogSurvey(set, path: path)
    guard survey.end < survey.fileSize else { return [] }
    return survey.lost(keeping: survey.stretches.map { LogContents.Piece(blocks: $0) })
  }
}

extension LogSurvey {
  /// The events that are in none of what is kept of the file.
  func lost(keeping pieces: [LogContents.Piece]) -> [LogRecovery.LostRange] {
    var lost: [LogRecovery.LostRange] = []
    var next = prefix.firstSeq
    for piece in pieces {
      if piece.firstSeq > next { lost.append(.init(first: next, last: piece.firstSeq - 1)) }
      next = piece.nextSeq
    }
    let found = max(nextSeq, foundNextSeq ?? 0)
    if found > next {
      lost.append(.init(first: next, last: found - 1))
      next = found
    }
    let reachesEnd = foundNextSeq == nil ? end == fileSize : laterReachesEnd
    if !reachesEnd { lost.append(.init(first: next, last: nil)) }
    return lost
  }
}
