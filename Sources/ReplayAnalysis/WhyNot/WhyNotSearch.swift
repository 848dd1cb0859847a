import EventLog

/// Looks for the reasons why a projection did not run for a write. It reads the log from the block of the write to
/// the end of its unit, and looks up what ran before and after.
struct WhyNotSearch {
  typealias Reason = WhyNot.Reason

  let log: LogSource
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

  /// - Parameters:
  ///   - isAsked: Whether the user named the write or the moment.
  ///   - moment: The event up to which the user asks; nil for the end of the log.
  func answer(
    _ pattern: ProjectionPattern, about write: UInt64, isAsked: Bool, upTo moment: UInt64?
  ) throws -> (projection: String, write: WhyNot.Write?, reasons: [Reason]) {
    guard let unit = try WrittenUnit(of: write, in: log, for: pattern) else {
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
      if reasons.isEmpty, let above = try fromAbove(subject, unit) { reasons.append(above) }
      if derived.isEmpty, let unread = subject.unread { reasons.append(unread) }
      if reasons.isEmpty { reasons.append(try current(subject.name, unit.end)) }
      // What it has missed before may be what the user sees.
      if !isAsked || reasons[0].kind == .unread, let earlier = try waiting(subject.name, upTo: unit.end) {
        reasons.append(earlier)
      }
    }
    if let moment, let end = try endOfLife(of: subject.name, after: unit.end), end <= moment,
      !reasons.contains(where: { $0.kind == .ended })
    {
      let message = try ending(of: subject.name, at: end)
      reasons.insert(
        Reason(kind: .ended, seq: end, message: message), at: reasons.first?.kind == .ran ? 1 : 0)
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
        + (try end.map { ": \(try ending(of: name, at: $0))" }
          ?? ": its host has not run it (it is off screen), it is delayed, or nobody has asked for it")
      return Reason(kind: .waiting, seq: invalidated, message: message)
    }
    let cause = log.event(run)?.cause ?? 0
    let later = cause > invalidated ? ", for event \(cause) as well" : ""
    return Reason(kind: .ran, seq: run, message: "it did run, at event \(run)\(later)")
  }

  /// A run that the unit led to although it did not invalidate the projection.
  private func runOf(_ name: String, for unit: borrowing WrittenUnit) throws -> Reason? {
    guard let run = try next(.run(ProjectionPattern(exactly: name)), after: unit.end) else { return nil }
    guard unit.led(to: log.causeChain(of: run)) else { return nil }
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
  private func derived(_ name: String, _ unit: borrowing WrittenUnit) throws -> Reason? {
    guard unit.invalidates(name) else { return nil }
    guard let run = try next(.run(ProjectionPattern(exactly: name)), after: unit.end) else {
      return Reason(
        kind: .derivedWaiting, seq: unit.end,
        message:
          "it reads the derived value \(name), which is out of date since event \(unit.end); nobody has asked for it"
      )
    }
    guard case .evaluate(_, _, let changed, _, _)? = log.event(run)?.body, changed == false else {
      return nil
    }
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
      let message = try ending(of: ended.name, at: ended.seq) + again
      return (ended.name, Reason(kind: .ended, seq: ended.seq, message: message))
    }
    if let begun {
      let maker = parent(madeAt: begun.seq).map { "\($0) made it" } ?? "it began"
      let message = "\(maker) at event \(begun.seq), after the write"
      return (begun.name, Reason(kind: .notBegun, seq: begun.seq, message: message))
    }
    try pattern.check(against: LogNames(log).projections, of: log)
    throw AnalysisError(log, .noProjection(pattern.text, nearest: nil))
  }

  /// The event that ends a projection's life; nil if none does. One that moves below another parent lives on.
  func endOfLife(of name: String, after seq: UInt64) throws -> UInt64? {
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
  func forEachLifeEvent(
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

  func next(_ condition: EventCondition, after seq: UInt64) throws -> UInt64? {
    try log.next(condition, after: seq, progress: progress)
  }
}
