import Foundation
import Testing

@testable import EventLog

struct LogCheckTests {
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

  private func append(to writer: LogWriter, _ property: String, events: Int) throws {
    let path = try Path(parsing: "a.\(property)")
    for value in 1...events { try writer.append(.set(path, .int(Int64(value)), sameValue: false), time: 0) }
  }
}
