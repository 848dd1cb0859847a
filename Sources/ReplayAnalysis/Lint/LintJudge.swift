import EventLog

/// Decides which counts of a run become findings, and words them.
struct LintJudge {
  typealias Finding = LintReport.Finding

  /// How a projection's reads relate to a path that is written.
  private enum Read {
    /// It reads exactly this path.
    case exact
    /// It reads a path that contains this one.
    case whole(String)
    /// It reads something else of the object, and tracks the object as a whole.
    case object
  }

  private let tally: LintTally
  private let thresholds: LintThresholds
  private let log: LogSource
  private var groups: RunGroups

  /// - Parameter run: The run that was counted, to look up ids.
  init(_ tally: LintTally, _ run: borrowing LogRun) {
    self.tally = tally
    thresholds = tally.thresholds
    log = run.log
    groups = run.groups
  }

  /// The findings without sites, those that wasted the most time first.
  mutating func findings(_ rules: [LintRule]) -> [Finding] {
    var findings: [Finding] = []
    for (index, pair) in tally.pairs.pairs.enumerated() {
      // A hot parent is not also reported for mixed reads.
      findings += [hotParent(pair) ?? mixedReads(pair), wholeCollection(pair), selfWake(pair, index)]
        .compactMap(\.self)
    }
    for path in tally.written.groups {
      findings += [wholesaleChange(path), flood(path)].compactMap(\.self)
    }
    findings += sameValues()
    findings += equalDerived()
    let named = Set(findings.compactMap(\.projection).map { ExactString($0) })
    findings += excessReads(except: named)
    findings += tally.diagnostics.map { diagnostic($0.reported, at: $0.seq) }
    return findings.filter { rules.contains($0.rule) }.sorted {
      let (a, b) = ($0.evidence, $1.evidence)
      return (b.wastedTime, b.wasted, b.evaluations, b.writes, $0.message)
        < (a.wastedTime, a.wasted, a.evaluations, a.writes, $1.message)
    }
  }

  /// Adds sites to findings. Cost: reading a block for each.
  mutating func addSites(to findings: inout [Finding]) {
    for index in findings.indices { findings[index].site = site(of: findings[index]) }
  }

  // MARK: Sites

  private mutating func site(of finding: Finding) -> String? {
    if let write = finding.evidence.seqs.first.flatMap({ log.event($0)?.site }),
      write != Event.continuingSite
    {
      return write
    }
    guard let projection = finding.projection else { return nil }
    let group = groups.projectionGroup(called: projection)
    return site(of: group)
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

  // MARK: Invalidations and runs

  private func hotParent(_ pair: WakePairs.Pair) -> Finding? {
    guard pair.wakes >= max(1, thresholds.count),
      tally.written[pair.path].hotSeconds > 0 || pair.wakes >= 100,
      pair.dragged.runs >= thresholds.fanOut * pair.wakes, isMostlyWasted(pair.dragged)
    else { return nil }
    let cause =
      switch read(pair) {
      case .exact: "reads \(text(pair.path)), which woke it \(Units.count(pair.wakes, "time"))"
      case .whole(let whole):
        "reads \(whole) as a whole, and \(text(pair.path)) woke it \(Units.count(pair.wakes, "time"))"
      case .object:
        "follows a whole object, of which \(text(pair.path)) woke it \(Units.count(pair.wakes, "time"))"
      }
    return Finding(
      rule: .hotParent, projection: text(pair.projection), path: text(pair.path),
      message: "\(text(pair.projection)) \(cause): \(ranAlong(pair)).",
      evidence: .init(pair.evidence, writes: pair.writes, pair.own, pair.dragged), fix: fix(pair))
  }

  private func mixedReads(_ pair: WakePairs.Pair) -> Finding? {
    guard pair.wakes >= max(1, thresholds.count), pair.dragged.runs >= pair.wakes,
      isMostlyWasted(pair.dragged),
      let stable = stableRead(beside: pair)
    else { return nil }
    let fast = Units.count(tally.written[pair.path].changes, "time")
    let slow = stable.changes == 0 ? "never changed" : "changed \(Units.count(stable.changes, "time"))"
    return Finding(
      rule: .mixedReads, projection: text(pair.projection), path: text(pair.path),
      message:
        "\(text(pair.projection)) reads \(text(pair.path)), which changed \(fast), beside \(stable.path), which"
        + " \(slow): \(ranAlong(pair)).",
      evidence: .init(pair.evidence, writes: pair.writes, pair.own, pair.dragged), fix: fix(pair))
  }

  /// Another path that the projection reads, and that changes at most a tenth as often.
  private func stableRead(beside pair: WakePairs.Pair) -> (path: String, changes: Int)? {
    let fast = text(pair.path)
    let others = tally.reads[pair.projection].map { text($0) }.filter {
      $0 != fast && !fast.isPart(of: $0)
    }
    let counted = others.map { read in
      let parts = tally.written.groups.filter { text($0) == read || text($0).isPart(of: read) }
      return (path: read, changes: parts.reduce(0) { $0 + tally.written[$1].changes })
    }
    return counted.filter { 10 * $0.changes <= tally.written[pair.path].changes }
      .min { ($0.changes, $0.path) < ($1.changes, $1.path) }
  }

  private func wholeCollection(_ pair: WakePairs.Pair) -> Finding? {
    let written = text(pair.path)
    guard written.contains("[*]"), pair.writes > 0, pair.own.runs >= thresholds.fanOut * pair.writes,
      isMostlyWasted(pair.own)
    else { return nil }
    let group = text(pair.projection)
    let (cause, fix) =
      switch read(pair) {
      case .exact: ("follows all of \(written)", ["--tracking", "\(group):element"])
      case .whole(let whole):
        (
          "reads \(whole) to show one element",
          tally.readers[pair.projection].hasParent
            ? ["--input", "\(group):\(whole)"] : ["--tracking", "\(group):element"]
        )
      case .object: ("follows a whole object", ["--tracking", "\(group):element"])
      }
    let each = pair.writes == 1 ? "a write" : "each of \(pair.writes.grouped) writes"
    return Finding(
      rule: .wholeCollection, projection: group, path: written,
      message:
        "\(group) \(cause): \(each) to \(written) woke up to \(Units.count(pair.most, "instance")), and"
        + " \(pair.own.wasted.grouped) of \(Units.count(pair.own.runs, "run")) drew the same.",
      evidence: .init(pair.evidence, writes: pair.writes, pair.own, pair.dragged), fix: fix)
  }

  private func selfWake(_ pair: WakePairs.Pair, _ index: Int) -> Finding? {
    guard let found = tally.chains.found[index] else { return nil }
    return Finding(
      rule: .selfWake, projection: text(pair.projection), path: text(pair.path),
      message:
        "\(text(pair.projection)) was woken by \(text(pair.path)) up to \(found.roundsMost.grouped) times in a row,"
        + " by what it had led to itself, in \(Units.count(found.chains, "chain")) of causes.",
      evidence: .init(found.evidence, writes: found.chains, pair.own, pair.dragged),
      fix: throttle(pair.path))
  }

  // MARK: Written paths and derived values

  private func wholesaleChange(_ group: GroupID<PathID>) -> Finding? {
    guard let found = tally.wholesale.found[group] else { return nil }
    let path = text(group)
    let followers = found.followers.map { (name: text($0.key), runs: $0.value) }
      .sorted { ($1.runs, $0.name) < ($0.runs, $1.name) }.prefix(3).map(\.name)
    let fix =
      followers.isEmpty || 2 * found.woken > found.work.wasted
      ? ["--tracking", "element"] : followers.flatMap { ["--input", $0] }
    let times = found.changes == 1 ? "once" : Units.count(found.changes, "time")
    return Finding(
      rule: .wholesaleChange, projection: nil, path: path,
      message: "\(path) was replaced as a whole \(times), \(Units.count(found.elements, "element")) in all:"
        + " \(found.work.wasted.grouped) of the \(Units.count(found.work.runs, "run")) after it drew the same.",
      evidence: .init(found.evidence, writes: found.changes, found.work), fix: fix)
  }

  /// One finding for each path whose sets to an equal value invalidated something, and one for all others
  /// together.
  private func sameValues() -> [Finding] {
    let found = tally.written.groups.filter { group in
      let written = tally.written[group]
      return written.sameValue >= max(1, thresholds.count)
        && LintThresholds.isShare(written.sameValue, of: written.sets, atLeast: thresholds.sameValue)
    }
    let quiet = found.filter { tally.written[$0].sameWakes == 0 }
      .sorted { (tally.written[$1].sameValue, text($0)) < (tally.written[$0].sameValue, text($1)) }
    if quiet.count < 2 { return found.map { sameValue($0) } }
    return found.filter { tally.written[$0].sameWakes > 0 }.map { sameValue($0) } + [sameValue(of: quiet)]
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
        + " were: \(list(shown + others)).",
      evidence: .init(places[0].sameEvidence, writes: same),
      fix: groups.prefix(3).flatMap { ["--no-same-value", text($0)] })
  }

  private func sameValue(_ group: GroupID<PathID>) -> Finding {
    let written = tally.written[group]
    let path = text(group)
    return Finding(
      rule: .sameValue, projection: nil, path: path,
      message:
        "\(path) was set \(Units.count(written.sets, "time")), \(written.sameValue.grouped) of them to what it"
        + " was.",
      evidence: .init(written.sameEvidence, writes: written.sameValue),
      fix: ["--no-same-value", path])
  }

  private func flood(_ group: GroupID<PathID>) -> Finding? {
    let written = tally.written[group]
    let path = text(group)
    // A derived value is set as often as its input, which is reported instead.
    guard written.floodSeconds > 0, !path.isPart(of: "derived") else { return nil }
    let woken = tally.pairs.pairs.filter { $0.path == group && $0.wakes > 0 && !isPaced($0) }
    if woken.isEmpty { return nil }
    var work = WakePairs.Work()
    for pair in woken {
      work.add(pair.own)
      work.add(pair.dragged)
    }
    return Finding(
      rule: .flood, projection: nil, path: path,
      message: "\(path) was set up to \(written.peak.grouped) times a second, and woke"
        + " \(list(woken.map { text($0.projection) })): \(Units.count(work.runs, "evaluation")),"
        + " \(work.wasted.grouped) of them to draw the same.",
      evidence: .init(written.floodEvidence, writes: written.changes, work),
      fix: throttle(group))
  }

  /// Whether a projection runs much less often than it is invalidated, so that something paces it already: a
  /// throttle, or a session that collects changes.
  private func isPaced(_ pair: WakePairs.Pair) -> Bool {
    let runs = tally.readers[pair.projection].work.runs
    return runs.multipliedReportingOverflow(by: 4).partialValue < pair.wakes
  }

  /// Projections whose own reads caused runs that mostly left the output as it was.
  ///
  /// - Parameter named: Projections that another rule already reports in more detail.
  private func excessReads(except named: Set<ExactString>) -> [Finding] {
    var woken: [GroupID<ProjectionID>: (work: WakePairs.Work, most: WakePairs.Pair)] = [:]
    for pair in tally.pairs.pairs {
      var (work, most) = woken[pair.projection] ?? (WakePairs.Work(), pair)
      work.add(pair.own)
      if pair.own.wasted > most.own.wasted { most = pair }
      woken[pair.projection] = (work, most)
    }
    return woken.compactMap { group, found in
      let name = text(group)
      guard found.work.runs >= max(1, thresholds.count), isMostlyWasted(found.work),
        !named.contains(ExactString(name))
      else { return nil }
      let path = text(found.most.path)
      let fix =
        switch read(found.most) {
        case .exact: ["--isolate", "\(name):\(path)"]
        case .whole(let whole): ["--isolate", "\(name):\(whole)"]
        case .object: ["--tracking", "\(name):property"]
        }
      return Finding(
        rule: .excessReads, projection: name, path: path,
        message:
          "\(name) ran \(Units.count(found.work.runs, "time")) because of what it reads,"
          + " \(found.work.wasted.grouped) of them to draw the same, most often because of \(path).",
        evidence: .init(found.most.evidence, writes: found.most.writes, found.work), fix: fix)
    }
  }

  /// A diagnostic that the session reported. If it is about an input that cannot be compared, the command
  /// shows what a comparable one would save.
  private func diagnostic(_ reported: ReportedDiagnostic, at seq: UInt64) -> Finding {
    var evidence = Evidence()
    evidence.note(seq)
    let child = reported.incomparableChild
    return Finding(
      rule: .diagnostic, projection: child, path: nil, message: reported.message + ".",
      evidence: .init(evidence, writes: 1), fix: child.map { ["--input", $0] } ?? [])
  }

  private func equalDerived() -> [Finding] {
    let derived = publishedPaths
    return tally.readers.values.enumerated().compactMap { index, readers in
      guard readers.work.runs >= max(1, thresholds.count), isMostlyWasted(readers.work) else { return nil }
      let group = GroupID<ProjectionID>(index)
      let name = text(group)
      guard derived.contains(Path(root: .named("derived"), components: [.property(name)]).group) else {
        return nil
      }
      let causes = tally.pairs.pairs.filter { $0.projection == group }
      guard let cause = causes.max(by: { $0.own.wasted < $1.own.wasted }) else { return nil }
      let path = text(cause.path)
      let fix =
        if case .exact = read(cause) { ["--isolate", "\(name):\(path)"] } else { throttle(cause.path) }
      return Finding(
        rule: .equalDerived, projection: name, path: path,
        message:
          "\(name) was computed \(Units.count(readers.work.runs, "time")), \(readers.work.wasted.grouped) of them"
          + " to an equal result, most often because of \(path).",
        evidence: .init(readers.evidence, writes: cause.writes, readers.work), fix: fix)
    }
  }

  /// The groups of all paths that were written or read. Reads are included because the only write of a
  /// derived value may lie before the counted events.
  private var publishedPaths: Set<ExactString> {
    let read = tally.reads.values.reduce(into: Set<GroupID<PathID>>()) { $0.formUnion($1) }
    return Set(names: read.union(tally.written.groups).map { text($0) })
  }

  // MARK: Interpreting the counts

  private func text(_ group: GroupID<ProjectionID>) -> String { groups.text(group) }

  private func text(_ group: GroupID<PathID>) -> String { groups.text(group) }

  private func isMostlyWasted(_ work: WakePairs.Work) -> Bool {
    LintThresholds.isShare(work.wasted, of: work.runs, atLeast: thresholds.wasted)
  }

  private func read(_ pair: WakePairs.Pair) -> Read {
    let reads = tally.reads[pair.projection]
    if reads.contains(pair.path) { return .exact }
    let written = text(pair.path)
    let whole = reads.map { text($0) }.filter { written.isPart(of: $0) }.max { $0.utf8.count < $1.utf8.count }
    return whole.map { .whole($0) } ?? .object
  }

  // MARK: Texts and commands

  /// The projections that most often ran along for nothing: `ProductList, ProductRow`.
  private func followers(_ pair: WakePairs.Pair) -> [String] {
    pair.followers.sorted { $0.wasted > $1.wasted }.prefix(3).map { text($0.group) }
  }

  private func list(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "nobody" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }

  /// `ran along 300 times, each time to draw the same`.
  private func wasted(_ work: WakePairs.Work) -> String {
    work.wasted == work.runs
      ? "\(Units.count(work.runs, "time")), each time to draw the same"
      : "\(Units.count(work.runs, "time")), \(work.wasted.grouped) of them to draw the same"
  }

  /// The options of `what-if` that throttle a path; none if at most half of its changes can be left out. Objects
  /// cannot, for example, because later events refer to them.
  private func throttle(_ path: GroupID<PathID>) -> [String] {
    let written = tally.written[path]
    return 2 * written.leavable <= written.changes ? [] : ["--throttle", "\(text(path))=250ms"]
  }

  private func ranAlong(_ pair: WakePairs.Pair) -> String {
    "\(list(followers(pair))) ran along \(wasted(pair.dragged))"
  }

  /// The options of `what-if` for a fix: it moves the read away if it is exact, passes inputs to the projections that ran
  /// along if it is of a whole, or else tracks by property.
  private func fix(_ pair: WakePairs.Pair) -> [String] {
    switch read(pair) {
    case .exact: ["--isolate", "\(text(pair.projection)):\(text(pair.path))"]
    case .whole: followers(pair).flatMap { ["--input", $0] }
    case .object: ["--tracking", "\(text(pair.projection)):property"]
    }
  }
}
