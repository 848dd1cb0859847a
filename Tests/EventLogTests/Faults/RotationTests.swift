import Foundation
import Testing
import log_child

@testable import EventLog

@Suite struct RotationTests {
  private let known = KnownEvents(seed: 7)
  private let path = "/logs/run.evlog"

  private func options(_ segmentBytes: Int) -> LogOptions {
    var options = LogOptions(blockEvents: 20)
    options.segmentBytes = segmentBytes
    return options
  }

  private func record(_ count: UInt64, on disk: SimulatedDisk, _ options: LogOptions) throws {
    let writer = try LogWriter(creating: path, in: disk, options: options)
    for seq in 1...count { try writer.append(known.event(seq)) }
    try writer.close()
  }

  private func reader(_ disk: SimulatedDisk) throws -> LogReader {
    try LogReader(file: SegmentSet(path, in: disk), path: path)
  }

  @Test func segmentsOpenAsOneLogAndPutTogetherAreOne() throws {
    let disk = SimulatedDisk()
    try record(500, on: disk, options(1500))
    let names = disk.files.keys.sorted { ($0.count, $0) < ($1.count, $1) }
    #expect(names.count > 3)
    #expect(Array(names.prefix(2)) == [path, "/logs/run.0002.evlog"])
    let events = (1...500).map { known.event(UInt64($0)) }
    let log = try reader(disk)
    #expect(log.isClean)
    #expect(try log.allEvents() == events)
    let whole = names.flatMap { disk.files[$0] ?? [] }
    let joined = try LogReader(file: MemoryFile(whole), path: "whole")
    #expect(joined.isClean)
    #expect(try joined.allEvents() == events)
    // Each file except the first begins with the state before it.
    for name in names.dropFirst() {
      let part = try LogReader(file: MemoryFile(disk.files[name] ?? []), path: name)
      #expect(part.isClean)
      #expect(part.firstSeq > 1)
      _ = try part.state(at: part.firstSeq)
    }
  }

  @Test func aRingOfSegmentsKeepsTheLastOnes() throws {
    let disk = SimulatedDisk()
    var options = options(1000)
    options.keepSegments = 3
    try record(800, on: disk, options)
    #expect(disk.files.count == 3)
    #expect(disk.bytes(path) == nil)
    let log = try reader(disk)
    #expect(log.isClean)
    #expect(log.firstSeq > 1)
    #expect(log.nextSeq == 801)
    var state = State()
    for seq in 1...800 { try state.apply(known.event(UInt64(seq))) }
    var (found, expected) = (StateFold(try log.state(at: 800)), StateFold(state))
    #expect(found.checkpoint() == expected.checkpoint())
  }

  @Test func aSegmentThatIsGoneIsMissed() throws {
    let disk = SimulatedDisk()
    try record(500, on: disk, options(1500))
    try disk.remove("/logs/run.0002.evlog")
    guard case .damaged = try reader(disk).tail else {
      Issue.record("nobody missed the second file")
      return
    }
    let recovery = try LogRecovery.recover(path, in: disk)
    #expect(recovery.outcome == .salvaged)
    #expect(recovery.logs.count == 2)
    #expect(recovery.lost.count == 1)
  }

  @Test func filesOfAnotherLogAreNoPartOfTheSet() throws {
    let disk = SimulatedDisk()
    try record(500, on: disk, options(1500))
    let stale = disk.bytes("/logs/run.0002.evlog") ?? []
    let other = SimulatedDisk()
    try record(20, on: other, LogOptions(blockEvents: 20))
    other.put(stale, at: "/logs/run.0002.evlog")
    let log = try reader(other)
    #expect(log.isClean)
    #expect(log.eventCount == 20)
    // Names that rotation needs are not taken over.
    let error = #expect(throws: LogError.self) {
      try LogWriter(creating: "/logs/run.evlog", in: other, options: options(1500))
    }
    #expect(error?.code == .exists)
  }

  @Test func appendingGoesOnInTheLastFile() throws {
    let disk = SimulatedDisk()
    try record(300, on: disk, options(1500))
    let files = disk.files.count
    let writer = try LogWriter(appendingTo: path, in: disk, options: options(1500))
    for seq in 301...600 { try writer.append(known.event(UInt64(seq))) }
    try writer.close()
    #expect(disk.files.count > files)
    let log = try reader(disk)
    #expect(log.isClean)
    #expect(try log.allEvents() == (1...600).map { known.event(UInt64($0)) })
    _ = try log.state(at: 600)
  }

  @Test func afterAFailedSyncRecordingGoesOnInANewFileAndNothingMoreIsAcknowledged() throws {
    let disk = SimulatedDisk()
    let writer = try LogWriter(creating: path, in: disk, options: options(1 << 20))
    for seq in 1...30 { try writer.append(known.event(UInt64(seq))) }
    try writer.ensure(.synced)
    for seq in 31...60 { try writer.append(known.event(UInt64(seq))) }
    var faults = SimulatedDisk.Faults()
    faults.failingSyncs = [disk.syncs + 1]
    disk.set(faults)
    let failure = try #require(throws: LogError.self) { try writer.ensure(.synced) }
    #expect(failure.errno == EIO)
    for seq in 61...90 { try writer.append(known.event(UInt64(seq))) }
    try writer.ensure(.written)
    #expect(throws: failure) { try writer.ensure(.synced) }
    #expect(writer.seq(.synced) == 30)
    #expect(throws: failure) { try writer.close() }
    #expect(disk.bytes("/logs/run.0002.evlog") != nil)
    #expect(try reader(disk).allEvents() == (1...90).map { known.event(UInt64($0)) })
  }

  @Test func aClockThatGoesBackChangesNoOrder() throws {
    let disk = SimulatedDisk()
    var options = options(1500)
    options.timeUnit = .nanoseconds
    options.segmentNanoseconds = 10_000
    options.keepNanoseconds = 50_000
    let writer = try LogWriter(creating: path, in: disk, options: options)
    let events = (1...300).map { (seq: UInt64) in
      var event = known.event(seq)
      event.time = seq % 100 == 0 ? 0 : UInt64.max >> (seq % 64)
      return event
    }
    for event in events { try writer.append(event) }
    try writer.close()
    let log = try reader(disk)
    #expect(log.isClean)
    #expect(try log.allEvents() == events.suffix(Int(log.eventCount)))
    #expect(log.nextSeq == 301)
  }
}
