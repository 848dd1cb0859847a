/// Merges several logs into one: parts of one recording, or recordings of several processes.
///
/// ```swift
/// let result = try LogMerge.run(["app.evlog", "server.evlog"], to: "both.evlog")
/// ```
///
/// Parts of one recording are joined by the seqs of their events, which are kept. Different recordings are
/// merged by wall time, that is the creation time of the log plus the time of the event; a transaction stays
/// in one piece. Events and objects then get new numbers, and each cause still refers to the same event. The
/// final state is the union of all states, so no two recordings may have a root or a projection of the same
/// name.
public struct LogMerge: Sendable {
  /// The number of events written.
  public var events: UInt64
  /// The size of the new log in bytes.
  public var bytes: UInt64
  /// The number of recordings merged.
  public var recordings: Int
  /// The parts of the logs that could not be read and are therefore missing.
  public var losses: [LogLoss]

  /// Writes the logs to one new file.
  ///
  /// Throws `conflict` if two recordings have a name in common, or if events between two parts are missing;
  /// `exists` if the output exists and may not be replaced; `locked` if it is being written; and the errors
  /// of reading and writing. An unfinished output is removed. Memory: some blocks of each log, and two
  /// numbers for each change from one recording to another.
  ///
  /// - Parameters:
  ///   - paths: The logs.
  ///   - output: The new file.
  ///   - prefixes: The prefix of the root and projection names of each log, in the order of the logs. An
  ///     empty or missing prefix changes nothing.
  ///   - replacing: Whether to replace an existing output.
  ///   - limits: As for ``LogReader/init(path:scanned:limits:)``.
  ///   - progress: Called from time to time with the number of events written, and the number of all events.
  public static func run(
    _ paths: [String], to output: String, prefixes: [String] = [], replacing: Bool = false,
    limits: ReadLimits? = .standard,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LogError) -> LogMerge {
    var sources: [MergeSource] = []
    for (index, path) in paths.enumerated() {
      let prefix = index < prefixes.count ? prefixes[index] : ""
      // All blocks are read in order, so an index would not help.
      let reader = try LogReader(path: path, scanned: true, limits: limits)
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
        file, path: output, header: sources[0].header, options: LogOptions(), from: sources[0].start(),
        limits: limits)
      while let event = try sources[0].next() {
        try writer.append(event)
        if writer.events & 4095 == 0 { progress(writer.events, total) }
      }
    } else {
      let start = MergeSource.begin(&sources)
      writer = try LogRewriter(
        file, path: output, header: MergeSource.header(of: sources, began: start), options: LogOptions(),
        limits: limits)
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
        // Events of one recording stay in their order, even if its clock went back.
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
          if position == bodies.count - 1 { maps[index].insert(event.seq, is: writer.nextSeq) }
          try writer.append(
            body, time: wall - min(start, wall), cause: event.cause.flatMap { maps[index].seq($0) },
            site: event.site, origin: event.origin)
        }
        clocks[index] = max(clocks[index], wall)
        heads[index] = try sources[index].next()
        if writer.events & 4095 == 0 { progress(writer.events) }
        // What an event invalidated follows it at once.
      } while depth > 0 || heads[index]?.body.kind == .invalidate
      // If the recording stopped within a transaction, the transaction ends here, so that it does not include
      // events of other recordings.
      for _ in 0..<max(0, depth) {
        let time = clocks[index] - min(start, clocks[index])
        try writer.append(.end, time: time)
      }
    }
  }
}

/// One recording that is being merged: its parts in order, read event by event.
private struct MergeSource {
  let prefix: String
  /// The time at which it began, in nanoseconds since 1970.
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

  var header: LogHeader { parts[0].header }
  var path: String { parts[0].path }
  var eventCount: UInt64 { parts.reduce(0) { $0 + $1.eventCount } }

  /// Adds another part of the same recording.
  mutating func add(_ reader: LogReader) { parts.append(reader) }

  /// Sorts the parts. Throws `conflict` if events between two parts are missing.
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
    // Events that one part lost are not lost if another part holds them.
    for (index, part) in parts.enumerated() where index == parts.count - 1 || part.nextSeq == next {
      if let loss = LogLoss(part, lastRead: part.nextSeq - 1) { losses.append(loss) }
    }
  }

  /// The state with which the merged log begins if the first part does not begin with event 1.
  func start() throws(LogError) -> LogRewriter.Start { try parts[0].rewriteStart(at: parts[0].firstSeq) }

  /// Sets the beginning of each recording to its creation time, and returns the earliest. A recording without
  /// a creation time gets the earliest one.
  static func begin(_ sources: inout [MergeSource]) -> UInt64 {
    let start = sources.map(\.header.created).filter { $0 > 0 }.min() ?? 0
    for index in sources.indices { sources[index].began = max(sources[index].header.created, start) }
    return start
  }

  /// The wall time of an event, in nanoseconds since 1970.
  func wallTime(of time: UInt64) -> UInt64 {
    let (sum, overflow) = began.addingReportingOverflow(time)
    return overflow ? .max : sum
  }

  /// The next event; nil at the end, or if no more can be read.
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

  /// The header of the merged log. Its salt is derived from the salts of the sources.
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
