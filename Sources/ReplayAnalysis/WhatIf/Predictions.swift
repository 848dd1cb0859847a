import EventLog

/// Several predictions in one pass over a log.
struct Predictions: ~Copyable, RowObserver {
  /// Predictions that share another run. They are held by reference, because an array cannot hold what is not copied.
  final class Group {
    /// The positions of their rules among all.
    fileprivate(set) var members: [Int]
    fileprivate(set) var other: OtherRun
    fileprivate(set) var predictions: [Prediction]
    /// Why there are none, if that is so. Those of other groups go on.
    fileprivate(set) var failure: AnalysisError?
    /// Whether they can only be made by a run that derives.
    fileprivate(set) var needsDerivation = false

    fileprivate init(_ other: consuming OtherRun) {
      (members, predictions) = ([], [])
      self.other = other
    }
  }

  let groups: [Group]
  let needs: RunNeeds

  /// - Parameter derives: As for ``OtherRun``.
  init(_ rules: [WhatIfRules], counting seqs: Range<UInt64>, derives: Bool) {
    needs = [.lookback, .lives, .lastingProjections, derives ? .hits : []]
    var groups: [Group] = []
    var known: [[Change]: Int] = [:]
    for (index, rules) in rules.enumerated() {
      let group = known[rules.otherRun] ?? groups.count
      if group == groups.count {
        known[rules.otherRun] = group
        groups.append(Group(OtherRun(rules, counting: seqs, derives: derives)))
      }
      groups[group].members.append(index)
      groups[group].predictions.append(Prediction(rules, derives: derives))
    }
    self.groups = groups
  }

  mutating func begin(_ run: inout LogRun) throws {
    for group in groups { group.other.begin(&run) }
  }

  @inline(__always)
  mutating func observe(_ run: inout LogRun) throws {
    for group in groups { try attempt(group) { try $0.observe(&run) } }
  }

  mutating func finish(_ run: inout LogRun) throws {
    for group in groups { try attempt(group) { try $0.finish(&run) } }
  }

  /// - Throws: ``NeedsDerivation`` once no group can be predicted without.
  @inline(__always)
  private func attempt(_ group: Group, _ body: (Group) throws -> Void) throws {
    if group.failure != nil || group.needsDerivation { return }
    do { try body(group) } catch let error as AnalysisError {
      group.failure = error
    } catch let error as NeedsDerivation {
      group.needsDerivation = true
      if groups.allSatisfy(\.needsDerivation) { throw error }
    }
  }
}

extension Predictions.Group {
  @inline(__always)
  fileprivate func observe(_ run: inout LogRun) throws {
    if other.isBehind(&run) { try catchUp(&run, at: run.row.time) }
    if other.flush.isOver(before: run.row) { settle(&run) }
    for index in predictions.indices { predictions[index].observe(&run) }
    guard try other.observe(&run), let entry = other.flush.entries.last else { return }
    for index in predictions.indices { predictions[index].countRun(entry, &run) }
  }

  fileprivate func finish(_ run: inout LogRun) throws {
    try catchUp(&run, at: .max)
    settle(&run)
  }

  /// Makes the writes that come before the current row only by the rules.
  ///
  /// - Parameter time: The row's; the largest if no row follows.
  private func catchUp(_ run: inout LogRun, at time: UInt64) throws {
    try other.endUnit(&run, isAtEnd: time == .max)
    // Each is a flush of its own, unless the row belongs to one that is not over.
    let isBetween = time == .max || other.flush.isOver(before: run.row)
    while try other.setLate(at: time, run) { if isBetween { settle(&run) } }
  }

  /// Ends a flush.
  private func settle(_ run: inout LogRun) {
    other.endFlush(run)
    for index in predictions.indices { predictions[index].settle(other, &run) }
    other.beginFlush()
  }
}
