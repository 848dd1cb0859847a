import EventLog

extension Recording {
  /// One event of a recording, and which projections it woke.
  public struct Step: Hashable, Sendable {
    /// The event.
    public var event: Event
    /// The projections that were out of date from this event on, in the order in which they were created. For a
    /// transaction they are those of its end.
    public var invalidated: [String]
  }

  /// Gives every step from an event on, the first by default. What came before counts all the same.
  ///
  /// Errors of `body` end the pass. Throws ``LogError`` where the log is damaged, and ``StateError`` where an event does
  /// not fit those before it. Memory: a block and the recorded state. Cost: some microseconds an event.
  public func forEachStep(from seq: UInt64 = 1, _ body: (Step) throws -> Void) throws {
    var steps = try Steps(of: reader, from: seq)
    while let step = try steps.step() { try body(step) }
    if case .damaged(let error, _) = steps.reader.tail { throw error }
  }
}

extension Recording: Sequence {
  /// Gives the steps in order, up to the first that cannot be read: ``forEachStep(from:_:)`` tells why there is one.
  public func makeIterator() -> AnyIterator<Step> {
    guard var steps = try? Steps(of: reader, from: 1) else { return AnyIterator { nil } }
    return AnyIterator { try? steps.step() }
  }
}

/// The events of a log from one on, with the core that decides what they wake.
private struct Steps {
  private(set) var reader: LogReader
  private var blocks: ArraySlice<BlockInfo>
  private var events: ArraySlice<Event> = []
  /// The first event that was not loaded yet.
  private var next: UInt64
  private var timeline: Timeline

  init(of reader: LogReader, from seq: UInt64) throws {
    self.reader = reader
    let first = Swift.max(seq, reader.firstSeq, 1)
    var start = first
    var fold = start > 1 ? try reader.fold(at: start - 1) : StateFold()
    // What a transaction wakes is known at its end, from all of it.
    while fold.openTransactions > 0, start > reader.firstSeq {
      start = reader.block(containing: start - 1)?.firstSeq ?? reader.firstSeq
      fold = start > 1 ? try reader.fold(at: start - 1) : StateFold()
    }
    timeline = Timeline(resuming: fold)
    next = start
    blocks = reader.blocks.drop { $0.endSeq <= start }
    while start < first, try step() != nil { start += 1 }
  }

  /// Loads the next events, without the index of the log where that proves wrong.
  private mutating func load() throws(LogError) {
    do throws(LogError) {
      while events.isEmpty, let block = blocks.first {
        events = try reader.events(in: block).drop { $0.seq < next }
        next = block.endSeq
        blocks.removeFirst()
      }
      if events.isEmpty { try reader.checkEnd() }
    } catch {
      guard error.code == .wrongIndex, let scanned = try reader.withoutWrongIndex() else { throw error }
      reader = scanned
      blocks = scanned.blocks.drop { $0.endSeq <= next }
      try load()
    }
  }

  mutating func step() throws -> Recording.Step? {
    if events.isEmpty { try load() }
    guard let event = events.popFirst() else { return nil }
    return Recording.Step(event: event, invalidated: try timeline.apply(event).map(\.projection))
  }
}
