import Foundation
import Testing

@testable import EventLog

@Suite struct FaultTests {
  private func fill(_ writer: LogWriter, _ count: Int) throws {
    for index in 0..<count {
      try writer.append(.mark(label: "event \(index) of \(UInt64.random(in: 0...UInt64.max))"), time: 0)
    }
  }

  @Test func shortAndInterruptedWritesLoseNothing() throws {
    var faults = MemoryFile.Faults()
    faults.writeBytesMax = 7
    faults.interruptEvery = 3
    let file = MemoryFile([], faults)
    let writer = try LogWriter(file: file, path: "short", options: LogOptions(blockEvents: 10))
    try fill(writer, 95)
    try writer.close()
    let log = try LogReader(file: file, path: "short")
    #expect(log.isClean)
    #expect(log.eventCount == 95)
  }

  @Test func aFullDiskKeepsAPrefixAndRecordingGoesOnWhenThereIsSpace() throws {
    var faults = MemoryFile.Faults()
    faults.capacity = 2000
    let file = MemoryFile([], faults)
    let writer = try LogWriter(file: file, path: "full", options: LogOptions(blockEvents: 10))
    let full = try #require(throws: LogError.self) {
      while true { try fill(writer, 10) }
    }
    #expect(full.code == .io)
    #expect(full.errno == ENOSPC)
    // The queue is bounded, and only events that the file holds are acknowledged.
    #expect(writer.core.monitor.withLock { $0.chunks.count } <= SealState.chunksMax)
    let accepted = writer.seq(.queued)
    #expect(throws: full) { try writer.append(.end, time: 0) }
    #expect(writer.seq(.queued) == accepted)
    for level in [Durability.written, .synced] {
      #expect(throws: full) { try writer.ensure(level) }
      let log = try LogReader(file: file, path: "full")
      #expect(log.eventCount == writer.seq(.written))
      #expect(log.tornAt == full.byteOffset)
    }
    #expect(writer.seq(.written) < accepted)

    file.set(MemoryFile.Faults())
    try writer.ensure(.synced)
    #expect(writer.seq(.synced) == accepted)
    try fill(writer, 25)
    try writer.close()
    let log = try LogReader(file: file, path: "full")
    #expect(log.isClean)
    #expect(log.eventCount == accepted + 25)
  }

  @Test func closingOnAFullDiskReportsWhatIsMissing() throws {
    var faults = MemoryFile.Faults()
    faults.capacity = 2000
    let file = MemoryFile([], faults)
    let writer = try LogWriter(file: file, path: "full", options: LogOptions(blockEvents: 10))
    try fill(writer, 100)
    let error = try #require(throws: LogError.self) { try writer.close() }
    #expect(error.errno == ENOSPC)
    #expect(throws: error) { try writer.ensure(.written) }
    #expect(file.isClosed)
    #expect(try LogReader(file: file, path: "full").eventCount == writer.seq(.written))
  }

  @Test func closingOnceThereIsSpaceLosesNothing() throws {
    var faults = MemoryFile.Faults()
    faults.capacity = 2000
    let file = MemoryFile([], faults)
    let writer = try LogWriter(file: file, path: "full", options: LogOptions(blockEvents: 10))
    _ = try #require(throws: LogError.self) { while true { try fill(writer, 1) } }
    let accepted = writer.seq(.queued)
    file.set(MemoryFile.Faults())
    try writer.close()
    let log = try LogReader(file: file, path: "full")
    #expect(log.isClean)
    #expect(log.eventCount == accepted)
  }

  @Test func aFailedWritePoisonsTheWriterAndKeepsAPrefix() throws {
    var faults = MemoryFile.Faults()
    faults.brokenFrom = 2000
    let file = MemoryFile([], faults)
    let writer = try LogWriter(file: file, path: "broken", options: LogOptions(blockEvents: 10))
    let first = #expect(throws: LogError.self) {
      try fill(writer, 1000)
      try writer.ensure(.written)
    }
    let failure = try #require(first)
    #expect(failure.code == .io)
    #expect(failure.errno == EIO)
    let acknowledged = writer.seq(.written)
    // The device works again, but events may be missing in between, so the writer stays failed.
    file.set(MemoryFile.Faults())
    #expect(throws: failure) { try writer.append(.end, time: 0) }
    #expect(throws: failure) { try writer.ensure(.written) }
    #expect(throws: failure) { try writer.ensure(.synced) }
    #expect(throws: failure) { try writer.close() }
    #expect(throws: failure) { try writer.close() }
    #expect(file.isClosed)
    let log = try LogReader(file: file, path: "broken")
    #expect(log.eventCount == acknowledged)
    #expect(log.tornAt == failure.byteOffset)
  }

  @Test func aFailedSyncIsNotTriedAgain() throws {
    var faults = MemoryFile.Faults()
    faults.failingSyncs = 1
    let file = MemoryFile([], faults)
    let writer = try LogWriter(file: file, path: "sync")
    try writer.append(.end, time: 0)
    let failure = #expect(throws: LogError.self) { try writer.ensure(.synced) }
    #expect(failure?.errno == EIO)
    #expect(throws: LogError.self) { try writer.close() }
    #expect(file.syncs == 1)
    #expect(writer.seq(.synced) == 0)
  }

  @Test func aSlowDiskMakesAppendWaitAndDropsNothing() throws {
    var faults = MemoryFile.Faults()
    faults.writeSeconds = 0.002
    let file = MemoryFile([], faults)
    let writer = try LogWriter(file: file, path: "slow", options: LogOptions(blockEvents: 4))
    for index in 0..<400 {
      try writer.append(.mark(label: "\(index)"), time: 0)
      let waiting = writer.core.monitor.withLock { $0.chunks.count }
      #expect(waiting <= SealState.chunksMax)
    }
    try writer.close()
    #expect(try LogReader(file: file, path: "slow").eventCount == 400)
  }
}
