/// The columns of a payload, each with a cursor of its own.
struct BlockColumns {
  private var readers: [ByteReader]

  /// Finds the columns after the prefix; ones with unknown numbers are skipped.
  init(_ payload: [UInt8]) throws(DecodeFault) {
    let end = payload.count..<payload.count
    readers = []
    for number in 0..<Column.limit {
      let isZero = Column(rawValue: number)?.isZeroWhenAbsent ?? false
      readers.append(ByteReader(payload, in: end, isAbsent: isZero))
    }
    var body = ByteReader(payload, in: LogFormat.prefixSize..<payload.count)
    var last: UInt64 = 0
    while !body.isAtEnd {
      let number = try body.varint()
      if number <= last { throw body.fault("column \(number) comes after column \(last)") }
      last = number
      let range = try body.take(try body.varint(), "a column")
      if let column = Int(exactly: number).flatMap(Column.init(rawValue:)) {
        readers[column.rawValue] = ByteReader(payload, in: range)
      }
    }
  }

  subscript(column: Column) -> ByteReader {
    @inline(__always) _read { yield readers[column.rawValue] }
    @inline(__always) _modify { yield &readers[column.rawValue] }
  }

  /// Takes a column out, to be read elsewhere.
  mutating func take(_ column: Column) -> ByteReader {
    let reader = self[column]
    self[column] = ByteReader(reader.bytes, in: reader.end..<reader.end)
    return reader
  }

  /// Throws if a column was not read to its end.
  func expectEnd() throws(DecodeFault) {
    for column in Column.allCases where column != .kinds {
      try self[column].expectEnd("column \(column)")
    }
  }
}
