// Cutting by paths and projections: which events are kept, and their new seqs.

extension LogCut {
  /// Writes the state before the range as events, then the events of the range that the filter keeps. Returns
  /// the error that ended it early, if any.
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
    for event in fold.projectionEvents() { filter.learn(event, &state) }
    _ = try reader.forEachEvent(in: range) { event throws(LogError) in
      filter.learn(event.body, &state)
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

/// The second pass: writes the events that the filter keeps, with new seqs.
private struct FilteredCopy {
  var writer: LogRewriter
  var filter: CutFilter
  var state: State
  /// The new seq of each kept event, and for a dropped event that of its nearest kept cause.
  private var seqs = NewSeqs()
  /// The `begin` events of open transactions of which no event has been kept yet.
  private var unopened: [Event] = []
  private var open = 0

  init(writer: LogRewriter, filter: CutFilter, state: State) {
    self.writer = writer
    self.filter = filter
    self.state = state
  }

  /// Writes an event of the state before the range, unless it is about a projection that is not kept.
  mutating func appendStart(_ body: Event.Body, time: UInt64) throws(LogError) {
    if let name = body.projectionName, !filter.keeps(projection: name) { return }
    try writer.append(body, time: time)
  }

  mutating func append(_ event: Event, from reader: LogReader) throws(LogError) {
    if let name = event.body.projectionName, !filter.keeps(projection: name) { return drop(event) }
    switch event.body {
    case .set, .splice, .remove:
      let effect = try reader.apply(event, to: &state)
      if !filter.keeps(event.body, effect) { return drop(event) }
    case .invalidate(let name, let causes):
      let causes = causes.compactMap { seqs[$0] }
      if causes.isEmpty { return drop(event) }
      return try keep(event, .invalidate(projection: name, causes: causes))
    case .projection(let name, let parent, let tracking):
      let parent = parent.flatMap { filter.keeps(projection: $0) ? $0 : nil }
      return try keep(event, .projection(name: name, parent: parent, tracking: tracking))
    case .begin: return unopened.append(event)
    case .end:
      if unopened.popLast() != nil { return drop(event) }
    default: break
    }
    try keep(event, event.body)
  }

  /// Drops an event. Its effects get its own cause as their cause.
  private mutating func drop(_ event: Event) {
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
  /// Calls a function with the events of a range, as far as they can be read. Returns the error that ended it
  /// early.
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

/// Which events of a range concern the paths and projections of a filter.
///
/// Several paths can lead to one place in the state, and an event under one of them concerns the others. The
/// range is therefore read twice: first to learn the places that matching paths lead to, then to find the
/// events that write those places.
private struct CutFilter {
  private let patterns: [PathPattern]
  private let globs: [Glob]
  private var places: Set<Place> = []
  private var names: Set<ExactString> = []
  private var matches: [Path: Bool] = [:]

  init(_ cut: LogCut) {
    patterns = cut.paths
    globs = cut.projections.map { Glob($0) }
  }

  /// Learns from an event that is about to be applied to the state.
  mutating func learn(_ body: Event.Body, _ state: inout State) {
    switch body {
    case .set(let path, _, _), .splice(let path, _, _, _, _), .remove(let path, _):
      if matches(path) { add(path, state) }
    case .reads(let name, .paths(let paths)), .reads(let name, .change(let paths, _)):
      if isNamed(name) {
        for path in paths { add(path, state) }
      } else if globs.isEmpty, !names.contains(name), reads(paths, &state) {
        names.insert(name)
      }
    default: break
    }
  }

  /// Whether one of the paths that a projection reads matches, either as the log has it or by the object's
  /// path from a root.
  private mutating func reads(_ paths: [Path], _ state: inout State) -> Bool {
    for path in paths {
      if matches(path) { return true }
      if case .object = path.root, matches(state.currentName(of: path)) { return true }
    }
    return false
  }

  private mutating func add(_ path: Path, _ state: State) {
    guard case .place(var place, _) = state.resolve(path) else { return }
    // Elements move between indices, so a path to an element concerns the whole array.
    let end = place.steps.firstIndex { if case .name = $0 { false } else { true } }
    place.steps.removeSubrange((end ?? place.steps.endIndex)...)
    places.insert(place)
  }

  private mutating func matches(_ path: Path) -> Bool {
    if let known = matches[path] { return known }
    let isMatch = patterns.contains { $0.matches(path) }
    // Caches the answer for the paths of most logs, with bounded memory.
    if matches.count < 1 << 17 { matches[path] = isMatch }
    return isMatch
  }

  private func isNamed(_ projection: String) -> Bool {
    globs.contains { $0.matches(projection) || $0.matches(projection.projectionGroup) }
  }

  /// Whether a projection is kept.
  func keeps(projection name: String) -> Bool { names.contains(name) || isNamed(name) }

  /// Whether a write is kept, given its effect on the state.
  mutating func keeps(_ body: Event.Body, _ effect: Effect) -> Bool {
    if effect.mayLeadElsewhere { return true }
    switch (body, effect) {
    case (.set(let path, _, _), _) where matches(path): return true
    case (.splice(let path, _, _, _, _), _) where matches(path): return true
    case (.remove(let path, _), _) where matches(path): return true
    case (_, .replaced(let place, _, _)), (_, .edited(let place, _, _)), (_, .spliced(let place, _, _, _)):
      return contains(place)
    default: return false
    }
  }

  /// Whether a place, or a place that contains it, is among those learned.
  private func contains(_ place: Place) -> Bool {
    var place = place
    while !place.steps.isEmpty {
      if places.contains(place) { return true }
      place.steps.removeLast()
    }
    return false
  }
}

/// New seqs by old ones, for events of which some are kept, in order, and the others dropped.
///
/// A kept event takes two bits. A dropped event maps to the new seq of its cause; this is remembered for the
/// last 262,144 events only, since effects follow their causes closely.
struct NewSeqs {
  /// The old and the new seq of the first event that was kept.
  private var first: (old: UInt64, new: UInt64) = (0, 0)
  /// One bit for each event from the first on: whether it was kept.
  private var kept: [UInt64] = []
  /// For each word of `kept`, how many events before it were kept.
  private var counts: [UInt64] = []
  /// For each dropped event, the new seq of its nearest kept cause.
  private var dropped = RecentRing<UInt64>(keeping: 1 << 18)

  /// The new seq of a kept event, or that of the nearest kept cause of a dropped one; nil if there is none.
  subscript(old: UInt64) -> UInt64? {
    if let new = dropped[old] { return new }
    guard old >= first.old, (old - first.old) >> 6 < UInt64(kept.count) else { return nil }
    let word = Int((old - first.old) >> 6)
    let bit: UInt64 = 1 << ((old - first.old) & 63)
    guard kept[word] & bit != 0 else { return nil }
    return first.new + counts[word] + UInt64((kept[word] & (bit - 1)).nonzeroBitCount)
  }

  /// Records a kept event, which must follow all those before it. New seqs continue from the first without
  /// gaps.
  mutating func keep(_ old: UInt64, as new: UInt64) {
    if kept.isEmpty { first = (old, new) }
    let index = old - first.old
    while UInt64(kept.count) <= index >> 6 {
      counts.append((counts.last ?? 0) + UInt64(kept.last?.nonzeroBitCount ?? 0))
      kept.append(0)
    }
    kept[Int(index >> 6)] |= 1 << (index & 63)
  }

  /// Records a dropped event, which maps to the given new seq from now on.
  mutating func drop(_ old: UInt64, for new: UInt64) { dropped.note(old, new) }
}

extension Effect {
  /// Whether the effect may change where paths lead.
  fileprivate var mayLeadElsewhere: Bool {
    switch self {
    case .none, .missed: false
    case .edited(let place, _, _): place.isID
    case .spliced: true
    case .replaced(let place, let before, let after):
      place.isID || !(before?.isScalar ?? false) || !(after?.isScalar ?? false)
    }
  }
}
