import SystemPackage

extension RecoveryJob {
  /// Writes all that can be read to new logs, and leaves the original as it is.
  func salvage(to output: String, replacing: Bool) throws(LogError) -> LogRecovery {
    try OutputPlace.refuseInput(output, of: [path.path], in: fileSystem)
    var recovery = LogRecovery(outcome: .salvaged, logs: [])
    recovery.offset = survey.end < survey.fileSize ? survey.end : nil
    recovery.reason = survey.reason
    var later = survey.later[...]
    if !survey.prefix.blocks.isEmpty {
      var blocks: [BlockInfo] = []
      var nextSeq = survey.nextSeq
      if survey.followsOn, let next = later.popFirst() {
        blocks = next.blocks
        nextSeq = next.nextSeq
      }
      try write(output, replacing) { copy throws(LogError) in try copyFront(and: blocks, to: copy) }
      recovery.logs.append(
        LogRecovery.Log(path: output, firstSeq: survey.prefix.firstSeq, nextSeq: nextSeq))
    }
    for stretch in later {
      let path = LogPath(output).inserting("from-\(stretch.firstSeq)")
      try write(path, replacing) { copy throws(LogError) in try rewrite(stretch, to: copy) }
      recovery.logs.append(
        LogRecovery.Log(path: path, firstSeq: stretch.firstSeq, nextSeq: stretch.nextSeq))
    }
    recovery.lost = survey.lost
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

  /// The front as it is, blocks that follow on it, and a seek table.
  private func copyFront(and blocks: [BlockInfo], to copy: FileCopy) throws(LogError) {
    var table = survey.seekTable
    try copying {
      () throws(Errno) in
      try copy.append(set, 0..<survey.end)
      for block in blocks {
        if block.kind == BlockKind.header { table = SeekTable() }
        table.append(
          compressedSize: block.compressedSize, payloadSize: block.payloadSize, payloadHash: block.payloadHash
        )
        try copy.append(set, block.offset..<block.endOffset)
      }
      if !(blocks.isEmpty && survey.endsInSeekTable), let footer = table.encoded() { try copy.append(footer) }
    }
  }

  /// The blocks behind a header of their own. What each says of the one before it changes with that.
  private func rewrite(_ stretch: LogSurvey.Stretch, to copy: FileCopy) throws(LogError) {
    guard let first = stretch.blocks.first, let zstd = ZstdDecompressor(),
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
    for block in stretch.blocks where block.kind != BlockKind.index {
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
