/// Which blocks of a log can be read, and what is missing between and after them.
struct LogSurvey {
  /// Blocks each of which follows the one before in the hash chain.
  struct Stretch {
    var blocks: [BlockInfo]
    /// The hash of the predecessor that the first block states, and the hash of the last block.
    var chainBefore: UInt64
    var chainAfter: UInt64

    var firstSeq: UInt64 { blocks.first?.firstSeq ?? 1 }
    var nextSeq: UInt64 { blocks.last?.endSeq ?? 1 }
    var hasEvents: Bool { nextSeq > firstSeq }
  }

  let path: String
  private let limits: ReadLimits?
  let fileSize: UInt64
  /// The header in the first block, if it can be read.
  private(set) var header: LogHeader?
  private(set) var salt: UInt64?
  /// The blocks from the front that form one chain.
  private(set) var prefix = Stretch(blocks: [], chainBefore: 0, chainAfter: 0)
  /// The offset at which the whole and valid frames from the front end.
  private(set) var end: UInt64 = 0
  /// Why they end there, if the file goes on.
  private(set) var reason: String?
  /// Whether the front ends in a complete seek table.
  private(set) var endsInSeekTable = false
  /// The offset of a last frame that has the form and size of a seek table but the wrong contents: a crash
  /// kept the size of the file and lost the last write. The table can be made again from the blocks.
  private(set) var wrongSeekTable: UInt64?
  /// The seek table of the last segment of the front.
  private(set) var seekTable = SeekTable()
  /// The readable stretches after the end of the front, in order of seqs, without overlaps.
  private(set) var later: [Stretch] = []
  /// The seq that follows all blocks found after the front, including blocks without events.
  private(set) var foundNextSeq: UInt64?
  /// Whether the last of these blocks ends at the end of the file.
  private var laterReachesEnd = false
  /// Whether the file ends in the bytes of a seek table, which means that the log was closed and so synced.
  private var looksClosed = false

  /// Surveys a whole file. Cost: linear in its size. Memory: some 100 bytes a block.
  init(_ file: any LogFile, path: String, limits: ReadLimits?) throws(LogError) {
    self.path = path
    self.limits = limits
    do { fileSize = try file.size() } catch { throw LogError(measuring: path, error) }
    let zstd = try ZstdDecompressor.start(for: path)
    var window = FileWindow(file, path: path, fileSize: fileSize)
    try walkFront(&window, zstd)
    if end == fileSize { return }
    if fileSize >= 4 {
      looksClosed = try window.integer(at: fileSize - 4, size: 4) == UInt64(LogFormat.seekFooterMagic)
    }
    try search(&window, zstd)
  }

  /// The offset up to which the front is kept.
  var endToKeep: UInt64 { wrongSeekTable ?? end }

  /// The seq that follows the front.
  var nextSeq: UInt64 { prefix.nextSeq }

  /// The last event that was synced, according to all blocks found.
  private var durableSeq: UInt64 {
    (later.flatMap(\.blocks) + prefix.blocks.suffix(1)).reduce(0) { max($0, $1.durableSeq) }
  }

  private mutating func walkFront(_ window: inout FileWindow, _ zstd: ZstdDecompressor) throws(LogError) {
    var scanner = BlockScanner(path: path, limits: limits)
    // The size of a skippable frame has no checksum. A wrong size would lead past blocks, so the front ends
    // with the last good block.
    var good: UInt64 = 0
    while true {
      switch try scanner.next(&window, zstd) {
      case .block(let info, let payload):
        good = info.endOffset
        if prefix.blocks.isEmpty {
          salt = scanner.salt
          header = try? LogHeader(decoding: payload, salt: scanner.salt)
        }
        if info.kind == BlockKind.header { seekTable = SeekTable() }
        count(info)
        endsInSeekTable = false
        wrongSeekTable = nil
      case .skippable(let magic, let offset, let size):
        endsInSeekTable = false
        wrongSeekTable = nil
        if magic == LogFormat.seekTableMagic, size == seekTable.encodedSize {
          endsInSeekTable = try window.bytes(at: offset, count: size) == seekTable.encoded()
          if endsInSeekTable { good = offset + UInt64(size) } else { wrongSeekTable = offset }
        }
      case .end:
        end = scanner.offset
        return
      case .torn(let why), .garbage(let why, _):
        (end, reason, wrongSeekTable) = (good, why, nil)
        return
      case .damaged(let error):
        (end, reason, wrongSeekTable) = (good, error.message, nil)
        return
      }
    }
  }

  private mutating func count(_ info: BlockInfo) {
    prefix.blocks.append(info)
    prefix.chainAfter = info.payloadHash
    seekTable.append(
      compressedSize: info.compressedSize, payloadSize: info.payloadSize, payloadHash: info.payloadHash)
  }

  // MARK: After the end of the front

  private mutating func search(_ window: inout FileWindow, _ zstd: ZstdDecompressor) throws(LogError) {
    var stretches: [Stretch] = []
    var offset = end
    while offset < fileSize {
      let search = BlockSearch(salt: salt, nextSeq: prefix.blocks.isEmpty ? 1 : prefix.nextSeq)
      guard let found = try search.firstBlock(from: offset, in: &window, zstd) else { break }
      let stretch = try stretch(at: found, &window, zstd)
      guard let last = stretch.blocks.last else { break }
      stretches.append(stretch)
      offset = last.endOffset
    }
    join(stretches)
  }

  private mutating func stretch(
    at offset: UInt64, _ window: inout FileWindow, _ zstd: ZstdDecompressor
  ) throws(LogError) -> Stretch {
    var stretch = Stretch(blocks: [], chainBefore: 0, chainAfter: 0)
    guard case .data(let size, let content) = try ZstdFrame.find(at: offset, in: &window),
      let frame = try window.bytes(at: offset, count: size),
      let payload = try? zstd.content(of: frame, size: content),
      let first = try? BlockPrefix(decoding: payload)
    else { return stretch }
    if salt == nil { salt = first.salt }
    stretch.chainBefore = first.chain
    var scanner = BlockScanner(path: path, resumingAt: offset, with: first, limits: limits)
    laterReachesEnd = false
    scan: while true {
      switch try scanner.next(&window, zstd) {
      case .block(let info, _):
        stretch.blocks.append(info)
        stretch.chainAfter = info.payloadHash
      case .skippable: continue
      case .end:
        laterReachesEnd = true
        break scan
      default: break scan
      }
    }
    return stretch
  }

  /// Sorts the stretches found: joins those that follow on each other, and drops copies of blocks that are
  /// already there.
  private mutating func join(_ stretches: [Stretch]) {
    let sorted = stretches.sorted { ($0.firstSeq, $0.nextSeq) < ($1.firstSeq, $1.nextSeq) }
    foundNextSeq = stretches.map(\.nextSeq).max()
    var nextSeq = prefix.nextSeq
    for var stretch in sorted where stretch.hasEvents && stretch.nextSeq > nextSeq {
      while let block = stretch.blocks.first, block.endSeq <= nextSeq {
        stretch.chainBefore = block.payloadHash
        stretch.blocks.removeFirst()
      }
      if stretch.firstSeq < nextSeq { continue }
      nextSeq = stretch.nextSeq
      if let last = later.last, last.nextSeq == stretch.firstSeq, last.chainAfter == stretch.chainBefore {
        later[later.count - 1].blocks += stretch.blocks
        later[later.count - 1].chainAfter = stretch.chainAfter
      } else {
        later.append(stretch)
      }
    }
  }
}

// MARK: Conclusions

extension LogSurvey {
  /// Whether something is missing that had been written, as opposed to an end that was never finished.
  var isDamaged: Bool {
    guard end < fileSize, foundNextSeq != nil else { return false }
    if prefix.blocks.isEmpty || looksClosed || durableSeq >= nextSeq { return true }
    return followsOn
  }

  /// The readable stretches, the front first, joined with what follows on it.
  var stretches: [[BlockInfo]] {
    let rest = later.map(\.blocks)
    if prefix.blocks.isEmpty { return rest }
    return followsOn ? [prefix.blocks + rest[0]] + rest.dropFirst() : [prefix.blocks] + rest
  }

  /// Whether the first stretch found after the front continues it, so that only copies or garbage lie
  /// between.
  private var followsOn: Bool {
    guard let next = later.first, !prefix.blocks.isEmpty else { return false }
    return next.firstSeq == nextSeq && next.chainBefore == prefix.chainAfter
  }

  /// The events that none of the kept pieces holds.
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
