import EventLog

/// The names of projections, paths and marks in a log, for suggestions and completion.
package struct LogNames {
  package private(set) var projections: [String] = []
  /// Paths that are written or read.
  package private(set) var paths: Set<Path> = []
  /// Those of them that are written.
  package private(set) var writtenPaths: Set<Path> = []
  /// The labels of marks, in order.
  package private(set) var marks: [String] = []

  /// More names than anyone chooses from; bounds the memory.
  private static let namesMax = 100_000

  /// Cost: a pass over the log, up to `eventsMax` of its events.
  package init(_ log: LogSource, eventsMax: UInt64 = .max) {
    var base = log.base
    base?.settleNames()
    for event in base?.projectionEvents() ?? [] {
      if case .projection(let name, _, _) = event { projections.append(name) }
      if case .reads(_, let reads) = event {
        paths.formUnion(reads.allPaths.compactMap { base?.currentName(of: $0) })
      }
    }
    var run = LogRun(log, .names)
    var seenProjections = ProjectionMap<Bool>(default: false)
    var seenPaths = PathMap<Bool>(default: false)
    var seenWrites = PathMap<Bool>(default: false)
    // A projection that returns long after it ended has another id, so names are compared too.
    var seenNames = Set(projections.map { ExactString($0) })
    var seenMarks: Set<ExactString> = []
    func isNew(_ isSeen: inout Bool) -> Bool {
      defer { isSeen = true }
      return !isSeen
    }
    // Without the state, no event can fail to fit, so only reading can throw.
    while (try? run.next()) == true, run.row.seq - log.firstSeq < eventsMax {
      if let id = run.projection, isNew(&seenProjections[id]), projections.count < Self.namesMax {
        let name = run.tables.name(id)
        if seenNames.insert(ExactString(name)).inserted { projections.append(name) }
      }
      if let path = run.path, isNew(&seenWrites[path]) {
        insert(run.tables.path(path))
        if writtenPaths.count < Self.namesMax { writtenPaths.insert(run.tables.path(path)) }
      }
      if run.row.kind == .reads {
        for path in run.readPaths {
          let name = run.name(ofRead: path)
          if isNew(&seenPaths[name]) { insert(run.tables.path(name)) }
        }
      }
      if run.row.kind == .mark, let label = run.label, marks.count < Self.namesMax, seenMarks.insert(label) {
        marks.append(label)
      }
    }
  }

  private mutating func insert(_ path: Path) { if paths.count < Self.namesMax { paths.insert(path) } }
}
