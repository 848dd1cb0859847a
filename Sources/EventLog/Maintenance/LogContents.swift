/// What the blocks of a log say, looked at behind their checksums.
///
/// A block whose rows cannot be decoded, or whose events do not fit the state, is as good as damage: no reader gets past
/// it. So it is left out, and another piece begins behind it. Where a checkpoint follows, the state is
/// known from there on; what lies before it is kept apart, since only its events can be read.
struct LogContents {
  /// Blocks in a row that can be read.
  struct Piece {
    var blocks: [BlockInfo] = []
    /// Whether the state before its first event is known: the log begins there, or a checkpoint says it.
    var hasState = false

    var firstSeq: UInt64 { blocks.first?.firstSeq ?? 1 }
    var nextSeq: UInt64 { blocks.last?.endSeq ?? 1 }
    var hasEvents: Bool { nextSeq > firstSeq }
  }

  /// What can be read, in order.
  private(set) var pieces: [Piece] = []
  /// What cannot, in order.
  private(set) var faults: [LogRecovery.Fault] = []

  private let file: any LogFile
  private let zstd: ZstdDecompressor
  private let path: String
  /// Where the front of the log begins; what begins there is kept even if it is a header and nothing more.
  private let front: UInt64?
  private var piece = Piece()
  /// The state after the piece so far; nil where it is not known.
  private var fold: StateFold?
  /// The parts of a checkpoint so far, where the state is not known.
  private var checkpoint: (events: [Event.Body], firstBlock: Int)?

  /// Looks at stretches that a survey found. Cost: as applying every event. Memory: the recorded state.
  init(_ stretches: [[BlockInfo]], of survey: LogSurvey, in file: any LogFile) throws(LogError) {
    zstd = try ZstdDecompressor.start(for: survey.path)
    self.file = file
    path = survey.path
    front = survey.prefix.blocks.first?.offset
    for blocks in stretches {
      try take(blocks)
      end()
    }
  }

  private mutating func take(_ blocks: [BlockInfo]) throws(LogError) {
    fold = blocks.first?.firstSeq == 1 ? StateFold() : nil
    piece.hasState = fold != nil
    for block in blocks {
      if block.kind != BlockKind.checkpoint { checkpoint = nil }
      switch block.kind {
      case BlockKind.events: try take(events: block)
      case BlockKind.checkpoint where fold == nil: try take(checkpoint: block)
      default: piece.blocks.append(block)
      }
    }
  }

  private mutating func take(events block: BlockInfo) throws(LogError) {
    let payload = try payload(of: block)
    do throws(DecodeFault) {
      var rows = try BlockRows(payload: payload, prefix: BlockPrefix(decoding: payload))
      var row = Row()
      if fold == nil { while try rows.next(&row) {} } else { try fold?.apply(&rows) }
    } catch {
      return leaveOut(block, error.reason)
    }
    if let failure = fold?.failure {
      return leaveOut(block, "event \(failure.seq) does not fit the events before it: \(failure.error)")
    }
    piece.blocks.append(block)
  }

  /// A checkpoint may take several blocks; once it is whole the state is known, and another piece begins with it.
  private mutating func take(checkpoint block: BlockInfo) throws(LogError) {
    let payload = try payload(of: block)
    if let known = checkpoint, piece.blocks[known.firstBlock].firstSeq != block.firstSeq { checkpoint = nil }
    var parts = checkpoint ?? ([], piece.blocks.count)
    piece.blocks.append(block)
    do throws(DecodeFault) {
      let cursor = BlockCursor(try BlockRows(payload: payload, prefix: BlockPrefix(decoding: payload)))
      while let event = try cursor.next() { parts.events.append(event.body) }
    } catch {
      // It can be made again from the events, and readers pass over it.
      checkpoint = nil
      return
    }
    checkpoint = parts
    guard let known = StateFold(checkpoint: parts.events, after: block.firstSeq - 1, time: block.baseTime)
    else { return }
    checkpoint = nil
    fold = known
    if piece.hasEvents {
      // A log that began so when it was recorded stays one.
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
