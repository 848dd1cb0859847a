import Foundation
import LogGenerator
import PythonReader
import Testing

@testable import EventLog

@Suite struct PackedColumnTests {
  @Test func unpackingGivesTheNumbersThatWerePacked() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for round in 0..<300 {
      var varints: [UInt8] = []
      for _ in 0..<Int.random(in: 0..<600, using: &random) {
        let isZero = Int.random(in: 0..<8, using: &random) > 0
        varints.appendVarint(isZero ? 0 : random.next() >> UInt64.random(in: 0..<64, using: &random))
      }
      guard let packed = PackedColumn.pack(varints[...]) else { continue }
      let payload = [7, 7] + packed.bytes
      #expect(
        try PackedColumn.unpack(payload, in: 2..<payload.count) == varints, "seed \(seed), round \(round)")
    }
  }

  @Test func aColumnOfManyZerosIsPackedAndOneOfFewIsNot() throws {
    let third: [UInt8] = Array(repeatElement([0, 0, 5], count: 200).joined())
    let packed = try #require(PackedColumn.pack(third[...]))
    #expect(packed.bytes.count == 2 + 201 + 200)
    #expect(packed.numbersStart == 2 + 201)
    #expect(PackedColumn.pack(third.dropFirst()) == nil)
    // A zero byte at the end of a long varint does not count as a zero.
    #expect(PackedColumn.pack(Array(repeatElement([0x80, 0], count: 200).joined())[...]) == nil)
  }

  @Test func aLogWithPackedColumnsReadsAsItWasWritten() throws {
    let file = try TemporaryFile()
    let text = Path(root: .named("a"), components: [.property("text")])
    var events = [Event(seq: 1, time: 0, body: .set(text, "", sameValue: false))]
    for index in 0..<3000 {
      events.append(
        Event(
          seq: UInt64(index) + 2, time: UInt64(index / 11 * 1000),
          body: .splice(
            text, offset: index % 7 == 0 ? 0 : index, delete: 0, insert: "x", sameValue: false)))
    }
    let writer = try LogWriter(creating: file.path)
    for event in events { try writer.append(event) }
    try writer.close()
    #expect(try LogReader(path: file.path).allEvents() == events)
    if PythonReader.isAvailable {
      #expect(try PythonReader.read([file.path]).lines == [events.map { Substring($0.json()) }])
    }

    let zstd = try #require(ZstdDecompressor())
    var numbers: Set<Int> = []
    for block in try LogReader(path: file.path).blocks where block.kind == BlockKind.events {
      let bytes = try [UInt8](Data(contentsOf: URL(filePath: file.path)))
      let frame = bytes[Int(block.offset)..<Int(block.endOffset)]
      let payload = try zstd.content(of: Array(frame), size: block.payloadSize)
      try BlockColumns.forEach(in: payload) { number, _ in numbers.insert(number) }
    }
    #expect(numbers.contains(Column.times.rawValue + PackedColumn.mark))
  }

  @Test func aMalformedPackedColumnIsRefusedWithItsOffset() {
    let tooMany: [UInt8] = [3, 0xFF, 0xFF, 0x7F]
    let bad: [(String, [UInt8])] = [
      ("nothing", []), ("runs that are not there", [2, 0]), ("no last run", [1, 0, 5]),
      ("a run too many", [3, 0, 0, 0, 5]), ("a torn number", [2, 0, 0, 0x80]), ("too many zeros", tooMany),
    ]
    for (what, bytes) in bad {
      let fault = #expect(throws: DecodeFault.self, "\(what)") {
        try PackedColumn.unpack([9] + bytes, in: 1..<bytes.count + 1)
      }
      #expect((1...bytes.count + 1).contains(fault?.offset ?? 0), "\(what)")
    }
  }

  @Test func aFaultInAPackedColumnIsAtTheColumn() throws {
    // One number where two are taken.
    let prefix = [UInt8](repeating: 0, count: LogFormat.prefixSize)
    let number = UInt8(Column.times.rawValue + PackedColumn.mark)
    var columns = try BlockColumns(prefix + [number, 4, 2, 0, 0, 5])
    #expect(try columns[.times].varint() == 5)
    let fault = #expect(throws: DecodeFault.self) { try columns[.times].varint() }
    #expect(fault?.offset == LogFormat.prefixSize + 2)
  }

  @Test func aColumnComesOnceHoweverItIsWritten() {
    let prefix = [UInt8](repeating: 0, count: LogFormat.prefixSize)
    let number = UInt8(Column.times.rawValue)
    let packed = [number + UInt8(PackedColumn.mark), 4, 2, 0, 0, 5]
    #expect(throws: DecodeFault.self) { try BlockColumns(prefix + packed + [number, 1, 5]) }
    #expect(throws: DecodeFault.self) { try BlockColumns(prefix + [number, 1, 5] + packed) }
  }
}
