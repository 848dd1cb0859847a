import EventLog

/// A prediction, from the log alone, of the evaluations that a run would have had under other rules.
package struct WhatIf: Sendable {
  package struct Line: Sendable {
    package var name: String
    /// Nil if the log has no such projection.
    package var before: PredictionLedger.Work?
    package var after: PredictionLedger.Work
  }

  /// Runs for which the log does not show whether they would take place. They are not in the prediction.
  package struct Unknown: Sendable {
    package var name: String
    package var work: PredictionLedger.Work
  }

  let rules: [String]
  package let lines: [Line]
  package let unknown: [Unknown]
  /// How many of the predicted runs are of derived values that a rule adds.
  let derivedValues: Int
  /// The assumptions and limits of the prediction, as sentences.
  package let limits: [String]

  /// Goes through the log, and counts the runs whose events lie in the range.
  ///
  /// - Throws: `AnalysisError` if a rule matches nothing in the log.
  package init(
    _ log: LogSource, _ rules: WhatIfRules, counting seqs: Range<UInt64>, progress: AnalysisProgress = .hidden
  ) throws {
    self = try Self.all(log, [rules], counting: seqs, progress: progress)[0].get()
  }

  /// The predictions under each of several rules, in one pass; instead of one that fails, its error.
  ///
  /// They take the invalidations that the log has. Those that need more, such as what an edit left of a throttled text, are made
  /// in a second pass, which derives it.
  static func all(
    _ log: LogSource, _ rules: [WhatIfRules], counting seqs: Range<UInt64>,
    progress: AnalysisProgress = .hidden
  ) throws -> [Result<WhatIf, AnalysisError>] {
    let found =
      log.hasInvalidations
      ? try all(log, rules, counting: seqs, derives: false, progress: progress) : rules.map { _ in nil }
    let rest = zip(rules, found).filter { $0.1 == nil }.map(\.0)
    if rest.isEmpty { return found.compactMap { $0 } }
    var derived = try all(log, rest, counting: seqs, derives: true, progress: progress).makeIterator()
    return found.compactMap { $0 ?? derived.next() ?? nil }
  }

  /// - Parameter derives: As for ``OtherRun``.
  /// - Returns: Nil for those that need it.
  static func all(
    _ log: LogSource, _ rules: [WhatIfRules], counting seqs: Range<UInt64>, derives: Bool,
    progress: AnalysisProgress = .hidden
  ) throws -> [Result<WhatIf, AnalysisError>?] {
    var predictions = Predictions(rules, counting: seqs, derives: derives)
    var results = [Result<WhatIf, AnalysisError>?](repeating: nil, count: rules.count)
    do {
      let run = try log.play(to: &predictions, progress: progress)
      for group in predictions.groups where !group.needsDerivation {
        for (member, prediction) in zip(group.members, group.predictions) {
          results[member] = try result(prediction, rules[member], group, run)
        }
      }
    } catch is NeedsDerivation {}
    return results
  }

  private static func result(
    _ prediction: Prediction, _ rules: WhatIfRules, _ group: Predictions.Group, _ run: borrowing LogRun
  ) throws -> Result<WhatIf, AnalysisError> {
    if let failure = group.failure { return .failure(failure) }
    do {
      try rules.check(prediction, group.other, run)
    } catch let error as AnalysisError {
      return .failure(error)
    }
    return .success(WhatIf(prediction, rules, group.other, run))
  }

  private init(
    _ prediction: Prediction, _ rules: WhatIfRules, _ other: borrowing OtherRun, _ run: borrowing LogRun
  ) {
    let counts = prediction.ledger.finished(other.followers).map {
      (name: run.text($0.group), counts: $0.counts)
    }
    self.rules = rules.texts
    lines = counts.filter { $0.counts.before.evaluations > 0 || $0.counts.after.evaluations > 0 }
      .map { name, counts in
        Line(name: name, before: counts.before.evaluations > 0 ? counts.before : nil, after: counts.after)
      }
      .sorted { ($1.most, $0.name) < ($0.most, $1.name) }
    unknown = counts.filter { $0.counts.unknown.evaluations > 0 }
      .map { Unknown(name: $0.name, work: $0.counts.unknown) }
      .sorted { $0.name < $1.name }
    limits = prediction.limits(rules, other, run)
    derivedValues = prediction.ledger.derivedCount
  }
}

extension LogSource {
  /// Whether an index says that the log has its invalidations, which are optional in a log that no session recorded.
  var hasInvalidations: Bool {
    reader.kindCounts().map { $0[Int(EventKind.invalidate.rawValue)] > 0 } ?? false
  }
}

extension WhatIf.Line {
  fileprivate var most: Int { max(before?.evaluations ?? 0, after.evaluations) }
}

extension WhatIf.Unknown {
  /// Explains why the log does not show it.
  package var reason: String {
    "whether it would run with its parent: in the log something it read had changed each time that the parent ran,"
      + " so nothing tells whether it is handed an input; --input says that it is"
  }
}

extension WhatIfRules {
  /// Throws if a rule matches nothing in the log.
  fileprivate func check(
    _ prediction: Prediction, _ other: borrowing OtherRun, _ run: borrowing LogRun
  ) throws {
    let log = run.log
    let groups = other.lives.knownGroups.map { run.text($0) }
    func check(_ projection: ProjectionPattern) throws {
      if !projection.text.contains("#") { try projection.check(against: groups, of: log) }
    }
    for rule in tracking { try rule.projection.map(check) }
    for (index, rule) in isolations.enumerated()
    where !other.timeline.moved.metIsolations.contains(index) {
      try check(rule.projection)
      throw AnalysisError(unread: rule.path, rule.projection, log)
    }
    let moved = other.timeline.moved
    for (index, rule) in inputs.enumerated()
    where moved.metInputs.contains(index) && !moved.parentedInputs.contains(index) {
      throw AnalysisError(log, .noParent(rule.projection.text))
    }
    for (index, rule) in inputs.enumerated() where !moved.metInputs.contains(index) {
      try check(rule.projection)
      guard let path = rule.path else {
        throw AnalysisError(log, .noProjection(rule.projection.text, nearest: nil))
      }
      throw AnalysisError(unread: path, rule.projection, log)
    }
    for (index, rule) in derivations.enumerated() where !prediction.metDerivations.contains(index) {
      throw AnalysisError(log, .noProjection(rule.projection.text, nearest: nil))
    }
    for (index, rule) in identities.enumerated() {
      if !prediction.shifts.concerns(index) {
        throw AnalysisError(log, .noProjection(rule.projection.text, nearest: nil))
      }
      if !prediction.shifts.metLists.contains(index) { try unwritten(rule.path.description) }
    }
    if let path = other.timeline.leftOut.unmet.first { try unwritten(path) }
    if !equatable.isEmpty, !other.timeline.metEquatable { try unwritten(equatable[0].description) }
    func unwritten(_ path: String) throws {
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

/// A prediction, for output as JSON.
package struct WhatIfReport: Encodable, Sendable {
  /// Runs for which the log does not show whether they would take place.
  struct Unknown: Encodable, Sendable {
    var projection: String
    var evaluations: Int
    var time: UInt64
    var reason: String

    enum CodingKeys: String, CodingKey {
      case projection, evaluations
      case time = "time_ns"
      case reason
    }
  }

  var before: OrderedFields<PredictionLedger.Work>
  var after: OrderedFields<PredictionLedger.Work>
  var rules: [String]
  var unknown: [Unknown]
  var limits: [String]

  package init(_ whatIf: WhatIf) {
    before = OrderedFields(whatIf.lines.compactMap { line in line.before.map { (line.name, $0) } })
    after = OrderedFields(whatIf.lines.map { ($0.name, $0.after) })
    rules = whatIf.rules
    unknown = whatIf.unknown.map {
      Unknown(
        projection: $0.name, evaluations: $0.work.evaluations, time: $0.work.time, reason: $0.reason)
    }
    limits = whatIf.limits
  }
}
