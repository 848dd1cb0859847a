import EventLog

/// What the events of a log are about, by name: to suggest what was probably meant, and to complete what is typed.
package struct LogNames {
  package private(set) var projections: [String] = []
  /// Paths that are written or read.
  package private(set) var paths: Set<Path> = []
  /// The labels of marks, in order.
  package private(set) var marks: [String] = []

  /// More names than anybody chooses among; memory stays bounded by them.
  private static let namesMax = 100_000

  /// Cost: a pass over the log, up to `eventsMax` of its events.
  package init(_ log: LogSource, eventsMax: UInt64 = .max) {
    for event in log.base?.projections.asEvents() ?? [] {
      if case .projection(let name, _, _) = event { projections.append(name) }
      if case .reads(_, let reads) = event { paths.formUnion(reads) }
    }
    var tables = RunTables()
    var cursor = RowCursor(log)
    var seenNames = DenseMap<Int, Bool>(default: false)
    var seenPaths = PathMap<Bool>(default: false)
    var seenMarks: Set<ExactString> = []
    func isNew(_ isSeen: inout Bool) -> Bool {
      defer { isSeen = true }
      return !isSeen
    }
    while cursor.next(&tables), cursor.row.seq - log.firstSeq < eventsMax {
      if let name = cursor.name(&tables), isNew(&seenNames[name]), projections.count < Self.namesMax {
        projections.append(tables.names[name])
      }
      if let path = cursor.path, isNew(&seenPaths[path, tables.generation]) {
        insert(tables.paths.path(path))
      }
      if cursor.row.kind == .reads {
        for path in cursor.readPaths where isNew(&seenPaths[path, tables.generation]) {
          insert(tables.paths.path(path))
        }
      }
      if cursor.row.kind == .mark, let label = cursor.string(cursor.row.name), marks.count < Self.namesMax {
        if seenMarks.insert(label) { marks.append(label) }
      }
    }
  }

  private mutating func insert(_ path: Path) { if paths.count < Self.namesMax { paths.insert(path) } }
}
