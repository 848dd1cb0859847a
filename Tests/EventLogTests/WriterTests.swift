import Foundation
import Synchronization
import Testing

@testable import EventLog

@Suite struct WriterTests {
  private let path = Path(root: .named("store"), components: [.property("count")])

  @Test func twoThreadsGetOneOrderWithoutAHole() async throws {
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "threads", options: LogOptions(blockEvents: 64))
    let path = path
    try await withThrowingTaskGroup(of: [UInt64].self) { group in
      for thread in 0..<2 {
        group.addTask {
          try (0..<1000).map {
            try writer.append(.set(path, .int(Int64($0 * 2 + thread)), sameValue: false), time: 0)
          }
        }
      }
      for try await seqs in group { #expect(seqs == seqs.sorted()) }
    }
    try writer.close()
    let events = try LogReader(file: file, path: "threads").allEvents()
    #expect(events.map(\.seq) == Array(1...2000))
    for thread in 0..<2 {
      let values = events.compactMap { event -> Int64? in
        if case .set(_, .int(let value), _) = event.body, value % 2 == thread { value } else { nil }
      }
      #expect(values == (0..<1000).map { Int64($0 * 2 + thread) })
    }
  }

  @Test func internedEventsGiveTheSameLogAsWholeEvents() throws {
    let (fast, general) = (MemoryFile(), MemoryFile())
    let options = LogOptions(blockEvents: 16)
    let a = try LogWriter(file: fast, path: "fast", options: options)
    let b = try LogWriter(file: general, path: "general", options: options)
    let rows = Path(root: .named("store"), components: [.property("rows")])
    let paths = (0..<20).map { rows.appending(.index($0)) }
    let origin = Origin(thread: "main", stack: "app+1f")

    var row = LogWriter.LoggedName("Row#1")
    let staged = try a.logged(rows)
    let mark = try a.define(origin, renewing: nil)
    try a.append(.projection(name: "Row#1", parent: "List", tracking: .object), time: 1)
    try a.append(.reads(projection: "Row#1", .paths(paths)), time: 2)
    for index in paths.indices {
      let path = try #require(try a.logged([.index(index)], under: staged))
      #expect(try a.logged(paths[index]) == path)
      try a.lock.withLock {
        _ = try a.setUnderLock(
          path, .double(Double(index)), sameValue: index % 2 == 0, time: 3, cause: 1)
      }
    }
    try a.lock.withLock {
      try a.appendInvalidate(&row, causes: [3, 4], time: 6, cause: 4)
      try a.appendInvalidate(&row, by: 5, time: 6)
      try a.appendEvaluate(&row, duration: 77, changed: nil, inputChanged: true, time: 7, cause: 4)
      try a.appendDispose(&row, time: 8)
    }
    try a.append(.mark(label: "done"), time: 9, cause: nil, site: "Chat.swift:42", from: mark)
    try a.close()

    try b.append(.projection(name: "Row#1", parent: "List", tracking: .object), time: 1)
    try b.append(.reads(projection: "Row#1", .paths(paths)), time: 2)
    for (index, path) in paths.enumerated() {
      try b.append(.set(path, .double(Double(index)), sameValue: index % 2 == 0), time: 3, cause: 1)
    }
    try b.append(.invalidate(projection: "Row#1", causes: [3, 4]), time: 6, cause: 4)
    try b.append(.invalidate(projection: "Row#1", causes: [5]), time: 6, cause: 5)
    try b.append(
      .evaluate(projection: "Row#1", duration: 77, changed: nil, inputChanged: true), time: 7, cause: 4)
    try b.append(.dispose(projection: "Row#1"), time: 8)
    try b.append(.mark(label: "done"), time: 9, site: "Chat.swift:42", origin: origin)
    try b.close()
    let events = try LogReader(file: fast, path: "fast").allEvents()
    #expect(events.count == 27)
    #expect(try LogReader(file: general, path: "general").allEvents() == events)
  }

  @Test func setsAtInternedPathsGiveTheSameLogAsWholeEvents() throws {
    let (fast, general) = (MemoryFile(), MemoryFile())
    let a = try LogWriter(file: fast, path: "fast")
    let b = try LogWriter(file: general, path: "general")
    let count = try a.intern(path)
    #expect(try a.intern(path) == count)
    #expect(try a.set(count, 5, time: 1) == 1)
    #expect(try a.set(count, .int(.min), sameValue: true, time: 2, cause: 1) == 2)
    #expect(try a.set(count, .string("five"), time: 3) == 3)
    #expect(throws: LogError.self) { try a.set(b.intern(path), 6, time: 4) }
    try a.close()
    try b.append(.set(path, 5, sameValue: false), time: 1)
    try b.append(.set(path, .int(.min), sameValue: true), time: 2, cause: 1)
    try b.append(.set(path, .string("five"), sameValue: false), time: 3)
    try b.close()
    let events = try LogReader(file: fast, path: "fast").allEvents()
    #expect(events.count == 3)
    #expect(try LogReader(file: general, path: "general").allEvents() == events)
  }

  /// A row that is written at once must not be the first or the last of a block, because these need more
  /// work.
  @Test(arguments: [1, 2, 3, 4, 7, 1_000], [1, 300, 1_000, 1 << 20])
  func internedSetsFillTheBlocksThatWholeEventsFill(blockEvents: Int, blockBytes: Int) throws {
    var options = LogOptions(blockEvents: blockEvents)
    options.blockBytes = blockBytes
    options.checkpoints = false
    options.flushInterval = .seconds(3_600)
    let (fast, general) = (MemoryFile(), MemoryFile())
    let a = try LogWriter(file: fast, path: "fast", options: options)
    let b = try LogWriter(file: general, path: "general", options: options)
    let interned = try a.intern(path)
    for number in 0..<200 as Range<Int64> {
      let value = number % 3 == 0 ? Value.string(String(repeating: "x", count: 100)) : .int(number)
      let seq = try a.set(interned, value, time: UInt64(number) * 1_000)
      #expect(try b.append(.set(path, value, sameValue: false), time: UInt64(number) * 1_000) == seq)
    }
    try a.close()
    try b.close()
    let blocks = try [fast, general].map { try LogReader(file: $0, path: "log").blocks.map(\.eventCount) }
    #expect(blocks[0] == blocks[1] && blocks[0].max() ?? 0 <= blockEvents)
    #expect(
      try LogReader(file: fast, path: "fast").allEvents()
        == LogReader(file: general, path: "general").allEvents())
  }

  @Test func invalidEventsAreRefusedAndLeaveNoTrace() throws {
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "refused", options: LogOptions(blockEvents: 16))
    func code(_ body: () throws(LogError) -> Void) -> LogError.Code? {
      do throws(LogError) {
        try body()
        return nil
      } catch { return error.code }
    }
    let deep = Path(root: .named("a"), components: Array(repeating: .property("next"), count: 65))
    let long = String(repeating: "x", count: 70_000)
    #expect(
      code { () throws(LogError) in try writer.append(Event(seq: 2, time: 0, body: .end)) } == .invalidEvent)
    #expect(code { () throws(LogError) in try writer.append(.end, time: 0, cause: 1) } == .invalidEvent)
    #expect(
      code { () throws(LogError) in try writer.append(.invalidate(projection: "P", causes: [1]), time: 0) }
        == .invalidEvent)
    #expect(
      code { () throws(LogError) in try writer.append(.set(deep, 1, sameValue: false), time: 0) } == .tooLarge
    )
    #expect(code { () throws(LogError) in try writer.append(.mark(label: long), time: 0) } == .tooLarge)
    #expect(
      code { () throws(LogError) in
        try writer.append(.splice(path, offset: -1, delete: 0, insert: "", sameValue: false), time: 0)
      } == .invalidEvent)
    for step in [PathComponent.index(-1), .id(["a"]), .id(.map([:]))] {
      let path = path.appending(step)
      let refused = code { () throws(LogError) in try writer.append(.remove(path, sameValue: false), time: 0)
      }
      #expect(refused == .invalidEvent, "\(step)")
    }
    #expect(writer.seq(.queued) == 0)
    try writer.append(.set(path, 1, sameValue: false), time: 5)
    try writer.close()
    #expect(code { () throws(LogError) in try writer.append(.end, time: 0) } == .closed)
    try writer.close()
    let events = try LogReader(file: file, path: "refused").allEvents()
    #expect(events == [Event(seq: 1, time: 5, body: .set(path, 1, sameValue: false))])
  }

  @Test func aValueOverALimitIsRecordedAsOpaque() throws {
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "large")
    let large = Value.string(String(repeating: "x", count: 16 << 20))
    let many = Value.array(Array(repeating: .null, count: 1 << 20))
    var justDeepEnough = Value.int(1)
    for _ in 0..<63 { justDeepEnough = .array([justDeepEnough]) }
    for value in [large, many, justDeepEnough, many] {
      try writer.append(.set(path, value, sameValue: false), time: 0)
    }
    try writer.close()
    let values = try LogReader(file: file, path: "large").allEvents().map(\.body).map { body -> Value in
      if case .set(_, let value, _) = body { value } else { .null }
    }
    for index in 0..<2 {
      guard case .opaque(let type, _) = values[index] else {
        Issue.record("\(index)")
        continue
      }
      #expect(type.hasPrefix("too large"))
    }
    #expect(values[2] == justDeepEnough)
    #expect(values[3] == values[1])
    #expect(values[3] != values[0])
  }

  @Test func flushReturnsWhenAReaderSeesTheEvents() throws {
    let file = try TemporaryFile()
    let writer = try LogWriter(creating: file.path, options: LogOptions(blockEvents: 4096))
    for round in 1...3 {
      try writer.append(.mark(label: "\(round)"), time: 0)
      try writer.ensure(.written)
      let log = try LogReader(path: file.path)
      #expect(log.eventCount == UInt64(round))
      #expect(log.tornAt == nil)
      #expect(!log.isClean)
    }
    #expect(writer.seq(.written) == 3)
    #expect(writer.seq(.synced) == 0)
    try writer.ensure(.synced)
    #expect(writer.seq(.synced) == 3)
    try writer.close()
    #expect(try LogReader(path: file.path).isClean)
  }

  @Test func blocksSayWhatWasSyncedBeforeThem() throws {
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "durable", options: LogOptions(blockEvents: 4096))
    try writer.append(.end, time: 0)
    try writer.ensure(.written)
    try writer.append(.end, time: 0)
    try writer.ensure(.synced)
    try writer.append(.end, time: 0)
    try writer.close()
    #expect(try LogReader(file: file, path: "durable").blocks.map(\.durableSeq) == [0, 0, 0, 2, 2])
  }

  @Test func filesAreReleasedWithTheirReadersAndWriters() throws {
    let file = try TemporaryFile()
    try LogWriter(creating: file.path).close()
    // More files than a process may usually have open at once.
    for _ in 0..<1100 { _ = try LogReader(path: file.path).byteCount }
  }

  @Test func anIdleWriterWritesByItself() async throws {
    let file = MemoryFile()
    var options = LogOptions()
    options.flushInterval = .milliseconds(1)
    let writer = try LogWriter(file: file, path: "idle", options: options)
    for seq in 1...3 {
      try writer.append(.end, time: 0)
      while writer.seq(.written) < UInt64(seq) { try await Task.sleep(for: .milliseconds(1)) }
    }
    try writer.close()
  }

  @Test(.timeLimit(.minutes(2))) func aFullQueueAndAnImpatientWriterDoNotWaitForEachOther() throws {
    var options = LogOptions()
    options.blockEvents = 1
    options.flushInterval = .zero
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "impatient.evlog", options: options)
    for seq in 1...20_000 as ClosedRange<UInt64> {
      try writer.append(Event(seq: seq, time: seq, body: .mark(label: "m")))
    }
    try writer.close()
    #expect(try LogReader(file: file, path: "impatient.evlog").eventCount == 20_000)
  }

  @Test func aFileThatExistsIsNotReplacedUnlessAsked() throws {
    let file = try TemporaryFile()
    try LogWriter(creating: file.path).close()
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let error = #expect(throws: LogError.self) { try LogWriter(creating: file.path) }
    #expect(error?.code == .exists)
    var options = LogOptions()
    options.replacesExisting = true
    try LogWriter(creating: file.path, options: options).close()
  }

  @Test func aSecondWriterIsRefusedUntilTheFirstIsDone() throws {
    let file = try TemporaryFile()
    let writer = try LogWriter(creating: file.path)
    try writer.append(.mark(label: "mine"), time: 0)
    try writer.ensure(.written)
    let bytes = try file.bytes
    let error = #expect(throws: LogError.self) {
      try LogWriter(creating: file.path, options: .replacingExisting)
    }
    #expect(error?.code == .locked)
    #expect(error?.message.contains("another writer has this log open") == true)
    #expect(try file.bytes == bytes)
    try writer.close()
    try LogWriter(creating: file.path, options: .replacingExisting).close()
    #expect(try LogReader(path: file.path).eventCount == 0)
  }

  @Test func aReleasedWriterClosesItsLog() async throws {
    let file = MemoryFile()
    do {
      let writer = try LogWriter(file: file, path: "released")
      try writer.append(.mark(label: "last words"), time: 0)
    }
    while !file.isClosed { try await Task.sleep(for: .milliseconds(1)) }
    let log = try LogReader(file: file, path: "released")
    #expect(log.isClean)
    #expect(log.eventCount == 1)
  }
}
