import SystemPackage

/// One recovery: the log, which is locked against writers meanwhile, and its contents.
struct RecoveryJob {
  let path: LogPath
  let fileSystem: any LogFileSystem
  let set: SegmentSet
  let survey: LogSurvey
  /// The last file of the set, open for writing and locked; nil if it is read-only.
  let locked: (any LogFile)?
  private let lockedNumber: Int

  init(_ path: String, limits: ReadLimits?, in fileSystem: any LogFileSystem) throws(LogError) {
    self.path = LogPath(path)
    self.fileSystem = fileSystem
    do throws(Errno) {
      let last = try SegmentSet(path, in: fileSystem).parts.last?.number ?? 1
      locked = try fileSystem.lock(LogPath(path).segment(last))
      lockedNumber = last
      set = try SegmentSet(path, in: fileSystem)
      if set.parts.last?.number != last { throw Errno.wouldBlock }
    } catch {
      throw error == .wouldBlock ? LogError(creating: path, error) : LogError(opening: path, error)
    }
    survey = try LogSurvey(set, path: path, limits: limits)
  }

  // MARK: In place

  /// Completes the log in place, and moves what does not belong to it into files beside it.
  func cut() throws(LogError) -> LogRecovery {
    var recovery = LogRecovery(
      outcome: survey.endsInSeekTable ? .whole : .completed,
      logs: [LogRecovery.Log(path: path.path, firstSeq: survey.prefix.firstSeq, nextSeq: survey.nextSeq)])
    do throws(Errno) {
      try setAside(&recovery)
      let footer = survey.endsInSeekTable ? [] : survey.seekTable.encoded() ?? []
      // The log ends in the last file that begins before the end of the log.
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
        // An earlier recovery may have died while it wrote this footer.
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

  /// Renames the files after the end of the log, the last one first, so that the remaining files form a set
  /// at every moment.
  private func setAside(_ recovery: inout LogRecovery) throws(Errno) {
    var numbers = set.parts.dropFirst().filter { $0.base >= survey.end }.map(\.number)
    // A file whose header was never finished is not in the set, and is renamed, too.
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

  /// Copies the end of a file to a new file beside it and returns its path. The copy is synced.
  private func keep(_ part: SegmentSet.Part, from offset: UInt64) throws(Errno) -> String {
    let segment = path.segment(part.number)
    let copy = try FileCopy(segment + ".recovering", in: fileSystem)
    try copy.append(part.file, offset..<part.size)
    try copy.finish()
    var number = 1
    while true {
      let torn = segment + (number == 1 ? ".torn" : ".\(number).torn")
      number += 1
      // An earlier recovery may have died after it made this copy.
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

// MARK: To new files

extension RecoveryJob {
  /// Writes everything readable to new logs, and leaves the original as it is.
  func salvage(
    _ contents: LogContents, to output: String, replacing: Bool
  ) throws(LogError) -> LogRecovery {
    try OutputPlace.refuseInput(output, of: [path.path], in: fileSystem)
    var recovery = LogRecovery(outcome: .salvaged, logs: [])
    if survey.end < survey.fileSize { (recovery.offset, recovery.reason) = (survey.end, survey.reason) }
    if let fault = contents.faults.first, fault.offset < recovery.offset ?? .max {
      (recovery.offset, recovery.reason) = (fault.offset, fault.reason)
    }
    guard contents.pieces.contains(where: \.hasEvents) else {
      recovery.outcome = .nothing
      recovery.lost = survey.lost(keeping: contents.pieces)
      recovery.faults = contents.faults
      return recovery
    }
    for piece in contents.pieces {
      let isFront = piece.blocks.first == survey.prefix.blocks.first
      let path = isFront ? output : LogPath(output).inserting("from-\(piece.firstSeq)")
      try write(path, replacing) { copy throws(LogError) in
        if isFront { try copyFront(piece.blocks, to: copy) } else { try rewrite(piece.blocks, to: copy) }
      }
      recovery.logs.append(
        LogRecovery.Log(
          path: path, firstSeq: piece.firstSeq, nextSeq: piece.nextSeq, hasState: piece.hasState))
    }
    recovery.lost = survey.lost(keeping: contents.pieces)
    recovery.faults = contents.faults
    return recovery
  }

  /// Writes a new file that gets its name when it is complete. An existing file with the same bytes is left
  /// alone.
  private func write(
    _ output: String, _ replacing: Bool, _ body: (FileCopy) throws(LogError) -> Void
  ) throws(LogError) {
    func failure(_ error: Errno) -> LogError {
      LogError(
        .io, path: output, errno: error.rawValue,
        message: "cannot write the recovered log: \(error); the original is untouched")
    }
    let copy: FileCopy
    do { copy = try FileCopy(fileSystem.withoutLinks(output) + ".recovering", in: fileSystem) } catch {
      throw failure(error)
    }
    try body(copy)
    do throws(Errno) {
      try copy.finish()
      if try copy.equals(output) { return try copy.discard() }
    } catch { throw failure(error) }
    try copy.commit(to: OutputPlace(output, replacing: replacing, madeOf: [path.path], in: fileSystem))
  }

  /// Copies the front or a part of it, the blocks that follow on it, and a seek table.
  private func copyFront(_ blocks: [BlockInfo], to copy: FileCopy) throws(LogError) {
    var table = SeekTable()
    for block in blocks {
      if block.kind == BlockKind.header { table = SeekTable() }
      table.append(
        compressedSize: block.compressedSize, payloadSize: block.payloadSize, payloadHash: block.payloadHash)
    }
    let isWhole = blocks.count >= survey.prefix.blocks.count
    let following = blocks.dropFirst(survey.prefix.blocks.count)
    try copying { () throws(Errno) in
      try copy.append(set, 0..<(isWhole ? survey.endToKeep : blocks.last?.endOffset ?? 0))
      for block in following { try copy.append(set, block.offset..<block.endOffset) }
      let isClosed = isWhole && following.isEmpty && survey.endsInSeekTable
      if !isClosed, let footer = table.encoded() { try copy.append(footer) }
    }
  }

  /// Writes the blocks behind a new header. The hash of the predecessor in each block changes with that.
  private func rewrite(_ blocks: [BlockInfo], to copy: FileCopy) throws(LogError) {
    guard let first = blocks.first else { return }
    let zstd = try ZstdDecompressor.start(for: path.path)
    let packer = try ZstdCompressor.start(level: 3, for: path.path)
    var chain: UInt64 = 0
    var table = SeekTable()
    func add(_ payload: [UInt8], isHeader: Bool) throws(LogError) {
      guard let frame = packer.frame(payload) else {
        throw LogError(.io, path: path.path, message: "zstd ran out of memory")
      }
      if isHeader { table = SeekTable() }
      chain = XXH64.hash(payload)
      table.append(compressedSize: frame.count, payloadSize: payload.count, payloadHash: chain)
      try copying { () throws(Errno) in try copy.append(frame) }
    }
    if first.kind != BlockKind.header {
      let salt = survey.salt ?? 0
      let header = survey.header ?? LogHeader(program: "", salt: salt, created: 0, metadata: [:])
      let body = header.json()
      let prefix = BlockPrefix(
        kind: BlockKind.header, bodyLength: body.count, eventCount: 0, firstSeq: first.firstSeq,
        baseTime: first.baseTime, salt: salt, chain: 0, durableSeq: 0, bodyHash: XXH64.hash(body))
      try add(prefix.encoded() + body, isHeader: true)
    }
    // Indexes are left out, because they hold offsets of blocks, which change.
    for block in blocks where block.kind != BlockKind.index {
      var payload: [UInt8] = []
      try copying {
        () throws(Errno) in
        let frame = try set.readAll(block.compressedSize, at: block.offset)
        guard let content = try? zstd.content(of: frame, size: block.payloadSize) else { throw .ioError }
        payload = content
      }
      var bytes: [UInt8] = []
      bytes.appendLittleEndian(chain)
      payload.replaceSubrange(40..<48, with: bytes)
      try add(payload, isHeader: block.kind == BlockKind.header)
    }
    if let footer = table.encoded() { try copying { () throws(Errno) in try copy.append(footer) } }
  }

  private func copying(_ body: () throws(Errno) -> Void) throws(LogError) {
    do { try body() } catch {
      throw LogError(
        .io, path: path.path, errno: error.rawValue,
        message: "cannot copy the log: \(error); the original is untouched")
    }
  }
}

/// A file under construction, under a temporary name until it is complete and synced.
private final class FileCopy {
  private let file: any LogFile
  private let fileSystem: any LogFileSystem
  private let path: String
  private let slot: Int?
  private var isDone = false
  private(set) var size: UInt64 = 0

  private static let stepBytes = 1 << 20

  init(_ path: String, in fileSystem: any LogFileSystem) throws(Errno) {
    self.path = path
    self.fileSystem = fileSystem
    let slot = UnfinishedFiles.add(path)
    self.slot = slot
    do { file = try fileSystem.create(path, replacing: true) } catch {
      UnfinishedFiles.remove(slot)
      throw error
    }
  }

  /// Removes a copy that was not finished.
  deinit { if !isDone { try? discard() } }

  func append(_ bytes: [UInt8]) throws(Errno) {
    try file.writeAll(bytes, at: size)
    size += UInt64(bytes.count)
  }

  /// Appends a range of another file, which must contain it. Holes become holes.
  func append(_ source: any LogFile, _ range: Range<UInt64>) throws(Errno) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let data = min(try source.nextData(from: offset) ?? range.upperBound, range.upperBound)
      if data > offset {
        size += data - offset
        offset = data
        // At the end nothing is written after the hole.
        if offset == range.upperBound { try file.truncate(to: size) }
        continue
      }
      let bytes = try source.readAll(Int(min(UInt64(Self.stepBytes), range.upperBound - offset)), at: offset)
      // The file was truncated meanwhile.
      if bytes.isEmpty { throw .ioError }
      try append(bytes)
      offset += UInt64(bytes.count)
    }
  }

  /// Syncs the file, so that its bytes survive a loss of power.
  func finish() throws(Errno) { try file.sync() }

  /// Whether another file has the same bytes.
  func equals(_ other: String) throws(Errno) -> Bool {
    guard let other = try? fileSystem.open(other), try other.size() == size else { return false }
    var offset: UInt64 = 0
    while offset < size {
      offset = min(try file.nextData(from: offset) ?? size, try other.nextData(from: offset) ?? size)
      if offset >= size { return true }
      let count = Int(min(UInt64(Self.stepBytes), size - offset))
      if try file.readAll(count, at: offset) != other.readAll(count, at: offset) { return false }
      offset += UInt64(count)
    }
    return true
  }

  /// Gives the file a name that is free, so that this survives a loss of power.
  func rename(toNew newPath: String) throws(Errno) {
    try file.close()
    try fileSystem.renameNew(path, to: newPath)
    end()
    try fileSystem.syncName(of: newPath)
  }

  /// Gives the file its name, so that this survives a loss of power.
  func commit(to place: OutputPlace) throws(LogError) {
    try place.commit(path, isSynced: true)
    end()
  }

  func discard() throws(Errno) {
    try file.close()
    try fileSystem.remove(path)
    end()
  }

  private func end() {
    isDone = true
    UnfinishedFiles.remove(slot)
  }
}
