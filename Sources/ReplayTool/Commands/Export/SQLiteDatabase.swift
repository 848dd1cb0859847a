import CSQLite

/// A database that SQLite writes. It is closed when it and its statements are no longer used.
final class SQLiteDatabase {
  fileprivate let connection: OpaquePointer

  /// - Parameter path: The path of an empty file, or of a database.
  init(path: String) throws(SQLiteError) {
    var connection: OpaquePointer?
    let code = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard let connection, code == SQLITE_OK else {
      // A connection that could not be opened has the message, and must be closed too.
      let error = SQLiteError(of: connection, code)
      sqlite3_close_v2(connection)
      throw error
    }
    self.connection = connection
  }

  deinit { sqlite3_close_v2(connection) }

  /// Executes statements without arguments.
  func execute(_ statements: String) throws(SQLiteError) {
    try check(sqlite3_exec(connection, statements, nil, nil, nil))
  }

  fileprivate func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK || code == SQLITE_DONE else { throw SQLiteError(of: connection, code) }
  }
}

/// A statement that inserts a row, executed once for each.
final class SQLiteInsert {
  private let database: SQLiteDatabase
  private let statement: OpaquePointer

  /// - Parameter count: How many columns the table has.
  init(into table: String, columns count: Int, of database: SQLiteDatabase) throws(SQLiteError) {
    let marks = repeatElement("?", count: count).joined(separator: ",")
    var statement: OpaquePointer?
    try database.check(
      sqlite3_prepare_v2(
        database.connection, "INSERT INTO \(table) VALUES (\(marks))", -1, &statement, nil))
    guard let statement else { preconditionFailure("SQLite makes a statement of a text that has one") }
    (self.database, self.statement) = (database, statement)
  }

  deinit { sqlite3_finalize(statement) }

  /// Inserts a row. Nil is NULL.
  func add(_ values: (any SQLiteValue)?...) throws(SQLiteError) {
    for (index, value) in values.enumerated() {
      let position = Int32(index + 1)
      try database.check(
        value?.bind(to: statement, at: position) ?? sqlite3_bind_null(statement, position))
    }
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    try database.check(code)
  }
}

/// What a column may hold.
protocol SQLiteValue {
  func bind(to statement: OpaquePointer, at position: Int32) -> Int32
}

extension Int64: SQLiteValue {
  func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
    sqlite3_bind_int64(statement, position, self)
  }
}

extension Int: SQLiteValue {
  func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
    Int64(self).bind(to: statement, at: position)
  }
}

extension Bool: SQLiteValue {
  func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
    (self ? 1 : 0 as Int64).bind(to: statement, at: position)
  }
}

extension String: SQLiteValue {
  func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
    var text = self
    // With the number of bytes, since a text may have bytes that are zero.
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite_bind_text(statement, position, $0.baseAddress, UInt64(bytes.count))
      }
    }
  }
}

/// Why SQLite refused a call, in its own words.
struct SQLiteError: Error {
  let message: String

  fileprivate init(of connection: OpaquePointer?, _ code: Int32) {
    message = String(cString: connection.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
  }
}
