import SystemPackage

/// Writes a log that is made of a file, not recorded: on the caller's thread, block by block, under another name beside the
/// one that it will have.
///
/// What it writes depends on the header, the options and the events alone, not on a clock, on chance or on how fast the
/// events come: the same input gives the same bytes. Times and durations stay as they are.
///
/// Nothing has the name of the output before all of it is on stable storage. What is not finished is removed.
package struct LogRewriter {
  /// How the events of the output begin.
  struct Start {
    /// The first event's number.
    var firstSeq: UInt64 = 1
    /// What was before it; nil where nothing was.
    var fold: StateFold?
  }

  private var stage: Stage
  private var sealer: Sealer
  private let file: RewriteFile
  private let blockEvents: Int
  private let blockBytes: Int
  /// The header of a log without a source: it waits for the first events, of which its salt is made.
  private var unsalted: LogHeader?
  /// Events so far.
  package private(set) var events: UInt64 = 0

  /// Starts a log with a header of its own; one that does not begin with event 1 gets the state before it.
  ///
  /// The log keeps the salt of the header: parts of one log are known by it. Throws `io` if there can be no file, and
  /// `tooLarge` if the state does not fit a checkpoint.
  init(
    _ file: RewriteFile, path: String, header: LogHeader, options: LogOptions, from start: Start = Start()
  ) throws(LogError) {
    try self.init(file, path: path, options: options, nextSeq: start.firstSeq)
    sealer.begin(within: start.fold?.openTransactions ?? 0)
    try sealer.writeHeader(header, firstSeq: start.firstSeq, time: start.fold?.time ?? 0)
    if let fold = start.fold {
      sealer.checkpointer = Checkpointer(options, after: fold)
      guard try sealer.writeCheckpoint(durableSeq: 0, always: true) else {
        throw LogError(
          .tooLarge, path: path,
          message: "the state before event \(start.firstSeq) does not fit a checkpoint; begin at event 1")
      }
      if !options.checkpoints { sealer.checkpointer = nil }
    }
  }

  /// Starts a log of events that come from no log, packed small. It has no time of creation, and the same events give
  /// the same salt: that of the first of its blocks.
  ///
  /// Throws as ``OutputPlace`` where there may be no such file, and `io` if there can be none.
  ///
  /// - Parameter inputs: The files that it is made of.
  package init(
    _ path: String, replacing: Bool, madeOf inputs: [String] = [], program: String
  ) throws(LogError) {
    let file = try RewriteFile(path, replacing: replacing, madeOf: inputs)
    try self.init(file, path: path, options: .compact, nextSeq: 1)
    unsalted = LogHeader(program: program, salt: 0, created: 0, metadata: [:])
  }

  private init(
    _ file: RewriteFile, path: String, options: LogOptions, nextSeq: UInt64
  ) throws(LogError) {
    self.file = file
    stage = Stage(path: path, nextSeq: nextSeq, isExact: true, tableBytes: options.tableBytes)
    blockEvents = min(max(options.blockEvents, 1), LogFormat.eventsMax)
    blockBytes = min(max(options.blockBytes, 1), 4 << 20)
    sealer = try Sealer(output: LogOutput(file.file, path: path), options: options)
  }

  /// The number that the next event gets.
  var nextSeq: UInt64 { stage.nextSeq }

  /// Adds an event, whose own seq does not count.
  ///
  /// Throws `invalidEvent` or `tooLarge` for an event that cannot be in a log, and `io`.
  package mutating func append(_ event: Event) throws(LogError) {
    try append(
      event.body, time: event.time, cause: event.cause, site: event.site, origin: event.origin)
  }

  /// Adds an event, as large as a block can hold.
  mutating func append(
    _ body: Event.Body, time: UInt64, cause: UInt64? = nil, site: String? = nil, origin: Origin? = nil
  ) throws(LogError) {
    let names = [site, origin?.thread, origin?.task, origin?.stack]
    // An event that is larger than those of recordings gets a block of its own, and whether it fits shows at once.
    let isLarge = !body.isRecordable || names.contains { $0.map { !$0.isRecordable } ?? false }
    if isLarge, stage.chunk.events > 0 { try seal() }
    _ = try stage.append(body, time: time, cause: cause, site: site, origin: origin)
    events += 1
    if isLarge || stage.chunk.events >= blockEvents || stage.chunk.rows.count >= blockBytes
      || stage.chunk.items >= StageLimit.chunkItemsMax
    {
      try seal()
    }
  }

  private mutating func seal() throws(LogError) {
    let chunk = stage.takeChunk(reusing: nil)
    if let header = unsalted {
      let first = header.resalted(by: ["\(chunk.baseTime)"])
      try sealer.writeHeader(first.resalted(by: chunk.rows.bytes, in: 0..<chunk.rows.count))
      unsalted = nil
    }
    if !chunk.isEmpty { try sealer.write(chunk, durableSeq: 0) }
  }

  /// Writes the rest, and gives the file its name; see ``RewriteFile/commit(keepingOldAs:)``. Returns its size.
  @discardableResult
  package mutating func finish(keepingOldAs old: String? = nil) throws(LogError) -> UInt64 {
    try seal()
    try sealer.finish()
    try file.commit(keepingOldAs: old)
    return sealer.offset
  }
}

extension LogHeader {
  /// The same with another salt, for a log that is not a part of the one that has this salt. What makes it another goes
  /// into the salt, and nothing of chance does.
  func resalted(by bytes: [UInt8], in range: Range<Int>) -> LogHeader {
    var header = self
    header.salt = max(XXH64.hash(bytes, in: range, seed: salt), 1)
    return header
  }

  /// The same, where some texts say what makes it another.
  func resalted(by texts: [String]) -> LogHeader {
    var bytes: [UInt8] = []
    for text in texts {
      // With the lengths "ab" and "c" are not the same as "a" and "bc".
      bytes.appendVarint(text.utf8.count)
      bytes += text.utf8
    }
    return resalted(by: bytes, in: bytes.indices)
  }
}

// MARK: What it is made of

extension LogReader {
  /// What a log that begins with this event has to begin with.
  func rewriteStart(at seq: UInt64) throws(LogError) -> LogRewriter.Start {
    guard seq > 1 else { return LogRewriter.Start() }
    let fold = try fold(at: seq - 1)
    if let failure = fold.failure { throw misfit(failure) }
    return LogRewriter.Start(firstSeq: seq, fold: fold)
  }

  /// Copies events as they are, as far as they can be read. Returns why it ended early.
  func copy(
    into writer: inout LogRewriter, upTo last: UInt64 = .max,
    progress: (_ done: UInt64, _ total: UInt64) -> Void
  ) throws(LogError) -> LogError? {
    let first = writer.nextSeq
    let total = min(last, nextSeq - 1) + 1 - first
    for block in blocks where block.kind == BlockKind.events && block.endSeq > first && block.firstSeq <= last
    {
      let events: [Event]
      do throws(LogError) { events = try self.events(in: block) } catch {
        guard error.code == .damaged else { throw error }
        return error
      }
      for event in events where event.seq >= first && event.seq <= last { try writer.append(event) }
      progress(writer.events, total)
    }
    return nil
  }
}

/// What a command that reads a whole log could not read of it.
public struct LogLoss: Sendable, CustomStringConvertible {
  /// The log.
  public var path: String
  /// The first event that is missing; those after it are, too.
  public var firstLost: UInt64
  /// Why, with the byte where it begins; nil if the log only was not closed, so that events may be missing.
  public var reason: String?

  /// What is lost, as a sentence.
  public var description: String {
    guard let reason else {
      return "\(path): the log was not closed; events from \(firstLost) on may be missing"
    }
    return "\(path): events from \(firstLost) on are lost: \(reason)"
  }

  /// What cannot be read of a log, nil for one that was closed and is whole.
  init?(_ reader: LogReader, lastRead: UInt64, error: LogError? = nil) {
    path = reader.path
    firstLost = lastRead + 1
    if let error {
      reason = error.byteOffset.map { "at byte \($0) " + error.message } ?? error.message
      return
    }
    switch reader.tail {
    case .clean: return nil
    case .open: reason = nil
    case .torn(let offset, let why): reason = "torn at byte \(offset), \(why)"
    case .damaged(let error, _):
      reason = error.byteOffset.map { "at byte \($0) " + error.message } ?? error.message
    }
  }
}

// MARK: The file

/// A log that gets its name only when it is whole.
final class RewriteFile {
  let file: any LogFile
  private let place: OutputPlace
  private let fileSystem: any LogFileSystem

  /// Creates the file under another name; see ``OutputPlace`` for which files may have its own.
  convenience init(
    _ path: String, replacing: Bool, madeOf inputs: [String],
    in fileSystem: any LogFileSystem = SystemFileSystem()
  ) throws(LogError) {
    try self.init(OutputPlace(path, replacing: replacing, madeOf: inputs, in: fileSystem), fileSystem)
  }

  /// Creates a file that gets the name of a log, which gets another: see ``commit(keepingOldAs:)``.
  convenience init(inPlaceOf path: String, in fileSystem: any LogFileSystem) throws(LogError) {
    try self.init(OutputPlace(beside: path, in: fileSystem), fileSystem)
  }

  private init(_ place: OutputPlace, _ fileSystem: any LogFileSystem) throws(LogError) {
    self.place = place
    self.fileSystem = fileSystem
    do { file = try fileSystem.create(place.temporary, replacing: false) } catch {
      throw LogError(creating: place.name, error)
    }
  }

  deinit { try? file.close() }

  /// Gives the file its name, and makes that survive a loss of power. Its bytes were synced before.
  ///
  /// With `old` the file that has the name gets that one first; between the two steps no file has the name, and both
  /// are whole.
  func commit(keepingOldAs old: String? = nil) throws(LogError) {
    if let old {
      place.keepOnSignal()
      do throws(Errno) {
        try fileSystem.renameNew(place.path, to: old)
        // A loss of power may keep the second change of names without the first, and then nothing had the old bytes.
        try fileSystem.syncName(of: old)
      } catch {
        if error == .fileExists { throw OutputPlace.exists(old) }
        throw LogError(
          .io, path: old, errno: error.rawValue, message: "cannot keep the log under this name: \(error)")
      }
    }
    do throws(LogError) { try place.commit(isSynced: true) } catch {
      if let old { try? fileSystem.renameNew(old, to: place.path) }
      throw error
    }
  }
}
