import EventLog

// Parents that read what changes all the time, with children that run along.

extension LintJudge {
  /// What changes all the time is to be read elsewhere, whatever is read beside it; what changes less, first of all if so.
  func parent(_ pair: WakePairs.Pair) -> Finding? {
    pair.wakes >= Self.hotShare * thresholds.count
      ? hotParent(pair) ?? mixedReads(pair) : mixedReads(pair) ?? hotParent(pair)
  }

  private static let hotShare = 5

  private func hotParent(_ pair: WakePairs.Pair) -> Finding? {
    guard pair.wakes >= max(1, thresholds.count),
      pair.dragged.evaluations >= thresholds.fanOut * pair.wakes, isMostlyWasted(pair.dragged)
    else { return nil }
    let times = Units.count(pair.wakes, "time")
    let cause =
      switch read(pair) {
      case .exact: "reads \(names(pair)), which woke it \(times)"
      case .whole(let whole): "reads \(whole) as a whole, and \(names(pair)) woke it \(times)"
      case .object: "follows a whole object, of which \(names(pair)) woke it \(times)"
      }
    return parent(pair, .hotParent, "\(text(pair.projection)) \(cause): \(ranAlong(pair))")
  }

  private func mixedReads(_ pair: WakePairs.Pair) -> Finding? {
    guard pair.wakes >= max(1, thresholds.count), pair.dragged.evaluations >= pair.wakes,
      isMostlyWasted(pair.dragged),
      let stable = stableRead(beside: pair)
    else { return nil }
    let fast = Units.count(tally.written[pair.path].changes, "time")
    let slow = stable.changes == 0 ? "never changed" : "changed \(Units.count(stable.changes, "time"))"
    return parent(
      pair, .mixedReads,
      "\(text(pair.projection)) reads \(names(pair)), which changed \(fast), beside \(stable.path), which"
        + " \(slow): \(ranAlong(pair))")
  }

  /// A finding about a parent, with the change that fits what its children are handed.
  private func parent(_ pair: WakePairs.Pair, _ rule: LintRule, _ sentence: String) -> Finding {
    let handed = handedFollowers(pair)
    if !handed.isEmpty { return changedInput(pair, handed, sentence) }
    let view = text(pair.projection)
    let inputs = followers(pair).map { Change(.input, $0) }
    let changes: [Change]
    var options: [[Change]] = []
    let advice: String
    switch read(pair) {
    case .exact where isNeeded(by: pair):
      changes = inputs
      advice =
        "Hand \(list(followers(pair))) an `input`, so that only those run for which it differs. \(view) must read"
        + " \(names(pair)): which children it has depends on that, or what they show."
    case .exact:
      changes = pair.paths.map { Change(.isolate, "\(view):\(text($0))") }
      options = [inputs]
      advice = "Read \(names(pair)) in the small child that shows it."
    case .whole(let whole):
      changes = inputs
      advice =
        "Hand \(list(followers(pair))) inputs to be skipped by, or read the parts of \(whole) that are shown."
    case .object:
      changes = [Change(.tracking, "\(view):property")]
      advice = "Follow the properties that \(view) reads, not whole objects."
    }
    return Finding(
      rule: rule, projection: view, path: text(pair.path), message: sentence + ".", advice: advice,
      evidence: .init(pair.evidence, writes: pair.writes, pair.own, pair.dragged), changes: changes,
      options: options, paths: pair.paths.map { text($0) })
  }

  /// A finding about a parent that hands its children something else each time.
  private func changedInput(_ pair: WakePairs.Pair, _ handed: [String], _ sentence: String) -> Finding {
    let view = text(pair.projection)
    var changes = handed.map { Change(.derived, $0) }
    if case .exact = read(pair), !makesOthers(pair) {
      changes = pair.paths.map { Change(.isolate, "\(view):\(text($0))") } + changes
    }
    return Finding(
      rule: .changedInput, projection: view, path: text(pair.path),
      message: sentence + ", though their input differed.",
      advice:
        "Hand \(list(handed)) what they show, or a derived value of it, and not what follows from \(names(pair)).",
      evidence: .init(pair.evidence, writes: pair.writes, pair.own, pair.dragged), changes: changes,
      paths: pair.paths.map { text($0) })
  }

  /// Parents that draw the same, and only hand a few children what differs.
  func handing(_ pair: WakePairs.Pair) -> Finding? {
    guard pair.own.evaluations >= max(1, thresholds.count), case .exact = read(pair), !makesOthers(pair),
      LintThresholds.isShare(pair.handing, of: pair.own.evaluations, atLeast: thresholds.wasted)
    else { return nil }
    let (view, rows) = (text(pair.projection), pair.followers.filter { $0.handed > 0 })
    if rows.isEmpty { return nil }
    let names = list(rows.sorted { $0.handed > $1.handed }.prefix(3).map { text($0.group) })
    let handed = rows.reduce(0) { $0 + $1.handed }
    return Finding(
      rule: .excessReads, projection: view, path: text(pair.path),
      message:
        "\(view) ran \(Units.count(pair.own.evaluations, "time")) because of \(self.names(pair)) and drew the same: it only"
        + " handed \(names) another input, \(Units.count(handed, "time")) in all.",
      advice:
        "Let each \(names) read a derived value of what it shows of \(self.names(pair)), so that \(view) need not run.",
      evidence: .init(pair.evidence, writes: pair.writes, pair.own, pair.dragged),
      changes: pair.paths.map { Change(.isolate, "\(view):\(text($0))") }, paths: pair.paths.map { text($0) })
  }

  /// Whether which children a parent has depends on the path.
  private func makesOthers(_ pair: WakePairs.Pair) -> Bool {
    LintThresholds.isShare(pair.making, of: pair.own.evaluations, atLeast: Self.neededShare)
  }

  /// Whether a parent must read the path: which children it has depends on it, or what they show.
  private func isNeeded(by pair: WakePairs.Pair) -> Bool {
    let changed = pair.followers.reduce(0) { $0 + $1.changed }
    return makesOthers(pair) || LintThresholds.isShare(changed, of: pair.wakes, atLeast: Self.neededShare)
  }

  private static let neededShare = 10

  /// Another path that the projection reads, and that changes at most a tenth as often.
  private func stableRead(beside pair: WakePairs.Pair) -> (path: String, changes: Int)? {
    let fast = pair.paths.map { text($0) }
    let others = tally.reads[pair.projection].map { text($0) }.filter { read in
      !fast.contains { $0 == read || $0.isPart(of: read) }
    }
    func isAbout(_ path: GroupID<PathID>, _ read: String) -> Bool {
      text(path) == read || text(path).isPart(of: read) || read.isPart(of: text(path))
    }
    let counted = others.map { read in
      let changes = tally.written.groups.filter { text($0) == read || text($0).isPart(of: read) }
        .reduce(0) { $0 + tally.written[$1].changes }
      // What contains it, or is another name of it, may have woken the projection too.
      let writes = tally.pairs.pairs.filter { $0.projection == pair.projection && isAbout($0.path, read) }
        .reduce(0) { $0 + $1.writes }
      return (path: read, changes: max(changes, writes))
    }
    return counted.filter { 10 * $0.changes <= tally.written[pair.path].changes }
      .min { ($0.changes, $0.path) < ($1.changes, $1.path) }
  }

  /// The projections that most often ran along for nothing: `ProductList, ProductRow`.
  private func followers(_ pair: WakePairs.Pair) -> [String] {
    pair.followers.sorted { $0.wasted > $1.wasted }.prefix(3).map { text($0.group) }
  }

  /// Those of them that mostly ran since their input differed.
  private func handedFollowers(_ pair: WakePairs.Pair) -> [String] {
    let most = pair.followers.map(\.wasted).max() ?? 0
    return pair.followers.filter { 2 * $0.otherInputs > $0.wasted && 10 * $0.wasted >= most && $0.wasted > 0 }
      .sorted { $0.wasted > $1.wasted }.prefix(3).map { text($0.group) }
  }

  private func ranAlong(_ pair: WakePairs.Pair) -> String {
    "\(list(followers(pair))) ran along \(wasted(pair.dragged))"
  }
}
