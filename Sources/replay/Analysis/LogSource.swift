import EventLog

/// A log to go through as often as need be. In memory are the blocks that were read last, and no more.
final class LogSource {
  let reader: LogReader
  /// What is missing, for people; nil as long as the log was closed and what was read of it is whole.
  private(set) var damage: String?

  /// The state and the projections before the first event, where that is not the first of the session.
  let base: StateFold?
  /// The first event of a block that could not be read.
  private var unreadSeq: UInt64?
  /// The blocks with events, in order.
  let blocks: [BlockInfo]
  /// How many blocks of events were read, one that was read again counted again.
  private(set) var blocksRead = 0
  /// Blocks that were read last, the latest at the end.
  private var recent: [(index: Int, events: BlockEvents)] = []
  private static let recentEventsMax = 1 << 17

  var path: String { reader.path }
  var header: LogHeader { reader.header }
  var isClean: Bool { damage == nil }
  /// How many events there are.
  var eventCount: Int { Int(clamping: blocks.reduce(0) { $0 + UInt64($1.eventCount) }) }
  /// The seq of the first event.
  var firstSeq: UInt64 { reader.firstSeq }
  /// The seq of the last event; that before the first where there is none.
  var lastSeq: UInt64 { blocks.last.map { $0.endSeq - 1 } ?? firstSeq - 1 }

  /// Opens a log.
  ///
  /// - Throws: `ToolError` when there is no such file, `LogError` when it is no log, or begins in the middle of a
  ///   session without the state there.
  init(path: String) throws {
    do {
      reader = try LogReader(path: path)
    } catch {
      guard error.code == .io else { throw error }
      throw ToolError(error.description + Suggestion.text(for: path, among: Platform.neighbours(of: path)))
    }
    blocks = reader.blocks.filter { $0.eventCount > 0 }
    base = reader.firstSeq > 1 ? try reader.fold(at: reader.firstSeq - 1) : nil
    damage = reader.damage
  }

  /// The events from a seq on, in order.
  func cursor(from seq: UInt64 = 1) -> EventCursor { EventCursor(self, block: index(of: seq), from: seq) }

  /// The event with this number. Cost: logarithmic in the blocks where it was read lately, else one block.
  func event(_ seq: UInt64) -> Event? {
    let index = index(of: seq)
    guard let events = events(inBlock: index)?.events, let first = events.first, seq >= first.seq else {
      return nil
    }
    let position = Int(clamping: seq - first.seq)
    return events.indices.contains(position) ? events[position] : nil
  }

  /// The last event at or before a time, as blocks begin; nil when that is before the first.
  func lastEvent(upTo time: UInt64) -> Event? {
    guard let index = blocks.lastIndex(where: { $0.baseTime <= time }) else { return nil }
    return events(inBlock: index)?.events.last { $0.time <= time }
  }

  /// The events of a block; nil behind the last, and where it cannot be read, which `damage` then tells.
  fileprivate func events(inBlock index: Int) -> BlockEvents? {
    guard blocks.indices.contains(index) else { return nil }
    if let known = recent.lastIndex(where: { $0.index == index }) { return recent[known].events }
    blocksRead += 1
    do {
      let events = try BlockEvents(reading: blocks[index], of: reader)
      recent.append((index, events))
      while recent.count > 2, recent.reduce(0, { $0 + $1.events.events.count }) > Self.recentEventsMax {
        recent.removeFirst()
      }
      return events
    } catch {
      damage = "\(error)"
      unreadSeq = min(unreadSeq ?? .max, blocks[index].firstSeq)
      return nil
    }
  }

  /// What the events are, in numbers, as far as they can be read.
  func count() -> LogTotals {
    var counter = LogCounter()
    do { try reader.read(blocks) { try counter.add(&$1) } } catch { damage = "\(error)" }
    return counter.totals
  }

  /// The events of a block, none where it cannot be read.
  func events(ofBlock index: Int) -> [Event] { events(inBlock: index)?.events ?? [] }

  /// The block that holds a seq, or the first behind it.
  private func index(of seq: UInt64) -> Int {
    var (low, high) = (0, blocks.count)
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle].endSeq <= seq { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Says on the errors what is missing, and returns the exit status that goes with it.
  func reportDamage(on console: Console) -> ToolStatus {
    guard let damage else { return .done }
    let read = unreadSeq.map { Int(clamping: $0 - firstSeq) } ?? eventCount
    console.note("replay: \(damage); \(Units.count(read, "event")) before it read")
    var isDamaged = unreadSeq != nil
    if case .damaged = reader.tail { isDamaged = true }
    if isDamaged, let lost = try? LogRecovery.lostRanges(of: path), !lost.isEmpty {
      let ranges = lost.map { range in
        range.last.map { "\(range.first) to \($0)" } ?? "\(range.first) and on"
      }
      console.note(
        "replay: lost: events \(ranges.joined(separator: ", ")); replay recover \(path) saves what can be read"
      )
    }
    return .damaged
  }
}

/// The events of one block, and by which of its paths each writes.
private struct BlockEvents {
  private(set) var events: [Event] = []
  /// The number of the path in the block's table; -1 where the event writes none.
  private(set) var subjects: [Int32] = []
  private(set) var pathCount = 0

  /// No events.
  init() {}

  init(reading block: BlockInfo, of reader: LogReader) throws {
    events.reserveCapacity(block.eventCount)
    subjects.reserveCapacity(block.eventCount)
    try reader.read([block]) { _, rows in
      pathCount = rows.tables.steps.count
      var cursor = BlockCursor(rows)
      while let event = try cursor.next() {
        events.append(event)
        subjects.append(Int32(cursor.subject ?? -1))
      }
    }
  }
}

/// The events of a log, one after the other, as far as they can be read.
struct EventCursor {
  /// The number of the path that the last event writes, in the table of its block; nil where it writes none.
  private(set) var subject: Int?
  /// How many paths that table has, when the last event was the first of its block that was read; else nil.
  private(set) var newPathCount: Int?

  private let log: LogSource
  private var block: Int
  private var events = BlockEvents()
  private var position = 0
  private let firstSeq: UInt64

  fileprivate init(_ log: LogSource, block: Int, from seq: UInt64) {
    self.log = log
    self.block = block
    firstSeq = seq
  }

  mutating func next() -> Event? {
    newPathCount = nil
    while true {
      if position < events.events.count {
        defer { position += 1 }
        if events.events[position].seq < firstSeq { continue }
        let path = events.subjects[position]
        subject = path < 0 ? nil : Int(path)
        return events.events[position]
      }
      guard let more = log.events(inBlock: block) else { return nil }
      events = more
      newPathCount = more.pathCount
      position = 0
      block += 1
    }
  }
}

extension LogReader {
  /// What is missing of a log, as far as that shows when it is opened.
  fileprivate var damage: String? {
    switch tail {
    case .clean: nil
    case .open: "\(path): the log was not closed; its last events may be missing"
    case .torn(let offset, let reason): "\(path): torn at byte \(offset) (\(reason)); what follows is lost"
    case .damaged(let error, _): "\(error)"
    }
  }
}
