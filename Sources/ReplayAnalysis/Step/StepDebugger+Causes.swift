import EventLog

extension StepDebugger {
  /// Why a projection ran: the last time up to here, or, where what is here woke it, because of that.
  ///
  /// Looked at is only the part of the log from the root of that run's causes on.
  package func why(_ name: String?) throws -> WhyChain {
    let (projection, run) = try subject(name)
    let part = try log.part(from: root(of: run))
    return try WhyChain(of: projection, at: .seq(run), in: part, progress: progress)
  }

  /// All that the root of the causes of the event here led to.
  package func cascade() throws -> CascadeReport {
    let root = try root(of: seq)
    let part = try log.part(from: root)
    let only = try Selection(from: .seq(root), to: .seq(root), in: part)
    return try CascadeReport(part, only, progress: progress)
  }

  /// A projection, and the event of its run or of what woke it.
  private func subject(_ name: String?) throws -> (projection: String, seq: UInt64) {
    guard let point = try point() else { throw StepError("nothing has happened yet") }
    if let name {
      let pattern = ProjectionPattern(name)
      if let woken = point.woken.first(where: { pattern.matches($0.projection) }) {
        return try run(of: woken.projection)
      }
      if let own = point.projection, pattern.matches(own), case .evaluate = point.event.body {
        return (own, seq)
      }
      let found = try log.retried {
        try search(for: [.woke(pattern)]).previous(before: seq)
      }
      guard let found else {
        throw StepError("\(name) was neither woken nor evaluated up to event \(seq)")
      }
      return (name, found.seq)
    }
    if let own = point.projection { return (own, seq) }
    guard let first = point.woken.first else {
      throw StepError("event \(seq) woke nobody; name a projection, as why Row")
    }
    return try run(of: first.projection)
  }

  /// The run of a projection that the event here led to; that it was woken where it did not run soon.
  private func run(of projection: String) throws -> (projection: String, seq: UInt64) {
    let part = try log.part(from: seq + 1, hasState: false)
    var rows = WatchedRows(part, watching: [])
    while try rows.next() != nil, rows.row.seq < seq.addingClamped(CascadeFeed.patience) {
      guard rows.row.kind == .evaluate, rows.row.seq > seq, let name = rows.name(),
        rows.tables.names[name] == projection
      else { continue }
      // A run for another reason is another story.
      let isOurs = try rows.row.cause > 0 && root(of: rows.row.seq) == root(of: seq)
      return (projection, isOurs ? rows.row.seq : seq)
    }
    return (projection, seq)
  }

  /// The event that began the chain of causes; of what is written in a transaction, that of its end.
  private func root(of seq: UInt64) throws -> UInt64 {
    let found = log.root(of: seq)
    if found.depth > 0 { return found.seq }
    guard let span = try windows.window(around: seq).transaction(around: seq), span.begin <= seq else {
      return seq
    }
    return span.end ?? end(of: span)
  }

  /// Where a transaction ends; the last event if it never does.
  private func end(of span: StepWindow.Span) -> UInt64 {
    log.retried {
      var (depth, next) = (0, span.begin)
      while let block = log.block(from: next) {
        for event in log.events(from: next) where event.seq >= span.begin {
          if case .begin = event.body { depth += 1 }
          if case .end = event.body { depth -= 1 }
          if depth == 0 { return event.seq }
        }
        next = block.endSeq
      }
      return lastSeq
    }
  }
}
