extension LogCut {
  /// Copies the events of a part that its filter keeps, behind the state before it as events. Returns why it ended
  /// early.
  func copyFiltered(
    _ reader: LogReader, _ range: ClosedRange<UInt64>, into writer: inout LogRewriter,
    _ progress: (_ done: UInt64, _ total: UInt64) -> Void
  ) throws(LogError) -> LogError? {
    var fold = try reader.fold(at: range.lowerBound - 1)
    if let failure = fold.failure { throw reader.misfit(failure) }
    var filter = CutFilter(self)
    let isFirst = range.lowerBound == 1
    let events = isFirst ? [] : fold.checkpoint() ?? []
    var state = fold.state
    for event in fold.projections.asEvents() { filter.learn(event, state) }
    _ = try reader.forEachEvent(in: range) { event throws(LogError) in
      filter.learn(event.body, state)
      try reader.apply(event, to: &state)
    }

    var copy = FilteredCopy(writer: writer, filter: filter, state: fold.state)
    for body in events { try copy.appendStart(body, time: fold.time) }
    let total = range.upperBound - range.lowerBound + 1
    let failure = try reader.forEachEvent(in: range) { event throws(LogError) in
      try copy.append(event, from: reader)
      if event.seq & 4095 == 0 { progress(event.seq - range.lowerBound, total) }
    }
    writer = copy.writer
    return failure
  }
}

/// The second pass: writes what the filter keeps, with new numbers.
private struct FilteredCopy {
  var writer: LogRewriter
  var filter: CutFilter
  var state: State
  /// New numbers by old, of events that were kept or that one which was kept led to.
  private var seqs = NewSeqs()
  /// Transactions of which nothing was kept so far.
  private var unopened: [Event] = []
  private var open = 0

  init(writer: LogRewriter, filter: CutFilter, state: State) {
    self.writer = writer
    self.filter = filter
    self.state = state
  }

  /// Writes what was before the part, but for projections that are not kept.
  mutating func appendStart(_ body: Event.Body, time: UInt64) throws(LogError) {
    switch body {
    case .projection(let name, _, _) where !filter.keeps(projection: name): return
    case .reads(let name, _) where !filter.keeps(projection: name): return
    default: try writer.append(body, time: time)
    }
  }

  mutating func append(_ event: Event, from reader: LogReader) throws(LogError) {
    switch event.body {
    case .set, .splice, .remove:
      let effect = try reader.apply(event, to: &state)
      if filter.keeps(event.body, effect) { return try keep(event, event.body) }
    case .invalidate(let name, let causes) where filter.keeps(projection: name):
      let causes = causes.compactMap { seqs[$0] }
      if !causes.isEmpty { return try keep(event, .invalidate(projection: name, causes: causes)) }
    case .projection(let name, let parent, let tracking) where filter.keeps(projection: name):
      let parent = parent.flatMap { filter.keeps(projection: $0) ? $0 : nil }
      return try keep(event, .projection(name: name, parent: parent, tracking: tracking))
    case .reads(let name, _) where filter.keeps(projection: name): return try keep(event, event.body)
    case .evaluate(let name, _, _) where filter.keeps(projection: name): return try keep(event, event.body)
    case .dispose(let name) where filter.keeps(projection: name): return try keep(event, event.body)
    case .begin: return unopened.append(event)
    case .end:
      if unopened.popLast() == nil { return try keep(event, event.body) }
    case .mark: return try keep(event, event.body)
    default: break
    }
    // What a dropped event led to was led to by what led to that.
    if let cause = event.cause, let kept = seqs[cause] { seqs.drop(event.seq, for: kept) }
  }

  private mutating func keep(_ event: Event, _ body: Event.Body) throws(LogError) {
    for begin in unopened { try write(begin, begin.body) }
    unopened.removeAll()
    try write(event, body)
  }

  private mutating func write(_ event: Event, _ body: Event.Body) throws(LogError) {
    let seq = writer.nextSeq
    try writer.append(
      body, time: event.time, cause: event.cause.flatMap { seqs[$0] }, site: event.site, origin: event.origin)
    seqs.keep(event.seq, as: seq)
  }
}

extension LogReader {
  /// Gives the events of a range, as far as they can be read. Returns why it ended early.
  fileprivate func forEachEvent(
    in range: ClosedRange<UInt64>, _ body: (Event) throws(LogError) -> Void
  ) throws(LogError) -> LogError? {
    for block in blocks
    where block.kind == BlockKind.events && block.endSeq > range.lowerBound
      && block.firstSeq <= range.upperBound
    {
      let events: [Event]
      do throws(LogError) { events = try self.events(in: block) } catch {
        guard error.code == .damaged else { throw error }
        return error
      }
      for event in events where range.contains(event.seq) { try body(event) }
    }
    return nil
  }

  @discardableResult
  fileprivate func apply(_ event: Event, to state: inout State) throws(LogError) -> Effect {
    do throws(StateError) { return try state.apply(event.body) } catch {
      throw misfit(StateFold.Failure(seq: event.seq, error: error))
    }
  }
}
