import EventLog
import GRDB
import ReplayAnalysis

/// Writes a log into an SQLite database: its events, and what the invalidation core derives from them.
enum SQLiteExport {
  static func run(
    _ log: LogSource, _ selection: Selection, to output: OutputFile, progress: AnalysisProgress
  ) throws {
    // An empty file is a database, and has the permissions that it shall have.
    try output.open().close()
    var configuration = Configuration()
    // Nobody sees the file before it is whole, so nothing need survive a crash.
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
