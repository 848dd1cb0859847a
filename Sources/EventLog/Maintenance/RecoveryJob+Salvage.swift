import SystemPackage

extension RecoveryJob {
  /// Writes all that can be read to new logs, and leaves the original as it is.
  func salvage(
    _ contents: LogContents, to output: String, replacing: Bool
  ) throws(LogError) -> LogRecovery {
    try OutputPlace.refuseInput(output, of: [path.path], in: fileSystem)
    var recovery = LogRecovery(outcome: .salvaged, logs: [])
    if survey.end < survey.fileSize { (recovery.offset, recovery.reason) = (survey.end, survey.reason) }
    if let fault = contents.faults.first, fault.offset < recovery.offset ?? .max {
      (recovery.offset, recovery.reason) = (fault.offset, fault.reason)
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

  /// Makes a new file whole before it gets its name. A file that is there already and is the same stays.
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

  /// The front as it is or a part of it, blocks that follow on it, and a seek table.
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

  /// The blocks behind a header of their own. What each says of the one before it changes with that.
  private func rewrite(_ blocks: [BlockInfo], to copy: FileCopy) throws(LogError) {
    guard let first = blocks.first, let zstd = ZstdDecompressor(),
      let packer = ZstdCompressor(level: 3)
    else { throw LogError(.io, path: path.path, message: "zstd could not start: out of memory") }
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
    // An index says where blocks are, and that is another place now.
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
