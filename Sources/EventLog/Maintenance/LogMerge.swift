/// Makes one log of several: of the parts of one recording, or of the recordings of several processes.
///
/// ```swift
/// let result = try LogMerge.run(["app.evlog", "server.evlog"], to: "both.evlog")
/// ```
///
/// Parts of one recording are put together by the numbers of their events, which stay. Recordings are put together by
/// wall time, the time of the log's beginning and of the event; a transaction stays in one piece. Then events and
/// objects get new numbers, and causes lead to the same events as before. The state at the end is that of all of
/// them: no two may have a root or a projection of one name.
public struct LogMerge: Sendable {
  /// Events that were written.
  public var events: UInt64
  /// Bytes of the new log.
  public var bytes: UInt64
  /// How many recordings there were.
  public var recordings: Int
  /// What could not be read of the logs, and so is missing.
  public var losses: [LogLoss]

  /// Writes the logs as one new file.
  ///
  /// Throws `conflict` if two recordings have a name in common, or events between two parts are missing; `exists` if
  /// there is an output already that is not to be replaced, and `locked` if that is being written; and the errors of reading and writing. Nothing is left of an output that was not
  /// finished. Memory: some blocks of each log, and two numbers for each change from one recording to another.
  ///
  /// - Parameters:
  ///   - paths: The logs.
  ///   - output: The new file.
  ///   - prefixes: What is put before the names of the roots and projections of each log, in the order of the logs; an
  ///     empty one, or a missing one, changes nothing.
  ///   - replacing: Whether a file that is there is replaced.
  ///   - progress: Called now and then with how many events are done, and how many there are.
  public static func run(
    _ paths: [String], to output: String, prefixes: [String] = [], replacing: Bool = false,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LogError) -> LogMerge {
    var sources: [MergeSource] = []
    for (index, path) in paths.enumerated() {
      let prefix = index < prefixes.count ? prefixes[index] : ""
      // Every block is read, so that an index would be of no use.
      let reader = try LogReader(path: path, scanned: true)
      if let known = sources.firstIndex(where: {
        $0.header.salt == reader.header.salt && $0.prefix.hasSameBytes(as: prefix)
      }) {
        sources[known].add(reader)
      } else {
        sources.append(MergeSource(reader, prefix: prefix))
      }
    }
    for index in sources.indices { try sources[index].checkParts() }
    let file = try RewriteFile(output, replacing: replacing, madeOf: paths)
    let total = sources.reduce(0) { $0 + $1.eventCount }
    var writer: LogRewriter
    if sources.count == 1 {
      writer = try LogRewriter(
        file, path: output, header: sources[0].header, options: LogOptions(), from: sources[0].start())
      while let event = try sources[0].next() {
        try writer.append(event)
        if writer.events & 4095 == 0 { progress(writer.events, total) }
      }
    } else {
      let start = MergeSource.begin(&sources)
      writer = try LogRewriter(
        file, path: output, header: MergeSource.header(of: sources, began: start), options: LogOptions())
      try interleave(&sources, from: start, into: &writer) { progress($0, total) }
    }
    let bytes = try writer.finish()
    return LogMerge(
      events: writer.events, bytes: bytes, recordings: sources.count, losses: sources.flatMap(\.losses))
  }

  private static func interleave(
    _ sources: inout [MergeSource], from start: UInt64, into writer: inout LogRewriter,
    _ progress: (UInt64) -> Void
  ) throws(LogError) {
    var names = MergeNames()
    var maps = sources.indices.map { MergeMap(of: $0, among: sources.count, prefix: sources[$0].prefix) }
    for index in sources.indices {
      guard let fold = try sources[index].start().fold else { continue }
      var state = fold
      let time = sources[index].wallTime(of: fold.time) - min(start, sources[index].wallTime(of: fold.time))
      for body in state.checkpoint() ?? [] {
        for mapped in try maps[index].map(body, names: &names, file: sources[index].path) {
          try writer.append(mapped, time: time)
        }
      }
    }
    var heads: [Event?] = []
    for index in sources.indices { heads.append(try sources[index].next()) }
    var clocks = Array(repeating: UInt64(0), count: sources.count)
    while true {
      var next: (index: Int, time: UInt64)?
      for (index, head) in heads.enumerated() {
        guard let head else { continue }
        // The order within a recording is that of its events, even where its clock went back.
        let time = max(clocks[index], sources[index].wallTime(of: head.time))
        if next.map({ time < $0.time }) ?? true { next = (index, time) }
      }
      guard let (index, time) = next else { return }
      clocks[index] = time
      var depth = 0
      repeat {
        guard let event = heads[index] else { break }
        if case .begin = event.body { depth += 1 }
        if event.body == .end { depth -= 1 }
        let wall = sources[index].wallTime(of: event.time)
        let bodies = try maps[index].map(event.body, names: &names, file: sources[index].path)
        for (position, body) in bodies.enumerated() {
          if position == bodies.count - 1 { maps[index].note(event.seq, is: writer.nextSeq) }
          try writer.append(
            body, time: wall - min(start, wall), cause: event.cause.flatMap { maps[index].seq($0) },
            site: event.site, origin: event.origin)
        }
        clocks[index] = max(clocks[index], wall)
        heads[index] = try sources[index].next()
        if writer.events & 4095 == 0 { progress(writer.events) }
      } while depth > 0
      // A recording that stopped within a transaction does not draw what others did into it.
      for _ in 0..<max(0, depth) {
        let time = clocks[index] - min(start, clocks[index])
        try writer.append(.end, time: time)
      }
    }
  }
}

/// One recording on its way into a merged log: its parts, in order, event by event.
private struct MergeSource {
  let prefix: String
  /// When it began, in nanoseconds since 1970.
  private(set) var began: UInt64 = 0
  private(set) var losses: [LogLoss] = []
  private var parts: [LogReader]
  private var part = 0
  private var block = 0
  private var events: [Event] = []
  private var position = 0
  private var nextSeq: UInt64

  init(_ reader: LogReader, prefix: String) {
    self.prefix = prefix
    parts = [reader]
    nextSeq = reader.firstSeq
  }

  /// That of the first part.
  var header: LogHeader { parts[0].header }
  var path: String { parts[0].path }
  var eventCount: UInt64 { parts.reduce(0) { $0 + $1.eventCount } }

  /// Adds another part of the same recording.
  mutating func add(_ reader: LogReader) { parts.append(reader) }

  /// Puts the parts in order. Throws `conflict` if events between two are in neither.
  mutating func checkParts() throws(LogError) {
    parts.sort { ($0.firstSeq, $0.nextSeq) < ($1.firstSeq, $1.nextSeq) }
    nextSeq = parts[0].firstSeq
    var next = nextSeq
    for part in parts {
      guard part.firstSeq <= next else {
        throw LogError(
          .conflict, path: part.path,
          message:
            "events \(next) to \(part.firstSeq - 1) of this recording are in none of the logs; add that part")
      }
      next = max(next, part.nextSeq)
    }
    // What a part lost is no loss where another has it.
    for (index, part) in parts.enumerated() where index == parts.count - 1 || part.nextSeq == next {
      if let loss = LogLoss(part, lastRead: part.nextSeq - 1) { losses.append(loss) }
    }
  }

  /// What the merged log begins with, where the first part does not begin with event 1.
  func start() throws(LogError) -> LogRewriter.Start { try parts[0].rewriteStart(at: parts[0].firstSeq) }

  /// Lets all begin when they were created, and returns when the first did. One that does not say begins with that.
  static func begin(_ sources: inout [MergeSource]) -> UInt64 {
    let start = sources.map(\.header.created).filter { $0 > 0 }.min() ?? 0
    for index in sources.indices { sources[index].began = max(sources[index].header.created, start) }
    return start
  }

  /// When an event happened, in nanoseconds since 1970.
  func wallTime(of time: UInt64) -> UInt64 {
    let (sum, overflow) = began.addingReportingOverflow(time)
    return overflow ? .max : sum
  }

  /// The next event, or nil at the end, or where no more can be read.
  mutating func next() throws(LogError) -> Event? {
    while true {
      while position < events.count {
        defer { position += 1 }
        if events[position].seq == nextSeq {
          nextSeq += 1
          return events[position]
        }
      }
      guard part < parts.count else { return nil }
      guard block < parts[part].blocks.count else {
        part += 1
        block = 0
        continue
      }
      let info = parts[part].blocks[block]
      block += 1
      position = 0
      events = []
      guard info.kind == BlockKind.events, info.endSeq > nextSeq else { continue }
      do throws(LogError) { events = try parts[part].events(in: info) } catch {
        guard error.code == .damaged else { throw error }
        if let loss = LogLoss(parts[part], lastRead: nextSeq - 1, error: error) { losses.append(loss) }
        block = parts[part].blocks.count
      }
    }
  }

  /// What the merged log says about itself. Its salt is made of theirs.
  static func header(of sources: [MergeSource], began: UInt64) -> LogHeader {
    var metadata: [String: String] = [:]
    for source in sources {
      for (key, value) in source.header.metadata { metadata[source.prefix + key] = value }
    }
    let header = LogHeader(
      program: sources.map(\.header.program).joined(separator: " + "), salt: 0,
      created: began, metadata: metadata)
    return header.resalted(by: sources.flatMap { [String($0.header.salt), $0.prefix] })
  }
}
