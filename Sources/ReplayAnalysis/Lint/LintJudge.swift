import EventLog

/// Decides which counts of a run may be findings, and words them. It knows no prices: those are `LintPrices`'.
///
/// The rules are in `Rules`, one file for what belongs together.
struct LintJudge {
  typealias Finding = LintReport.Finding

  /// How a projection's reads relate to a path that is written.
  enum Read {
    /// It reads exactly this path.
    case exact
    /// It reads a path that contains this one.
    case whole(String)
    /// It reads something else of the object, and tracks the object or the property as a whole.
    case object
  }

  let tally: LintTally
  let thresholds: LintThresholds
  let log: LogSource
  private(set) var groups: RunGroups
  /// The names of the derived values that were published.
  let derivedNames: Set<ExactString>

  /// - Parameter run: The run that was counted, to look up ids.
  init(_ tally: LintTally, _ run: borrowing LogRun) {
    self.tally = tally
    thresholds = tally.thresholds
    log = run.log
    groups = run.groups
    // Reads are included because the only write of a derived value may lie before the counted events.
    let read = tally.reads.values.reduce(into: Set<GroupID<PathID>>()) { $0.formUnion($1) }
    let groups = run.groups
    derivedNames = Set(names: read.union(tally.written.groups).compactMap { groups.text($0).derivedName })
  }

  /// The findings without sites: faults first, then those that wasted the most time, and those that are only notes last.
  ///
  /// - Parameter unchanged: ``unchangedReads()``.
  mutating func findings(_ rules: [LintRule], _ unchanged: [UnchangedReads]) -> [Finding] {
    var findings = readings()
    let selfWakes = selfWakes()
    let callbacks = madeAgain()
    let repeats = registeredAgain(beside: callbacks) + timedLoops(beside: selfWakes)
    // That such a path is set to what it is follows from it.
    let explained = Set(repeats.compactMap(\.path))
    findings += followingWholes() + selfWakes + repeats + remadeRows() + writesInBodies() + callbackChains()
    for path in tally.written.groups {
      findings += [
        wholesaleChange(path), flood(path), equalChange(path), hiddenChange(path), replacedObject(path),
      ].compactMap(\.self)
    }
    let names = readNames()
    findings += staleAnswers() + rivalWrites(beside: callbacks) + idleActions(reading: names)
    findings += bursts() + shiftedRows() + callbacks + madeInBodies() + growing()
    findings += slowBodies(unchanged) + slowComparisons() + outOfDate() + unheld()
    findings += [hostRuns(), unread(names), neverRun(beside: findings)].compactMap(\.self)
    findings += sameValues(but: explained)
    findings += diagnostics(beside: findings)
    return findings.filter { rules.contains($0.rule) }.sorted {
      let (a, b) = ($0.evidence, $1.evidence)
      if $0.rank != $1.rank { return $0.rank < $1.rank }
      return (b.wastedTime, b.wasted, b.evaluations, b.writes, $0.message)
        < (a.wastedTime, a.wasted, a.evaluations, a.writes, $1.message)
    }
  }

  /// What is found of projections and the paths that put them out of date. Paths of one projection that change together, and of
  /// which the same is true, are one finding.
  private func readings() -> [Finding] {
    var kept: [(pair: WakePairs.Pair, finding: Finding)] = []
    for pair in tally.pairs.pairs {
      guard let finding = reading(pair) else { continue }
      let known = kept.firstIndex {
        $0.pair.projection == pair.projection && $0.finding.rule == finding.rule && areJoint($0.pair, pair)
      }
      guard let known else {
        kept.append((pair, finding))
        continue
      }
      var merged = kept[known].pair
      merged.merge(pair)
      if let finding = reading(merged) { kept[known] = (merged, finding) }
    }
    return kept.map { pair, finding in
      let others = silentPartners(of: pair)
      guard !others.isEmpty else { return finding }
      var whole = pair
      whole.joint += others
      return reading(whole) ?? finding
    }
  }

  private func reading(_ pair: WakePairs.Pair) -> Finding? {
    // What is reported for its children is not also reported for itself.
    parent(pair) ?? wholeCollection(pair) ?? handing(pair) ?? excessReads(pair)
  }

  /// Whether at least half of the writes of one put the projection out of date together with the other.
  private func areJoint(_ a: WakePairs.Pair, _ b: WakePairs.Pair) -> Bool {
    a.paths.contains { path in
      2 * tally.joint.count(a.projection, path, b.path) >= min(a.wakes, b.wakes)
    }
  }

  /// Paths that are written together with this one, in a transaction or before the projection runs, and so never run it alone.
  private func silentPartners(of pair: WakePairs.Pair) -> [GroupID<PathID>] {
    let running = tally.pairs.pairs.filter { $0.projection == pair.projection && $0.own.evaluations > 0 }
      .map(\.path)
    let reads = tally.reads[pair.projection]
    return tally.joint.partners(of: pair.path, in: pair.projection).filter {
      2 * $0.count >= pair.wakes && !running.contains($0.path) && reads.contains($0.path)
    }.map(\.path)
  }

  /// Adds sites to findings. Cost: reading a block or two for each.
  mutating func addSites(to findings: inout [Finding]) {
    for index in findings.indices {
      findings[index].sites = LintReport.Sites(
        write: writeSite(of: findings[index]),
        view: findings[index].projection.map { groups.projectionGroup(called: $0) }.flatMap { site(of: $0) })
    }
  }

  /// Projections of which a part of the runs drew the same, though too few for a finding: those of the most time first.
  func nearMisses() -> [String] {
    tally.readers.values.enumerated().filter { _, readers in
      readers.work.wasted >= 5
        && readers.work.isWasted(atLeast: Self.nearMissShare)
    }.sorted { $0.element.work.wastedTime > $1.element.work.wastedTime }.lazy
      .filter { !isCallback(GroupID<ProjectionID>($0.offset)) }
      .map { (name: text(GroupID<ProjectionID>($0.offset)), work: $0.element.work) }
      // A derived value whose result is equal has saved the runs of its readers, and a callback draws nothing.
      .filter { !isDerived($0.name) }.prefix(3)
      .map {
        "\($0.name): \($0.work.wasted.grouped) of \(Units.count($0.work.evaluations, "run")) drew the same"
      }
  }

  private static let nearMissShare = 30

  // MARK: Sites

  private func writeSite(of finding: Finding) -> String? {
    guard let site = finding.events.first.flatMap({ log.event($0)?.site }), site != Event.continuingSite
    else {
      return nil
    }
    return site
  }

  /// The site where a projection is created, or else that of its nearest ancestor with a known site.
  private func site(of projection: GroupID<ProjectionID>) -> String? {
    var next: GroupID<ProjectionID>? = projection
    // More steps than projections are ever nested: the parent chain is a cycle.
    for _ in 0..<64 {
      guard let group = next else { return nil }
      if let site = log.event(tally.readers[group].created)?.site { return site }
      next = tally.readers[group].parent
    }
    return nil
  }

  // MARK: Interpreting the counts

  func text(_ group: GroupID<ProjectionID>) -> String { groups.text(group) }

  func text(_ group: GroupID<PathID>) -> String { groups.text(group) }

  /// Whether a projection is a callback of the app, which shows nothing.
  func isCallback(_ group: GroupID<ProjectionID>) -> Bool {
    text(group).isCallbackName || tally.callbacks.contains(group)
  }

  func isDerived(_ name: String) -> Bool { derivedNames.contains(ExactString(name)) }

  /// The runs of each derived value, by their names.
  var derivedRuns: [String: Int] {
    let runs = zip(groups.projectionTexts, tally.readers.values).map { name, readers in
      (name, readers.work.evaluations + readers.firsts.evaluations)
    }
    return Dictionary(runs.filter { isDerived($0.0) }) { $0 + $1 }
  }

  func isMostlyWasted(_ work: LintSums) -> Bool {
    work.isWasted(atLeast: thresholds.wasted)
  }

  func read(_ pair: WakePairs.Pair) -> Read {
    let reads = tally.reads[pair.projection]
    if reads.contains(pair.path) { return .exact }
    let written = text(pair.path)
    let wholes = Set(names: reads.map { text($0) }.filter { written.isPart(of: $0) })
    guard let whole = wholes.max(by: { $0.string.utf8.count < $1.string.utf8.count })?.string else {
      return .object
    }
    // Who reads all elements and one by itself is woken by the others for all of them.
    let all = whole.hasSuffix("[*]") ? String(whole.dropLast(3)) : whole
    return .whole(wholes.contains(ExactString(all)) ? all : whole)
  }

  // MARK: Texts and changes

  func list(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "nobody" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }

  /// The runs of the invalidated projections of these pairs, and of those that ran along.
  func work(of pairs: [WakePairs.Pair]) -> LintSums {
    var work = LintSums()
    for pair in pairs {
      work.add(pair.own)
      work.add(pair.dragged)
    }
    return work
  }

  /// The paths of a pair: `canvas.mouseX and canvas.mouseY`.
  func names(_ pair: WakePairs.Pair) -> String { list(pair.paths.prefix(5).map { text($0) }) }

  /// `300 times, each time to draw the same`; `300 times` where nothing is known of the output.
  func wasted(_ work: LintSums) -> String {
    let times = Units.count(work.evaluations, "time")
    return work.wasted == work.evaluations ? "\(times), each time to draw the same" : times + someWasted(work)
  }

  /// `, 20 of them to draw the same`; nothing where that is known of none.
  func someWasted(_ work: LintSums) -> String {
    work.unknown == work.evaluations ? "" : ", \(work.wasted.grouped) of them to draw the same"
  }

  /// The change that throttles a path, or waits for the end of an edit of a text; none if at most half of its changes can be
  /// left out. Objects cannot, for example, because later events refer to them.
  func pace(_ path: GroupID<PathID>, toDisplay isFast: Bool) -> [Change] {
    let written = tally.written[path]
    if 2 * written.leavable <= written.changes { return [] }
    let isTyped = 2 * written.edits > written.changes
    return [
      Change(
        isTyped ? .debounce : .throttle, "\(text(path))=\(Self.interval(toDisplay: isFast) / 1_000_000)ms")
    ]
  }

  /// The least time between two changes of what is paced, in nanoseconds: a frame, or what a person can follow.
  static func interval(toDisplay isFast: Bool) -> UInt64 { isFast ? 16_000_000 : 250_000_000 }
}

extension String {
  /// The name of the derived values that are published at paths of this group, `derived.total` or `derived["row#*"]`; nil
  /// for others.
  fileprivate var derivedName: String? {
    if hasPrefix("derived.") { return String(dropFirst("derived.".count)) }
    let (start, end) = ("derived[\"", "#*\"]")
    return hasPrefix(start) && hasSuffix(end) ? String(dropFirst(start.count).dropLast(end.count)) : nil
  }
}
