/// A column of a table: not nested, of one type, with or without nulls.
package struct ParquetColumn: Hashable, Sendable {
  /// The type of a column's values.
  package enum Kind: Hashable, Sendable {
    case boolean
    /// Signed, 64 bits.
    case integer
    /// IEEE 754, 64 bits.
    case double
    /// UTF-8.
    case text
    /// A time in microseconds since 1970 in UTC. Not nanoseconds, which Spark does not read as a timestamp.
    case timestamp
  }

  package let name: String
  package let kind: Kind
  /// Whether values may be null.
  package let isOptional: Bool

  package init(_ name: String, _ kind: Kind, isOptional: Bool = false) {
    self.name = name
    self.kind = kind
    self.isOptional = isOptional
  }
}

/// A value in a row.
package enum ParquetValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  /// An integer, or a time in microseconds.
  case integer(Int64)
  /// An integer that must be below 2^63, since columns are signed.
  case unsigned(UInt64)
  case double(Double)
  case text(String)
}

/// Why a table or a row cannot be written. Nothing of a refused row is written to the file.
package enum ParquetError: Error, Hashable, Sendable {
  /// The table has no columns, which Parquet does not allow.
  case noColumns
  /// Some reader refuses the name: it is empty, longer than 255 bytes, or has a character with a meaning in
  /// Spark or in a column path.
  case columnName(String)
  /// Two names are equal or differ only in case; DuckDB and Spark take them for one.
  case sameName(String, String)
  /// The row has this many values instead of one for each column.
  case valueCount(Int, columns: Int)
  /// The value is null, but the column is not optional.
  case null(column: String)
  /// The value's type is not the column's type.
  case kind(column: String, ParquetColumn.Kind)
  /// The integer is 2^63 or more.
  case tooLarge(column: String, UInt64)
  /// The text has this many bytes, more than ``ParquetWriter/textBytesMax``.
  case tooLong(column: String, bytes: Int)
  /// zstd failed to allocate memory.
  case outOfMemory
}

extension ParquetError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noColumns: "a table needs a column"
    case .columnName(let name): "no reader takes \"\(name)\" for the name of a column"
    case .sameName(let a, let b): "readers take the columns \(a) and \(b) for one"
    case .valueCount(let count, let columns): "a row has \(count) values for \(columns) columns"
    case .null(let column): "\(column) has no value, and must have one"
    case .kind(let column, let kind): "\(column) has a value that is no \(kind)"
    case .tooLarge(let column, let value): "\(column) is \(value), and a column holds less than 2^63"
    case .tooLong(let column, let bytes):
      "\(column) has \(bytes) bytes, and a value holds at most \(ParquetWriter.textBytesMax)"
    case .outOfMemory: "zstd could not compress a page: out of memory"
    }
  }
}

extension ParquetColumn {
  /// Throws if some reader refuses these columns.
  static func check(_ columns: [ParquetColumn]) throws(ParquetError) {
    if columns.isEmpty { throw .noColumns }
    var names: [String: String] = [:]
    for column in columns {
      let name = column.name
      let isPlain = name.unicodeScalars.allSatisfy {
        $0.value > 0x20 && !",;{}()=.`\u{7F}".unicodeScalars.contains($0)
      }
      guard !name.isEmpty, name.utf8.count <= 255, isPlain else { throw .columnName(name) }
      if let other = names.updateValue(name, forKey: name.lowercased()) { throw .sameName(other, name) }
    }
  }

  /// Throws if the columns cannot hold a row.
  package static func check(_ row: [ParquetValue], for columns: [ParquetColumn]) throws(ParquetError) {
    guard row.count == columns.count else { throw .valueCount(row.count, columns: columns.count) }
    for (value, column) in zip(row, columns) { try column.check(value) }
  }

  private func check(_ value: ParquetValue) throws(ParquetError) {
    switch (value, kind) {
    case (.null, _): if !isOptional { throw .null(column: name) }
    case (.boolean, .boolean), (.double, .double), (.integer, .integer), (.integer, .timestamp): break
    case (.unsigned(let number), .integer), (.unsigned(let number), .timestamp):
      if number > Int64.max { throw .tooLarge(column: name, number) }
    case (.text(let text), .text):
      let count = text.utf8.count
      if count > ParquetWriter.textBytesMax { throw .tooLong(column: name, bytes: count) }
    default: throw .kind(column: name, kind)
    }
  }
}
