import Foundation
import Testing

@testable import EventLog

struct LogCheckTests {
  @Test func anIndexThatTellsOfOtherEventsIsFoundOut() throws {
    let truth = try log(of: "y", events: 64)
    let scanned = try LogReader(file: truth, path: "truth.evlog", scanned: true)
    #expect(try findings(indexed: truth, scanned) == [])
    let lie = try log(of: "x", events: 64)
    let found = try findings(indexed: lie, scanned)
    #expect(found.contains { $0.contains("the index does not list a.y here") }, "\(found)")
    let shorter = try findings(indexed: try log(of: "y", events: 56), scanned)
    #expect(shorter.contains { $0.contains("of \(scanned.blocks.count) blocks") }, "\(shorter)")
    #expect(shorter.contains("the totals in the index are not those of the events"))
  }

  @Test func aLogIsCheckedToItsLastWholeBlock() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "run.evlog").path
    let writer = try LogWriter(creating: path, options: options)
    try append(to: writer, "x", events: 64)
    try writer.close()
    let whole = try LogCheck(path: path)
    #expect(whole.findings == [] && whole.indexes == 1)
    var bytes = try Data(contentsOf: URL(filePath: path))
    let third = whole.blocks[3]
    bytes[Int(third.offset) + third.compressedSize / 2] ^= 1
    try bytes.write(to: URL(filePath: path))
    let damaged = try LogCheck(path: path)
    #expect(damaged.blocks == Array(whole.blocks[..<3]))
    guard case .damaged(let error, _) = damaged.tail else { return #expect(Bool(false), "\(damaged.tail)") }
    #expect(error.byteOffset == third.offset)
  }

  private var options: LogOptions {
    var options = LogOptions()
    options.blockEvents = 8
    options.flushInterval = .seconds(60)
    return options
  }

  private func log(of property: String, events: Int) throws -> MemoryFile {
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "run.evlog", options: options)
    try append(to: writer, property, events: events)
    try writer.close()
    return file
  }

  private func append(to writer: LogWriter, _ property: String, events: Int) throws {
    let path = try Path(parsing: "a.\(property)")
    for value in 1...events { try writer.append(.set(path, .int(Int64(value)), sameValue: false), time: 0) }
  }

  /// What is wrong with the index of one file, held against the blocks of another.
  private func findings(indexed file: MemoryFile, _ scanned: LogReader) throws -> [String] {
    let indexed = try LogReader(file: file, path: "index.evlog")
    var check = try #require(IndexCheck(indexed, scanned: scanned, openTransactions: 0))
    var tables = RunTables()
    for (place, block) in scanned.blocks.enumerated() where block.kind == BlockKind.events {
      try scanned.read([block]) { _, rows in
        var numbers = tables.number(rows.tables)
        check.begin(rows, of: block, at: place, &tables)
        var row = Row()
        while try rows.next(&row) {
          let path = row.path < 0 ? -1 : Int(numbers.paths[row.path])
          let name = row.isAboutProjection ? numbers.name(row.name, in: &tables) : -1
          check.take(row, path: path, projection: name, tables)
        }
      }
    }
    check.finish()
    // Two files have different salts, and so different hashes of the same blocks.
    return check.findings.map(\.reason).filter {
      file === scanned.file || $0 != "the index has another block here"
    }
  }
}
