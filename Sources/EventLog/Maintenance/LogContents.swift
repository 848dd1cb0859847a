/// What the blocks of a log contain, beyond the checksums of their bytes.
///
/// A block whose rows cannot be decoded, or whose events do not fit the state, is treated as damage, because
/// no reader gets past it: it is left out, and a new piece begins after it. The state is known again from the
/// next checkpoint on. The events before that checkpoint form a piece of their own, since they can be read
/// but not applied.
struct LogContents {
  /// Consecutive blocks that can be read.
  struct Piece {
    var blocks: [BlockInfo] = []
    /// Whether the state before its first event is known: either the log begins there, or a checkpoint holds
    /// it.
    var hasState = false

    var firstSeq: UInt64 { blocks.first?.firstSeq ?? 1 }
    var nextSeq: UInt64 { blocks.last?.endSeq ?? 1 }
    var hasEvents: Bool { nextSeq > firstSeq }
  }

  /// The readable pieces, in order.
  private(set) var pieces: [Piece] = []
  /// The blocks that were left out, in order.
  private(set) var faults: [LogRecovery.Fault] = []

  private let file: any LogFile
  private let zstd: ZstdDecompressor
  private let path: String
  private let limits: ReadLimits?
  /// The offset at which the front of the log begins. The piece that begins there is kept even if it holds
  /// only a header.
  private let front: UInt64?
  private var piece = Piece()
  /// The state at the end of the current piece; nil if it is not known.
  private var fold: StateFold?
  /// The parts of a checkpoint read so far, while the state is not known.
  private var checkpoint: (events: [Event.Body], firstBlock: Int)?

  /// Examines the stretches that a survey found. Cost: that of applying every event. Memory: the recorded
  /// state.
  init(
    _ stretches: [[BlockInfo]], of survey: LogSurvey, limits: ReadLimits?, in file: any LogFile
  ) throws(LogError) {
    zstd = try ZstdDecompressor.start(for: survey.path)
    self.file = file
    path = survey.path
    self.limits = limits
    front = survey.prefix.blocks.first?.offset
    for blocks in stretches {
      try read(blocks)
      end()
    }
  }

  private mutating func read(_ blocks: [BlockInfo]) throws(LogError) {
    fold = blocks.first?.firstSeq == 1 ? StateFold(limits: limits) : nil
    piece.hasState = fold != nil
    for block in blocks {
      if block.kind != BlockKind.checkpoint { checkpoint = nil }
      switch block.kind {
      case BlockKind.events: try read(events: block)
      case BlockKind.checkpoint where fold == nil: try read(checkpoint: block)
      default: piece.blocks.append(block)
      }
    }
  }

  private mutating func read(events block: BlockInfo) throws(LogError) {
    let payload = try payload(of: block)
    do throws(DecodeFault) {
      var rows = try BlockRows(payload: payload, prefix: BlockPrefix(decoding: payload))
      var row = Row()
      if fold == nil { while try rows.next(&row) {} } else { try fold?.apply(&rows) }
    } catch {
      return leaveOut(block, error.reason)
    }
    if let failure = fold?.failure {
      if failure.error.isOverLimit { throw .overLimit(path, at: block.offset, failure) }
      return leaveOut(block, "\(failure)")
    }
    piece.blocks.append(block)
  }

  /// Reads a block of a checkpoint, which may take several. Once the checkpoint is complete the state is
  /// known, and a new piece begins with it.
  private mutating func read(checkpoint block: BlockInfo) throws(LogError) {
    let payload = try payload(of: block)
    if let known = checkpoint, piece.blocks[known.firstBlock].firstSeq != block.firstSeq { checkpoint = nil }
    var parts = checkpoint ?? ([], piece.blocks.count)
    piece.blocks.append(block)
    do throws(DecodeFault) {
      let cursor = BlockCursor(try BlockRows(payload: payload, prefix: BlockPrefix(decoding: payload)))
      while let event = try cursor.next() { parts.events.append(event.body) }
    } catch {
      // Readers skip a checkpoint that cannot be read, and it can be made again from the events.
      checkpoint = nil
      return
    }
    checkpoint = parts
    guard
      let known = StateFold(
        checkpoint: parts.events, after: block.firstSeq - 1, time: block.baseTime, limits: limits)
    else { return }
    checkpoint = nil
    fold = known
    if piece.hasEvents {
      // A front that began without its state when it was recorded is not divided.
      if isFront { return }
      let blocks = piece.blocks[parts.firstBlock...]
      piece.blocks.removeSubrange(parts.firstBlock...)
      end()
      piece.blocks = Array(blocks)
    }
    piece.hasState = true
  }

  private mutating func leaveOut(_ block: BlockInfo, _ reason: String) {
    faults.append(
      LogRecovery.Fault(
        offset: block.offset, first: block.firstSeq, last: block.endSeq - 1, reason: reason))
    end()
    fold = nil
  }

  private var isFront: Bool { front != nil && piece.blocks.first?.offset == front }

  private mutating func end() {
    if piece.hasEvents || isFront { pieces.append(piece) }
    piece = Piece()
    checkpoint = nil
  }

  private func payload(of block: BlockInfo) throws(LogError) -> [UInt8] {
    do {
      let frame = try file.readAll(block.compressedSize, at: block.offset)
      return try zstd.content(of: frame, size: block.payloadSize)
    } catch {
      throw LogError(
        .io, path: path, byteOffset: block.offset, message: "the log cannot be read again: \(error)")
    }
  }
}
