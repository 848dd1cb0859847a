import EventLog
import GRDB
import ReplayAnalysis

/// Writes a log into an SQLite database: its events, and what the invalidation core derives from them.
enum SQLiteExport {
  static func run(
    _ log: LogSource, _ selection: Selection, to output: OutputFile, progress: AnalysisProgress
  ) throws {
    // An empty file is a database, and has the right permissions.
    try output.open().close()
    var configuration = Configuration()
    // Nothing reads the file before it is whole, so nothing need survive a crash.
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
    }
    let part = try log.part(from: selection.seqs.lowerBound)
    do {
      let queue = try DatabaseQueue(path: output.path, configuration: configuration)
      defer { try? queue.close() }
      try queue.write { db in
        try db.execute(sql: SQLiteSchema.tables)
        var rows = try SQLiteRows(db)
        try rows.note("log", log.path)
        try rows.note("program", log.header.program)
        try rows.add(part, selection, progress)
        try db.execute(sql: SQLiteSchema.views)
      }
    } catch let error as DatabaseError {
      throw ToolError("cannot write \(output.name): \(error.message ?? "\(error.resultCode)")")
    }
  }
}

/// The tables and views of a log as an SQLite database; EXPORTS.md describes them.
private enum SQLiteSchema {
  static let tables = """
    CREATE TABLE log (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE paths (id INTEGER PRIMARY KEY, path TEXT NOT NULL, kind TEXT NOT NULL);
    CREATE TABLE projections (id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL);
    CREATE TABLE events (
      seq INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL, kind TEXT NOT NULL, cause INTEGER, cascade INTEGER NOT NULL,
      site TEXT, path_id INTEGER REFERENCES paths, value TEXT, "offset" INTEGER, "delete" INTEGER, same_value INTEGER,
      projection_id INTEGER REFERENCES projections, parent_id INTEGER REFERENCES projections, tracking TEXT,
      duration_ns INTEGER, changed INTEGER, label TEXT);
    CREATE TABLE reads (
      seq INTEGER NOT NULL REFERENCES events, projection_id INTEGER NOT NULL REFERENCES projections,
      path_id INTEGER NOT NULL REFERENCES paths);
    CREATE TABLE invalidations (
      id INTEGER PRIMARY KEY, seq INTEGER NOT NULL REFERENCES events,
      projection_id INTEGER NOT NULL REFERENCES projections, cascade INTEGER NOT NULL, depth INTEGER NOT NULL);
    CREATE TABLE causes (
      invalidation_id INTEGER NOT NULL REFERENCES invalidations, seq INTEGER NOT NULL REFERENCES events);
    """

  static let views = """
    CREATE INDEX events_path ON events (path_id) WHERE path_id IS NOT NULL;
    CREATE INDEX events_projection ON events (projection_id) WHERE projection_id IS NOT NULL;
    CREATE INDEX events_cascade ON events (cascade);
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
        e.changed IS 0 AS wasted, e.cause, e.cascade
      FROM events e JOIN projections p ON p.id = e.projection_id WHERE e.kind = 'evaluate';
    CREATE VIEW timeline AS
      SELECT i.id, i.seq, e.time_ns, p.name AS projection, p.kind AS projection_kind, i.cascade, i.depth
      FROM invalidations i JOIN events e ON e.seq = i.seq JOIN projections p ON p.id = i.projection_id;
    CREATE VIEW woken_by AS
      SELECT t.id, t.seq, t.time_ns, t.projection, t.projection_kind, w.seq AS write_seq, w.path, w.path_kind, w.value,
        w.site
      FROM timeline t JOIN causes c ON c.invalidation_id = t.id JOIN writes w ON w.seq = c.seq;
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
      SELECT e.cascade, r.kind AS root_kind, p.path AS root_path, r.label AS root_label,
        count(*) FILTER (WHERE e.kind = 'evaluate') AS evaluations,
        count(*) FILTER (WHERE e.kind = 'evaluate' AND e.changed = 0) AS wasted,
        CAST(total(e.duration_ns) AS INTEGER) AS time_ns
      FROM events e LEFT JOIN events r ON r.seq = e.cascade LEFT JOIN paths p ON p.id = r.path_id
      GROUP BY e.cascade HAVING evaluations > 0;
    """
}
