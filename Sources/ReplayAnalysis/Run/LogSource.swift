import Algorithms
import EventLog

/// A log to go through as often as need be. In memory are the blocks that were read last, and no more.
package final class LogSource {
  package private(set) var reader: LogReader
  /// What could not be read so far.
  package let damage: LogDamage
  /// The state and the projections before the first event, where that is not the first of the session.
  let base: StateFold?
  /// The blocks with events, in order.
  package private(set) var blocks: [BlockInfo]
  /// The events of a part, to know its blocks again.
  private let seqs: Range<UInt64>
  /// Where the blocks of events are that were read, for itself or a part of it.
  private var readOffsets: Set<UInt64> = []
  /// How many these are.
  package var blocksRead: Int { readOffsets.count }
  /// Blocks that were read last, the latest at the end.
  private var recent: [(offset: UInt64, events: [Event])] = []
  private static let recentEventsMax = 1 << 17
  /// The state before an event that was named last.
  private var lastFold: StateFold?
  /// What the last part began with: others that begin there are often asked for next.
  var lastBase: StateFold?
  /// What this is a part of; it knows the events before the first.
  private let whole: LogSource?
  /// How many transactions are open before each block, where no index tells.
  var depths: [Int] {
    if let knownDepths { return knownDepths }
    let depths = countDepths()
    knownDepths = depths
    return depths
  }
  private var knownDepths: [Int]?
  /// Whether anybody waits for what is found in it, which a run over it asks now and then: where nobody does, it ends with
  /// `CancellationError`. A part asks as the whole did when it was made.
  package var isWanted: @Sendable () -> Bool = { true }

  package var path: String { reader.path }
  package var header: LogHeader { reader.header }
  var isClean: Bool { damage.text == nil }
  /// How many events there are.
  package var eventCount: Int { Int(clamping: blocks.reduce(0) { $0 + UInt64($1.eventCount) }) }
  /// The seq of the first event.
  package var firstSeq: UInt64 { whole == nil ? reader.firstSeq : seqs.lowerBound }
  /// The seq of the last event; that before the first where there is none.
  package var lastSeq: UInt64 { blocks.last.map { $0.endSeq - 1 } ?? firstSeq - 1 }

  /// Opens a log.
  ///
  /// - Parameters:
  ///   - isScanned: Whether each block is looked at, and no index believed.
  ///   - needsState: Whether a log that begins in the middle of a session without the state there is refused.
  ///   - fileSystem: Where its files are.
  /// - Throws: When there is no such file, when it is no log, or has no state and needs one.
  package init(
    path: String, isScanned: Bool = false, needsState: Bool = true,
    in fileSystem: any LogFileSystem = SystemFileSystem()
  ) throws(LogError) {
    reader = try LogReader(path: path, scanned: isScanned, in: fileSystem)
    blocks = reader.blocks.filter { $0.eventCount > 0 }
    do throws(LogError) {
      base = reader.firstSeq > 1 ? try reader.fold(at: reader.firstSeq - 1) : nil
    } catch {
      guard error.code == .missingState, !needsState else { throw error }
      base = nil
    }
    damage = LogDamage(reader)
    seqs = reader.firstSeq..<reader.nextSeq
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
    isWanted = whole.isWanted
    blocks = Array(whole.blocks[range])
    let first = blocks.first?.firstSeq ?? reader.nextSeq
    seqs = first..<(blocks.last?.endSeq ?? first)
    if firstSeq > whole.firstSeq { damage.isOfPart = true }
  }

  /// Whether the state before the first event is not in the log.
  package var hasLostState: Bool { whole?.hasLostState ?? (reader.firstSeq > 1 && base == nil) }

  /// The event with this number. Cost: logarithmic in the blocks where it was read lately, else one block.
  package func event(_ seq: UInt64) -> Event? {
    guard seq >= firstSeq else { return whole?.event(seq) }
    guard let events = loadEvents(from: seq), let first = events.first, seq >= first.seq else { return nil }
    let position = Int(clamping: seq - first.seq)
    return events.indices.contains(position) ? events[position] : nil
  }

  /// The same, in which what is read has the names for people that it has before the event, where the log has the numbers
  /// of objects.
  ///
  /// Cost: besides, for such an event, a checkpoint and what follows it; where this was asked of one shortly before it,
  /// what lies between.
  package func namedEvent(_ seq: UInt64) -> Event? {
    guard var event = event(seq) else { return nil }
    if case .reads(let name, let reads) = event.body, reads.namesObjects, foldState(before: seq) {
      event.body = .reads(projection: name, reads.mapPaths { lastFold?.currentName(of: $0) ?? $0 })
    }
    return event
  }

  /// Makes ``lastFold`` that before an event; false where there is none.
  private func foldState(before seq: UInt64) -> Bool {
    let next = (lastFold?.seq ?? 0) + 1
    if next <= seq, let block = block(from: next), block.firstSeq == self.block(from: seq)?.firstSeq,
      next >= block.firstSeq
    {
      for event in events(from: next) where event.seq >= next && event.seq < seq { lastFold?.apply(event) }
    }
    if lastFold?.seq != seq - 1 { lastFold = try? reader.fold(at: seq - 1) }
    return lastFold.map { $0.failure == nil } ?? false
  }

  /// The last event at or before a time, as blocks begin; nil when that is before the first.
  func lastEvent(upTo time: UInt64) -> Event? {
    retried {
      guard let block = blocks.last(where: { $0.baseTime <= time }) else { return nil }
      return loadEvents(from: block.firstSeq)?.last { $0.time <= time }
    }
  }

  /// The block of an event, or the first behind it, and its rows; nil behind the last, and where it cannot be read, which
  /// `damage` then tells. The opener is made where there is none.
  func rows(from seq: UInt64, _ opener: inout BlockOpener?) -> (block: BlockInfo, rows: BlockRows)? {
    while true {
      let block = block(from: seq)
      if let block { noteRead(block) }
      do throws(LogError) {
        let ready = if let opener { opener } else { try BlockOpener(reader) }
        opener = ready
        if let block { return (block, try ready.rows(of: block)) }
        if seqs.upperBound >= reader.nextSeq { try reader.checkEnd() }
        return nil
      } catch {
        opener = nil
        if error.code == .wrongIndex, leaveIndex() { continue }
        damage.note(error, from: block?.firstSeq)
        return nil
      }
    }
  }

  /// Notes that the rows of a block cannot be read from an event on.
  func note(_ fault: DecodeFault, in block: BlockInfo, at seq: UInt64) {
    damage.note(reader.damage(fault, in: block.offset), from: seq)
  }

  private func noteRead(_ block: BlockInfo) {
    readOffsets.insert(block.offset)
    whole?.noteRead(block)
  }

  /// The events of the block that holds a seq, or of the first behind it; nil behind the last, and where it cannot be
  /// read, which `damage` then tells.
  private func loadEvents(from seq: UInt64) -> [Event]? {
    while let block = block(from: seq) {
      if let known = recent.last(where: { $0.offset == block.offset }) { return known.events }
      noteRead(block)
      do {
        let events = try reader.events(in: block)
        recent.append((block.offset, events))
        while recent.count > 2, recent.reduce(0, { $0 + $1.events.count }) > Self.recentEventsMax {
          recent.removeFirst()
        }
        return events
      } catch {
        if error.code == .wrongIndex, leaveIndex() { continue }
        damage.note(error, from: block.firstSeq)
        return nil
      }
    }
    return nil
  }

  /// What the events are, in numbers, as far as they can be read.
  func count() -> LogTotals {
    var counter = LogCounter()
    do {
      try reader.read(blocks) { try counter.add(&$1) }
    } catch {
      if let error = error as? LogError, error.code == .wrongIndex, leaveIndex() { return count() }
      damage.note(error)
    }
    return counter.totals
  }

  /// The events of the block that holds a seq, or of the first behind it; none where it cannot be read.
  func events(from seq: UInt64) -> [Event] { loadEvents(from: seq) ?? [] }

  /// The block that holds a seq, or the first behind it.
  func block(from seq: UInt64) -> BlockInfo? {
    let index = index(of: seq)
    return index < blocks.count ? blocks[index] : nil
  }

  /// The index of the block that holds a seq, or of the first after it. It holds until a block is read: that may show
  /// that the index of the log is wrong.
  func index(of seq: UInt64) -> Int { blocks.partitioningIndex { $0.endSeq > seq } }

  // MARK: A log that grows

  /// Takes in the blocks that were written since; true where there are some. What could not be read ends the log.
  ///
  /// A run over the log that was at its end then goes on. Cost: linear in what is new.
  package func refresh() throws(LogError) -> Bool {
    guard damage.unreadSeq == nil else { return false }
    let new = try reader.refresh()
    damage.look(at: reader)
    if new.isEmpty { return false }
    blocks += new.lazy.filter { $0.eventCount > 0 }
    knownDepths = nil
    return true
  }

  // MARK: Without the index

  /// What a body finds in the log, which it does again if meanwhile the index that led it proved wrong.
  func retried<T>(_ body: () throws -> T) rethrows -> T {
    let use = reader.indexUse
    let found = try body()
    return reader.indexUse == use ? found : try body()
  }

  /// Goes without the index if that proved wrong; else false. Cost: that of a scan, for the first time.
  private func leaveIndex() -> Bool {
    if let whole {
      guard whole.leaveIndex() || whole.reader.indexUse != reader.indexUse else { return false }
      reader = whole.reader
      blocks = whole.blocks.filter { $0.endSeq > seqs.lowerBound && $0.firstSeq < seqs.upperBound }
    } else {
      guard let scanned = try? reader.withoutWrongIndex() else { return false }
      reader = scanned
      blocks = scanned.blocks.filter { $0.eventCount > 0 }
      damage.look(at: scanned)
    }
    knownDepths = nil
    recent = []
    (lastFold, lastBase) = (nil, nil)
    return true
  }
}

extension Reads {
  /// Whether it calls something that is bound by the number of an object.
  fileprivate var namesObjects: Bool {
    isChange && allPaths.contains { if case .object = $0.root { true } else { false } }
  }
}
