import EventLog

// Views that show what was before, while others beside them are drawn.

extension LintJudge {
  /// One finding or note for each group of projections that stay out of date. It is a note where the log cannot tell them from
  /// what is off screen.
  func outOfDate() -> [Finding] {
    tally.stays.found.values.enumerated().compactMap { index, found in
      if found.late == 0 { return nil }
      let group = GroupID<ProjectionID>(index)
      let name = text(group)
      if isCallback(group) || isDerived(name) { return nil }
      if let stay = found.certain {
        return outOfDate(
          group, found, stay,
          stay.skips > 0
            ? "its host skipped it \(Units.count(stay.skips, "time")) for an equal input"
            : "all \(stay.others.grouped) others beside it ran, in \(Units.count(stay.fullTurns, "turn"))")
      }
      // Of rows that run when they are handed something else, those on screen would also run for what they read.
      if let stay = found.longest, found.prompt == 0, found.plainRuns == 0, found.projections.count >= 3 {
        return outOfDate(
          group, found, stay,
          "\(name) runs when it is handed something else, and never for what it reads")
      }
      guard
        let stay = found.last ?? (found.prompt == 0 && found.late >= thresholds.count ? found.longest : nil)
      else { return nil }
      return outOfDate(group, found, stay, nil)
    }
  }

  /// - Parameter reason: What shows that it is on screen; nil if nothing does.
  private func outOfDate(
    _ group: GroupID<ProjectionID>, _ found: OutOfDateStays.Found, _ stay: OutOfDateStays.Stay,
    _ reason: String?
  ) -> Finding {
    let has =
      stay.hasRun
      ? "was out of date from event \(stay.since) on" : "has been out of date since event \(stay.since)"
    let others = found.late == 1 ? "" : "; so were others like it, \(Units.count(found.late - 1, "time"))"
    return Finding(
      rule: .outOfDate, projection: text(group), path: nil,
      message: "\(stay.name) \(has), while its host drew \(Units.count(stay.turns, "more turn")) without it"
        + (reason.map { ": \($0)" } ?? "; the log cannot tell whether it is off screen") + others + ".",
      advice: reason == nil
        ? "Nothing, if it is off screen; else run it when session.invalidatedHosted has it."
        : LintRule.outOfDate.advice,
      evidence: .init(found.evidence, writes: found.late), changes: [], isNote: reason == nil)
  }
}
