import Foundation
import LogGenerator
import PythonReader
import Testing

@testable import Parquet

/// Written files are read back; files that others wrote are read correctly, and damaged files are read or
/// refused.
@Suite struct ParquetReaderTests {
  @Test func whatIsWrittenIsReadBack() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for _ in 0..<40 {
      let table = Table(&random)
      let reader = try Self.reader(try table.parquet())
      #expect(reader.columns == table.columns, "seed \(seed)")
      #expect(reader.rowCount == Int64(table.rows.count))
      #expect(try Self.rows(reader).map(Self.bits) == table.rows.map(Self.bits), "seed \(seed)")
      // Some columns, in another order, one of them possibly twice.
      let chosen = (0..<3).compactMap { _ in table.columns.indices.randomElement(using: &random) }
      var found: [[ParquetValue]] = []
      try reader.forEachRow(of: chosen.map { table.columns[$0].name }) { found.append($0) }
      #expect(found.map(Self.bits) == table.rows.map { row in Self.bits(chosen.map { row[$0] }) })
    }
  }

  @Test func aTextOfTheGreatestLengthIsReadBack() throws {
    var table = Table([ParquetColumn("text", .text)])
    let longest = String(repeating: "x", count: ParquetWriter.textBytesMax)
    table.rows = [[.text("a")], [.text(longest)], [.text("b")]]
    #expect(try Self.rows(Self.reader(table.parquet())) == table.rows)
  }

  @Test func damagedBytesAreRefusedOrReadAndNeverTrap() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var refused = 0
    for _ in 0..<300 {
      var table = Table(&random)
      table.rows = Array(table.rows.prefix(60))
      var bytes = try table.parquet()
      let footer = bytes.count - 8 - Int(bytes[bytes.count - 8]) - Int(bytes[bytes.count - 7]) << 8
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes.removeLast(.random(in: 1...bytes.count, using: &random))
      case 1:
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          bytes[.random(in: bytes.indices, using: &random)] = UInt8(truncatingIfNeeded: random.next())
        }
      default:
        // The metadata, with the lengths and offsets.
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          let index = Int.random(in: max(0, footer)..<bytes.count, using: &random)
          bytes[index] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random)!
        }
      }
      struct Enough: Error {}
      var count = 0
      do {
        try Self.reader(bytes).forEachRow { _ in
          count += 1
          // A page of nulls alone may claim many rows.
          if count > 20_000 { throw Enough() }
        }
      } catch is ParquetReadError {
        refused += 1
      } catch is Enough {}
    }
    #expect(refused > 150, "seed \(seed)")
  }

  @Test func whatIsNoTableIsRefused() throws {
    for bytes in [[], Array("PAR1".utf8), Array("PAR1PAR1PAR1".utf8), [UInt8](repeating: 0xFF, count: 100)] {
      #expect(throws: ParquetReadError.self) { try Self.reader(bytes) }
    }
    // Lists in lists in lists.
    let deep = [UInt8](repeating: 0x19, count: 50_000)
    var length: [UInt8] = []
    length.append(littleEndian: UInt32(deep.count))
    #expect(throws: ParquetReadError.self) {
      try Self.reader(Array("PAR1".utf8) + deep + length + Array("PAR1".utf8))
    }
    var table = Table([ParquetColumn("a", .integer)])
    table.rows = [[.integer(1)]]
    let reader = try Self.reader(table.parquet())
    #expect(throws: ParquetReadError.noColumn("b")) { try reader.forEachRow(of: ["b"]) { _ in } }
  }

  @Test(.enabled(if: ParquetReaders.areAvailable, "\(ParquetReaders.areMissing)"))
  func whatPyarrowWritesPlainlyIsReadAndADictionaryIsRefused() throws {
    let workspace = try Workspace()
    let script = """
      import pyarrow, pyarrow.parquet, random
      random.seed(7)
      n = 3000
      table = pyarrow.table({
          "number": pyarrow.array([None if random.random() < 0.3 else i for i in range(n)], pyarrow.int64()),
          "text": pyarrow.array([None if i % 1000 < 400 else f"t{i}é" for i in range(n)]),
          "share": pyarrow.array([i / 7 for i in range(n)]),
          "flag": pyarrow.array([None if i % 5 == 0 else i % 3 == 0 for i in range(n)]),
          "moment": pyarrow.array([i * 1000 for i in range(n)], pyarrow.timestamp("us", "UTC"))})
      for name, plain in ("plain", True), ("dictionary", False):
          pyarrow.parquet.write_table(table, f"\(workspace.path)/{name}.parquet", compression="zstd", use_dictionary=not plain,
              data_page_version="1.0", row_group_size=700, data_page_size=2000)
      for row in zip(*(table[name].cast(pyarrow.int64()).to_pylist() if name == "moment" else table[name].to_pylist() for name in table.column_names)):
          print(row[0], row[1], None if row[2] is None else round(row[2] * 7), row[3], row[4])
      """
    let expected = try PythonReader.evaluate(script).split(separator: "\n").map(String.init)
    func word(_ value: ParquetValue) -> String {
      switch value {
      case .null: "None"
      case .integer(let number): "\(number)"
      case .double(let number): "\(Int((number * 7).rounded()))"
      case .boolean(let flag): flag ? "True" : "False"
      case .text(let text): text
      case .unsigned(let number): "\(number)"
      }
    }
    let bytes = try Data(contentsOf: URL(filePath: workspace.file("plain.parquet")))
    let rows = try Self.rows(Self.reader(Array(bytes)))
    #expect(rows.map { $0.map(word).joined(separator: " ") } == expected)
    let packed = try Data(contentsOf: URL(filePath: workspace.file("dictionary.parquet")))
    #expect { try Self.rows(Self.reader(Array(packed))) } throws: {
      if case .unsupported? = $0 as? ParquetReadError { true } else { false }
    }
  }

  // MARK: Files that claim too much

  @Test func aPageThatIsLongerThanWhatIsInItIsNotRead() throws {
    for (codec, plainBytes) in [(Int32(0), 8), (0, 1 << 20), (6, 8)] {
      let page = Self.page(rows: 1, plainBytes: plainBytes, bytes: [UInt8](repeating: 7, count: 1 << 18))
      var most = 0
      let file = Self.file(page, codec: codec, groups: [(0, page.count, 1)])
      let reader = try ParquetReader(byteCount: Int64(file.count)) { offset, count in
        most = max(most, count)
        return Array(file[Int(offset)..<min(file.count, Int(offset) + count)])
      }
      #expect(throws: ParquetReadError.self) { try reader.forEachRow { _ in } }
      #expect(most <= 4_096, "codec \(codec), \(plainBytes) bytes")
    }
    let page = Self.page(rows: 1, plainBytes: 8, bytes: [7, 0, 0, 0, 0, 0, 0, 0])
    #expect(
      try Self.rows(Self.reader(Self.file(page, codec: 0, groups: [(0, page.count, 1)]))) == [[.integer(7)]])
  }

  @Test func rowGroupsThatLieInOnePlaceAreRefused() throws {
    let page = Self.page(rows: 1, plainBytes: 8, bytes: [7, 0, 0, 0, 0, 0, 0, 0])
    let apart = Self.file(page + page, codec: 0, groups: [(0, page.count, 1), (page.count, page.count, 1)])
    #expect(try Self.rows(Self.reader(apart)) == [[.integer(7)], [.integer(7)]])
    for second in [0, 1, page.count - 1] {
      let groups = [(0, page.count, Int64(1)), (second, page.count, 1)]
      #expect(throws: ParquetReadError.self) {
        try Self.reader(Self.file(page + page, codec: 0, groups: groups))
      }
    }
  }

  @Test func moreRowsThanAnyFileHasAreRefused() {
    let page = Self.page(rows: 1, plainBytes: 8, bytes: [7, 0, 0, 0, 0, 0, 0, 0])
    for rows in [[ParquetReader.rowsMax + 1], [ParquetReader.rowsMax, 1], [.max, .max]] {
      let groups = rows.enumerated().map { ($0 * page.count, page.count, $1) }
      #expect(throws: ParquetReadError.self) {
        try Self.reader(Self.file(page + page, codec: 0, groups: groups))
      }
    }
  }

  /// A page of a column of integers.
  private static func page(rows: Int32, plainBytes: Int, bytes: [UInt8]) -> [UInt8] {
    var data = ThriftStruct()
    data.set(1, rows)
    data.set(2, Int32(0))
    data.set(3, Int32(3))
    data.set(4, Int32(3))
    var head = ThriftStruct()
    head.set(1, Int32(0))
    head.set(2, Int32(plainBytes))
    head.set(3, Int32(bytes.count))
    head.set(5, data)
    return head.bytes + bytes
  }

  /// A file with one column of integers. The metadata says for each row group where it is in these pages, how
  /// long it is, and how many rows it has.
  private static func file(
    _ pages: [UInt8], codec: Int32, groups: [(Int, Int, Int64)]
  ) -> [UInt8] {
    var root = ThriftStruct()
    root.set(4, "schema")
    root.set(5, Int32(1))
    var element = ThriftStruct()
    element.set(1, Int32(2))
    element.set(3, Int32(0))
    element.set(4, "number")
    let described = groups.map { offset, count, rows in
      var meta = ThriftStruct()
      meta.set(1, Int32(2))
      meta.set(4, codec)
      meta.set(5, rows)
      meta.set(7, Int64(count))
      meta.set(9, Int64(4 + offset))
      var chunk = ThriftStruct()
      chunk.set(3, meta)
      var described = ThriftStruct()
      described.set(1, list: [chunk])
      described.set(3, rows)
      return described
    }
    var metadata = ThriftStruct()
    metadata.set(1, Int32(1))
    metadata.set(2, list: [root, element])
    metadata.set(3, groups.reduce(Int64(0)) { $0 &+ $1.2 })
    metadata.set(4, list: described)
    var length: [UInt8] = []
    length.append(littleEndian: UInt32(metadata.bytes.count))
    return Array("PAR1".utf8) + pages + metadata.bytes + length + Array("PAR1".utf8)
  }

  // MARK: Help

  private static func reader(_ bytes: [UInt8]) throws -> ParquetReader {
    try ParquetReader(byteCount: Int64(bytes.count)) { offset, count in
      Array(bytes[min(bytes.count, Int(offset))..<min(bytes.count, Int(offset) + count)])
    }
  }

  private static func rows(_ reader: ParquetReader) throws -> [[ParquetValue]] {
    var rows: [[ParquetValue]] = []
    try reader.forEachRow { rows.append($0) }
    return rows
  }

  /// Values are equal if their bits are, even values that are not equal to themselves.
  private static func bits(_ row: [ParquetValue]) -> [String] {
    row.map { value in
      switch value {
      case .double(let number): "d\(number.bitPattern)"
      case .unsigned(let number): "i\(number)"
      case .integer(let number): "i\(number)"
      case .text(let text): "t\(Array(text.utf8))"
      case .null, .boolean: "\(value)"
      }
    }
  }
}
