import Foundation
import LogGenerator
import Parquet
import PythonReader
import Testing

/// Other readers read what was written: pyarrow, which is Parquet's own reader in C++, and DuckDB, which has
/// another.
@Suite(.enabled(if: ParquetReaders.areAvailable, "\(ParquetReaders.areMissing)"))
struct ParquetTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test func readersFindTheRowsAndTypesOfRandomTables() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let tables = (0..<12).map { _ in Table(&random) }
    guard try !failures(of: tables).isEmpty else { return }
    // The smallest prefix of a table that fails is the most informative.
    for table in tables {
      guard var failure = try failures(of: [table]).first else { continue }
      var smallest = table
      var count = table.rows.count
      while count > 0 {
        let shorter = smallest.prefix(smallest.rows.count - min(count, smallest.rows.count))
        if let found = try failures(of: [shorter]).first {
          (smallest, failure) = (shorter, found)
        } else {
          count /= 2
        }
      }
      Issue.record("seed \(seed): \(smallest.columns), \(smallest.rows.count) rows: \(failure)")
    }
  }

  @Test func readersFindTheExtremesOfEachType() throws {
    let texts = ["", "\0", "a\u{301}", "\u{E1}", "日本", "🧵", String(repeating: "x", count: 300_000)]
    let numbers: [Int64] = [.min, -1, 0, 1, .max]
    let doubles = [
      -Double.infinity, -0.0, 0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, .nan,
    ]
    var table = Table(Self.columns)
    for index in 0..<7 {
      table.rows.append([
        .boolean(index % 2 == 0), .integer(numbers[index % 5]), .double(doubles[index]), .text(texts[index]),
        // Readers have no times farther away than some 290,000 years.
        .integer(Int64(index - 3) * 1_000_000_000_000_000),
      ])
    }
    table.rows.append([.null, .null, .null, .null, .null])
    table.rows.append([.boolean(true), .unsigned(UInt64(Int64.max)), .double(1), .text("z"), .unsigned(1)])
    #expect(try failures(of: [table]) == [])
  }

  @Test func readersTakeATableWithoutRowsAndColumnsOfNullsAlone() throws {
    var nulls = Table(Self.columns)
    nulls.rows = Array(repeating: [.null, .null, .null, .null, .null], count: 500)
    #expect(try failures(of: [Table(Self.columns), nulls]) == [])
  }

  @Test func aTextMayTakeMoreThanAPageAndAGroup() throws {
    var table = Table([ParquetColumn("text", .text), ParquetColumn("number", .integer, isOptional: true)])
    table.groupBytes = 1 << 20
    for index in 0..<200 {
      table.rows.append([
        .text(String(repeating: "\(index)-", count: 4_000)), index % 3 == 0 ? .null : .integer(1),
      ])
    }
    #expect(try failures(of: [table]) == [])
  }

  @Test func readersSkipRowGroupsByTheirStatistics() throws {
    var table = Table([
      ParquetColumn("number", .integer), ParquetColumn("text", .text), ParquetColumn("share", .double),
    ])
    table.groupRows = 1_000
    for index in 0..<8_000 {
      table.rows.append([.integer(Int64(index)), .text("t\(10_000 + index)"), .double(Double(index) / 2)])
    }
    let path = try write(table, "groups.parquet")
    for (column, value) in [("number", "4321"), ("text", "t14321"), ("share", "2160.5")] {
      let answer = try ParquetReaders.run(["--skipped", path, column, value])
      #expect(answer.first == "8 7", "\(column)")
      // DuckDB reports of its scan how many rows are left and, since version 2, how many groups it read.
      let plan = try #require(answer.last)
      #expect(plan.contains("1 row"), "\(plan)")
      if plan.contains("Row Groups Scanned") {
        #expect(plan.contains("Row Groups Scanned: 1 / 8"), "\(plan)")
      }
    }
  }

  @Test func statisticsCountNullsAndLeaveOutWhatHasNoOrder() throws {
    var table = Table([
      ParquetColumn("number", .integer, isOptional: true), ParquetColumn("share", .double, isOptional: true),
      ParquetColumn("long", .text),
    ])
    for index in 0..<10 {
      table.rows.append([
        index < 4 ? .null : .integer(Int64(index)), .double(index == 5 ? .nan : 1),
        .text(String(repeating: "x", count: 200)),
      ])
    }
    let path = try write(table, "nulls.parquet")
    let script = """
      import pyarrow.parquet
      group = pyarrow.parquet.ParquetFile("\(path)").metadata.row_group(0)
      for index in range(3):
          found = group.column(index).statistics
          print(found.null_count, found.min if found.has_min_max else "-", found.max if found.has_min_max else "-")
      """
    #expect(try PythonReader.evaluate(script) == "4 4 9\n0 - -\n0 - -\n")
  }

  private static let columns = [
    ParquetColumn("flag", .boolean, isOptional: true), ParquetColumn("number", .integer, isOptional: true),
    ParquetColumn("share", .double, isOptional: true), ParquetColumn("text", .text, isOptional: true),
    ParquetColumn("moment", .timestamp, isOptional: true),
  ]

  private func write(_ table: Table, _ name: String) throws -> String {
    let path = workspace.file(name)
    try Data(table.parquet()).write(to: URL(filePath: path))
    return path
  }

  /// The first line in which a reader's result differs from the written rows.
  private func failures(of tables: [Table]) throws -> [String] {
    let paths = try tables.indices.map { try write(tables[$0], "\(UUID().uuidString).parquet") }
    let answers = try ParquetReaders.run(paths).split { $0.hasPrefix("==> ") }.map(Array.init)
    guard answers.count == 2 * tables.count else { return ["\(answers.count) answers"] }
    return zip(answers, tables + tables).enumerated().compactMap { index, pair in
      let expected = pair.1.lines(withNulls: index < tables.count)
      let found = pair.0
      guard found != expected else { return nil }
      let line = zip(found, expected).first { $0 != $1 }
      return
        "\(found.count) of \(expected.count) lines, \(line.map { "\($0.0) is not \($0.1)" } ?? "the rest equal")"
    }
  }
}

struct ParquetLimitTests {
  private typealias Failure = ParquetError

  @Test func aWriterRefusesColumnsThatSomeReaderDoesNotTake() {
    for name in ["", "a b", "a,b", "a.b", "a=b", "a`b", "a\nb", String(repeating: "n", count: 256)] {
      #expect(throws: Failure.columnName(name)) { try Self.writer(ParquetColumn(name, .integer)) }
    }
    #expect(throws: Failure.noColumns) { try Self.writer() }
    #expect(throws: Failure.sameName("runs", "Runs")) {
      try Self.writer(ParquetColumn("runs", .integer), ParquetColumn("Runs", .text))
    }
    #expect(throws: Never.self) { try Self.writer(ParquetColumn("größe_π", .integer)) }
  }

  @Test func aRowThatIsRefusedLeavesNothingInTheFile() throws {
    let columns = [ParquetColumn("number", .integer), ParquetColumn("text", .text, isOptional: true)]
    let bad: [([ParquetValue], Failure)] = [
      ([.integer(1)], .valueCount(1, columns: 2)),
      ([.null, .text("x")], .null(column: "number")),
      ([.integer(1), .integer(2)], .kind(column: "text", .text)),
      ([.unsigned(1 << 63), .null], .tooLarge(column: "number", 1 << 63)),
      (
        [.integer(1), .text(String(repeating: "x", count: ParquetWriter.textBytesMax + 1))],
        .tooLong(column: "text", bytes: ParquetWriter.textBytesMax + 1)
      ),
    ]
    var table = Table(columns)
    table.rows = [[.integer(1), .null], [.unsigned(1 << 63 - 1), .text("é")]]
    var bytes: [UInt8] = []
    let writer = try ParquetWriter(columns) { bytes += $0 }
    for row in table.rows {
      for (refused, error) in bad { #expect(throws: error) { try writer.append(refused) } }
      try writer.append(row)
    }
    try writer.finish()
    #expect(try bytes == table.parquet())
    #expect(writer.rowCount == 2)
  }

  private static func writer(_ columns: ParquetColumn...) throws {
    _ = try ParquetWriter(columns) { _ in }
  }
}

/// Rows, and options for writing them.
struct Table {
  let columns: [ParquetColumn]
  var rows: [[ParquetValue]] = []
  var groupRows = 122_880
  var groupBytes = 8 << 20

  init(_ columns: [ParquetColumn]) { self.columns = columns }

  /// A random one: runs of nulls, of equal values and of others, in groups of a few rows or many.
  init(_ random: inout SplitMix64) {
    let kinds: [ParquetColumn.Kind] = [.boolean, .integer, .double, .text, .timestamp]
    columns = (0..<Int.random(in: 1...20, using: &random)).map { index in
      ParquetColumn("c\(index)", kinds.randomElement(using: &random)!, isOptional: .random(using: &random))
    }
    groupRows = [1, 7, 100, 5_000].randomElement(using: &random)!
    let shares = columns.map { _ in Double.random(in: 0...1, using: &random) }
    rows = (0..<Int.random(in: 0...(groupRows == 1 ? 50 : 3_000), using: &random)).map { _ in
      zip(columns, shares).map { Self.value(of: $0, nulls: $1, &random) }
    }
  }

  func prefix(_ count: Int) -> Table {
    var table = self
    table.rows = Array(rows.prefix(count))
    return table
  }

  private static func value(
    of column: ParquetColumn, nulls: Double, _ random: inout SplitMix64
  ) -> ParquetValue {
    if column.isOptional, Double.random(in: 0...1, using: &random) < nulls { return .null }
    switch column.kind {
    case .boolean: return .boolean(.random(using: &random))
    case .integer:
      let number = Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random)
      return number >= 0 && .random(using: &random) ? .unsigned(UInt64(number)) : .integer(number)
    case .double: return .double(Double(bitPattern: random.next()))
    case .text:
      let letters = ["a", "Z", "0", "é", "e\u{301}", "漢", "🧵", "\u{0}", "\"", "\n"]
      return .text(
        (0..<Int.random(in: 0...12, using: &random)).map { _ in letters.randomElement(using: &random)! }
          .joined())
    case .timestamp: return .integer(.random(in: -(1 << 52)...(1 << 52), using: &random))
    }
  }

  func parquet() throws -> [UInt8] {
    var bytes: [UInt8] = []
    let writer = try ParquetWriter(columns, groupRows: groupRows, groupBytes: groupBytes) { bytes += $0 }
    for row in rows { try writer.append(row) }
    try writer.finish()
    return bytes
  }

  /// The output of `tables.py` for it. DuckDB does not report which columns may have nulls.
  func lines(withNulls: Bool) -> [String] {
    let head = columns.map { "\($0.name):\($0.kind)\(withNulls && $0.isOptional ? "?" : "")" }
    return [head.joined(separator: " ")] + rows.map { $0.map(Self.word).joined(separator: " ") }
  }

  private static func word(_ value: ParquetValue) -> String {
    switch value {
    case .null: return "null"
    case .boolean(let flag): return flag ? "b1" : "b0"
    case .integer(let number): return "i\(number)"
    case .unsigned(let number): return "i\(number)"
    case .double(let number):
      let digits = String(number.bitPattern, radix: 16)
      return number.isNaN ? "dnan" : "d" + String(repeating: "0", count: 16 - digits.count) + digits
    case .text(let text):
      return "t" + text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }
}

/// The other readers, run by a script next to this file.
enum ParquetReaders {
  static let areMissing =
    "Python's pyarrow and duckdb are not here: make test-python installs them"

  static let areAvailable: Bool =
    (try? PythonReader.runScript("-c", ["import pyarrow, duckdb"])).map { $0.status == 0 } ?? false

  /// The lines that the script prints.
  static func run(_ arguments: [String]) throws -> [String] {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "tables.py").path
    let (status, output, errors) = try PythonReader.runScript(script, arguments)
    #expect(status == 0, "\(errors)")
    return output.split(separator: "\n").map(String.init)
  }
}
