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

  @Test func aFullDiskPoisonsTheWriterAndKeepsAPrefix() throws {
    var faults = MemoryFile.Faults()
    faults.capacity = 2000
    let file = MemoryFile([], faults)
    let writer = try LogWriter(file: file, path: "full", options: LogOptions(blockEvents: 10))
    let first = #expect(throws: LogError.self) {
      try fill(writer, 1000)
      try writer.flush()
    }
    let failure = try #require(first)
    #expect(failure.code == .io)
    #expect(failure.errno == ENOSPC)
    let acknowledged = writer.writtenSeq
    // Space comes back, but nothing was promised about what lies in between.
    file.set(MemoryFile.Faults())
    #expect(throws: failure) { try writer.append(.end, time: 0) }
    #expect(throws: failure) { try writer.flush() }
    #expect(throws: failure) { try writer.sync() }
    #expect(throws: failure) { try writer.close() }
    #expect(throws: failure) { try writer.close() }
    #expect(file.isClosed)
    let log = try LogReader(file: file, path: "full")
    #expect(log.eventCount == acknowledged)
    #expect(log.tornAt == failure.byteOffset)
  }

  @Test func aFailedSyncIsNotTriedAgain() throws {
    var faults = MemoryFile.Faults()
    faults.failingSyncs = 1
    let file = MemoryFile([], faults)
    let writer = try LogWriter(file: file, path: "sync")
    try writer.append(.end, time: 0)
    let failure = #expect(throws: LogError.self) { try writer.sync() }
    #expect(failure?.errno == EIO)
    #expect(throws: LogError.self) { try writer.close() }
    #expect(file.syncs == 1)
    #expect(writer.syncedSeq == 0)
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
