/// The columns of a payload, each with its own cursor.
struct BlockColumns {
  private var readers: [ByteReader]

  /// No columns.
  init() { readers = Array(repeating: ByteReader([]), count: Column.limit) }

  /// Finds the columns after the prefix, and skips those with unknown numbers.
  init(_ payload: [UInt8]) throws(DecodeFault) {
    let end = payload.count..<payload.count
    readers = []
    for number in 0..<Column.limit {
      let isZero = Column(rawValue: number)?.isZeroWhenAbsent ?? false
      readers.append(ByteReader(payload, in: end, isAbsent: isZero))
    }
    var (found, packed): ([ByteReader], [(Column, Range<Int>)]) = (readers, [])
    try Self.forEach(in: payload) { number, range in
      if number < Column.limit {
        found[number] = ByteReader(payload, in: range)
      } else if let column = Column(rawValue: number - PackedColumn.mark), column.isPackable {
        packed.append((column, range))
      }
    }
    readers = found
    for (column, range) in packed {
      self[column] = ByteReader(try PackedColumn.unpack(payload, in: range), standingFor: range.lowerBound)
    }
  }

  /// Calls the body for every column after the prefix, with its number and the range of its bytes. A packed
  /// column counts as the same column unpacked.
  static func forEach(
    in payload: [UInt8], _ body: (Int, Range<Int>) -> Void
  ) throws(DecodeFault) {
    var reader = ByteReader(payload, in: LogFormat.prefixSize..<payload.count)
    var last: UInt64 = 0
    while !reader.isAtEnd {
      let number = try reader.varint()
      let unpacked = number & ~UInt64(PackedColumn.mark)
      if unpacked <= last { throw reader.fault("column \(number) comes after column \(last)") }
      last = unpacked
      body(Int(clamping: number), try reader.skip(try reader.varint(), "a column"))
    }
  }

  subscript(column: Column) -> ByteReader {
    @inline(__always) _read { yield readers[column.rawValue] }
    @inline(__always) _modify { yield &readers[column.rawValue] }
  }

  /// Removes a column, so that the caller reads it.
  mutating func remove(_ column: Column) -> ByteReader {
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
