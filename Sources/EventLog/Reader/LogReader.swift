/// Reads a log: its events, its state, and how much of it is valid.
///
/// ```swift
/// let log = try LogReader(path: "run.evlog")
/// try log.forEachEvent { print($0) }
/// ```
///
/// Opening a closed log reads only its end, and each block is checked when it is read, so damage is thrown
/// then. Opening any other log reads and checks every block once, up to the first that is not valid. All
/// blocks before that can be read; ``tail`` describes the rest. Memory is bounded by the largest block, 16
/// MiB, whatever the file contains. The file may grow meanwhile: call ``refresh()`` to see more.
public struct LogReader: Sendable {
  /// How a log ends.
  public enum Tail: Sendable {
    /// The log was closed: a seek table covers the last segment. Unless the log was scanned, its blocks are
    /// not checked yet.
    case clean
    /// The log ends after a whole block but was not closed: its program still runs, or was killed.
    case open
    /// The log ends within a block, at this offset, and nothing valid follows.
    case torn(at: UInt64, reason: String)
    /// A block is damaged. If a later block of this log is valid, `resumesAt` is its offset.
    case damaged(LogError, resumesAt: UInt64?)
  }

  /// How the reader used the indexes of a log.
  public enum IndexUse: String, Sendable {
    /// There was no index to use: the log was not closed, was written without an index, or was to be scanned.
    case none
    /// The indexes give the offsets and contents of the blocks. Each block is compared with them when it is
    /// read.
    case believed
    /// The indexes contradict the blocks, so the log was scanned like one that was never closed.
    case refused
  }

  /// The path of the file.
  public let path: String
  /// How the indexes of the log were used.
  public private(set) var indexUse = IndexUse.none
  /// The header in the first block.
  public private(set) var header: LogHeader
  /// The valid blocks, the header first.
  public private(set) var blocks: [BlockInfo] = []
  /// What follows the last valid block.
  public private(set) var tail: Tail = .open
  /// The size of the file in bytes when it was opened or refreshed.
  public private(set) var byteCount: UInt64 = 0

  /// How much the log may make the reader hold; nil for any amount.
  public let limits: ReadLimits?

  let file: any LogFile
  private var scanner: BlockScanner
  private var seekTable = SeekTable()
  /// The segments that were opened by their indexes, from the first one on.
  private(set) var segments: [ClosedLog.Segment] = []
  /// What reading showed about the indexes, shared by copies of this reader.
  private let recheck = Recheck()

  /// Whether the log was closed and is whole.
  public var isClean: Bool {
    if case .clean = tail { true } else { false }
  }
  /// The offset at which the valid blocks end, if the file goes on there.
  public var tornAt: UInt64? {
    switch tail {
    case .clean, .open: nil
    case .torn(let offset, _): offset
    case .damaged: scanner.offset
    }
  }
  /// The reason why the valid blocks end at ``tornAt``.
  public var tornReason: String? {
    switch tail {
    case .clean, .open: nil
    case .torn(_, let reason): reason
    case .damaged(let error, _): error.message
    }
  }
  /// The seq of the first event, or of the next one if there are none; greater than 1 if the beginning of the
  /// log is not in the file.
  public var firstSeq: UInt64 { blocks.first?.firstSeq ?? 1 }
  /// The seq that follows the last event of the valid blocks.
  public var nextSeq: UInt64 { scanner.nextSeq }
  /// The number of events in the valid blocks. Their seqs start at ``firstSeq`` and have no gaps.
  public var eventCount: UInt64 { nextSeq - firstSeq }

  /// Opens a log and finds its blocks. Throws `io` if it cannot be read, `notALog` if it does not begin like
  /// a log, `torn` or `damaged` if the header is, and `overLimit` if its blocks unpack to too much; ``tail``
  /// describes any other damage. Cost: that of reading the index if the log was closed; otherwise, or if
  /// `scanned` is true, linear in the file.
  ///
  /// - Parameters:
  ///   - path: The file of the log, or the first of several.
  ///   - scanned: Whether to read every block instead of trusting an index.
  ///   - limits: How much the log may make the reader hold; nil for any amount, for a log that is trusted.
  public init(path: String, scanned: Bool = false, limits: ReadLimits? = .standard) throws(LogError) {
    try self.init(path: path, scanned: scanned, limits: limits, in: SystemFileSystem())
  }

  /// Opens a log in the given file system.
  package init(
    path: String, scanned: Bool = false, limits: ReadLimits? = .standard, in fileSystem: any LogFileSystem
  ) throws(LogError) {
    let file: any LogFile
    do { file = try SegmentSet(path, in: fileSystem) } catch {
      throw LogError(opening: path, error)
    }
    try self.init(file: file, path: path, scanned: scanned, limits: limits)
  }

  /// Opens a log from a file that is already open.
  package init(
    file: any LogFile, path: String, scanned: Bool = false, limits: ReadLimits? = .standard
  ) throws(LogError) {
    self.file = file
    self.path = path
    self.limits = limits
    scanner = BlockScanner(path: path, limits: limits)
    header = LogHeader(program: "", salt: 0, created: 0, metadata: [:])
    let isOpen = scanned ? false : try openFromEnd()
    if !isOpen { try scan() }
    guard !blocks.isEmpty else { throw notALog("the file is empty", at: 0) }
  }

  /// The same log, opened by a scan of all blocks, without the indexes. Cost: linear in the file.
  package func scanned() throws(LogError) -> LogReader {
    try LogReader(file: file, path: path, scanned: true, limits: limits)
  }

  /// Finds the blocks written since the last call, and returns them. Cost: linear in the new bytes.
  @discardableResult
  public mutating func refresh() throws(LogError) -> [BlockInfo] {
    let known = blocks.count
    try scan()
    return Array(blocks[known...])
  }

  /// Opens a log by its indexes; returns false if that is not possible.
  private mutating func openFromEnd() throws(LogError) -> Bool {
    try readSize()
    var window = FileWindow(file, path: path, fileSize: byteCount)
    let found = try ClosedLog.find(in: &window, decompressor(), limits)
    guard case .log(let closed) = found, let header = closed.header else {
      if case .contradiction = found { indexUse = .refused }
      return false
    }
    scanner = try BlockScanner(path: path, behind: closed, limits: limits)
    indexUse = .believed
    self.header = header
    blocks = closed.blocks
    segments = closed.segments
    tail = .clean
    return true
  }

  private mutating func readSize() throws(LogError) {
    do { byteCount = try file.size() } catch { throw LogError(measuring: path, error) }
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
        guard !blocks.isEmpty else { throw try damagedStart(reason, at: 0, &window, zstd) ?? tornHeader() }
        tail = try unfinished(reason, at: scanner.offset, &window, zstd)
        return
      case .garbage(let reason, let offset):
        guard !blocks.isEmpty else {
          throw try damagedStart(reason, at: offset, &window, zstd) ?? notALog(reason, at: offset)
        }
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
    do { header = try LogHeader(decoding: payload, salt: scanner.salt) } catch { throw damage(error, in: 0) }
  }

  /// Classifies the end of the file as torn, or as damaged if there is a complete frame that is invalid or if
  /// blocks of this log follow.
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

  /// The offset of a block of this log after the valid ones. Copies of valid blocks count, too, because the
  /// end is not merely unfinished if one follows it.
  private func blockAfterTail(
    _ window: inout FileWindow, _ zstd: ZstdDecompressor
  ) throws(LogError) -> UInt64? {
    let search = BlockSearch(salt: scanner.salt, nextSeq: 0)
    return try search.firstBlock(from: scanner.offset, in: &window, zstd)
  }

  /// The error if the first block cannot be read but a block of a log follows; nil if none does. Most files
  /// that are not logs are long, and a second block is not far from the first, so only the start of the file
  /// is searched.
  private func damagedStart(
    _ reason: String, at offset: UInt64, _ window: inout FileWindow, _ zstd: ZstdDecompressor
  ) throws(LogError) -> LogError? {
    let search = BlockSearch(salt: nil, nextSeq: 0)
    guard let next = try search.firstBlock(from: 0, searching: 16 << 20, in: &window, zstd) else {
      return nil
    }
    return scanner.damage("\(reason), but a block of an event log starts at byte \(next)", at: offset)
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
    LogError(fault, in: offset, of: path)
  }

  /// Opens the log again without its indexes. Returns the new reader if a block shows that the indexes are
  /// wrong; nil if they agree with all blocks up to a damaged one. Cost: that of a scan, the first time.
  package func withoutWrongIndex() throws(LogError) -> LogReader? {
    guard indexUse == .believed else { return nil }
    return try recheck.found.withLock { found throws(LogError) in
      if let found { return found.reader }
      var scanned = try scanned()
      scanned.indexUse = .refused
      let isRight = zip(blocks, scanned.blocks).allSatisfy { $0 == $1 }
      found = Recheck.Found(reader: isRight ? nil : scanned)
      return isRight ? nil : scanned
    }
  }

  /// Whether a block without events was checked since the log was opened.
  func isChecked(_ block: BlockInfo) -> Bool { recheck.checked.withLock { $0.contains(block.offset) } }

  func markChecked(_ block: BlockInfo) { recheck.checked.withLock { _ = $0.insert(block.offset) } }

  /// Runs the body, and if that shows that the index is wrong, runs it again on the log without the index.
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

/// A block of a log.
public struct BlockInfo: Hashable, Sendable {
  /// The offset of its frame in the file.
  public var offset: UInt64
  /// The size of its frame in the file, in bytes.
  public var compressedSize: Int
  /// The size of its payload in bytes, including the prefix.
  public var payloadSize: Int
  /// The number of its kind: 1 for a header, 2 for events; others are skipped.
  public var kind: UInt8
  /// The number of events in it.
  public var eventCount: Int
  /// The seq of its first event, or of the next event if it has none.
  public var firstSeq: UInt64
  /// The time of its first event, in nanoseconds since the session began.
  public var baseTime: UInt64
  /// The seq up to which events were on stable storage when the block was made.
  public var durableSeq: UInt64
  /// XXH64 of the payload.
  package var payloadHash: UInt64

  /// The seq that follows its last event.
  public var endSeq: UInt64 { firstSeq + UInt64(eventCount) }
  /// The offset of the next frame.
  public var endOffset: UInt64 { offset + UInt64(compressedSize) }
}

/// What the copies of a reader that was opened by its indexes know of the blocks.
private final class Recheck: Sendable {
  struct Found {
    /// The reader without the indexes; nil if the indexes are right.
    var reader: LogReader?
  }

  /// The result of opening the log without the indexes; nil if it was not.
  let found = Lock<Found?>(nil)
  /// The offsets of the blocks without events that were checked.
  let checked = Lock<Set<UInt64>>([])
}
