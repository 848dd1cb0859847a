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
    return survey.end < survey.fileSize ? survey.lost : []
  }
}

extension LogSurvey {
  /// The events that are nowhere in the file.
  var lost: [LogRecovery.LostRange] {
    var lost: [LogRecovery.LostRange] = []
    var next = prefix.blocks.isEmpty ? 1 : nextSeq
    for stretch in later {
      if stretch.firstSeq > next { lost.append(.init(first: next, last: stretch.firstSeq - 1)) }
      next = stretch.nextSeq
    }
    if let found = foundNextSeq, found > next {
      lost.append(.init(first: next, last: found - 1))
      next = found
    }
    let reachesEnd = foundNextSeq == nil ? end == fileSize : laterReachesEnd
    if !reachesEnd { lost.append(.init(first: next, last: nil)) }
    return lost
  }
}
