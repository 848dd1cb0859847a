/// Writes a log that is made of a file, not recorded: on the caller's thread, block by block, beside the place where it
/// will be.
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
    stage = Stage(path: path, nextSeq: nextSeq, isExact: true)
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
      // The length tells "ab" and "c" from "a" and "bc".
      bytes.appendVarint(text.utf8.count)
      bytes += text.utf8
    }
    return resalted(by: bytes, in: bytes.indices)
  }
}
