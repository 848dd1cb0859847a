import LogGenerator
import Testing

@testable import EventLog

/// Closed logs in which one field of one block is wrong and all checksums are right, so that only the rules of
/// the format show it.
@Suite struct ClosedPathTests {
  /// Where the prefix has its fields, and how many bytes each takes.
  private static let fields = [
    (0, 4), (4, 1), (5, 1), (6, 2), (8, 4), (12, 4), (16, 8), (24, 8), (32, 8), (40, 8), (48, 8), (56, 8),
  ]

  @Test(arguments: 0..<4) func aClosedLogIsRefusedWhereAScanRefusesIt(trial: Int) throws {
    let seed = testSeed(trial: trial)
    var random = SplitMix64(seed: seed)
    for round in 0..<400 {
      let file = try log(&random)
      let scan = result(of: file, scanned: true)
      let closed = result(of: file, scanned: false)
      #expect(closed == scan, "seed \(seed), round \(round)")
    }
  }

  @Test func aWrongFieldOfAnyBlockIsFoundInEachPass() throws {
    // The fields of a block that does not begin as its log does, by what is wrong.
    let faults: [(what: String, offset: Int, value: UInt64)] = [
      ("another salt", 32, 99), ("another seq", 16, 4096), ("synced events to come", 48, 1 << 31),
      ("another block before", 40, 5),
    ]
    for fault in faults {
      for block in 1...4 {
        let file = try Self.log(of: [.header, .checkpoint, .events(3), .unknown, .events(2), .unknown]) {
          if $0 == block { $1.put(fault.value, at: fault.offset, size: 8) }
        }
        let (scan, closed) = (result(of: file, scanned: true), result(of: file, scanned: false))
        #expect(closed == scan, "\(fault.what) in block \(block)")
        #expect(scan.badOffset != nil, "\(fault.what) in block \(block)")
      }
    }
  }

  /// What a pass over a log gives: the events up to the first invalid block, and the offset of that block.
  private struct Pass: Equatable {
    var seqs: [UInt64] = []
    var badOffset: UInt64?
  }

  private func result(of file: MemoryFile, scanned: Bool) -> Pass {
    var pass = Pass()
    do {
      let reader = try LogReader(file: file, path: "closed", scanned: scanned)
      try reader.forEachEvent { pass.seqs.append($0.seq) }
    } catch {
      pass.badOffset = (error as? LogError)?.byteOffset ?? .max
    }
    return pass
  }

  // MARK: Logs

  private enum Block {
    case header, checkpoint, unknown
    case events(Int)
  }

  private func log(_ random: inout SplitMix64) throws -> MemoryFile {
    let blocks = (0..<Int.random(in: 1...3, using: &random)).flatMap { _ in
      [Block.header]
        + (0..<Int.random(in: 0...4, using: &random)).map { _ in
          [.checkpoint, .unknown, .events(1), .events(4)].randomElement(using: &random) ?? .unknown
        }
    }
    let wrong = Int.random(in: 0..<blocks.count, using: &random)
    let (offset, size) = Self.fields.randomElement(using: &random) ?? (16, 8)
    let small = UInt64.random(in: 0...9, using: &random)
    let value = Bool.random(using: &random) ? small : UInt64.random(in: 0 ... .max, using: &random)
    return try Self.log(of: blocks) { index, payload in
      if index == wrong { payload.put(value, at: offset, size: size) }
    }
  }

  /// A log of these blocks, each segment of which ends in an index and a seek table.
  private static func log(
    of blocks: [Block], changing change: (Int, inout [UInt8]) -> Void
  ) throws -> MemoryFile {
    var log = try HandMadeLog()
    for (index, block) in blocks.enumerated() {
      switch block {
      case .header:
        if index > 0 { try close(&log) }
        let header = LogHeader(program: "p", salt: log.salt, created: 0, metadata: [:])
        try log.add(kind: BlockKind.header, header.json()) { change(index, &$0) }
      case .checkpoint: try log.add(kind: BlockKind.checkpoint, [6, 1, 9]) { change(index, &$0) }
      case .unknown: try log.add(kind: 200, [1, 2, 3]) { change(index, &$0) }
      case .events(let count):
        let kinds = Array(repeating: EventKind.end.rawValue, count: count)
        try log.add(kind: BlockKind.events, [6, UInt8(count)] + kinds, events: count) { change(index, &$0) }
      }
    }
    try close(&log)
    return log.file
  }

  private static func close(_ log: inout HandMadeLog) throws {
    try log.addIndex()
    try log.addSeekTable()
  }
}

extension [UInt8] {
  /// Replaces bytes by those of a number, the lowest first.
  fileprivate mutating func put(_ number: UInt64, at offset: Int, size: Int) {
    for byte in 0..<size { self[offset + byte] = UInt8(truncatingIfNeeded: number >> UInt64(8 * byte)) }
  }
}
