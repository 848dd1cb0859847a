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
    var (state, budget) = (fold.state, StateBudget(reader.limits))
    for event in fold.projectionEvents() { filter.learn(event, seq: 0, &state) }
    _ = try reader.forEachEvent(in: range) { event throws(LogError) in
      filter.learn(event.body, seq: event.seq, &state)
      try reader.apply(event, to: &state)
      budget.add(event.body)
      guard budget.isDue(at: state.work) else { return }
      do throws(StateError) { try budget.check(state) } catch {
        throw reader.misfit(StateFold.Failure(seq: event.seq, error: error))
      }
    }
    if let name = filter.unmet(in: state) {
      throw LogError(
        .noSuchEvent, path: reader.path,
        message: "no event of \(range.lowerBound) to \(range.upperBound) is about \(name)")
    }
    filter.forgetWrites()

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
  private var reasons = KeptReasons()

  init(writer: LogRewriter, filter: CutFilter, state: State) {
    self.writer = writer
    self.filter = filter
    self.state = state
  }

  /// Writes an event of the state before the range, unless it is about a projection that is not kept.
  mutating func appendStart(_ body: Event.Body, time: UInt64) throws(LogError) {
    if let name = body.projectionName, !filter.keeps(projection: name) { return }
    try writer.append(kept(body), time: time)
  }

  /// An event about a projection, whose parent may be dropped.
  private mutating func kept(_ body: Event.Body) -> Event.Body {
    guard case .projection(let name, let parent, let tracking) = body else { return body }
    let kept = parent.flatMap { filter.keeps(projection: $0) ? $0 : nil }
    reasons.begin(name, parent: kept, hadParent: parent != nil)
    return .projection(name: name, parent: kept, tracking: tracking)
  }

  mutating func append(_ event: Event, from reader: LogReader) throws(LogError) {
    if case .invalidate = event.body { reasons.hasTimeline = true }
    if let name = event.body.projectionName {
      if !filter.keeps(projection: name) { return drop(event) }
      if event.body.kind.lifeChange == .ends { reasons.end(name) }
    }
    switch event.body {
    case .set, .splice, .remove:
      let effect = try reader.apply(event, to: &state)
      if !filter.keeps(event.body, effect) { return drop(event) }
    case .invalidate(let name, let causes):
      // Dropped writes cannot be causes. If no cause is left, the invalidation is dropped too.
      let causes = causes.compactMap { seqs.keptNumber(of: $0) }
      if causes.isEmpty {
        reasons.lose(name, by: event.cause)
        return drop(event)
      }
      reasons.invalidate(name, by: event.cause)
      return try keep(
        event, .invalidate(projection: name, causes: causes), cause: event.cause.flatMap { seqs[$0] })
    case .projection: return try keep(event, kept(event.body), cause: event.cause.flatMap { seqs[$0] })
    case .evaluate(let name, _, _, _, _):
      // A run keeps its cause only if the cut log still shows why that event led to the run.
      let isReason = reasons.run(name, for: event.cause)
      return try keep(
        event, event.body, cause: isReason ? event.cause.flatMap { seqs.keptNumber(of: $0) } : nil)
    case .begin: return unopened.append(event)
    case .end:
      if unopened.popLast() != nil { return drop(event) }
    default: break
    }
    try keep(event, event.body, cause: event.cause.flatMap { seqs[$0] })
  }

  /// Drops an event. Its effects get its own cause as their cause.
  private mutating func drop(_ event: Event) {
    if let cause = event.cause, let kept = seqs[cause] { seqs.drop(event.seq, for: kept) }
  }

  private mutating func keep(_ event: Event, _ body: Event.Body, cause: UInt64?) throws(LogError) {
    for begin in unopened { try write(begin, begin.body, cause: begin.cause.flatMap { seqs[$0] }) }
    unopened.removeAll()
    try write(event, body, cause: cause)
  }

  private mutating func write(_ event: Event, _ body: Event.Body, cause: UInt64?) throws(LogError) {
    let seq = writer.nextSeq
    try writer.append(body, time: event.time, cause: cause, site: event.site, origin: event.origin)
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

/// Decides which events of a range concern the paths and projections of a filter.
///
/// Several paths may lead to one location in the state, and a write by one of them matters to the others. So the
/// range is read twice: first to learn the locations to which matching paths lead and their readers, then to
/// decide which events write to these locations.
private struct CutFilter {
  private let patterns: [PathPattern]
  private let globs: [Glob]
  private let globTexts: [String]
  private var locations: Set<NamedLocation> = []
  private var names: Set<ExactString> = []
  private var matches: [Path: Bool] = [:]
  private var named: [ExactString: Bool] = [:]
  /// The patterns and globs that matched anything.
  private var metPatterns: Set<Int> = []
  private var metGlobs: Set<Int> = []

  /// The latest events that write to a matching path; only for filters by paths alone.
  private var writes = RecentRing<Bool>(keeping: 1 << 18)

  init(_ cut: LogCut) {
    patterns = cut.paths
    globs = cut.projections.map { Glob($0) }
    globTexts = cut.projections
  }

  /// Learns from an event that is about to be applied to the state.
  mutating func learn(_ body: Event.Body, seq: UInt64, _ state: inout State) {
    let isNamed = body.projectionName.map { self.isNamed($0) } ?? false
    switch body {
    case .set(let path, _, _), .splice(let path, _, _, _, _), .remove(let path, _):
      guard matches(path) else { return }
      add(path, state)
      if !globs.isEmpty { return }
      writes.append(seq, true)
    case .reads(let name, let reads):
      let isMatch = matches(reads.allPaths, &state)
      if isNamed { for path in reads.allPaths { add(path, state) } }
      if globs.isEmpty, isMatch { names.insert(ExactString(name)) }
    case .invalidate(let name, let causes):
      // It may have read the location by another path, a container of it or a part of it; the causes tell.
      if globs.isEmpty, causes.contains(where: { writes[$0] != nil }) { names.insert(ExactString(name)) }
    default: break
    }
  }

  /// Ends the first pass.
  mutating func forgetWrites() { writes.removeAll() }

  /// The first name or path that matched nothing, as words of an error message.
  func unmet(in state: State) -> String? {
    if let index = globs.indices.first(where: { !metGlobs.contains($0) }) {
      return "a projection \(globTexts[index])"
    }
    for (index, pattern) in patterns.enumerated() where !metPatterns.contains(index) {
      if let path = try? Path(parsing: pattern.description), state.value(at: path) != nil { continue }
      return pattern.description
    }
    return nil
  }

  /// Whether one of the read paths matches, either as recorded or by the name that it has now.
  private mutating func matches(_ paths: [Path], _ state: inout State) -> Bool {
    if patterns.isEmpty { return false }
    var isMatch = false
    for path in paths {
      if matches(path) { isMatch = true }
      if case .object = path.root, matches(state.currentName(of: path)) { isMatch = true }
    }
    return isMatch
  }

  private mutating func add(_ path: Path, _ state: State) {
    guard case .location(var location, _) = state.resolve(path) else { return }
    // Elements move between indices, so a path to an element concerns the whole array.
    let end = location.steps.firstIndex { if case .name = $0 { false } else { true } }
    location.steps.removeSubrange((end ?? location.steps.endIndex)...)
    locations.insert(location)
  }

  private mutating func matches(_ path: Path) -> Bool {
    if let known = matches[path] { return known }
    var isMatch = false
    for (index, pattern) in patterns.enumerated() where pattern.matches(path) {
      isMatch = true
      metPatterns.insert(index)
    }
    // The limit suffices for the paths of most logs, and bounds the memory for all others.
    if matches.count < 1 << 17 { matches[path] = isMatch }
    return isMatch
  }

  private mutating func isNamed(_ projection: String) -> Bool {
    if globs.isEmpty { return false }
    let name = ExactString(projection)
    if let known = named[name] { return known }
    var isNamed = false
    for (index, glob) in globs.enumerated()
    where glob.matches(projection) || glob.matches(projection.projectionGroup) {
      isNamed = true
      metGlobs.insert(index)
    }
    if named.count < 1 << 17 { named[name] = isNamed }
    return isNamed
  }

  /// Whether a projection is kept.
  mutating func keeps(projection name: String) -> Bool { names.contains(name) || isNamed(name) }

  /// Whether a write is kept, given its effect on the state.
  mutating func keeps(_ body: Event.Body, _ effect: Effect) -> Bool {
    if effect.mayLeadElsewhere { return true }
    if let path = body.writtenPath, matches(path) { return true }
    switch effect {
    case .replaced(let location, _, _), .edited(let location, _, _), .spliced(let location, _, _, _):
      return contains(location)
    default: return false
    }
  }

  /// Whether a location, or a location that contains it, is among those learned.
  private func contains(_ location: NamedLocation) -> Bool {
    var location = location
    while !location.steps.isEmpty {
      if locations.contains(location) { return true }
      location.steps.removeLast()
    }
    return false
  }
}

/// New seqs by old ones, if some events are kept, in order, and the others are dropped.
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

  /// The new seq of an event, or of its nearest kept cause if it was dropped; nil if there is none.
  subscript(old: UInt64) -> UInt64? { dropped[old] ?? keptNumber(of: old) }

  /// The new seq of a kept event; nil for other events.
  func keptNumber(of old: UInt64) -> UInt64? {
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
  mutating func drop(_ old: UInt64, for new: UInt64) { dropped.append(old, new) }
}

extension Effect {
  /// Whether the effect may change where paths lead.
  fileprivate var mayLeadElsewhere: Bool {
    switch self {
    case .none, .missed: false
    case .edited(let location, _, _): location.isID
    case .spliced: true
    case .replaced(let location, let before, let after):
      location.isID || !(before?.isScalar ?? false) || !(after?.isScalar ?? false)
    }
  }
}
