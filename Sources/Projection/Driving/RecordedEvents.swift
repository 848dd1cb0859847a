import EventLog

/// The events of a log one after the other, without those that say what is read, with a look at those to come.
struct RecordedEvents {
  private var reader: LogReader
  private var blocks: ArraySlice<BlockInfo>
  private var opener: BlockOpener
  private var cursor: BlockCursor?
  private var block: BlockInfo?
  /// The first event that was not given.
  private(set) var nextSeq: UInt64
  /// Why no more can be read.
  private var failure: (any Error)?
  /// The next event, once it was looked at.
  private var following: Event?
  /// Events behind it that were looked at, and are still to be given.
  private var ahead: [Event] = []
  private var given = 0

  init(_ reader: LogReader) throws {
    self.reader = reader
    opener = try BlockOpener(reader)
    blocks = reader.blocks[...]
    nextSeq = reader.firstSeq
  }

  /// The next event; nil at the end.
  ///
  /// - Throws: `LogError` where the log is damaged.
  mutating func next() throws -> Event? {
    let event: Event?
    if let known = following.take() {
      event = known
      if given < ahead.count {
        following = ahead[given]
        given += 1
        if given == ahead.count { (ahead, given) = ([], 0) }
      }
    } else {
      event = try read()
    }
    if let event { nextSeq = event.seq + 1 }
    return event
  }

  /// The event that comes so many after the next; nil behind the end, or where the log cannot be read.
  mutating func peek(_ distance: Int) -> Event? {
    if following == nil { following = try? read() }
    guard distance > 0, following != nil else { return following }
    while ahead.count - given < distance {
      guard let event = try? read() else { return nil }
      ahead.append(event)
    }
    return ahead[given + distance - 1]
  }

  private mutating func read() throws -> Event? {
    if let failure { throw failure }
    do {
      while true {
        if let event = try nextOfBlock() { return event }
        cursor = nil
        guard try openNext() else { return nil }
      }
    } catch {
      failure = error
      throw error
    }
  }

  private func nextOfBlock() throws -> Event? {
    // What projections read is theirs to say, and takes long to spell out.
    do throws(DecodeFault) { return try cursor?.next(besides: .reads) } catch {
      guard let block else { return nil }
      throw reader.damage(error, in: block.offset)
    }
  }

  private mutating func openNext() throws -> Bool {
    do throws(LogError) {
      while let next = blocks.first {
        if next.eventCount > 0, next.endSeq > firstUnread {
          cursor = BlockCursor(try opener.rows(of: next))
          block = next
        }
        blocks.removeFirst()
        if cursor != nil { return true }
      }
      try reader.checkEnd()
    } catch {
      // If the log's index is wrong, the blocks are looked for without it.
      guard error.code == .wrongIndex, let scanned = try reader.withoutWrongIndex() else { throw error }
      let first = firstUnread
      reader = scanned
      opener = try BlockOpener(scanned)
      blocks = scanned.blocks.drop { $0.endSeq <= first }
      return try openNext()
    }
    if case .damaged(let error, _) = reader.tail { throw error }
    return false
  }

  private var firstUnread: UInt64 { block?.endSeq ?? nextSeq }
}

extension RecordedEvents {
  /// How many writes in a row may be the work of one observer, and how long may lie between them.
  private static let heldEventsMax = 256
  private static let heldGapMax: UInt64 = 1_000_000

  /// Whether an event, the last that was given, opens the transaction in which a session collects changes though a run made
  /// the first of them: nothing caused its end.
  mutating func isCollection(_ event: Event) -> Bool {
    guard case .begin(nil) = event.body, event.cause != nil, event.site == nil else { return false }
    var depth = 1
    for distance in 0..<Self.collectedEventsMax {
      guard let next = peek(distance) else { return false }
      if case .begin = next.body { depth += 1 }
      guard case .end = next.body else { continue }
      depth -= 1
      if depth == 0 { return next.cause == nil }
    }
    return false
  }

  /// How many events of such a transaction are looked at.
  private static let collectedEventsMax = 4_096

  /// The last of the writes that the recorded session made, after a given one, before it ran what that one had made out of
  /// date; nil if there is none.
  ///
  /// A session runs nothing between a set and the end of the class's `didSet`, whose own sets are in the log as any other.
  /// The log does not say where a `didSet` ends, but what had to wait ran right after it.
  mutating func lastHeldBack(by event: Event) -> UInt64? {
    var woken: Set<String> = []
    var last: (seq: UInt64, time: UInt64)?
    var depth = 0
    for distance in 0..<Self.heldEventsMax {
      guard let next = peek(distance) else { return nil }
      switch next.body {
      case .invalidate(let name, _):
        if next.cause == event.seq { woken.insert(name) }
      case .evaluate(let name, let duration, _, _):
        guard let last, woken.contains(name), depth == 0 else { return nil }
        let began = next.time - min(next.time, duration)
        return began <= last.time + Self.heldGapMax ? last.seq : nil
      case .mark: return nil
      case .set, .splice, .remove, .begin, .end:
        if next.cause != nil { continue }
        if woken.isEmpty || next.time > (last?.time ?? event.time) + Self.heldGapMax { return nil }
        if case .begin = next.body { depth += 1 }
        if case .end = next.body { depth -= 1 }
        last = (next.seq, next.time)
      default: continue
      }
    }
    return nil
  }
}
