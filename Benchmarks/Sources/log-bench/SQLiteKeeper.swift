import Foundation
import GRDB

/// A table of a database: write-ahead log, a transaction for every 4,096 rows, synced at each checkpoint and at the
/// end, one prepared statement. Paths have a table of their own and are named by number, as in the event log.
final class SQLiteKeeper: EventKeeper {
  private let database: DatabaseQueue
  private var pending: [Workload.Step] = []
  private var seq: Int64 = 0

  init(_ file: ScratchFile) throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
    database = try DatabaseQueue(path: file.path, configuration: configuration)
    try database.write { database in
      try database.execute(sql: "CREATE TABLE path (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
      try database.execute(
        sql: "CREATE TABLE event (seq INTEGER PRIMARY KEY, time INTEGER, path INTEGER, value INTEGER)")
      for index in 0..<Workload.pathCount {
        try database.execute(
          sql: "INSERT INTO path VALUES (?, ?)", arguments: [index, JSONLines.paths[index]])
      }
    }
    pending.reserveCapacity(4096)
  }

  func keep(_ step: Workload.Step) throws {
    pending.append(step)
    if pending.count == 4096 { try commit() }
  }

  private func commit() throws {
    try database.write { database in
      let insert = try database.cachedStatement(sql: "INSERT INTO event VALUES (?, ?, ?, ?)")
      for step in pending {
        seq += 1
        try insert.execute(arguments: [seq, Int64(step.time), step.path, step.value])
      }
    }
    pending.removeAll(keepingCapacity: true)
  }

  func finish() throws {
    try commit()
    try database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try database.close()
  }
}
