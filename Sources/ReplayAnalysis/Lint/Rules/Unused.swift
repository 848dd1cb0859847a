import EventLog

// What is recorded for nobody: notes, with counts.

extension LintJudge {
  /// Paths that are written often and that no projection reads. One note for all.
  func unread(_ names: Set<ExactString>) -> Finding? {
    let woke = Set(tally.pairs.pairs.map(\.path))
    let all = tally.written.groups.reduce(0) { $0 + tally.written[$1].changes }
    let found = tally.written.groups.filter { path in
      let changes = tally.written[path].changes
      guard !woke.contains(path), changes >= 10 * max(1, thresholds.count),
        LintThresholds.isShare(changes, of: all, atLeast: 20)
      else { return false }
      let name = text(path)
      // What is attached, or let go of, is not written for a reader.
      if !name.contains(where: { $0 == "." || $0 == "[" }) { return false }
      return isUnread(name, names)
    }.sorted { tally.written[$0].changes > tally.written[$1].changes }
    guard let first = found.first else { return nil }
    let listed = found.prefix(3).map { "\(text($0)) (\(Units.count(tally.written[$0].changes, "change")))" }
    return Finding(
      rule: .unread, projection: nil, path: text(first),
      message: "No projection reads \(list(listed)), so each of these writes is recorded for nobody.",
      advice: LintRule.unread.advice,
      evidence: .init(tally.written[first].evidence, writes: tally.written[first].changes), changes: [],
      isNote: true)
  }

  /// Projections that are invalidated again and again and do not run, but those of which another finding says more. One note
  /// for all.
  func neverRun(beside findings: [Finding]) -> Finding? {
    let known = Set(names: findings.filter { $0.rule == .outOfDate }.compactMap(\.projection))
    var wakes: [GroupID<ProjectionID>: (count: Int, evidence: Evidence)] = [:]
    for pair in tally.pairs.pairs where tally.readers[pair.projection].work.evaluations == 0 {
      // One that ended need not have run any more; but what lives to the end of the session ends there.
      if 2 * pair.ended >= pair.wakes { continue }
      wakes[pair.projection, default: (0, pair.evidence)].count += pair.wakes
    }
    let found = wakes.filter {
      $1.count >= max(1, thresholds.count) && !known.contains(ExactString(text($0)))
    }
    .sorted { ($1.value.count, text($0.key)) < ($0.value.count, text($1.key)) }
    guard let first = found.first else { return nil }
    let listed = found.prefix(3).map { "\(text($0.key)) (\(Units.count($0.value.count, "time")))" }
    return Finding(
      rule: .neverRun, projection: text(first.key), path: nil,
      message:
        "\(list(listed)) \(found.count == 1 ? "was" : "were") put out of date and never ran again: off screen, or"
        + " nobody asks for \(found.count == 1 ? "it" : "them").",
      advice: LintRule.neverRun.advice,
      evidence: .init(first.value.evidence, writes: first.value.count), changes: [], isNote: true)
  }
}
