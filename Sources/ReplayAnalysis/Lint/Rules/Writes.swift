import EventLog

// What is written too often, as a whole, or without a difference.

extension LintJudge {
  func wholesaleChange(_ group: GroupID<PathID>) -> Finding? {
    guard let found = tally.wholesale.found[group] else { return nil }
    let path = text(group)
    let followers = found.followers.map { (name: text($0.key), runs: $0.value) }
      .sorted { ($1.runs, $0.name) < ($0.runs, $1.name) }.prefix(3).map(\.name)
    let isRead = followers.isEmpty || 2 * found.woken > found.work.wasted
    let times = found.changes == 1 ? "once" : Units.count(found.changes, "time")
    return Finding(
      rule: .wholesaleChange, projection: nil, path: path,
      message: "\(path) was replaced as a whole \(times), \(Units.count(found.elements, "element")) in all:"
        + " \(found.work.wasted.grouped) of the \(Units.count(found.work.evaluations, "run")) after it drew the same.",
      advice: isRead
        ? "Merge what is new into what is there, and follow elements."
        : "Merge what is new into what is there, or hand \(list(followers)) the values that they show.",
      evidence: .init(found.evidence, writes: found.changes, found.work),
      changes: isRead ? [Change(.tracking, "element")] : followers.map { Change(.input, $0) },
      needless: .init(runs: found.work.wasted, time: found.work.wastedTime))
  }

  func flood(_ group: GroupID<PathID>) -> Finding? {
    let written = tally.written[group]
    let path = text(group)
    // A derived value is set as often as its input, which is reported instead.
    guard written.floodSets > 0, !path.isPart(of: "derived"), !tally.pace.isFasterThanLife else { return nil }
    let woken = tally.pairs.pairs.filter { $0.path == group && $0.wakes > 0 && !isPaced($0) }
    if woken.isEmpty { return nil }
    let work = work(of: woken)
    // What a hand or an animation moves is set as often as the display draws; what wakes callbacks alone is not shown at all.
    let isFast = written.peak > Self.displayRate && woken.contains { !isCallback($0.projection) }
    guard isFast || isDear(work, written) else { return nil }
    let changes = pace(group, toDisplay: isFast)
    return Finding(
      rule: .flood, projection: nil, path: path,
      message: "\(path) was set up to \(written.peak.grouped) times a second, and woke"
        + " \(list(woken.map { text($0.projection) })): \(Units.count(work.evaluations, "evaluation"))\(someWasted(work)).",
      advice: changes.first?.kind == .debounce
        ? "Do what follows from it once the typing pauses." : "Throttle what comes in before it is set.",
      evidence: .init(written.floodEvidence, writes: written.changes, work), changes: changes,
      needless: changes.isEmpty ? beyondPace(work, written, toDisplay: isFast) : nil)
  }

  /// The runs that a path woke beyond its pace while it was set so often, if its sets woke about as many each.
  private func beyondPace(
    _ work: LintSums, _ written: WrittenPlaces.Place, toDisplay isFast: Bool
  ) -> LintReport.Price {
    let left = max(0, written.floodSets - Int(clamping: written.floodTime / Self.interval(toDisplay: isFast)))
    return work.part(Int(Double(work.evaluations) * Double(left) / Double(max(1, written.changes))))
  }

  /// More sets a second than a display shows pictures, even one that does not keep its time.
  private static let displayRate = 132

  /// Whether what a path woke took more than a tenth of the time in which it was set so often.
  private func isDear(_ work: LintSums, _ written: WrittenPlaces.Place) -> Bool {
    let share = Double(written.floodSets) / Double(max(1, written.changes))
    return 10 * Double(work.time) * share > Double(written.floodTime)
  }

  /// Whether a projection runs much less often than it is invalidated, so that something paces it already: a
  /// throttle, or a session that collects changes.
  private func isPaced(_ pair: WakePairs.Pair) -> Bool {
    let runs = tally.readers[pair.projection].work.evaluations
    return 4 * runs < pair.wakes
  }

  /// Writes to several places within a frame, which run a projection again and again.
  func bursts() -> [Finding] {
    if tally.pace.isFasterThanLife { return [] }
    return tally.bursts.found.compactMap { group, found in
      let name = text(group)
      let runs = tally.readers[group].work.evaluations
      guard found.bursts >= Self.burstsLeast, found.most >= Self.burstsLeast,
        found.runs >= max(1, thresholds.count),
        LintThresholds.isShare(found.runs, of: runs, atLeast: Self.burstShare), !isCallback(group),
        !isDerived(name)
      else { return nil }
      let paths = found.paths.map { text($0) }.filter { !$0.isPart(of: "derived") }
      var work = LintSums()
      (work.evaluations, work.time) = (found.runs, found.time)
      return Finding(
        rule: .burst, projection: name, path: paths.first,
        message:
          "\(name) ran up to \(Units.count(found.most, "time")) within a frame, in \(Units.count(found.bursts, "burst"))"
          + " of writes to \(list(Array(paths.prefix(5)))): \(found.runs.grouped) of its \(Units.count(runs, "run")) showed"
          + " what nobody could see.",
        advice: "Make the writes in one transaction.",
        evidence: .init(found.evidence, writes: found.bursts, work),
        changes: [Change(.transaction, "\(AccountLine.burstGap / 1_000_000)ms")], paths: paths)
    }
  }

  private static let burstShare = 40
  private static let burstsLeast = 3

  /// Sets that counted as changes though the value is recorded as it was.
  func equalChange(_ group: GroupID<PathID>) -> Finding? {
    let written = tally.written[group]
    guard written.equalChanges >= max(1, thresholds.count),
      LintThresholds.isShare(written.equalChanges, of: written.changes, atLeast: thresholds.sameValue)
    else { return nil }
    let path = text(group)
    let woken = tally.pairs.pairs.filter { $0.path == group && $0.own.evaluations > 0 }
    if woken.isEmpty { return nil }
    let work = work(of: woken)
    return Finding(
      rule: .notEquatable, projection: nil, path: path,
      message: "\(path) was set \(Units.count(written.changes, "time")) to what counted as a change,"
        + " \(written.equalChanges.grouped) of them to a value that is recorded as it was: \(list(woken.map { text($0.projection) }))"
        + " ran \(wasted(work)).",
      advice: "Conform its type to Equatable; if it does, its == says that equal values differ.",
      evidence: .init(written.equalEvidence, writes: written.equalChanges, work),
      changes: [Change(.equatable, path)])
  }

  /// Sets that counted as none though the value is recorded differently: what shows it is stale.
  func hiddenChange(_ group: GroupID<PathID>) -> Finding? {
    let written = tally.written[group]
    guard written.hiddenChanges > 0 else { return nil }
    let path = text(group)
    let readers = tally.reads.values.enumerated().filter { _, reads in
      reads.contains { $0 == group || text($0).isPart(of: path) || path.isPart(of: text($0)) }
    }.map { text(GroupID<ProjectionID>($0.offset)) }.sorted()
    if readers.isEmpty { return nil }
    return Finding(
      rule: .hiddenChange, projection: nil, path: path,
      message:
        "\(path) was set \(Units.count(written.hiddenChanges, "time")) to a value that counts as the same and is not"
        + " recorded as the same: \(list(Array(readers.prefix(3)))) did not run for it, and may show the one before.",
      advice: "Compare all that is shown: its == leaves out a field, or @Compared(by:) names too little.",
      evidence: .init(written.hiddenEvidence, writes: written.hiddenChanges), changes: [])
  }

  /// Sets to another object of the same content, which run all that was read of the one before.
  func replacedObject(_ group: GroupID<PathID>) -> Finding? {
    let written = tally.written[group]
    guard written.copies >= max(1, thresholds.count / 2),
      LintThresholds.isShare(written.copies, of: written.changes, atLeast: thresholds.sameValue)
    else { return nil }
    let path = text(group)
    let woken = tally.pairs.pairs.filter { $0.path == group && $0.own.evaluations > 0 }
    if woken.isEmpty { return nil }
    let work = work(of: woken)
    return Finding(
      rule: .replacedObject, projection: nil, path: path,
      message:
        "\(path) was set \(Units.count(written.changes, "time")) to another object, \(written.copies.grouped) of them with"
        + " the same content: \(list(woken.map { text($0.projection) })) ran \(wasted(work)).",
      advice: "Keep the object, and update what differs in it.",
      evidence: .init(written.copyEvidence, writes: written.copies, work), changes: [],
      needless: .init(runs: work.wasted, time: work.wastedTime))
  }

  /// One finding for each path whose sets to an equal value invalidated something, and one note for all others
  /// together.
  ///
  /// - Parameter explained: Paths of which another finding says why they are set.
  func sameValues(but explained: Set<String>) -> [Finding] {
    let found = tally.written.groups.filter { group in
      if explained.contains(text(group)) { return false }
      let written = tally.written[group]
      return written.sameValue >= max(1, thresholds.count)
        && LintThresholds.isShare(
          written.sameValue, of: written.sets + partSets(of: group), atLeast: thresholds.sameValue)
    }
    let quiet = found.filter { tally.written[$0].sameWakes == 0 }
      .sorted { (tally.written[$1].sameValue, text($0)) < (tally.written[$0].sameValue, text($1)) }
    if quiet.count < 2 { return found.map { sameValue($0) } }
    return found.filter { tally.written[$0].sameWakes > 0 }.map { sameValue($0) } + [sameValue(of: quiet)]
  }

  /// The sets of parts of an element: one that changes nothing is logged as a set of the element.
  private func partSets(of group: GroupID<PathID>) -> Int {
    let path = text(group)
    guard path.hasSuffix("[*]") else { return 0 }
    return tally.written.groups.reduce(0) { text($1).isPart(of: path) ? $0 + tally.written[$1].sets : $0 }
  }

  /// - Parameter groups: Two or more groups, those with the most sets to an equal value first.
  private func sameValue(of groups: [GroupID<PathID>]) -> Finding {
    let places = groups.map { tally.written[$0] }
    let (sets, same) = places.reduce((0, 0)) { ($0.0 + $1.sets, $0.1 + $1.sameValue) }
    let shown = groups.prefix(3).map { "\(text($0)) (\(tally.written[$0].sameValue.grouped))" }
    let others = groups.count > 3 ? ["\((groups.count - 3).grouped) more"] : []
    return Finding(
      rule: .sameValue, projection: nil, path: text(groups[0]),
      message:
        "\(groups.count.grouped) paths were set \(Units.count(sets, "time")), \(same.grouped) of them to what they"
        + " were, which woke nobody: \(list(shown + others)).",
      advice: "Compare before setting, if that is cheaper.",
      evidence: .init(places[0].sameEvidence, writes: same), changes: [], isNote: true)
  }

  private func sameValue(_ group: GroupID<PathID>) -> Finding {
    let written = tally.written[group]
    let path = text(group)
    let isNote = written.sameWakes == 0
    return Finding(
      rule: .sameValue, projection: nil, path: path,
      message:
        "\(path) was set \(Units.count(written.sets, "time")), \(written.sameValue.grouped) of them to what it"
        + " was\(isNote ? ", which woke nobody" : "").",
      advice: isNote ? "Compare before setting, if that is cheaper." : "Compare before setting.",
      evidence: .init(written.sameEvidence, writes: written.sameValue),
      changes: isNote ? [] : [Change(.noSameValue, path)], isNote: isNote)
  }
}
