import Testing
import log_child

@testable import EventLog

@Suite struct FollowerTests {
  private let known = KnownEvents(seed: 9)
  private let path = "/logs/run.evlog"

  /// All events that can be read now.
  private func drain(_ follower: inout LogFollower, _ seen: inout [Event]) throws -> LogFollower.Step {
    while true {
      switch try follower.next() {
      case .events(let events): seen += events
      case let step: return step
      }
    }
  }

  @Test(arguments: [nil, 700]) func everyEventIsGivenOnceAndInOrder(segmentBytes: Int?) throws {
    let disk = SimulatedDisk()
    var options = LogOptions(blockEvents: 7)
    options.segmentBytes = segmentBytes
    let writer = try LogWriter(creating: path, in: disk, options: options)
    var follower = LogFollower(path: path, in: disk)
    var seen: [Event] = []
    for seq in 1...400 {
      try writer.append(known.event(UInt64(seq)))
      if seq % 11 == 0 { try writer.ensure(.written) }
      if seq % 3 == 0 { _ = try drain(&follower, &seen) }
    }
    try writer.close()
    guard case .closed = try drain(&follower, &seen) else {
      Issue.record("the log was closed")
      return
    }
    #expect(seen == (1...400).map { known.event(UInt64($0)) })
  }

  @Test func blocksAreGivenOnlyWhole() throws {
    let log = try SmallLog(events: 40, blockEvents: 8)
    let disk = SimulatedDisk()
    var follower = LogFollower(path: path, from: 11, in: disk)
    var seen: [Event] = []
    for count in 0...log.bytes.count {
      if count == 0 { disk.put([], at: path) }
      disk.state.withLock { state in
        if let number = state.names[path] { state.nodes[number]?.bytes = Array(log.bytes[..<count]) }
      }
      _ = try drain(&follower, &seen)
      let whole = log.blocks.last { $0.endOffset <= UInt64(count) }?.endSeq ?? 1
      #expect(seen.count == max(0, Int(whole) - 11), "seed \(log.seed) at \(count)")
    }
    #expect(exact(seen) == exact(Array(log.events[10...])))
  }

  @Test func aLogThatTakesTheNameIsFollowedFromItsBeginning() throws {
    let disk = SimulatedDisk()
    var options = LogOptions(blockEvents: 7)
    options.replacesExisting = true
    var follower = LogFollower(path: path, in: disk)
    var seen: [Event] = []
    for count in [50, 90, 20] {
      seen = []
      let writer = try LogWriter(creating: path, in: disk, options: options)
      for seq in 1...count { try writer.append(known.event(UInt64(seq))) }
      try writer.close()
      var steps = 0
      while seen.count < count, steps < 10 {
        _ = try drain(&follower, &seen)
        steps += 1
      }
      #expect(seen == (1...count).map { known.event(UInt64($0)) })
    }
    // Another file under the same name.
    try disk.rename(path, to: "/logs/old.evlog")
    _ = try drain(&follower, &seen)
    seen = []
    let writer = try LogWriter(creating: path, in: disk, options: options)
    for seq in 1...30 { try writer.append(known.event(UInt64(seq))) }
    try writer.close()
    for _ in 0..<3 { _ = try drain(&follower, &seen) }
    #expect(seen == (1...30).map { known.event(UInt64($0)) })
  }

  @Test func aTornEndThatIsCutOffAndAppendedToIsFollowed() throws {
    let log = try SmallLog(events: 40, blockEvents: 8)
    let disk = SimulatedDisk()
    disk.put(Array(log.bytes[..<Int(log.blocks[4].offset + 30)]), at: path)
    var follower = LogFollower(path: path, in: disk)
    var seen: [Event] = []
    _ = try drain(&follower, &seen)
    #expect(seen.count == 24)
    // Its events fit no state, which does not matter here.
    _ = try LogRecovery.recover(path, checksContents: false, in: disk)
    _ = try drain(&follower, &seen)
    let writer = try LogWriter(appendingTo: path, in: disk, options: LogOptions(blockEvents: 2))
    for _ in 0..<6 { try writer.append(.mark(label: "more"), time: 0) }
    try writer.close()
    _ = try drain(&follower, &seen)
    #expect(seen.map(\.seq) == Array(1...30))
  }
}
