/// The result of comparing each checkpoint of a log with the state that the events before it produce.
public struct CheckpointCheck: Sendable {
  /// A checkpoint that differs from that state.
  public struct Finding: Hashable, Sendable {
    /// The seq of the last event before the checkpoint.
    public var seq: UInt64
    /// The offset in the file at which the checkpoint begins.
    public var byteOffset: UInt64
    /// What differs.
    public var reason: String
  }

  /// How many checkpoints were compared.
  public private(set) var count = 0
  /// The checkpoints that differ, in order. A reader that begins at one shows a state that never existed.
  public private(set) var findings: [Finding] = []

  private var fold: StateFold
  /// The projections that exist in the fold.
  private var alive = ProjectionMap<Bool>(default: false)
  private let reader: LogReader
  private var waiting: ArraySlice<Range<Int>>

  /// Begins before the first event of a log. A checkpoint at the very beginning of the log is taken as
  /// correct, because the log holds no earlier events to compare it with.
  package init(_ reader: LogReader) throws(LogError) {
    self.reader = reader
    waiting = reader.checkpoints[...]
    let first = reader.firstSeq
    fold = first > 1 ? try reader.fold(at: first - 1) : StateFold(limits: reader.limits)
    while let next = waiting.first, reader.blocks[next.lowerBound].firstSeq <= first { waiting.removeFirst() }
  }

  /// Whether no checkpoint is left to compare, so that further events need not be applied.
  package var isDone: Bool { waiting.isEmpty }

  /// Applies the next block of events, and compares the checkpoint that follows it, if any.
  package mutating func apply(_ rows: inout BlockRows) throws {
    if isDone { return }
    try fold.apply(&rows)
    try endBlock()
  }

  /// Applies the next row if that needs nothing of its block; otherwise does nothing and returns false.
  @inline(__always)
  mutating func apply(_ row: borrowing Row, path: PathID?, projection: ProjectionID?) -> Bool {
    switch row.kind {
    case .set:
      guard let path else { return false }
      return fold.set(Int(path.index), to: row.value, seq: row.seq, time: row.time)
    case .invalidate, .mark, .action, .finish: break
    case .evaluate:
      guard let projection, alive[projection] else { return false }
    default: return false
    }
    fold.advance(row.seq, row.time)
    return true
  }

  /// Applies the next row, of any kind.
  mutating func apply(
    _ row: borrowing Row, of rows: inout BlockRows, path: PathID?, projection: ProjectionID?
  ) {
    fold.apply(row, of: &rows, key: path.map { Int($0.index) })
    guard let projection else { return }
    alive[projection] = row.kind.lifeChange != .ends
    fold.applyToProjections(row, of: rows)
  }

  /// Discards what is keyed by path ids, because the ids are assigned anew.
  mutating func forgetPaths() { fold.forgetKeys() }

  /// Compares the checkpoint that follows the block just applied, if any.
  mutating func endBlock() throws {
    while let next = waiting.first, reader.blocks[next.lowerBound].firstSeq <= fold.seq + 1 {
      waiting.removeFirst()
      try compare(next)
    }
  }

  private mutating func compare(_ range: Range<Int>) throws {
    count += 1
    let block = reader.blocks[range.lowerBound]
    if let failure = fold.failure, failure.error.isOverLimit { throw reader.misfit(failure) }
    guard fold.failure == nil else { return append(block, "the events before it do not fit each other") }
    guard var held = try reader.checkpoint(range) else {
      return append(block, "it is not whole, or does not fit itself")
    }
    if let difference = fold.difference(from: &held) { append(block, difference) }
  }

  private mutating func append(_ block: BlockInfo, _ reason: String) {
    findings.append(Finding(seq: block.firstSeq - 1, byteOffset: block.offset, reason: reason))
  }
}

extension LogReader {
  /// Compares every checkpoint with the state that the events before it produce. Throws `damaged` if events
  /// cannot be read. Cost: that of applying every event up to the last checkpoint. Memory: twice the recorded
  /// state.
  public func checkCheckpoints() throws -> CheckpointCheck {
    var check = try CheckpointCheck(self)
    try read(blocks.lazy.filter { $0.kind == BlockKind.events }) { _, rows in try check.apply(&rows) }
    return check
  }
}

extension StateFold {
  /// Describes briefly how another fold differs from this one; nil if both are the same to the bit. The paths
  /// by which objects are named are not compared, because several can be valid.
  mutating func difference(from other: inout StateFold) -> String? {
    guard let mine = comparable(), let others = other.comparable() else {
      return "one of the two cannot be compared"
    }
    for (a, b) in zip(mine, others) where !a.isIdentical(to: b) {
      if case .set(let path, _, _) = a { return "\(path) is not what the events lead to" }
      if case .projection(let name, _, _) = a { return "the projection \(name) is not as the events made it" }
      if case .reads(let name, _) = a { return "the reads of \(name) are not those of the events" }
      return "it is not what the events lead to"
    }
    return mine.count == others.count
      ? nil : "it holds \(others.count) parts where the events lead to \(mine.count)"
  }

  private mutating func comparable() -> [Event.Body]? {
    guard let events = checkpoint() else { return nil }
    let state = state
    return events.compactMap { body in
      switch body {
      case .set(_, _, sameValue: true): nil
      case .reads(let name, let reads):
        .reads(projection: name, reads.mapPaths { state.bound($0) })
      default: body
      }
    }
  }
}

extension Event.Body {
  /// Whether both are the same including the bits of doubles and the order of keys, which `==` ignores.
  fileprivate func isIdentical(to other: Event.Body) -> Bool {
    guard self == other else { return false }
    if case (.set(_, let a, _), .set(_, let b, _)) = (self, other) { return a.isIdentical(to: b) }
    return true
  }
}

extension Value {
  /// Whether two values that are equal also agree in what `==` ignores.
  fileprivate func isIdentical(to other: Value) -> Bool {
    switch (self, other) {
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
    case (.array(let a), .array(let b)): zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
    case (.map(let a), .map(let b)):
      a.elementsEqual(b) { $0.key.hasSameBytes(as: $1.key) && $0.value.isIdentical(to: $1.value) }
    case (.object(let a), .object(let b)): Value.map(a.fields).isIdentical(to: .map(b.fields))
    default: true
    }
  }
}
