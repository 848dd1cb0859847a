import SystemPackage

/// Writes a log that is derived from a file rather than recorded. It works on the caller's thread, block by
/// block, in a temporary file beside the output.
///
/// The bytes depend only on the header, the options and the events, not on a clock, on random numbers or on
/// the speed at which events arrive: the same input gives the same bytes. Times and durations are kept.
///
/// The output gets its name only when all of it is on stable storage. An unfinished file is removed.
package struct LogRewriter {
  /// How the output begins.
  struct Start {
    var firstSeq: UInt64 = 1
    /// The state before the first event; nil if it is empty.
    var fold: StateFold?
  }

  private var stage: Stage
  private var sealer: Sealer
  private let file: RewriteFile
  private let blockEvents: Int
  private let blockBytes: Int
  /// The header of a log without a source. It is written after the first events, because its salt is derived
  /// from them.
  private var unsalted: LogHeader?
  /// Whether the header says more than the program that writes it.
  private var hasOwnHeader = false
  /// The number of events added so far.
  package private(set) var events: UInt64 = 0

  /// Starts a log with the given header. If it does not begin with event 1, the state before it is written
  /// first.
  ///
  /// The salt of the header is kept, because parts of one log are recognized by it. Throws `io` if the file
  /// cannot be created, and `tooLarge` if the state does not fit a checkpoint.
  ///
  /// - Parameter limits: The bounds of the state, which is kept for checkpoints.
  init(
    _ file: RewriteFile, path: String, header: LogHeader, options: LogOptions, from start: Start = Start(),
    limits: ReadLimits? = nil
  ) throws(LogError) {
    try self.init(file, path: path, options: options, nextSeq: start.firstSeq, limits: limits)
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

  /// Starts a log of events that come from no log, with the highest compression. It has no creation time, and
  /// its salt is that of its first block, so that the same events give the same salt.
  ///
  /// Throws as ``OutputPlace`` if the file must not be written, and `io` if it cannot be created.
  ///
  /// - Parameter inputs: The files from which the log is made, which the output must not replace.
  package init(
    _ path: String, replacing: Bool, madeOf inputs: [String] = [], program: String
  ) throws(LogError) {
    let file = try RewriteFile(path, replacing: replacing, madeOf: inputs)
    try self.init(file, path: path, options: .compact, nextSeq: 1, limits: nil)
    unsalted = LogHeader(program: program, salt: 0, created: 0, metadata: [:])
  }

  /// Sets what the header of such a log says, apart from its salt. Must be called before the first event.
  package mutating func setHeader(_ header: LogHeader) {
    precondition(events == 0 && unsalted != nil, "the header of a log comes before its events")
    unsalted = header
    hasOwnHeader = true
  }

  private init(
    _ file: RewriteFile, path: String, options: LogOptions, nextSeq: UInt64, limits: ReadLimits?
  ) throws(LogError) {
    self.file = file
    stage = Stage(path: path, nextSeq: nextSeq, isExact: true, tableBytes: options.tableBytes)
    blockEvents = min(max(options.blockEvents, 1), LogFormat.eventsMax)
    blockBytes = min(max(options.blockBytes, 1), 4 << 20)
    sealer = try Sealer(
      output: LogOutput(file.file, path: path), options: options,
      checkpointer: options.checkpoints ? Checkpointer(options, after: StateFold(limits: limits)) : nil)
  }

  /// The seq that the next event gets.
  var nextSeq: UInt64 { stage.nextSeq }

  /// Adds an event. Its own seq is ignored.
  ///
  /// Throws `invalidEvent` or `tooLarge` for an event that no log can hold, and `io`.
  package mutating func append(_ event: Event) throws(LogError) {
    try append(
      event.body, time: event.time, cause: event.cause, site: event.site, origin: event.origin)
  }

  /// Adds an event, up to the size that a block can hold.
  mutating func append(
    _ body: Event.Body, time: UInt64, cause: UInt64? = nil, site: String? = nil, origin: Origin? = nil
  ) throws(LogError) {
    let names = [site, origin?.thread, origin?.task, origin?.stack]
    // A large event gets a block of its own, which shows at once whether it fits.
    let isLarge = !body.sharesBlock || names.contains { $0.map { !$0.isRecordable } ?? false }
    if isLarge { stage.standAlone() }
    _ = try stage.append(body, time: time, cause: cause, site: site, origin: origin)
    events += 1
    if isLarge || stage.chunk.events >= blockEvents || stage.chunk.rows.count >= blockBytes
      || stage.chunk.items >= StageLimit.chunkItemsMax
    {
      try seal()
    }
  }

  private mutating func seal() throws(LogError) {
    let chunk = stage.popChunk(reusing: nil)
    if let header = unsalted {
      let first = header.resalted(by: ["\(chunk.baseTime)"] + (hasOwnHeader ? [header.jsonLine] : []))
      try sealer.writeHeader(first.resalted(by: chunk.rows.bytes, in: 0..<chunk.rows.count))
      unsalted = nil
    }
    if !chunk.isEmpty { try sealer.write(chunk, durableSeq: 0) }
    if let failure = sealer.checkpointer?.failure, failure.error.isOverLimit {
      throw .overLimit(sealer.output.path, at: nil, failure)
    }
  }

  /// Writes the remaining events and gives the file its name; see ``RewriteFile/commit(keepingOldAs:)``.
  /// Returns its size in bytes.
  @discardableResult
  package mutating func finish(keepingOldAs old: String? = nil) throws(LogError) -> UInt64 {
    try seal()
    try sealer.finish()
    try file.commit(keepingOldAs: old)
    return sealer.offset
  }
}

extension LogHeader {
  /// Returns the header with another salt, for a log that is not a part of the original. The new salt is
  /// derived from the old one and the given bytes, not from random numbers.
  func resalted(by bytes: [UInt8], in range: Range<Int>) -> LogHeader {
    var header = self
    header.salt = max(XXH64.hash(bytes, in: range, seed: salt), 1)
    return header
  }

  /// Returns the header with a salt derived from the given texts.
  func resalted(by texts: [String]) -> LogHeader {
    var bytes: [UInt8] = []
    for text in texts {
      // The lengths distinguish "ab", "c" from "a", "bc".
      bytes.appendVarint(text.utf8.count)
      bytes += text.utf8
    }
    return resalted(by: bytes, in: bytes.indices)
  }
}

// MARK: Sources

extension LogReader {
  /// The state that a log which begins with this event must begin with.
  func rewriteStart(at seq: UInt64) throws(LogError) -> LogRewriter.Start {
    guard seq > 1 else { return LogRewriter.Start() }
    let fold = try fold(at: seq - 1)
    if let failure = fold.failure { throw misfit(failure) }
    return LogRewriter.Start(firstSeq: seq, fold: fold)
  }

  /// Copies events unchanged, as far as they can be read. Returns the error that ended it early.
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

/// The part of a log that a command which reads all of it could not read.
public struct LogLoss: Sendable, CustomStringConvertible {
  /// The path of the log.
  public var path: String
  /// The seq of the first missing event; all later events are missing, too.
  public var firstLost: UInt64
  /// Why, with the offset of the damage; nil if the log was only not closed, so that events may be missing.
  public var reason: String?

  /// A sentence that describes the loss.
  public var description: String {
    guard let reason else {
      return "\(path): the log was not closed; events from \(firstLost) on may be missing"
    }
    return "\(path): events from \(firstLost) on are lost: \(reason)"
  }

  /// Creates a description of what cannot be read; nil for a log that was closed and is whole.
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

// MARK: The output file

/// A log file that gets its name only when it is complete.
final class RewriteFile {
  let file: any LogFile
  private let place: OutputPlace
  private let fileSystem: any LogFileSystem

  /// Creates the file under a temporary name; ``OutputPlace`` decides which files it may replace.
  convenience init(
    _ path: String, replacing: Bool, madeOf inputs: [String],
    in fileSystem: any LogFileSystem = SystemFileSystem()
  ) throws(LogError) {
    try self.init(OutputPlace(path, replacing: replacing, madeOf: inputs, in: fileSystem), fileSystem)
  }

  /// Creates a file that will take the name of a log, which is renamed; see ``commit(keepingOldAs:)``.
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

  /// Gives the file its name, so that this survives a loss of power. Its bytes must have been synced before.
  ///
  /// With `old`, the file that has the name is renamed to that first. Between the two steps no file has the
  /// name, and both files are whole.
  func commit(keepingOldAs old: String? = nil) throws(LogError) {
    if let old {
      place.keepOnSignal()
      do throws(Errno) {
        try fileSystem.renameNew(place.path, to: old)
        // Otherwise a loss of power could keep the second rename and lose the first, and no name would lead
        // to the old bytes.
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
