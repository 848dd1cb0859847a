import SystemPackage

/// One recovery: the log, which no writer has meanwhile, and what it holds.
struct RecoveryJob {
  let path: LogPath
  let fileSystem: any LogFileSystem
  let set: SegmentSet
  let survey: LogSurvey
  /// The last file of the set, open to write and locked; nil if it may only be read.
  let locked: (any LogFile)?
  private let lockedNumber: Int

  init(_ path: String, in fileSystem: any LogFileSystem) throws(LogError) {
    self.path = LogPath(path)
    self.fileSystem = fileSystem
    do throws(Errno) {
      let last = try SegmentSet(path, in: fileSystem).parts.last?.number ?? 1
      locked = try Self.lock(LogPath(path).segment(last), in: fileSystem)
      lockedNumber = last
      set = try SegmentSet(path, in: fileSystem)
      if set.parts.last?.number != last { throw Errno.wouldBlock }
    } catch {
      switch error {
      case .wouldBlock: throw LogError(creating: path, error)
      default:
        throw LogError(.io, path: path, errno: error.rawValue, message: "cannot open the log: \(error)")
      }
    }
    survey = try LogSurvey(set, path: path)
  }

  /// A file that may only be read has no writer to keep out.
  private static func lock(_ path: String, in fileSystem: any LogFileSystem) throws(Errno) -> (any LogFile)? {
    do { return try fileSystem.openToWrite(path) } catch {
      switch error {
      case .permissionDenied, .readOnlyFileSystem, .notPermitted: return nil
      default: throw error
      }
    }
  }

  // MARK: In place

  /// Completes the log where it is, and keeps beside it what does not belong to it.
  func cut() throws(LogError) -> LogRecovery {
    var recovery = LogRecovery(
      outcome: survey.endsInSeekTable ? .whole : .completed,
      logs: [LogRecovery.Log(path: path.path, firstSeq: survey.prefix.firstSeq, nextSeq: survey.nextSeq)])
    do throws(Errno) {
      try setAside(&recovery)
      let footer = survey.endsInSeekTable ? [] : survey.seekTable.encoded() ?? []
      // The log ends within the last file that begins before its end.
      guard let part = set.parts.last(where: { $0.base < survey.endToKeep }) else { return recovery }
      let end = survey.endToKeep - part.base
      if part.size == end, footer.isEmpty { return recovery }
      let file: any LogFile
      if part.number == lockedNumber, let locked {
        file = locked
      } else {
        file = try fileSystem.openToWrite(path.segment(part.number))
      }
      if part.size > end {
        // An earlier recovery may have died while it wrote the footer.
        let rest = try file.readAll(footer.count, at: end)
        let isFooter =
          survey.wrongSeekTable != nil
          || part.size - end <= UInt64(footer.count) && footer.starts(with: rest)
        if !isFooter {
          let torn = try keep(part, from: end)
          recovery.tornPaths.append(torn)
          recovery.outcome = .cut
        }
        try file.truncate(to: end)
        try file.sync()
      }
      try file.writeAll(footer, at: end)
      try file.sync()
      try file.close()
    } catch {
      throw LogError(
        .io, path: path.path, byteOffset: survey.end, errno: error.rawValue,
        message: "cannot recover: \(error); nothing is lost: free space or check the disk, and recover again")
    }
    if recovery.outcome == .cut {
      recovery.offset = survey.end
      recovery.reason = survey.reason
      recovery.lost = [
        LogRecovery.LostRange(
          first: survey.nextSeq, last: survey.foundNextSeq.flatMap { $0 > survey.nextSeq ? $0 - 1 : nil })
      ]
    }
    return recovery
  }

  /// Gives the files behind the end of the log another name, the last one first, so that what is left is a set.
  private func setAside(_ recovery: inout LogRecovery) throws(Errno) {
    var numbers = set.parts.dropFirst().filter { $0.base >= survey.end }.map(\.number)
    // A file whose header was never finished is not even part of the set.
    let next = (set.parts.last?.number ?? 1) + 1
    if let stray = try? fileSystem.open(path.segment(next)), SegmentSet.salt(of: stray) == nil {
      numbers.append(next)
    }
    for number in numbers.reversed() {
      let segment = path.segment(number)
      let torn = freeName(for: segment)
      try fileSystem.renameNew(segment, to: torn)
      try fileSystem.syncName(of: torn)
      recovery.tornPaths.append(torn)
      recovery.outcome = .cut
    }
  }

  /// Copies the end of a file beside it and returns where it is now safe.
  private func keep(_ part: SegmentSet.Part, from offset: UInt64) throws(Errno) -> String {
    let segment = path.segment(part.number)
    let copy = try FileCopy(segment + ".recovering", in: fileSystem)
    try copy.append(part.file, offset..<part.size)
    try copy.finish()
    var number = 1
    while true {
      let torn = segment + (number == 1 ? ".torn" : ".\(number).torn")
      number += 1
      // An earlier recovery may have died after this.
      if try copy.equals(torn) {
        try copy.discard()
        return torn
      }
      if (try? fileSystem.identity(of: torn)) == nil {
        try copy.rename(toNew: torn)
        return torn
      }
    }
  }

  private func freeName(for segment: String) -> String {
    var (name, number) = (segment + ".torn", 2)
    while (try? fileSystem.identity(of: name)) != nil {
      name = "\(segment).\(number).torn"
      number += 1
    }
    return name
  }
}
