import Algorithms
import EventLog

/// A log that can be read any number of times. Only the most recently read blocks are kept in memory.
package final class LogSource {
  package private(set) var reader: LogReader
  /// What could not be read so far.
  package let damage: LogDamage
  /// The state and the projections before the first event, if that is not the first of the session.
  let base: StateFold?
  /// The blocks with events, in order.
  package private(set) var blocks: [BlockInfo]
  /// The events of a part, to find its blocks in another index.
  private let seqs: Range<UInt64>
  /// The offsets of the event blocks that were read, for this log or a part of it.
  private var readOffsets: Set<UInt64> = []
  /// The number of blocks that were read.
  package var blocksRead: Int { readOffsets.count }
  /// The events of the most recently read blocks, the latest last.
  private var recent: [(offset: UInt64, size: Int, events: [Event])] = []
  private static let recentEventsMax = 1 << 17
  private static let recentBytesMax = 64 << 20
  /// The state before the last event that was named.
  private var lastFold: StateFold?
  private var keptFolds = KeptFolds()
  /// The roots of cause chains, and the numbers of steps to them, by the events that are known to belong to one.
  var roots: [UInt64: (seq: UInt64, depth: Int)] = [:]
  /// The log that this is a part of; it can look up earlier events.
  private let whole: LogSource?
  /// The number of transactions that are open before each block, for a log whose index does not tell.
  var depths: [Int] {
    if let knownDepths { return knownDepths }
    let depths = countDepths()
    knownDepths = depths
    return depths
  }
  private var knownDepths: [Int]?
  /// Whether the result of a run over this log is still wanted. A run checks this now and then, and otherwise
  /// throws `CancellationError`. A part inherits the check from the whole log when it is created.
  package var isWanted: @Sendable () -> Bool = Demand.isWanted

  package var path: String { reader.path }
  package var limits: ReadLimits? { reader.limits }
  package var header: LogHeader { reader.header }
  var isClean: Bool { damage.text == nil }
  /// The number of events.
  package var eventCount: Int { Int(blocks.reduce(0) { $0 + UInt64($1.eventCount) }) }
  package var firstSeq: UInt64 { whole == nil ? reader.firstSeq : seqs.lowerBound }
  /// The seq of the last event; if there is none, the seq before the first.
  package var lastSeq: UInt64 { blocks.last.map { $0.endSeq - 1 } ?? firstSeq - 1 }

  /// Opens a log.
  ///
  /// - Parameters:
  ///   - isScanned: Whether to read every block instead of trusting the index.
  ///   - needsState: Whether to refuse a log that begins in the middle of a session and lacks the state
  ///     there.
  ///   - limits: How much the log may make its readers hold; nil for any amount.
  ///   - fileSystem: The file system that the log is on.
  /// - Throws: `LogError` if the file does not exist, is not a log, or lacks a state that is needed.
  package convenience init(
    path: String, isScanned: Bool = false, needsState: Bool = true, limits: ReadLimits? = .standard,
    in fileSystem: any LogFileSystem = SystemFileSystem()
  ) throws(LogError) {
    let reader = try LogReader(path: path, scanned: isScanned, limits: limits, in: fileSystem)
    try self.init(reader, needsState: needsState)
  }

  /// Creates the source of a log that is open.
  package init(_ reader: LogReader, needsState: Bool = true) throws(LogError) {
    self.reader = reader
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

  /// Creates a part of a log that begins and ends with these blocks. Earlier events can still be looked up.
  ///
  /// - Parameters:
  ///   - base: The state and the projections before the first event; nil if neither is needed.
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

  /// The event with this seq. Cost: logarithmic in the blocks if it was read recently, else reading one
  /// block.
  package func event(_ seq: UInt64) -> Event? {
    guard seq >= firstSeq else { return whole?.event(seq) }
    guard let events = loadEvents(from: seq), let first = events.first, seq >= first.seq else { return nil }
    let position = Int(seq - first.seq)
    return events.indices.contains(position) ? events[position] : nil
  }

  /// Whether an event is one of the app's own: it has no cause, or an action. Cost: as for ``event(_:)``.
  func isOwn(_ event: Event) -> Bool { event.cause.map { self.event($0)?.body.kind == .action } ?? true }

  /// The projection of an evaluation; nil if the event is none. Cost: as for ``event(_:)``.
  package func projection(runningAt seq: UInt64) -> String? {
    guard case .evaluate(let projection, _, _, _, _)? = event(seq)?.body else { return nil }
    return projection
  }

  /// The same event, but with the readable names that its reads have before it, if the log has ids of objects
  /// instead.
  ///
  /// Cost for such an event: also reading a checkpoint and what follows it; or only the events since the
  /// previous call, if that was for an event shortly before.
  package func namedEvent(_ seq: UInt64) -> Event? {
    guard var event = event(seq) else { return nil }
    if case .reads(let name, let reads) = event.body, reads.namesObjects, foldState(before: seq) {
      event.body = .reads(projection: name, reads.mapPaths { lastFold?.currentName(of: $0) ?? $0 })
    }
    return event
  }

  /// Makes ``lastFold`` the state before an event. Returns false if there is none.
  private func foldState(before seq: UInt64) -> Bool {
    let next = (lastFold?.seq ?? 0) + 1
    if next <= seq, let block = block(from: next), block.firstSeq == self.block(from: seq)?.firstSeq,
      next >= block.firstSeq
    {
      for event in events(from: next) where event.seq >= next && event.seq < seq { lastFold?.apply(event) }
    }
    if lastFold?.seq != seq - 1 { lastFold = try? fold(at: seq - 1) }
    return lastFold.map { $0.failure == nil } ?? false
  }

  /// The state and the living projections after an event, as `LogReader.fold(at:)`.
  ///
  /// Cost: reading a checkpoint and what follows it, or only what follows a state that an earlier call came by.
  func fold(at seq: UInt64) throws(LogError) -> StateFold {
    if let whole { return try whole.fold(at: seq) }
    let fold = try reader.fold(at: seq, from: keptFolds.last(atOrBefore: seq)) { keptFolds.pass($0) }
    keptFolds.keep(fold)
    return fold
  }

  /// The last event at or before a time, by the times at which blocks begin; nil if that is before the first.
  func lastEvent(upTo time: UInt64) -> Event? {
    retried {
      guard let block = blocks.last(where: { $0.baseTime <= time }) else { return nil }
      return loadEvents(from: block.firstSeq)?.last { $0.time <= time }
    }
  }

  /// The rows of the block that contains a seq, or of the next block. Returns nil after the last block, or if
  /// the block cannot be read; `damage` then describes the reason. Creates the opener if it is nil.
  func rows(from seq: UInt64, _ opener: inout BlockOpener?) -> (block: BlockInfo, rows: BlockRows)? {
    while true {
      let block = block(from: seq)
      if let block { countRead(block) }
      do throws(LogError) {
        let ready = if let opener { opener } else { try BlockOpener(reader) }
        opener = ready
        if let block { return (block, try ready.rows(of: block)) }
        if seqs.upperBound >= reader.nextSeq { try reader.checkEnd() }
        return nil
      } catch {
        opener = nil
        if error.code == .wrongIndex, leaveIndex() { continue }
        damage.append(error, from: block?.firstSeq)
        return nil
      }
    }
  }

  /// Records that the rows of a block cannot be read from an event on.
  func report(_ fault: DecodeFault, in block: BlockInfo, at seq: UInt64) {
    damage.append(reader.damage(fault, in: block.offset), from: seq)
  }

  private func countRead(_ block: BlockInfo) {
    readOffsets.insert(block.offset)
    whole?.countRead(block)
  }

  /// The events of the block that contains a seq, or of the next block. Returns nil after the last block, or
  /// if the block cannot be read; `damage` then describes the reason.
  private func loadEvents(from seq: UInt64) -> [Event]? {
    while let block = block(from: seq) {
      if let known = recent.last(where: { $0.offset == block.offset }) { return known.events }
      countRead(block)
      do {
        let events = try reader.events(in: block)
        recent.append((block.offset, block.payloadSize, events))
        while recent.count > 2, hasTooManyRecent { recent.removeFirst() }
        return events
      } catch {
        if error.code == .wrongIndex, leaveIndex() { continue }
        damage.append(error, from: block.firstSeq)
        return nil
      }
    }
    return nil
  }

  private var hasTooManyRecent: Bool {
    recent.reduce(0) { $0 + $1.events.count } > Self.recentEventsMax
      || recent.reduce(0) { $0 + $1.size } > Self.recentBytesMax
  }

  /// The totals of the events, as far as they can be read.
  func count() -> LogTotals {
    var counter = LogCounter()
    do {
      try reader.read(blocks) { try counter.add(&$1) }
    } catch {
      if let error = error as? LogError, error.code == .wrongIndex, leaveIndex() { return count() }
      damage.append(error)
    }
    return counter.totals
  }

  /// The events of the block that contains a seq, or of the next block; empty if it cannot be read.
  package func events(from seq: UInt64) -> [Event] { loadEvents(from: seq) ?? [] }

  /// The block that contains a seq, or the next block.
  package func block(from seq: UInt64) -> BlockInfo? {
    let index = index(of: seq)
    return index < blocks.count ? blocks[index] : nil
  }

  /// The index of the block that contains a seq, or of the next block. It is valid until a block is read,
  /// since that may show that the log's index is wrong.
  func index(of seq: UInt64) -> Int { blocks.partitioningIndex { $0.endSeq > seq } }

  // MARK: A log that grows

  /// Adds the blocks that were written since the log was opened or refreshed. Returns true if there are any.
  /// An unreadable block ends the log.
  ///
  /// A run over the log that was at the end then continues. Cost: linear in what is new.
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

  /// Returns the result of a body, which is run again if the log's index proved wrong meanwhile.
  func retried<T>(_ body: () throws -> T) rethrows -> T {
    let use = reader.indexUse
    let found = try body()
    return reader.indexUse == use ? found : try body()
  }

  /// Stops using the log's index if that is wrong, else returns false. Cost: a scan of the log, the first
  /// time.
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
    roots = [:]
    (lastFold, keptFolds) = (nil, KeptFolds())
    return true
  }
}

extension Reads {
  /// Whether the reads contain a bound path that begins with the id of an object.
  fileprivate var namesObjects: Bool {
    allPaths.contains { if case .object = $0.root { true } else { false } }
  }
}
