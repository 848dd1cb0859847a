import SystemPackage

/// Returns the events of a log that is being written, each once and in order, as they reach the file.
///
/// It uses only whole blocks that follow on the block before, and reads the file only by calls with an
/// offset: a file that is truncated meanwhile just ends, which is not an error. It follows further segments,
/// and a new log that replaces this one under the same name.
public struct LogFollower {
  /// The result of a call of ``next()``.
  public enum Step: Sendable {
    /// New events.
    case events([Event])
    /// No new events; the log was closed.
    case closed
    /// No new events yet.
    case waiting
    /// No new events; the log was not closed, and for a second no writer has had it open. Its program was killed, unless
    /// something without a lock writes the log, such as a copy under way.
    case abandoned
    /// Another log has taken the name, and is now followed from its beginning.
    case replaced
  }

  /// The path of the file.
  public let path: String
  private let fileSystem: any LogFileSystem
  private let limits: ReadLimits?
  /// Events before this seq are skipped.
  private var nextSeq: UInt64
  private var log: Open?

  /// The log that is being followed.
  private struct Open {
    var file: any LogFile
    /// The identity of the file at the path; nil if the log began without its first file.
    var identity: FileIdentity?
    var scanner: BlockScanner
    var seekTable = SeekTable()
    var isClosed = false
    /// Since when no writer has had the log open.
    var leftAt: ContinuousClock.Instant?
  }

  /// A writer locks a file a moment after creating it, and between two files of a log it has none locked.
  private static let absenceMin = Duration.seconds(1)

  /// Follows a log from an event on. The file need not exist yet.
  ///
  /// - Parameters:
  ///   - path: The first file of the log.
  ///   - seq: The first event to read.
  ///   - limits: As for ``LogReader/init(path:scanned:limits:)``.
  public init(path: String, from seq: UInt64 = 1, limits: ReadLimits? = .standard) {
    self.init(path: path, from: seq, limits: limits, in: SystemFileSystem())
  }

  package init(
    path: String, from seq: UInt64 = 1, limits: ReadLimits? = .standard, in fileSystem: any LogFileSystem
  ) {
    self.path = path
    self.limits = limits
    self.fileSystem = fileSystem
    nextSeq = max(seq, 1)
  }

  /// Returns the next block of events, if there is one. Throws `notALog` if the file is not a log, `damaged`
  /// if a block in the middle is not valid, and `io`. Cost: linear in the new bytes.
  public mutating func next() throws(LogError) -> Step {
    if try isReplaced() {
      log = nil
      nextSeq = 1
      return .replaced
    }
    if log == nil, try !open() { return .waiting }
    guard var open = log, let zstd = ZstdDecompressor() else { return .waiting }
    defer { log = open }
    let size: UInt64
    do { size = try open.file.size() } catch { throw failure(error) }
    // The end was cut off. It contained no events that were returned, so start again from the front.
    if size < open.scanner.offset { return try restart(&open) }
    var window = FileWindow(open.file, path: path, fileSize: size)
    while true {
      switch try open.scanner.next(&window, zstd) {
      case .block(let info, let payload):
        if info.kind == BlockKind.header { open.seekTable = SeekTable() }
        open.seekTable.append(
          compressedSize: info.compressedSize, payloadSize: info.payloadSize, payloadHash: info.payloadHash)
        open.isClosed = false
        guard info.kind == BlockKind.events, info.endSeq > nextSeq else { continue }
        return .events(try newEvents(of: info, in: payload))
      case .skippable(let magic, let offset, let size):
        if magic == LogFormat.seekTableMagic, size == open.seekTable.encodedSize {
          open.isClosed = try window.bytes(at: offset, count: size) == open.seekTable.encoded()
        }
      case .end: return open.isClosed ? .closed : idle(&open)
      case .torn: return idle(&open)
      case .garbage(_, _) where isAnother(open), .damaged(_) where isAnother(open):
        return try restart(&open)
      case .garbage(let reason, let offset):
        // The file system may have allocated these bytes without their contents, which then read as zeros.
        if try isZero(offset, &window) { return idle(&open) }
        throw open.scanner.damage(reason, at: offset)
      case .damaged(let error): throw error
      }
    }
  }

  /// The step when there is nothing new: whether the log still has a writer.
  private func idle(_ open: inout Open) -> Step {
    guard open.file.hasWriter() == false else {
      open.leftAt = nil
      return .waiting
    }
    let now = ContinuousClock.now
    let leftAt = open.leftAt ?? now
    open.leftAt = leftAt
    return now - leftAt >= Self.absenceMin ? .abandoned : .waiting
  }

  private mutating func newEvents(of info: BlockInfo, in payload: [UInt8]) throws(LogError) -> [Event] {
    var events: [Event] = []
    do throws(DecodeFault) {
      let cursor = BlockCursor(try BlockRows(payload: payload, prefix: BlockPrefix(decoding: payload)))
      while let event = try cursor.next() {
        if event.seq >= nextSeq { events.append(event) }
      }
    } catch {
      throw LogError(
        .damaged, path: path, byteOffset: info.offset, payloadOffset: error.offset, message: error.reason)
    }
    nextSeq = info.endSeq
    return events
  }

  // MARK: The file

  private func isReplaced() throws(LogError) -> Bool {
    guard let log else { return false }
    // A log may begin with a later file, and another one take the name of the first.
    do { return try fileSystem.identity(of: path) != log.identity } catch {
      // A ring of segments removes its first files, but files that are open can still be read.
      if error == .noSuchFileOrDirectory { return false }
      throw failure(error)
    }
  }

  private mutating func open() throws(LogError) -> Bool {
    do {
      let identity = try? fileSystem.identity(of: path)
      let file = try SegmentSet(path, in: fileSystem)
      log = Open(file: file, identity: identity, scanner: BlockScanner(path: path, limits: limits))
      return true
    } catch {
      if error == .noSuchFileOrDirectory { return false }
      throw failure(error)
    }
  }

  /// Starts again at the front of the file. Events that were returned already are skipped, unless the file
  /// now holds another log.
  private mutating func restart(_ open: inout Open) throws(LogError) -> Step {
    let wasAnother = isAnother(open)
    do { open.file = try SegmentSet(path, in: fileSystem) } catch { throw failure(error) }
    open.scanner = BlockScanner(path: path, limits: limits)
    open.seekTable = SeekTable()
    open.isClosed = false
    guard wasAnother else { return .waiting }
    nextSeq = 1
    return .replaced
  }

  /// Whether the file was truncated and another log begun in it.
  private func isAnother(_ open: Open) -> Bool {
    guard open.scanner.offset > 0, let salt = SegmentSet.salt(of: open.file) else { return false }
    return salt != open.scanner.salt
  }

  private func isZero(_ offset: UInt64, _ window: inout FileWindow) throws(LogError) -> Bool {
    let count = min(8, Int(clamping: window.fileSize - min(offset, window.fileSize)))
    return try window.bytes(at: offset, count: count)?.allSatisfy { $0 == 0 } ?? true
  }

  private func failure(_ error: Errno) -> LogError { LogError(opening: path, error) }
}
