/// Reads a log: what is in it, how far it is whole, and its events.
///
/// ```swift
/// let log = try LogReader(path: "run.evlog")
/// try log.forEachEvent { print($0) }
/// ```
///
/// Opening a log that was closed reads its end only, and each block is checked when it is read: damage then comes as an
/// error there. Opening any other reads and checks every block once, up to the first that is not whole and valid. What
/// comes before can always be read; ``tail`` is what became of the rest. Memory is bounded by the largest block,
/// 16 MiB, whatever the file says. The file may grow meanwhile: call ``refresh()`` to see more.
public struct LogReader: Sendable {
  /// How a log ends.
  public enum Tail: Sendable {
    /// It was closed: a seek table covers the last segment. Unless it was scanned, the blocks are not checked yet.
    case clean
    /// It ends behind a whole block, but was not closed: its program runs still, or was killed.
    case open
    /// It ends inside a block, at this offset, and nothing valid follows.
    case torn(at: UInt64, reason: String)
    /// A block is damaged. Where a later block of this log is whole, it starts at `resumesAt`.
    case damaged(LogError, resumesAt: UInt64?)
  }

  /// What became of the indexes of a log when it was opened.
  public enum IndexUse: String, Sendable {
    /// There was none to use: the log was not closed, or was written without, or was to be scanned.
    case none
    /// They say where the blocks are and what is in them. A block that is read is checked against them.
    case believed
    /// They do not agree with the blocks, so the log was scanned as one that was never closed.
    case refused
  }

  /// The file.
  public let path: String
  /// What became of the indexes of the log.
  public private(set) var indexUse = IndexUse.none
  /// What the first block says.
  public private(set) var header: LogHeader
  /// The whole and valid blocks, the header first.
  public private(set) var blocks: [BlockInfo] = []
  /// What follows the last of them.
  public private(set) var tail: Tail = .open
  /// Bytes in the file when it was opened or refreshed.
  public private(set) var byteCount: UInt64 = 0

  let file: any LogFile
  private var scanner: BlockScanner
  private var seekTable = SeekTable()
  /// The segments that were opened by their indexes, from the first on.
  private(set) var segments: [ClosedLog.Segment] = []
  /// What a second look found, without the indexes; shared by copies.
  private let recheck = Recheck()

  /// Whether the log was closed and is whole.
  public var isClean: Bool {
    if case .clean = tail { true } else { false }
  }
  /// The offset where whole valid blocks stop, if the file goes on there.
  public var tornAt: UInt64? {
    switch tail {
    case .clean, .open: nil
    case .torn(let offset, _): offset
    case .damaged: scanner.offset
    }
  }
  /// Why whole valid blocks stop at ``tornAt``.
  public var tornReason: String? {
    switch tail {
    case .clean, .open: nil
    case .torn(_, let reason): reason
    case .damaged(let error, _): error.message
    }
  }
  /// The seq of the first event, or of the first to come: over 1 if the beginning of the log is not in the file.
  public var firstSeq: UInt64 { blocks.first?.firstSeq ?? 1 }
  /// The seq of the next event to come behind the whole blocks.
  public var nextSeq: UInt64 { scanner.nextSeq }
  /// How many events the whole blocks hold; their seqs are ``firstSeq`` and up, without a hole.
  public var eventCount: UInt64 { nextSeq - firstSeq }

  /// Opens a log and finds its blocks. Throws `io` if it cannot be read, `notALog` if it does not start as one, and
  /// `torn` or `damaged` if the header itself is; any other damage is in ``tail``. Cost:
  /// that of the index of a log that was closed; else, and if it is to be `scanned` all the same, linear in the file.
  public init(path: String, scanned: Bool = false) throws(LogError) {
    try self.init(path: path, scanned: scanned, in: SystemFileSystem())
  }

  /// The same in a file system.
  package init(path: String, scanned: Bool = false, in fileSystem: any LogFileSystem) throws(LogError) {
    let file: any LogFile
    do { file = try SegmentSet(path, in: fileSystem) } catch {
      throw LogError(.io, path: path, errno: error.rawValue, message: "cannot open the log: \(error)")
    }
    try self.init(file: file, path: path, scanned: scanned)
  }

  /// Reads a file that is open already.
  package init(file: any LogFile, path: String, scanned: Bool = false) throws(LogError) {
    self.file = file
    self.path = path
    scanner = BlockScanner(path: path)
    header = LogHeader(program: "", salt: 0, created: 0, metadata: [:])
    let isOpen = scanned ? false : try openFromEnd()
    if !isOpen { try scan() }
    guard !blocks.isEmpty else { throw notALog("the file is empty", at: 0) }
  }

  /// The same log, each block looked at and no index believed. Cost: linear in the file.
  package func scanned() throws(LogError) -> LogReader {
    try LogReader(file: file, path: path, scanned: true)
  }

  /// Looks for blocks that were written since, and returns them. Cost: linear in what is new.
  @discardableResult
  public mutating func refresh() throws(LogError) -> [BlockInfo] {
    let known = blocks.count
    try scan()
    return Array(blocks[known...])
  }

  /// Opens a log by its indexes, or returns false if that cannot be done.
  private mutating func openFromEnd() throws(LogError) -> Bool {
    try readSize()
    var window = FileWindow(file, path: path, fileSize: byteCount)
    let found = try ClosedLog.find(in: &window, decompressor())
    guard case .log(let closed) = found, let header = closed.header else {
      if case .contradiction = found { indexUse = .refused }
      return false
    }
    indexUse = .believed
    self.header = header
    blocks = closed.blocks
    segments = closed.segments
    scanner = BlockScanner(path: path, behind: closed)
    tail = .clean
    return true
  }

  private mutating func readSize() throws(LogError) {
    do { byteCount = try file.size() } catch {
      throw LogError(
        .io, path: path, errno: error.rawValue, message: "cannot read the size of the log: \(error)")
    }
  }

  private mutating func scan() throws(LogError) {
    try readSize()
    var window = FileWindow(file, path: path, fileSize: byteCount)
    let zstd = try decompressor()
    var endsInSeekTable = isClean && scanner.offset == byteCount
    while true {
      switch try scanner.next(&window, zstd) {
      case .block(let info, let payload):
        if blocks.isEmpty { try readHeader(payload) }
        if info.kind == BlockKind.header { seekTable = SeekTable() }
        blocks.append(info)
        seekTable.append(
          compressedSize: info.compressedSize, payloadSize: info.payloadSize, payloadHash: info.payloadHash)
        endsInSeekTable = false
      case .skippable(let magic, let offset, let size):
        endsInSeekTable = false
        if magic == LogFormat.seekTableMagic, size == seekTable.encodedSize,
          let bytes = try window.bytes(at: offset, count: size)
        {
          endsInSeekTable = bytes == seekTable.encoded()
        }
      case .end:
        tail = endsInSeekTable ? .clean : .open
        return
      case .torn(let reason):
        guard !blocks.isEmpty else { throw tornHeader() }
        tail = try unfinished(reason, at: scanner.offset, &window, zstd)
        return
      case .garbage(let reason, let offset):
        guard !blocks.isEmpty else { throw notALog(reason, at: offset) }
        tail = try unfinished(reason, at: offset, &window, zstd)
        return
      case .damaged(let error):
        guard !blocks.isEmpty else { throw error }
        tail = .damaged(error, resumesAt: try blockAfterTail(&window, zstd))
        return
      }
    }
  }

  private mutating func readHeader(_ payload: [UInt8]) throws(LogError) {
    do {
      let body = ByteReader(payload, in: LogFormat.prefixSize..<payload.count)
      header = try LogHeader(decoding: body, salt: scanner.salt)
    } catch {
      throw damage(error, in: 0)
    }
  }

  /// An end that was never finished, unless a whole frame is there that is wrong, or more of this log follows it.
  private func unfinished(
    _ reason: String, at offset: UInt64, _ window: inout FileWindow, _ zstd: ZstdDecompressor
  ) throws(LogError) -> Tail {
    if let next = try blockAfterTail(&window, zstd) {
      let error = scanner.damage("\(reason), and the log goes on at byte \(next)", at: offset)
      return .damaged(error, resumesAt: next)
    }
    if try ZstdFrame.isWhole(at: scanner.offset, in: &window) {
      return .damaged(scanner.damage(reason, at: offset), resumesAt: nil)
    }
    return .torn(at: scanner.offset, reason: reason)
  }

  /// The offset of a block of this log behind the whole ones. A copy of a whole block counts, too: with one behind it, the
  /// end is not just unfinished.
  private func blockAfterTail(
    _ window: inout FileWindow, _ zstd: ZstdDecompressor
  ) throws(LogError) -> UInt64? {
    let search = BlockSearch(salt: scanner.salt, nextSeq: 0)
    return try search.firstBlock(from: scanner.offset, in: &window, zstd)
  }

  private func notALog(_ reason: String, at offset: UInt64) -> LogError {
    LogError(
      .notALog, path: path, byteOffset: offset,
      message: "\(reason): this is not an event log, or not its start")
  }

  private func tornHeader() -> LogError {
    LogError(
      .torn, path: path, byteOffset: 0,
      message: "the file ends inside its first block, before any event; there is nothing to recover")
  }

  package func damage(_ fault: DecodeFault, in offset: UInt64) -> LogError {
    LogError(
      .damaged, path: path, byteOffset: offset, payloadOffset: fault.offset,
      message: "\(fault.reason); the blocks before it are good: keep a copy of the file and recover them")
  }

  /// The same log without its indexes, if a block shows that they are wrong; nil where they agree with all blocks up to
  /// one that is damaged. Cost: that of a scan, for the first time.
  package func withoutWrongIndex() throws(LogError) -> LogReader? {
    guard indexUse == .believed else { return nil }
    return try recheck.found.withLock { found throws(LogError) in
      if let found { return found.reader }
      var scanned = try LogReader(file: file, path: path, scanned: true)
      scanned.indexUse = .refused
      let isRight = zip(blocks, scanned.blocks).allSatisfy { $0 == $1 }
      found = Recheck.Found(reader: isRight ? nil : scanned)
      return isRight ? nil : scanned
    }
  }

  /// Does something with the log, and if that shows that its index is wrong, again without the index.
  func rereading<T>(_ body: (LogReader) throws(LogError) -> T) throws(LogError) -> T {
    do throws(LogError) { return try body(self) } catch {
      guard error.code == .wrongIndex, let scanned = try withoutWrongIndex() else { throw error }
      return try body(scanned)
    }
  }

  func decompressor() throws(LogError) -> ZstdDecompressor {
    try ZstdDecompressor.start(for: path)
  }
}

/// One block of a log, as a scan found it.
public struct BlockInfo: Hashable, Sendable {
  /// Where its frame starts in the file.
  public var offset: UInt64
  /// Bytes of its frame in the file.
  public var compressedSize: Int
  /// Bytes of its payload, prefix included.
  public var payloadSize: Int
  /// The number of what it holds: 1 for a header, 2 for events; others are skipped.
  public var kind: UInt8
  /// How many events it holds.
  public var eventCount: Int
  /// The seq of the first of them, or of the next to come.
  public var firstSeq: UInt64
  /// The time of the first of them, in nanoseconds since the session began.
  public var baseTime: UInt64
  /// Events up to this seq were on stable storage when the block was made.
  public var durableSeq: UInt64
  /// XXH64 of the payload.
  package var payloadHash: UInt64

  /// One more than the seq of the last event; the seq of the next to come.
  public var endSeq: UInt64 { firstSeq + UInt64(eventCount) }
  /// Where the next frame starts.
  public var endOffset: UInt64 { offset + UInt64(compressedSize) }
}

/// What the copies of one reader found when one of them looked at the log without its indexes.
private final class Recheck: Sendable {
  struct Found {
    /// Nil if the indexes are right.
    var reader: LogReader?
  }

  let found = Lock<Found?>(nil)
}
