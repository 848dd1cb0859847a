import EventLog

/// A log to go through as often as need be. In memory are the blocks that were read last, and no more.
final class LogSource {
  let reader: LogReader
  /// What could not be read so far.
  let damage: LogDamage
  /// The state and the projections before the first event, where that is not the first of the session.
  let base: StateFold?
  /// The blocks with events, in order.
  let blocks: [BlockInfo]
  /// Where the blocks of events are that were read, for itself or a part of it.
  private var readOffsets: Set<UInt64> = []
  /// How many these are.
  var blocksRead: Int { readOffsets.count }
  /// Blocks that were read last, the latest at the end.
  private var recent: [(index: Int, events: [Event])] = []
  private static let recentEventsMax = 1 << 17
  /// What this is a part of; it knows the events before the first.
  private let whole: LogSource?
  /// How many transactions are open before each block, where no index tells.
  lazy var depths = countDepths()

  var path: String { reader.path }
  var header: LogHeader { reader.header }
  var isClean: Bool { damage.text == nil }
  /// How many events there are.
  var eventCount: Int { Int(clamping: blocks.reduce(0) { $0 + UInt64($1.eventCount) }) }
  /// The seq of the first event.
  var firstSeq: UInt64 { whole == nil ? reader.firstSeq : blocks.first?.firstSeq ?? reader.nextSeq }
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
      guard error.code == .io, !Platform.isFolder(path) else { throw error }
      throw ToolError(error.description + Suggestion.text(for: path, among: Platform.neighbours(of: path)))
    }
    blocks = reader.blocks.filter { $0.eventCount > 0 }
    base = reader.firstSeq > 1 ? try reader.fold(at: reader.firstSeq - 1) : nil
    damage = LogDamage(reader)
    whole = nil
  }

  /// A part of a log, as if it began and ended there; events before it can be asked for all the same.
  ///
  /// - Parameters:
  ///   - base: The state and the projections before its first event; nil for whoever needs neither.
  init(_ range: Range<Int>, of whole: LogSource, base: StateFold?) {
    self.whole = whole
    self.base = base
    reader = whole.reader
    damage = whole.damage
    blocks = Array(whole.blocks[range])
    if firstSeq > whole.firstSeq { damage.isOfPart = true }
  }

  /// The event with this number. Cost: logarithmic in the blocks where it was read lately, else one block.
  func event(_ seq: UInt64) -> Event? {
    guard seq >= firstSeq else { return whole?.event(seq) }
    let index = index(of: seq)
    guard let events = events(inBlock: index), let first = events.first, seq >= first.seq else {
      return nil
    }
    let position = Int(clamping: seq - first.seq)
    return events.indices.contains(position) ? events[position] : nil
  }

  /// The last event at or before a time, as blocks begin; nil when that is before the first.
  func lastEvent(upTo time: UInt64) -> Event? {
    guard let index = blocks.lastIndex(where: { $0.baseTime <= time }) else { return nil }
    return events(inBlock: index)?.last { $0.time <= time }
  }

  /// The rows of a block; nil behind the last, and where it cannot be read, which `damage` then tells. The opener is
  /// made where there is none.
  func rows(ofBlock index: Int, _ opener: inout BlockOpener?) -> BlockRows? {
    guard blocks.indices.contains(index) else { return nil }
    noteRead(blocks[index])
    do {
      let ready = try opener ?? BlockOpener(reader)
      opener = ready
      return try ready.rows(of: blocks[index])
    } catch {
      damage.note(error, from: blocks[index].firstSeq)
      return nil
    }
  }

  /// Notes that the rows of a block cannot be read from an event on.
  func note(_ fault: DecodeFault, inBlock index: Int, at seq: UInt64) {
    damage.note(reader.damage(fault, in: blocks[index].offset), from: seq)
  }

  private func noteRead(_ block: BlockInfo) {
    readOffsets.insert(block.offset)
    whole?.noteRead(block)
  }

  /// The events of a block; nil behind the last, and where it cannot be read, which `damage` then tells.
  private func events(inBlock index: Int) -> [Event]? {
    guard blocks.indices.contains(index) else { return nil }
    if let known = recent.lastIndex(where: { $0.index == index }) { return recent[known].events }
    noteRead(blocks[index])
    do {
      let events = try reader.events(in: blocks[index])
      recent.append((index, events))
      while recent.count > 2, recent.reduce(0, { $0 + $1.events.count }) > Self.recentEventsMax {
        recent.removeFirst()
      }
      return events
    } catch {
      damage.note(error, from: blocks[index].firstSeq)
      return nil
    }
  }

  /// What the events are, in numbers, as far as they can be read.
  func count() -> LogTotals {
    var counter = LogCounter()
    do { try reader.read(blocks) { try counter.add(&$1) } } catch { damage.note(error) }
    return counter.totals
  }

  /// The events of a block, none where it cannot be read.
  func events(ofBlock index: Int) -> [Event] { events(inBlock: index) ?? [] }

  /// The block that holds a seq, or the first behind it.
  func index(of seq: UInt64) -> Int {
    var (low, high) = (0, blocks.count)
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle].endSeq <= seq { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
