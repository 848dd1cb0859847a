import EventLog

/// The state of a run, as its events are gone through.
package struct StateReplay {
  private(set) var tables = RunTables()
  private(set) var cursor: RowCursor
  private var fold: StateFold

  init(_ log: LogSource) {
    cursor = RowCursor(log)
    fold = log.base ?? StateFold()
    fold.forgetKeys()
  }

  /// The state after the events that were applied. Cost: a set for each value that waits.
  var state: State { mutating get { fold.state } }

  /// The row that comes next to be applied.
  var row: EventLog.Row {
    @inline(__always) _read { yield cursor.row }
  }

  /// Goes on to the next row, which is not applied yet; false at the end.
  @inline(__always)
  mutating func next() -> Bool {
    let generation = tables.generation
    guard cursor.next(&tables) else { return false }
    if generation != tables.generation { fold.forgetKeys() }
    return true
  }

  /// Applies the row.
  @inline(__always)
  mutating func apply() throws {
    cursor.apply(to: &fold)
    if cursor.row.kind != .set || cursor.row.seq & 1023 == 0 { try check() }
  }

  /// - Throws: `AnalysisError` when an event did not fit those before it.
  func check() throws {
    guard let failure = fold.failure else { return }
    throw AnalysisError(cursor.log, .misfit(seq: failure.seq, failure.error))
  }

  /// Whether the row, which is a write, would leave every value as it is.
  mutating func wouldStaySame() -> Bool {
    if row.kind == .set, let path, let value = fold.value(at: path) { return value == row.value }
    guard let body = cursor.writeBody else { return false }
    return fold.state.wouldStaySame(body)
  }

  /// The path that the row writes.
  var path: Int? { @inline(__always) get { cursor.path } }

  /// The projection that the row is about.
  var name: Int? { @inline(__always) mutating get { cursor.name(&tables) } }

  /// The state after an event. Cost: a checkpoint and what follows it; where these cannot be read, every event up to
  /// it that can.
  package static func state(of log: LogSource, at seq: UInt64) throws -> State {
    do {
      var fold = try log.reader.fold(at: seq)
      if let failure = fold.failure { throw AnalysisError(log, .misfit(seq: failure.seq, failure.error)) }
      return fold.state
    } catch let error as LogError where error.code == .damaged {}
    var replay = StateReplay(log)
    while replay.next(), replay.row.seq <= seq { try replay.apply() }
    try replay.check()
    return replay.state
  }
}
