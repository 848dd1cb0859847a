import LogGenerator
import Foundation
import Testing

@testable import EventLog

@Suite struct RecoveryTests {
  private static let path = "/logs/run.evlog"

  /// A disk with these bytes as the log.
  private func disk(_ bytes: [UInt8]) -> SimulatedDisk {
    let disk = SimulatedDisk()
    disk.put(bytes, at: Self.path)
    return disk
  }

  private func events(_ path: String, _ disk: SimulatedDisk) throws -> [Event] {
    try LogReader(file: SegmentSet(path, in: disk), path: path).allEvents()
  }

  @Test func aWholeLogIsLeftAsItIs() throws {
    let log = try SmallLog(events: 40, blockEvents: 8, fit: true)
    let disk = disk(log.bytes)
    let recovery = try LogRecovery.recover(Self.path, in: disk)
    #expect(recovery.outcome == .whole)
    #expect(recovery.lost.isEmpty)
    #expect(disk.files == [Self.path: log.bytes])
  }

  @Test func aLogThatWasNotClosedIsCompleted() throws {
    let log = try SmallLog(events: 40, blockEvents: 8, fit: true)
    let end = Int(try #require(log.blocks.last).endOffset)
    let disk = disk(Array(log.bytes[..<end]))
    let recovery = try LogRecovery.recover(Self.path, in: disk)
    #expect(recovery.outcome == .completed)
    #expect(recovery.lost.isEmpty)
    #expect(try LogReader(file: SegmentSet(Self.path, in: disk), path: Self.path).isClean)
  }

  @Test func aCutAnywhereIsRecoveredKeptAndAppendedTo() throws {
    let log = try SmallLog(events: 30, blockEvents: 8, fit: true)
    let header = Int(log.blocks[0].endOffset)
    for cut in stride(from: header, to: log.bytes.count, by: 3) {
      let disk = disk(Array(log.bytes[..<cut]))
      let recovery = try LogRecovery.recover(Self.path, in: disk)
      let end = log.blocks.last { $0.endOffset <= UInt64(cut) }.map { Int($0.endOffset) } ?? 0
      let rest = Array(log.bytes[end..<cut])
      let isFooter = end == Int(log.blocks.last?.endOffset ?? 0)
      if !rest.isEmpty, !isFooter {
        #expect(recovery.outcome == .cut)
        #expect(recovery.tornPaths == [Self.path + ".torn"])
        #expect(disk.bytes(Self.path + ".torn") == rest, "seed \(log.seed) cut \(cut)")
      }
      let files = disk.files
      #expect(try LogRecovery.recover(Self.path, in: disk).outcome == .whole)
      #expect(disk.files == files)
      let kept = try events(Self.path, disk)
      #expect(kept == Array(log.events.prefix(kept.count)))
      let writer = try LogWriter(
        appendingTo: Self.path, in: disk, options: LogOptions(blockEvents: 4))
      #expect(writer.seq(.synced) == UInt64(kept.count))
      try writer.append(.mark(label: "again"), time: 0)
      try writer.close()
      #expect(try events(Self.path, disk).count == kept.count + 1)
    }
  }

  @Test(arguments: ["zeros", "garbage", "footer"]) func aTailThatIsNoBlockIsKeptApart(tail: String) throws {
    let log = try SmallLog(events: 30, blockEvents: 8, fit: true)
    let end = Int(try #require(log.blocks.last).endOffset)
    var random = SplitMix64(seed: log.seed)
    let rest: [UInt8] =
      switch tail {
      case "zeros": Array(repeating: 0, count: 3000)
      case "garbage": (0..<3000).map { _ in UInt8.random(in: 0...255, using: &random) }
      default: Array(log.bytes[end...].suffix(20))
      }
    let disk = disk(Array(log.bytes[..<end]) + rest)
    let recovery = try LogRecovery.recover(Self.path, in: disk)
    #expect(recovery.outcome == .cut)
    #expect(disk.bytes(Self.path) == log.bytes)
    #expect(disk.bytes(Self.path + ".torn") == rest)
    let writer = try LogWriter(appendingTo: Self.path, in: disk, options: LogOptions(blockEvents: 4))
    try writer.append(.mark(label: "again"), time: 0)
    try writer.close()
    #expect(try events(Self.path, disk).count == 31)
  }

  @Test func aWrongSeekTableAtTheEndIsWrittenAgain() throws {
    let log = try SmallLog(events: 30, blockEvents: 8, fit: true)
    let end = Int(try #require(log.blocks.last).endOffset)
    // zstd accepts any content of a skippable frame; a power failure leaves zeros.
    for at in end + 8..<log.bytes.count where log.bytes[at] != 0 {
      let disk = disk(log.bytes[..<at] + [UInt8](repeating: 0, count: log.bytes.count - at))
      let recovery = try LogRecovery.recover(Self.path, in: disk)
      #expect(recovery.outcome == .completed && recovery.tornPaths.isEmpty, "seed \(log.seed) at \(at)")
      #expect(disk.files == [Self.path: log.bytes], "seed \(log.seed) at \(at)")
    }
  }

  /// Damages of blocks, each with the events that it costs.
  enum Harm: String, CaseIterable { case zeroed, duplicated, swapped, stale, deleted, foreign, flipped }

  @Test(arguments: Harm.allCases) func harmToABlockIsFoundAndTheRestSaved(_ harm: Harm) throws {
    let log = try SmallLog(events: 64, blockEvents: 8, fit: true)
    let other = try SmallLog(events: 64, blockEvents: 8, fit: true)
    for hit in 2..<log.blocks.count - 1 {
      var frames = log.blocks.map { Array(log.bytes[Int($0.offset)..<Int($0.endOffset)]) }
      let footer = Array(log.bytes[Int(log.blocks[log.blocks.count - 1].endOffset)...])
      switch harm {
      case .zeroed: frames[hit] = Array(repeating: 0, count: frames[hit].count)
      case .duplicated: frames.insert(frames[hit], at: hit)
      case .swapped: frames.swapAt(hit, hit + 1)
      case .stale: frames[hit] = frames[hit - 1]
      case .deleted: frames.remove(at: hit)
      case .foreign:
        let block = other.blocks[hit]
        frames[hit] = Array(other.bytes[Int(block.offset)..<Int(block.endOffset)])
      case .flipped: frames[hit][frames[hit].count / 2] ^= 4
      }
      let bytes = frames.flatMap { $0 } + footer
      let disk = disk(bytes)
      #expect(throws: LogError.self) {
        try LogReader(file: MemoryFile(bytes), path: "harmed").allEvents()
      }
      let reader = try LogReader(file: MemoryFile(bytes), path: "harmed", scanned: true)
      guard case .damaged = reader.tail else {
        Issue.record("seed \(log.seed) \(harm) \(hit): \(reader.tail)")
        continue
      }
      let recovery = try LogRecovery.recover(Self.path, in: disk)
      #expect(recovery.outcome == .salvaged)
      #expect(disk.bytes(Self.path) == bytes, "the original is untouched")
      let saved = try recovery.logs.flatMap { try events($0.path, disk) }
      if harm == .duplicated || harm == .swapped {
        #expect(exact(saved) == exact(log.events), "seed \(log.seed) \(harm) \(hit)")
        #expect(recovery.lost.isEmpty)
      } else {
        let block = log.blocks[hit]
        let lost = block.firstSeq...block.endSeq - 1
        #expect(recovery.lost.map(\.first) == [lost.lowerBound], "seed \(log.seed) \(harm) \(hit)")
        #expect(recovery.lost.map(\.last) == [lost.upperBound])
        #expect(exact(saved) == exact(log.events.filter { !lost.contains($0.seq) }))
      }
      for saved in recovery.logs {
        #expect(try LogReader(file: SegmentSet(saved.path, in: disk), path: saved.path).isClean)
      }
      let files = disk.files
      _ = try LogRecovery.recover(Self.path, in: disk)
      #expect(disk.files == files, "recovering twice changes nothing")
    }
  }

  @Test func aDamagedHeaderCostsNoEvent() throws {
    let log = try SmallLog(events: 30, blockEvents: 8, fit: true)
    var bytes = log.bytes
    bytes[20] ^= 1
    let disk = disk(bytes)
    let recovery = try LogRecovery.recover(Self.path, in: disk)
    #expect(recovery.outcome == .salvaged)
    #expect(recovery.lost.isEmpty)
    #expect(try exact(recovery.logs.flatMap { try events($0.path, disk) }) == exact(log.events))
  }

  @Test func aGapInWhatWasNeverSyncedIsATornEnd() throws {
    let log = try SmallLog(events: 64, blockEvents: 8, fit: true)
    let end = Int(try #require(log.blocks.last).endOffset)
    var bytes = Array(log.bytes[..<end])
    for index in Int(log.blocks[3].offset)..<Int(log.blocks[3].endOffset) { bytes[index] = 0 }
    let disk = disk(bytes)
    let recovery = try LogRecovery.recover(Self.path, in: disk)
    #expect(recovery.outcome == .cut)
    #expect(recovery.lost == [LogRecovery.LostRange(first: 17, last: 64)])
    #expect(try events(Self.path, disk) == Array(log.events[..<16]))
    #expect(disk.bytes(Self.path + ".torn") == Array(bytes[Int(log.blocks[3].offset)...]))
  }

  @Test func aFlippedBitAnywhereLosesOneBlockAtMost() throws {
    let log = try SmallLog(events: 24, blockEvents: 8, fit: true)
    var random = SplitMix64(seed: log.seed)
    for byte in log.bytes.indices {
      var bytes = log.bytes
      bytes[byte] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      let disk = disk(bytes)
      let recovery = try LogRecovery.recover(Self.path, in: disk)
      let saved = try recovery.logs.flatMap { try events($0.path, disk) }
      #expect(saved.count >= 16, "seed \(log.seed) byte \(byte)")
      let lost = recovery.lost.first?.first
      #expect(saved.count == 24 || lost != nil, "seed \(log.seed) byte \(byte)")
      let all = Dictionary(uniqueKeysWithValues: log.events.map { ($0.seq, $0) })
      #expect(saved.allSatisfy { exact([$0]) == exact([all[$0.seq] ?? $0]) }, "seed \(log.seed) byte \(byte)")
    }
  }

  @Test func aLogThatIsNotWholeIsNotAppendedTo() throws {
    let log = try SmallLog(events: 30, blockEvents: 8, fit: true)
    let disk = disk(Array(log.bytes[..<Int(log.blocks[3].offset + 20)]))
    let torn = #expect(throws: LogError.self) {
      try LogWriter(appendingTo: Self.path, in: disk, options: LogOptions())
    }
    #expect(torn?.code == .torn)
    #expect(torn?.message.contains("replay recover") == true)
    var options = LogOptions(blockEvents: 4)
    options.recoversTornLog = true
    let writer = try LogWriter(appendingTo: Self.path, in: disk, options: options)
    #expect(writer.seq(.synced) == 16)
    try writer.close()

    var bytes = log.bytes
    bytes[Int(log.blocks[2].offset) + 30] ^= 1
    let damaged = #expect(throws: LogError.self) {
      try LogWriter(appendingTo: Self.path, in: self.disk(bytes), options: options)
    }
    #expect(damaged?.code == .damaged)
  }

  @Test func aLogThatIsBeingWrittenIsNotRecovered() throws {
    let disk = SimulatedDisk()
    let writer = try LogWriter(creating: Self.path, in: disk, options: LogOptions(blockEvents: 4))
    let error = #expect(throws: LogError.self) { try LogRecovery.recover(Self.path, in: disk) }
    #expect(error?.code == .locked)
    try writer.close()
  }
}
