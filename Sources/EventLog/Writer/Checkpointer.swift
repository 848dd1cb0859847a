/// Decides when a log that is being written gets a checkpoint, and builds it.
///
/// The state is folded from the sealed rows rather than taken from a session, so that logs without a session
/// get checkpoints, too.
struct Checkpointer {
  private var rows: RowFold
  /// Events and bytes since the last checkpoint.
  private var events = 0
  private var bytes = 0
  /// The size of the last checkpoint, written or not.
  private var size = 0

  private let eventsMin: Int
  private let bytesMin: Int
  /// Checkpoints take at most 1/8 of the log.
  private static let share = 8

  /// Begins before the first event, or after the last event of a fold.
  init(_ options: LogOptions, after fold: StateFold = StateFold()) {
    rows = RowFold(fold)
    eventsMin = max(options.checkpointEvents, 1)
    bytesMin = max(options.checkpointBytes, 1)
  }

  /// Applies the rows of a chunk.
  ///
  /// - Parameter bytes: The bytes that they took in the file.
  mutating func apply(_ chunk: Chunk, bytes: Int) {
    rows.apply(chunk)
    events += chunk.events
    self.bytes += bytes
  }

  /// The number of names and paths, living projections and keys of the state that are remembered.
  var tableEntries: Int { rows.stagedEntries + rows.fold.livingCount }

  var nextSeq: UInt64 { rows.fold.seq + 1 }
  /// The time of the last event.
  var time: UInt64 { rows.fold.time }

  /// The event that did not fit the state, or made it too large, if there was one.
  var failure: StateFold.Failure? { rows.fold.failure }

  var isInTransaction: Bool { rows.fold.openTransactions > 0 }

  /// Whether the log has grown enough since the last checkpoint for another of the same size.
  var isDue: Bool {
    (events >= eventsMin || bytes >= bytesMin) && bytes >= Self.share * size
      && rows.fold.openTransactions == 0
  }

  /// The blocks of a checkpoint after the last event; nil if an event did not fit the state, or if a value of
  /// the state does not fit a block.
  mutating func bodies() -> [CheckpointBlocks.Body]? {
    guard let events = rows.checkpoint() else { return nil }
    guard let bodies = CheckpointBlocks.bodies(of: events, time: time) else {
      // The value that is too large will probably stay, so the next attempt waits until the log has grown by
      // twice as much.
      size = 2 * bytes / Self.share
      return nil
    }
    return bodies
  }

  /// Whether the log has grown enough for a checkpoint of this size. If not, it is due again later.
  mutating func accepts(_ size: Int) -> Bool {
    self.size = size
    return bytes >= Self.share * size
  }

  /// Records that a checkpoint was written.
  mutating func markWritten() {
    events = 0
    bytes = 0
  }
}

// MARK: The state

/// Feeds a ``StateFold`` from staged rows, as the sealing thread has them.
///
/// Staged ids of paths serve as keys of the fold, so a set of a scalar costs the parsing of its row and a few
/// ns.
private struct RowFold {
  private(set) var fold: StateFold
  private var epoch: UInt32 = 0
  private var names: [Name] = []
  private var paths: [PathTable.Entry] = []
  // For paths with an open key, the offset in the chunk of the last scalar that was set, and the list of
  // these paths. If a path is set several times, only the last value is read.
  private var lastValues = EpochMap<Int, Int>()
  private var waiting: [Int] = []

  private struct Name {
    let text: String
    /// Whether the fold has a living projection of this name.
    var isLiving = false
  }

  /// Begins after the last event of the fold.
  init(_ fold: StateFold) {
    self.fold = fold
    self.fold.forgetKeys()
  }

  /// Applies the rows of a chunk, which this process staged.
  mutating func apply(_ chunk: Chunk) {
    if chunk.epoch != epoch { enter(chunk.epoch) }
    var position = RowPosition(startOf: chunk)
    position.read(chunk) { row, position in
      // Local copies stay in registers.
      var (reader, at) = (row, position)
      while !reader.isAtEnd { apply(&reader, &at) }
      applyWaiting(from: reader)
      (row, position) = (reader, at)
    }
    if chunk.events > 0 { fold.advance(chunk.lastSeq, position.time) }
  }

  /// Applies the deferred sets, in the order of their events, because different paths may lead to one place.
  private mutating func applyWaiting(from row: RowReader) {
    if waiting.isEmpty { return }
    let sets = waiting.map { (offset: lastValues[$0] ?? 0, path: $0) }.sorted { $0.offset < $1.offset }
    for set in sets {
      var row = row.at(set.offset)
      _ = fold.set(set.path, to: StagedValue.read(&row))
    }
    waiting.removeAll(keepingCapacity: true)
    lastValues.removeAll()
  }

  @inline(__always)
  private mutating func apply(_ row: inout RowReader, _ position: inout RowPosition) {
    let code = row.byte()
    switch code {
    case StagedCode.name: names.append(Name(text: row.string()))
    case StagedCode.path: addPath(&row)
    case StagedCode.alone: break
    case StagedCode.origin: for _ in 0..<3 { _ = row.varint() }
    case StagedCode.strand: _ = row.varint()
    default:
      position.time &+= UInt64(bitPattern: row.zigzag())
      row.skipVarint()
      row.skipVarint()
      if code & 0x0F == EventKind.set.rawValue {
        applySet(&row, position)
      } else {
        apply(code, &row, position)
      }
      position.seq += 1
    }
  }

  /// Forgets the ids of the previous epoch. No set is deferred here, because those of a chunk are applied at
  /// its end.
  private mutating func enter(_ epoch: UInt32) {
    self.epoch = epoch
    names = []
    paths = []
    fold.forgetKeys()
  }

  /// The number of staged names and paths that are remembered.
  var stagedEntries: Int { names.count + paths.count }

  /// The events of a checkpoint after the last event; see ``StateFold/checkpoint()``.
  mutating func checkpoint() -> [Event.Body]? { fold.checkpoint() }

  @inline(__always)
  private mutating func applySet(_ row: inout RowReader, _ position: RowPosition) {
    let path = Int(row.varint())
    let offset = row.position
    if fold.isOpen(path), StagedValue.skipScalar(&row) {
      if !lastValues.contains(path) { waiting.append(path) }
      lastValues.set(path, offset)
      return
    }
    applyWaiting(from: row)
    fold.advance(position.seq, position.time)
    let value = StagedValue.read(&row)
    if !fold.set(path, to: value) { fold.set(path, to: value, at: self.path(path)) }
  }

  private mutating func apply(_ code: UInt8, _ row: inout RowReader, _ position: RowPosition) {
    let kind = EventKind(code: code)
    let flags = EventFlags(code: code)
    if kind?.isWrite == true { applyWaiting(from: row) }
    fold.advance(position.seq, position.time)
    switch kind {
    case .splice:
      let path = path(Int(row.varint()))
      let offset = Int(truncatingIfNeeded: row.varint())
      let delete = Int(truncatingIfNeeded: row.varint())
      let insert = StagedValue.read(&row)
      fold.apply(.splice(path, offset: offset, delete: delete, insert: insert, sameValue: false))
    case .remove: fold.apply(.remove(path(Int(row.varint())), sameValue: false))
    case .projection:
      let name = livingName(&row)
      let parent = flags.isNamed ? names[Int(row.varint())].text : nil
      fold.apply(.projection(name: name, parent: parent, tracking: flags.tracking ?? .element))
    case .reads:
      let name = livingName(&row)
      let paths = paths(&row)
      let reads = flags.isChange ? Reads.change(added: paths, dropped: self.paths(&row)) : .paths(paths)
      fold.apply(.reads(projection: name, reads))
    case .invalidate:
      row.skipVarint()
      for _ in 0..<row.varint() { row.skipVarint() }
    case .evaluate:
      // Running does not change a living projection.
      if names[Int(row.peekVarint())].isLiving {
        row.skipVarint()
        row.skipVarint()
      } else {
        fold.apply(.evaluate(projection: livingName(&row), duration: row.varint(), changed: nil))
      }
      row.skipVarint()
    case .begin, .mark, .action:
      if kind != .begin || flags.isNamed { _ = row.text() }
      if kind == .begin { fold.apply(.begin(label: nil)) }
    case .end: fold.apply(.end)
    default:
      guard kind?.lifeChange == .ends else { break }
      let name = Int(row.varint())
      names[name].isLiving = false
      fold.endProjection(names[name].text)
    }
  }

  // MARK: Tables

  /// The name of a projection, which counts as living from this row on.
  private mutating func livingName(_ row: inout RowReader) -> String {
    let name = Int(row.varint())
    names[name].isLiving = true
    return names[name].text
  }

  private mutating func addPath(_ row: inout RowReader) {
    let kind = row.byte()
    if kind == PathCode.namedRoot {
      paths.append(.root(.named(row.string())))
    } else if kind == PathCode.objectRoot {
      paths.append(.root(.object(ObjectID(row.varint()))))
    } else {
      let parent = PathTable.ID(index: Int32(row.varint()))
      paths.append(.step(parent: parent, component(kind, &row)))
    }
  }

  private func component(_ kind: UInt8, _ row: inout RowReader) -> PathComponent {
    switch kind {
    case PathCode.property: .property(row.string())
    case PathCode.key: .key(row.string())
    case PathCode.index: .index(Int(row.zigzag()))
    case PathCode.id: .id(StagedValue.read(inside: row.text()))
    case PathCode.count: .count
    case PathCode.order: .order
    default: .exists
    }
  }

  private func path(_ id: Int) -> Path { PathTable.path(PathTable.ID(index: Int32(id)), in: paths) }

  /// The next list of paths of a row.
  private func paths(_ row: inout RowReader) -> [Path] {
    let count = row.varint()
    var list: [Path] = []
    list.reserveCapacity(Int(count))
    for _ in 0..<count { list.append(path(Int(row.varint()))) }
    return list
  }
}

// MARK: The blocks

/// The bodies of the blocks that make a checkpoint.
enum CheckpointBlocks {
  /// A body, and the offsets to split it at.
  typealias Body = (body: [UInt8], splits: [Int])

  /// Encodes events as the columns of one block, or of several if there are many. Nil if an event or a block
  /// exceeds a limit.
  static func bodies(of events: [Event.Body], time: UInt64) -> [Body]? {
    // A block takes the rows of several chunks, so its tables must not start over.
    var stage = Stage(path: "", isExact: true, tableBytes: .max)
    var builder = BlockBuilder()
    var bodies: [Body] = []
    do {
      for event in events {
        if !event.sharesBlock { stage.standAlone() }
        _ = try stage.append(event, time: time, cause: nil, site: nil)
        // Moves rows to the builder early, so that memory does not hold all staged rows at once.
        if stage.chunk.rows.count >= 1 << 20 { try move(&stage, to: &builder, &bodies) }
      }
      try move(&stage, to: &builder, &bodies)
    } catch {
      return nil
    }
    if builder.events > 0 { bodies.append(builder.popBody()) }
    return bodies.allSatisfy { $0.body.count <= LogFormat.bodyBytesMax }
      ? bodies : nil
  }

  private static func move(
    _ stage: inout Stage, to builder: inout BlockBuilder, _ bodies: inout [Body]
  ) throws {
    let chunk = stage.popChunk(reusing: nil)
    var position = RowPosition(startOf: chunk)
    while !position.isAtEnd {
      builder.append(chunk, from: &position)
      if builder.isFull { bodies.append(builder.popBody()) }
    }
  }
}
