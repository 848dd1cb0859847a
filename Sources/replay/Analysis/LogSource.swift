import EventLog

/// A log to go through as often as need be. In memory are the blocks that were read last, and no more.
final class LogSource {
  let reader: LogReader
  /// What is missing, for people; nil as long as the log was closed and what was read of it is whole.
  private(set) var damage: String?

  /// The blocks with events, in order.
  private let blocks: [BlockInfo]
  /// Blocks that were read last, the latest at the end.
  private var recent: [(index: Int, events: [Event])] = []
  private static let recentEventsMax = 1 << 17

  var path: String { reader.path }
  var header: LogHeader { reader.header }
  var isClean: Bool { damage == nil }
  /// How many events there are.
  var eventCount: Int { Int(clamping: blocks.reduce(0) { $0 + UInt64($1.eventCount) }) }
  /// The seq of the last event; 0 where there is none.
  var lastSeq: UInt64 { blocks.last.map { $0.endSeq - 1 } ?? 0 }

  /// Opens a log.
  ///
  /// - Throws: `ToolError` when there is no such file, `LogError` when it is no log.
  init(path: String) throws {
    do {
      reader = try LogReader(path: path)
    } catch {
      guard error.code == .io else { throw error }
      throw ToolError(error.description + Suggestion.text(for: path, among: Platform.neighbours(of: path)))
    }
    blocks = reader.blocks.filter { $0.eventCount > 0 }
    damage = reader.damage
  }

  /// The events from a seq on, in order.
  func cursor(from seq: UInt64 = 1) -> EventCursor { EventCursor(self, block: index(of: seq), from: seq) }

  /// The event with this number. Cost: logarithmic in the blocks where it was read lately, else one block.
  func event(_ seq: UInt64) -> Event? {
    let index = index(of: seq)
    guard let events = events(inBlock: index), let first = events.first, seq >= first.seq else { return nil }
    let position = Int(clamping: seq - first.seq)
    return events.indices.contains(position) ? events[position] : nil
  }

  /// The last event at or before a time, as blocks begin; nil when that is before the first.
  func lastEvent(upTo time: UInt64) -> Event? {
    guard let index = blocks.lastIndex(where: { $0.baseTime <= time }) else { return nil }
    return events(inBlock: index)?.last { $0.time <= time }
  }

  /// The events of a block; nil behind the last, and where it cannot be read, which `damage` then tells.
  fileprivate func events(inBlock index: Int) -> [Event]? {
    guard blocks.indices.contains(index) else { return nil }
    if let known = recent.lastIndex(where: { $0.index == index }) { return recent[known].events }
    do {
      let events = try reader.events(in: blocks[index])
      recent.append((index, events))
      while recent.count > 2, recent.reduce(0, { $0 + $1.events.count }) > Self.recentEventsMax {
        recent.removeFirst()
      }
      return events
    } catch {
      damage = error.description
      return nil
    }
  }

  /// What the events are, in numbers, as far as they can be read.
  func count() -> LogTotals {
    var counter = LogCounter()
    do { try reader.read(blocks) { try counter.add(&$1) } } catch { damage = "\(error)" }
    return counter.totals
  }

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
    console.note("replay: \(damage); \(Units.count(eventCount, "event")) before it read")
    return .damaged
  }
}

/// The events of a log, one after the other, as far as they can be read.
struct EventCursor {
  private let log: LogSource
  private var block: Int
  private var events: [Event] = []
  private var position = 0
  private let firstSeq: UInt64

  fileprivate init(_ log: LogSource, block: Int, from seq: UInt64) {
    self.log = log
    self.block = block
    firstSeq = seq
  }

  mutating func next() -> Event? {
    while true {
      if position < events.count {
        defer { position += 1 }
        if events[position].seq >= firstSeq { return events[position] }
      } else {
        guard let more = log.events(inBlock: block) else { return nil }
        events = more
        position = 0
        block += 1
      }
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
