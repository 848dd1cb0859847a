import EventLog
import Invalidation
import ReplayAnalysis

/// Exports a log as an SQLite database: its events, and what the invalidation core derives from them.
enum SQLiteExport {
  static func run(
    _ log: LogSource, _ selection: Selection, to output: OutputFile, progress: AnalysisProgress
  ) throws {
    // SQLite accepts an empty file as a database; created here, it has the right permissions.
    try output.open().close()
    let part = try log.part(from: selection.seqs.lowerBound)
    do {
      let database = try SQLiteDatabase(path: output.path)
      // The file gets its name only when it is complete, so it need not survive a crash before.
      try database.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN")
      try database.execute(SQLiteSchema.tables)
      var rows = try SQLiteRows(database)
      try rows.insert("log", log.path)
      try rows.insert("program", log.header.program)
      try rows.add(part, selection, progress)
      try database.execute(SQLiteSchema.views)
      try database.execute("COMMIT")
    } catch let error as SQLiteError {
      throw ToolError("cannot write \(output.name): \(error.message)")
    }
  }
}

/// Inserts the rows of the tables from a run.
private struct SQLiteRows {
  private let log: SQLiteInsert
  private let paths: SQLiteInsert
  private let projections: SQLiteInsert
  private let events: SQLiteInsert
  private let reads: SQLiteInsert
  private let invalidations: SQLiteInsert
  private let causes: SQLiteInsert
  private let transactions: SQLiteInsert
  /// The transactions that are open, the outermost first.
  private var open: [(begin: Int64, label: String?)] = []
  private var pathKeys = PathMap<Int32?>(default: nil)
  private var projectionKeys = ProjectionMap<Int32?>(default: nil)
  /// Keys by text, for paths that occur again after the run's path ids have started over.
  private var keysOfPaths: [ExactString: Int32] = [:]
  private var projectionCount: Int32 = 0
  private var invalidationCount: Int64 = 0

  init(_ database: SQLiteDatabase) throws(SQLiteError) {
    func insert(_ table: String, _ count: Int) throws(SQLiteError) -> SQLiteInsert {
      try SQLiteInsert(into: table, columns: count, of: database)
    }
    log = try insert("log", 2)
    paths = try insert("paths", 3)
    projections = try insert("projections", 3)
    events = try insert("events", 20)
    reads = try insert("reads", 4)
    invalidations = try insert("invalidations", 5)
    causes = try insert("causes", 2)
    transactions = try insert("transactions", 4)
  }

  func insert(_ key: String, _ value: String) throws { try log.add(key, value) }

  /// Inserts the selected part of a log.
  mutating func add(_ part: LogSource, _ selection: Selection, _ progress: AnalysisProgress) throws {
    var run = LogRun(part, [.hits, .lastingProjections], progress: progress)
    while try run.next(in: selection.seqs) {
      try addEvent(&run)
      for hit in run.hits { try add(hit, &run) }
    }
    progress.finish()
  }

  private mutating func addEvent(_ run: inout LogRun) throws {
    let row = run.row
    guard let seq = Int64(exactly: row.seq) else {
      throw ToolError("\(run.log.path): event \(row.seq) has a number that is too large for SQLite")
    }
    let write = try run.path.map { try key(of: $0, run) }
    let projection = try run.projection.map { try key(of: $0, run) }
    let parent = try run.parent.map { try key(of: $0, run) }
    let isWrite = write != nil
    try events.add(
      seq, Int64(row.time), row.kind.name,
      row.cause > 0 ? Int64(row.cause) : nil, Int64(run.root(of: row.seq).seq), run.site,
      write, isWrite && row.kind != .remove ? row.value.json : nil, row.kind == .splice ? row.offset : nil,
      row.kind == .splice ? row.delete : nil, isWrite ? row.isSameValue : nil, projection, parent,
      row.kind == .projection ? row.tracking.rawValue : nil,
      row.kind == .evaluate ? Int64(row.duration) : nil,
      row.kind == .evaluate ? row.changed : nil, run.label,
      row.kind == .evaluate ? row.input : nil, row.outcome?.rawValue,
      row.kind == .evaluate && row.comparing > 0 ? Int64(row.comparing) : nil)
    try addTransaction(run, seq)
    guard row.kind == .reads, let projection else { return }
    let change: Int? = row.isChangeOfReads ? 1 : nil
    for path in run.readPaths { try addRead(path, change, &run, seq, projection) }
    for path in run.droppedPaths { try addRead(path, -1, &run, seq, projection) }
  }

  /// Inserts a transaction when it ends. One that is labelled inside gives its label to those around it that have none.
  private mutating func addTransaction(_ run: borrowing LogRun, _ seq: Int64) throws {
    switch run.row.kind {
    case .begin: open.append((seq, run.label))
    case .end:
      guard let (begin, label) = open.popLast() else { return }
      if let outer = open.indices.last, open[outer].label == nil { open[outer].label = label }
      try transactions.add(seq, begin, open.count + 1, label)
    default: break
    }
  }

  /// Inserts a read, with the path's name at this row.
  private mutating func addRead(
    _ path: PathID, _ change: Int?, _ run: inout LogRun, _ seq: Int64, _ projection: Int64
  ) throws {
    let path = run.name(ofRead: path)
    try reads.add(seq, projection, key(of: path, run), change)
  }

  private mutating func add(_ hit: LogTimeline.Hit, _ run: inout LogRun) throws {
    invalidationCount += 1
    let root = run.root(of: run.row.seq)
    let projection = try key(of: hit.projection, run)
    try invalidations.add(invalidationCount, Int64(run.row.seq), projection, Int64(root.seq), root.depth)
    for cause in hit.causes.all { try causes.add(invalidationCount, Int64(cause)) }
  }

  /// The key of a path in the database; inserted if it is new.
  private mutating func key(of id: PathID, _ run: borrowing LogRun) throws -> Int64 {
    if let known = pathKeys[id] { return Int64(known) }
    let path = run.tables.path(id)
    let text = path.description
    let old = keysOfPaths[ExactString(text)]
    let key = old ?? Int32(keysOfPaths.count + 1)
    pathKeys[id] = key
    if old == nil {
      keysOfPaths[ExactString(text)] = key
      try paths.add(Int64(key), text, path.group)
    }
    return Int64(key)
  }

  /// The key of a projection in the database; inserted if it is new.
  private mutating func key(of projection: ProjectionID, _ run: borrowing LogRun) throws -> Int64 {
    if let known = projectionKeys[projection] { return Int64(known) }
    let name = run.tables.name(projection)
    projectionCount += 1
    try projections.add(Int64(projectionCount), name, name.projectionGroup)
    projectionKeys[projection] = projectionCount
    return Int64(projectionCount)
  }
}

/// The tables and views of the database; EXPORTS.md describes them.
private enum SQLiteSchema {
  static let tables = """
    CREATE TABLE log (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE paths (id INTEGER PRIMARY KEY, path TEXT NOT NULL, kind TEXT NOT NULL);
    CREATE TABLE projections (id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL);
    CREATE TABLE events (
      seq INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL, kind TEXT NOT NULL, cause INTEGER, cascade INTEGER NOT NULL,
      site TEXT, path_id INTEGER REFERENCES paths, value TEXT, "offset" INTEGER, "delete" INTEGER, same_value INTEGER,
      projection_id INTEGER REFERENCES projections, parent_id INTEGER REFERENCES projections, tracking TEXT,
      duration_ns INTEGER, changed INTEGER, label TEXT, input TEXT, outcome TEXT,
      comparing_ns INTEGER);
    CREATE TABLE reads (
      seq INTEGER NOT NULL REFERENCES events, projection_id INTEGER NOT NULL REFERENCES projections,
      path_id INTEGER NOT NULL REFERENCES paths, change INTEGER);
    CREATE TABLE invalidations (
      id INTEGER PRIMARY KEY, seq INTEGER NOT NULL REFERENCES events,
      projection_id INTEGER NOT NULL REFERENCES projections, cascade INTEGER NOT NULL, depth INTEGER NOT NULL);
    CREATE TABLE transactions (
      seq INTEGER PRIMARY KEY REFERENCES events, begin_seq INTEGER NOT NULL REFERENCES events, depth INTEGER NOT NULL,
      label TEXT);
    CREATE TABLE causes (
      invalidation_id INTEGER NOT NULL REFERENCES invalidations, seq INTEGER NOT NULL REFERENCES events);
    """

  static let views = """
    CREATE INDEX events_path ON events (path_id) WHERE path_id IS NOT NULL;
    CREATE INDEX events_projection ON events (projection_id) WHERE projection_id IS NOT NULL;
    CREATE INDEX events_cascade ON events (cascade);
    CREATE INDEX events_finish ON events (cause) WHERE kind = 'finish';
    CREATE INDEX reads_path ON reads (path_id);
    CREATE INDEX invalidations_seq ON invalidations (seq);
    CREATE INDEX invalidations_projection ON invalidations (projection_id);
    CREATE INDEX causes_seq ON causes (seq);
    CREATE INDEX causes_invalidation ON causes (invalidation_id);

    CREATE VIEW writes AS
      SELECT e.seq, e.time_ns, e.kind, p.path, p.kind AS path_kind, e.value, e.same_value, e.cause, e.cascade, e.site
      FROM events e JOIN paths p ON p.id = e.path_id;
    CREATE VIEW evaluations AS
      SELECT e.seq, e.time_ns, p.name AS projection, p.kind AS projection_kind, e.duration_ns, e.changed,
        e.changed IS 0 AS wasted, e.cause, e.cascade, e.input, e.comparing_ns
      FROM events e JOIN projections p ON p.id = e.projection_id WHERE e.kind = 'evaluate';
    CREATE VIEW actions AS
      SELECT a.seq, a.time_ns, a.label, a.cause, a.site, f.seq AS finish_seq, f.time_ns - a.time_ns AS took_ns, f.outcome
      FROM events a LEFT JOIN events f ON f.cause = a.seq AND f.kind = 'finish' WHERE a.kind = 'action';
    CREATE VIEW timeline AS
      SELECT i.id, i.seq, e.time_ns, p.name AS projection, p.kind AS projection_kind, i.cascade, i.depth
      FROM invalidations i JOIN events e ON e.seq = i.seq JOIN projections p ON p.id = i.projection_id;
    CREATE VIEW woken_by AS
      SELECT t.id, t.seq, t.time_ns, t.projection, t.projection_kind, w.seq AS write_seq, w.path, w.path_kind, w.value,
        w.site
      FROM timeline t JOIN causes c ON c.invalidation_id = t.id JOIN writes w ON w.seq = c.seq;
    CREATE VIEW run_causes AS
      SELECT r.seq, r.time_ns, p.name AS projection, p.kind AS projection_kind, i.id AS invalidation_id,
        i.seq AS invalidated_seq, w.seq AS write_seq, w.path, w.path_kind, w.value, w.site
      FROM invalidations i
        JOIN events r ON r.seq = (
          SELECT e.seq FROM events e WHERE e.projection_id = i.projection_id AND e.seq > i.seq AND e.kind = 'evaluate'
            AND e.cause >= i.seq AND NOT EXISTS (
              SELECT 1 FROM events x WHERE x.projection_id = i.projection_id AND x.seq > i.seq AND x.seq < e.cause
                AND x.kind = 'evaluate')
          ORDER BY e.seq LIMIT 1)
        JOIN projections p ON p.id = i.projection_id JOIN causes c ON c.invalidation_id = i.id
        JOIN writes w ON w.seq = c.seq;
    CREATE VIEW hot_projections AS
      SELECT p.kind AS name, count(DISTINCT p.id) AS instances,
        (SELECT count(*) FROM timeline t WHERE t.projection_kind = p.kind) AS invalidations,
        count(e.seq) FILTER (WHERE e.kind = 'evaluate') AS evaluations,
        count(e.seq) FILTER (WHERE e.kind = 'evaluate' AND e.changed = 0) AS wasted,
        CAST(total(e.duration_ns) AS INTEGER) AS time_ns
      FROM projections p LEFT JOIN events e ON e.projection_id = p.id GROUP BY p.kind;
    CREATE VIEW hot_paths AS
      SELECT w.path_kind AS path, count(*) AS sets, CAST(total(w.same_value) AS INTEGER) AS same_value,
        (SELECT count(DISTINCT b.id) FROM woken_by b WHERE b.path_kind = w.path_kind) AS invalidations
      FROM writes w GROUP BY w.path_kind;
    CREATE VIEW cascades AS
      SELECT e.cascade, r.kind AS root_kind, p.path AS root_path, coalesce(r.label, t.label) AS root_label,
        count(*) FILTER (WHERE e.kind = 'evaluate') AS evaluations,
        count(*) FILTER (WHERE e.kind = 'evaluate' AND e.changed = 0) AS wasted,
        CAST(total(e.duration_ns) AS INTEGER) AS time_ns
      FROM events e LEFT JOIN events r ON r.seq = e.cascade LEFT JOIN paths p ON p.id = r.path_id
        LEFT JOIN transactions t ON t.seq = e.cascade
      GROUP BY e.cascade HAVING evaluations > 0;
    """
}
