/// One recording on its way into a merged log: its parts, in order, event by event.
struct MergeSource {
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
