import EventLog

/// What a run would have evaluated under other rules, predicted from its log alone.
package struct WhatIf {
  package struct Line {
    package var name: String
    /// Nil where the log has no such projection.
    package var before: PredictionLedger.Work?
    package var after: PredictionLedger.Work
  }

  /// Runs of which the log does not say whether they would take place. They are not in the prediction.
  package struct Unknown {
    package var name: String
    package var work: PredictionLedger.Work
  }

  let rules: [String]
  package let lines: [Line]
  package let unknown: [Unknown]
  /// What the prediction rests on, in sentences.
  package let limits: [String]

  /// Goes through the log, and counts what ran between some events.
  ///
  /// - Throws: `AnalysisError` when a rule names nothing that is in the log.
  package init(
    _ log: LogSource, _ rules: WhatIfRules, counting seqs: Range<UInt64>, progress: AnalysisProgress = .hidden
  )
    throws
  {
    var run = Run(log, progress: progress)
    var prediction = try Prediction(rules, counting: seqs, &run)
    while try run.next() {
      do throws(StateError) { try prediction.take(&run) } catch {
        progress.finish()
        throw AnalysisError(log, .unfollowed(seq: run.row.seq, error))
      }
    }
    prediction.settle(&run)
    try rules.check(prediction, of: log)
    let counts = prediction.ledger.finished(prediction.flush.lives.groups)
    self.rules = rules.texts
    lines = counts.map { Line(name: $0.name, before: $0.before, after: $0.after) }
      .filter { $0.before != nil || $0.after.evaluations > 0 }
      .sorted { ($1.most, $0.name) < ($0.most, $1.name) }
    unknown = counts.filter { $0.unknown.evaluations > 0 }.map { Unknown(name: $0.name, work: $0.unknown) }
      .sorted { $0.name < $1.name }
    limits = prediction.limits(rules)
  }
}

extension WhatIf.Line {
  fileprivate var most: Int { max(before?.evaluations ?? 0, after.evaluations) }
}

extension WhatIf.Unknown {
  /// Why the log cannot know.
  package var reason: String {
    "whether it would run with its parent: in the log something it read had changed each time that the parent ran,"
      + " so nothing tells whether it is handed an input; --input says that it is"
  }
}

extension WhatIfRules {
  /// Refuses rules that name nothing in the log.
  fileprivate func check(_ prediction: Prediction, of log: LogSource) throws {
    let groups = prediction.flush.lives.groups
    func check(_ projection: ProjectionPattern) throws {
      if !projection.text.contains("#") { try projection.check(against: groups, of: log) }
    }
    for rule in tracking { try rule.projection.map(check) }
    for (place, rule) in isolations.enumerated()
    where !prediction.other.moved.metIsolations.contains(place) {
      try check(rule.projection)
      throw AnalysisError(unread: rule.path, rule.projection, log)
    }
    for (place, rule) in inputs.enumerated() where !prediction.other.moved.metInputs.contains(place) {
      try check(rule.projection)
      guard let path = rule.path else {
        throw AnalysisError(log, .noProjection(rule.projection.text, nearest: nil))
      }
      throw AnalysisError(unread: path, rule.projection, log)
    }
    if let path = prediction.other.leftOut.unmet.first {
      let known = LogNames(log).paths.map(\.group).sorted()
      throw AnalysisError(
        log, .unwritten(path: path, nearest: Suggestion.nearest(to: path, among: known)))
    }
  }
}

extension AnalysisError {
  fileprivate init(unread path: PathPattern, _ projection: ProjectionPattern, _ log: LogSource) {
    let known = LogNames(log).paths.map(\.description).sorted()
    let nearest = Suggestion.nearest(to: path.description, among: known)
    self.init(log, .unread(path: path.description, projection: projection.text, nearest: nearest))
  }
}
