import EventLog

/// What the events of a log are about, by name: to suggest what was probably meant, and to complete what is typed.
package struct LogNames {
  package private(set) var projections: [String] = []
  /// Paths that are written or read.
  package private(set) var paths: Set<Path> = []
  /// The labels of marks, in order.
  package private(set) var marks: [String] = []

  /// More names than anyone would choose among, and a bound for the memory that they take.
  private static let namesMax = 100_000

  /// Cost: a pass over the log, up to `eventsMax` of its events.
  package init(_ log: LogSource, eventsMax: UInt64 = .max) {
    var base = log.base
    base?.settleNames()
    for event in base?.projectionEvents() ?? [] {
      if case .projection(let name, _, _) = event { projections.append(name) }
      if case .reads(_, let reads) = event {
        paths.formUnion(
          reads.isChange ? reads.allPaths.compactMap { base?.currentName(of: $0) } : reads.allPaths)
      }
    }
    var run = LogRun(log, .names)
    var seenProjections = ProjectionMap<Bool>(default: false)
    var seenPaths = PathMap<Bool>(default: false)
    // One that comes back long after it ended gets another id.
    var seenNames = Set(projections.map { ExactString($0) })
    var seenMarks: Set<ExactString> = []
    func isNew(_ isSeen: inout Bool) -> Bool {
      defer { isSeen = true }
      return !isSeen
    }
    // A run that needs only names has nothing that an event might not fit.
    while (try? run.next()) == true, run.row.seq - log.firstSeq < eventsMax {
      if let id = run.projection, isNew(&seenProjections[id]), projections.count < Self.namesMax {
        let name = run.tables.name(id)
        if seenNames.insert(ExactString(name)).inserted { projections.append(name) }
      }
      if let path = run.path, isNew(&seenPaths[path]) { insert(run.tables.path(path)) }
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
