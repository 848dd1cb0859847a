/// Writes a log from another: on the caller's thread, block by block, beside the place where it will be.
///
/// Nothing has the name of the output before all of it is on stable storage. What is not finished is removed.
struct LogRewriter {
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
  /// Events so far.
  private(set) var events: UInt64 = 0

  /// Starts a log with a header of its own; one that does not begin with event 1 gets the state before it.
  ///
  /// The log keeps the salt of the header: parts of one log are known by it. Throws `io` if there can be no file, and
  /// `tooLarge` if the state does not fit a checkpoint.
  init(
    _ file: RewriteFile, path: String, header: LogHeader, options: LogOptions, from start: Start = Start()
  ) throws(LogError) {
    self.file = file
    stage = Stage(path: path, nextSeq: start.firstSeq)
    blockEvents = min(max(options.blockEvents, 1), LogFormat.eventsMax)
    blockBytes = min(max(options.blockBytes, 1), 4 << 20)
    sealer = try Sealer(output: LogOutput(file.file, path: path), salt: header.salt, options: options)
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

  /// The number that the next event gets.
  var nextSeq: UInt64 { stage.nextSeq }

  /// Adds an event, whose own seq does not count.
  mutating func append(_ event: Event) throws(LogError) {
    try append(
      event.body, time: event.time, cause: event.cause, site: event.site, origin: event.origin)
  }

  /// Adds an event.
  mutating func append(
    _ body: Event.Body, time: UInt64, cause: UInt64? = nil, site: String? = nil, origin: Origin? = nil
  ) throws(LogError) {
    _ = try stage.append(body, time: time, cause: cause, site: site, origin: origin)
    events += 1
    if stage.chunk.events >= blockEvents || stage.chunk.rows.count >= blockBytes
      || stage.chunk.items >= StageLimit.chunkItemsMax
    {
      try seal()
    }
  }

  private mutating func seal() throws(LogError) {
    let chunk = stage.takeChunk(reusing: nil)
    if !chunk.isEmpty { try sealer.write(chunk, durableSeq: 0) }
  }

  /// Writes the rest, and gives the file its name; see ``RewriteFile/commit(keepingOldAs:)``. Returns its size.
  mutating func finish(keepingOldAs old: String? = nil) throws(LogError) -> UInt64 {
    try seal()
    try sealer.finish()
    try file.commit(keepingOldAs: old)
    return sealer.offset
  }
}
