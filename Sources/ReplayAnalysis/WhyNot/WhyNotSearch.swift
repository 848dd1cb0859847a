import EventLog
import Invalidation

/// Looks for the reasons why a projection did not run for a write. It reads the log from the block of the write to
/// the end of its unit, and looks up what ran before and after.
struct WhyNotSearch {
  typealias Reason = WhyNot.Reason

  private let log: LogSource
  private let progress: AnalysisProgress

  init(_ log: LogSource, _ progress: AnalysisProgress) {
    self.log = log
    self.progress = progress
  }

  /// The last write of a matching path, up to an event.
  func lastWrite(of pattern: PathPattern?, upTo limit: UInt64) throws -> UInt64? {
    guard let any = try? PathPattern(parsing: "**") else { return nil }
    return try last(.write(pattern ?? any), before: limit + 1)
  }

  /// - Parameter isAsked: Whether the user named the write or the moment.
  func answer(
    _ pattern: ProjectionPattern, about write: UInt64, isAsked: Bool
  ) throws -> (projection: String, write: WhyNot.Write?, reasons: [Reason]) {
    guard let unit = try Unit(of: write, in: log, for: pattern) else {
      let reason = Reason(kind: .lost, seq: nil, message: "event \(write) cannot be read")
      return (pattern.text, nil, [reason])
    }
    guard let subject = unit.subject else {
      let life = try otherLife(of: pattern, than: write)
      return (life.projection, unit.write, [life.reason])
    }
    var reasons: [Reason] = []
    if subject.isInvalidated {
      reasons.append(try answered(subject.name, unit.end))
      if reasons[0].kind == .waiting, let stop = try stop(after: unit.end) { reasons.insert(stop, at: 0) }
    } else {
      if let run = try runOf(subject.name, for: unit) { reasons.append(run) }
      reasons += unit.reasons
      let derived = try subject.derived.compactMap { try self.derived($0, unit) }
      reasons += derived
      if reasons.isEmpty, let parent = subject.parent,
        unit.hits.contains(where: { $0.hasSameBytes(as: parent) }),
        let run = try next(.run(ProjectionPattern(exactly: parent)), after: unit.end)
      {
        reasons.append(
          Reason(
            kind: .inputSame, seq: run,
            message:
              "its parent \(parent) ran at event \(run), and did not run it: what it was handed was equal"))
      }
      if derived.isEmpty, let unread = subject.unread { reasons.append(unread) }
      if reasons.isEmpty { reasons.append(try current(subject.name, unit.end)) }
      // What it has missed before may be what the user sees.
      if !isAsked || reasons[0].kind == .unread, let earlier = try waiting(subject.name, upTo: unit.end) {
        reasons.append(earlier)
      }
    }
    if let text = log.damage.text {
      reasons.append(Reason(kind: .lost, seq: log.damage.unreadSeq, message: text))
    }
    return (subject.name, unit.write, reasons)
  }

  // MARK: Runs

  /// What followed an invalidation.
  private func answered(_ name: String, _ invalidated: UInt64) throws -> Reason {
    let end = try endOfLife(of: name, after: invalidated)
    // A run after that is of another projection with the name.
    guard let run = try next(.run(ProjectionPattern(exactly: name)), after: invalidated), run < end ?? .max
    else {
      let message =
        "event \(invalidated) invalidated it, and it has not run since"
        + (end.map { ": it ended at event \($0)" }
          ?? ": its host has not run it (it is off screen), it is delayed, or nobody has asked for it")
      return Reason(kind: .waiting, seq: invalidated, message: message)
    }
    let cause = log.event(run)?.cause ?? 0
    let later = cause > invalidated ? ", for event \(cause) as well" : ""
    return Reason(kind: .ran, seq: run, message: "it did run, at event \(run)\(later)")
  }

  /// A run that the unit led to although it did not invalidate the projection.
  private func runOf(_ name: String, for unit: borrowing Unit) throws -> Reason? {
    guard let run = try next(.run(ProjectionPattern(exactly: name)), after: unit.end) else { return nil }
    let chain = log.causeChain(of: run)
    guard chain.contains(unit.end) || unit.write.map({ chain.contains($0.seq) }) ?? false else { return nil }
    return Reason(
      kind: .ran, seq: run, message: "it did run, at event \(run), as one of its causes led to it")
  }

  /// An invalidation that no run has followed.
  private func waiting(_ name: String, upTo end: UInt64) throws -> Reason? {
    let this = ProjectionPattern(exactly: name)
    guard let invalidated = try last(.invalidated(this), before: end + 1) else { return nil }
    let reason = try answered(name, invalidated)
    return reason.kind == .waiting ? reason : nil
  }

  private func current(_ name: String, _ end: UInt64) throws -> Reason {
    let run = try last(.run(ProjectionPattern(exactly: name)), before: end + 1)
    let since = run.map { "since its last run, at event \($0)" } ?? "since it began"
    let unfollowed = try unfollowedRead(of: name).map { "; but \($0)" } ?? ""
    return Reason(
      kind: .current, seq: run, message: "nothing that it reads has changed \(since)\(unfollowed)")
  }

  /// What the log says of an object that the projection reads, and that is neither recorded nor followed; nil if it says
  /// nothing.
  private func unfollowedRead(of name: String) throws -> String? {
    let reader = String(name.prefix { $0 != "#" })
    return try firstDiagnostic(after: 0) { $0.isUnfollowedRead(by: reader) }?.reported.message
  }

  /// The mark of a flush that was stopped.
  private func stop(after seq: UInt64) throws -> Reason? {
    try firstDiagnostic(after: seq) { $0.message.contains("rounds") }.map {
      Reason(kind: .stopped, seq: $0.seq, message: $0.reported.message)
    }
  }

  /// The first diagnostic of the session of which something is true, among the next marks.
  private func firstDiagnostic(
    after seq: UInt64, where isMeant: (ReportedDiagnostic) -> Bool
  ) throws -> (seq: UInt64, reported: ReportedDiagnostic)? {
    var at = seq
    for _ in 0..<64 {
      guard let mark = try next(.mark, after: at) else { return nil }
      if case .mark(let label)? = log.event(mark)?.body, let found = ReportedDiagnostic(label: label),
        isMeant(found)
      {
        return (mark, found)
      }
      at = mark
    }
    return nil
  }

  // MARK: Derived values

  /// What a derived value that the projection reads made of the write; nil if the write did not concern it.
  private func derived(_ name: String, _ unit: borrowing Unit) throws -> Reason? {
    guard unit.hits.contains(where: { $0.hasSameBytes(as: name) }) else { return nil }
    guard let run = try next(.run(ProjectionPattern(exactly: name)), after: unit.end) else {
      return Reason(
        kind: .derivedWaiting, seq: unit.end,
        message:
          "it reads the derived value \(name), which is out of date since event \(unit.end); nobody has asked for it"
      )
    }
    guard case .evaluate(_, _, let changed, _, _)? = log.event(run)?.body, changed == false else { return nil }
    return Reason(
      kind: .derivedSame, seq: run,
      message:
        "it reads the derived value \(name), which was computed anew at event \(run) and came out the same")
  }

  // MARK: Lives

  /// Where a projection lived that does not live at an event.
  private func otherLife(
    of pattern: ProjectionPattern, than seq: UInt64
  ) throws -> (projection: String, reason: Reason) {
    var (ended, begun): ((name: String, seq: UInt64)?, (name: String, seq: UInt64)?)
    try forEachLifeEvent(of: pattern) { event, name in
      if event.seq < seq, event.body.kind.lifeChange == .ends { ended = (name, event.seq) }
      if event.seq > seq, begun == nil, event.body.kind.lifeChange == .begins { begun = (name, event.seq) }
      return begun == nil
    }
    if let ended {
      let again = begun.map { "; another of that name begins at event \($0.seq)" } ?? ""
      return (
        ended.name, Reason(kind: .ended, seq: ended.seq, message: "it ended at event \(ended.seq)\(again)")
      )
    }
    if let begun {
      let message = "it began at event \(begun.seq), after the write"
      return (begun.name, Reason(kind: .notBegun, seq: begun.seq, message: message))
    }
    try pattern.check(against: LogNames(log).projections, of: log)
    throw AnalysisError(log, .noProjection(pattern.text, nearest: nil))
  }

  /// The event that ends a projection's life; nil if none does. One that moves below another parent lives on.
  private func endOfLife(of name: String, after seq: UInt64) throws -> UInt64? {
    var end: UInt64?
    try forEachLifeEvent(of: ProjectionPattern(exactly: name)) { event, _ in
      if event.seq <= seq { return true }
      if let ended = end {
        // Its beginning comes right after its end, which is its cause.
        guard event.body.kind.lifeChange == .begins, event.seq == ended + 1, event.cause == ended else {
          return false
        }
        end = nil
      } else if event.body.kind.lifeChange == .ends {
        end = event.seq
      }
      return true
    }
    return end
  }

  /// Calls a body with the events that begin or end matching projections, until it returns false.
  private func forEachLifeEvent(
    of pattern: ProjectionPattern, _ body: (Event, String) -> Bool
  ) throws {
    for block in log.reader.blocks(naming: pattern.matches) {
      for event in log.events(from: block.firstSeq) where event.body.kind.lifeChange != nil {
        guard let name = event.body.projectionName, pattern.matches(name) else { continue }
        if !body(event, name) { return }
      }
    }
  }

  // MARK: Looking up events

  private func last(_ condition: EventCondition, before seq: UInt64) throws -> UInt64? {
    try log.last(condition, before: seq, progress: progress)
  }

  private func next(_ condition: EventCondition, after seq: UInt64) throws -> UInt64? {
    try log.next(condition, after: seq, progress: progress)
  }
}

/// A write and its unit: what it changed, and what it meant for a projection.
private struct Unit {
  struct Subject {
    var name: String
    var parent: String?
    /// The derived values that it reads.
    var derived: [String]
    /// Whether the unit invalidated it.
    var isInvalidated = false
    /// Set if it does not read what was written.
    var unread: Reason?
  }

  typealias Reason = WhyNot.Reason

  /// The projection; nil if none that matches lives at the write.
  private(set) var subject: Subject?
  private(set) var write: WhyNot.Write?
  /// The event that completes the change.
  private(set) var end: UInt64
  /// The names of the projections that the unit invalidated.
  private(set) var hits: [String] = []
  /// Why the unit is no change.
  private(set) var reasons: [Reason] = []

  /// How many of the reads most like the write are named.
  private static let nearestMax = 3

  /// Nil if the write cannot be read.
  init?(of seq: UInt64, in log: LogSource, for pattern: ProjectionPattern) throws {
    end = seq
    var run = LogRun(try log.part(from: seq), [.hits, .lookback, .reads, .state, .lastingProjections])
    var transactions = OpenTransactions()
    let strand = log.event(seq)?.origin?.strand ?? 0
    /// The state before the transaction that the write is in.
    var before: State?
    while run.row.seq < seq, try run.next() {
      if transactions.depth(around: strand) == 0 { before = run.row.kind == .begin ? run.state : nil }
      transactions.apply(run.row.kind, on: run.row.origin.strand)
    }
    guard run.row.seq == seq, let written = run.path else { return nil }
    let path = run.tables.path(written)
    let id = Self.living(pattern, run)
    if let id { try look(at: id, path, &run) }
    let old = run.state.value(at: path)
    let isSame = run.row.isSameValue
    apply(&run)
    try run.carryOut()
    let new = run.state.value(at: path)
    let event = log.event(seq)
    write = WhyNot.Write(
      seq: seq, time: event?.time ?? 0, path: path.description,
      old: old.map { PrintedJSON.cut($0.json, to: 400) },
      new: new.map { PrintedJSON.cut($0.json, to: 400) }, site: event?.site)
    if isSame { reasons.append(Self.equal(seq, old, new)) }
    while transactions.depth(around: strand) > 0 {
      guard try run.next() else {
        reasons.append(
          Reason(
            kind: .open, seq: seq, message: "the transaction that the write is in never ended in this log"))
        break
      }
      transactions.apply(run.row.kind, on: run.row.origin.strand)
      apply(&run)
      end = run.row.seq
    }
    if let before, end > seq {
      try run.carryOut()
      if before.value(at: path) == run.state.value(at: path), !isSame {
        let message = "the transaction that ends at event \(end) left the value as it was before"
        reasons.append(Reason(kind: .undone, seq: end, message: message))
      }
    }
    if let name = subject?.name { subject?.isInvalidated = hits.contains { $0.hasSameBytes(as: name) } }
  }

  private mutating func apply(_ run: inout LogRun) {
    for hit in run.hits { hits.append(run.tables.name(hit.projection)) }
  }

  /// The projection of this very name, or else the last instance of a group.
  private static func living(_ pattern: ProjectionPattern, _ run: borrowing LogRun) -> ProjectionID? {
    let living = run.registry.living.filter { pattern.matches(run.tables.name($0)) }
    return living.first { run.tables.name($0).hasSameBytes(as: pattern.text) } ?? living.last
  }

  /// Compares what a projection reads with what is about to be written.
  private mutating func look(at projection: ProjectionID, _ path: Path, _ run: inout LogRun) throws {
    let reader = run.registry.reader(projection)
    var state = run.state
    let names = (reader?.reads.paths ?? []).map { state.currentName(of: $0) }
    let derived = names.compactMap { path -> String? in
      guard path.root == .named("derived"), case .property(let name)? = path.components.first else {
        return nil
      }
      return name
    }
    subject = Subject(
      name: run.tables.name(projection), parent: run.registry[projection].parent.map { run.tables.name($0) },
      derived: derived)
    var touched = TouchedReads(before: run.state)
    if let reader { _ = touched.add(reader) }
    guard try run.positions(touchedIn: &touched).isEmpty else { return }
    subject?.unread = Self.unread(path, names)
  }

  /// The sentence for a projection that does not read what was written, with the reads most like it: the same property
  /// of another object, or another of the same object.
  private static func unread(_ written: Path, _ reads: [Path]) -> Reason {
    if reads.isEmpty {
      return Reason(
        kind: .unread, seq: nil,
        message:
          "it reads nothing that the session records: what it shows may be in objects that are not recorded,"
          + " in an untracked block, or handed to it")
    }
    let last = written.components.last
    let alike = reads.filter { $0.components.last == last && last != nil }
    let beside = reads.filter { $0.root == written.root }
    let nearest = (alike.isEmpty ? beside.isEmpty ? reads : beside : alike).prefix(nearestMax).map(
      \.description)
    let of = alike.isEmpty ? "" : ": it reads the same of another object"
    return Reason(
      kind: .unread, seq: nil, message: "it does not read \(written)\(of)", nearest: Array(nearest))
  }

  private static func equal(_ seq: UInt64, _ old: Value?, _ new: Value?) -> Reason {
    if old == new { return Reason(kind: .equal, seq: seq, message: "the write set the value that was there") }
    var fields = ""
    if case .map(let a)? = old, case .map(let b)? = new {
      let names = Set(Array(a.keys) + Array(b.keys)).filter { a[$0] != b[$0] }.sorted()
      if !names.isEmpty {
        fields = ", though as recorded they differ in \(names.prefix(8).joined(separator: ", "))"
      }
    }
    return Reason(
      kind: .equal, seq: seq,
      message: "the property's own comparison calls the old and the new value equal"
        + (fields.isEmpty ? ", though as recorded they differ" : fields))
  }
}
