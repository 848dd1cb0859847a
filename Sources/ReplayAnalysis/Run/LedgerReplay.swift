import EventLog

/// The state and what every projection reads, as a log is gone through.
struct LedgerReplay {
  /// The seq of the last event that was gone through.
  private(set) var seq: UInt64 = 0
  /// Whether there is an event that the next step goes through.
  private(set) var hasMore = false
  private var replay: StateReplay
  private var names = RunNames()
  /// By the number of the name.
  private var matchers = DenseMap<Int, ReadMatcher?>(default: nil)
  /// What each read last, in numbers of paths that hold for a generation.
  private var reads = DenseMap<Int, [Int]>(default: [])
  private var generation = 0
  /// A projection that was asked about, and its number.
  private var asked: (name: String, number: Int)?

  init(_ log: LogSource) {
    replay = StateReplay(log)
    for event in log.base?.projections.asEvents() ?? [] {
      switch event {
      case .projection(let name, _, let tracking): note(ReadMatcher(tracking: tracking, reads: []), of: name)
      case .reads(let name, let paths):
        note(ReadMatcher(tracking: matcher(of: name)?.tracking ?? .element, reads: paths), of: name)
      default: break
      }
    }
    hasMore = replay.next()
  }

  /// The row that the next step goes through.
  var row: EventLog.Row { replay.row }

  /// The path that it writes.
  var path: Path? { replay.path.map { replay.tables.paths.path($0) } }

  /// Whether the row that the next step goes through is about a projection.
  mutating func isAbout(_ projection: String) -> Bool {
    guard let number = replay.name else { return false }
    if let asked, asked.name == projection { return asked.number == number }
    guard replay.tables.names[number] == projection else { return false }
    asked = (projection, number)
    return true
  }

  /// The state after the last step.
  var state: State { mutating get { replay.state } }

  mutating func step() throws {
    if replay.row.isAboutProjection { note() }
    try replay.apply()
    seq = replay.row.seq
    hasMore = replay.next()
    if !hasMore { try replay.check() }
  }

  /// What a projection reads; nil where there is none of this name.
  mutating func matcher(of projection: String) -> ReadMatcher? {
    matchers[names.intern(projection)]
  }

  private mutating func note() {
    guard let number = replay.name else { return }
    switch replay.row.kind.lifeChange {
    case .begins:
      let matcher = ReadMatcher(tracking: replay.row.tracking, reads: [])
      note(matcher, of: replay.tables.names[number])
      reads[number] = []
    case .ends:
      note(nil, of: replay.tables.names[number])
      reads[number] = []
    case nil: if replay.row.kind == .reads { noteReads(of: number) }
    }
  }

  /// Most runs read what the last one did.
  private mutating func noteReads(of number: Int) {
    if generation != replay.tables.generation {
      generation = replay.tables.generation
      reads.removeAll()
    }
    let paths = replay.cursor.readPaths
    if !paths.isEmpty, reads[number] == paths { return }
    reads[number] = paths
    let name = replay.tables.names[number]
    note(
      ReadMatcher(
        tracking: matcher(of: name)?.tracking ?? .element,
        reads: paths.map { replay.tables.paths.path($0) }), of: name)
  }

  private mutating func note(_ matcher: ReadMatcher?, of name: String) {
    matchers[names.intern(name)] = matcher
  }
}
