import EventLog

// Parents that read what changes all the time, with children that run along.

extension LintJudge {
  func hotParent(_ pair: WakePairs.Pair) -> Finding? {
    guard pair.wakes >= max(1, thresholds.count),
      tally.written[pair.path].hotSeconds > 0 || pair.wakes >= 100,
      pair.dragged.evaluations >= thresholds.fanOut * pair.wakes, isMostlyWasted(pair.dragged)
    else { return nil }
    let cause =
      switch read(pair) {
      case .exact: "reads \(text(pair.path)), which woke it \(Units.count(pair.wakes, "time"))"
      case .whole(let whole):
        "reads \(whole) as a whole, and \(text(pair.path)) woke it \(Units.count(pair.wakes, "time"))"
      case .object:
        "follows a whole object, of which \(text(pair.path)) woke it \(Units.count(pair.wakes, "time"))"
      }
    return parent(pair, .hotParent, "\(text(pair.projection)) \(cause): \(ranAlong(pair))")
  }

  func mixedReads(_ pair: WakePairs.Pair) -> Finding? {
    guard pair.wakes >= max(1, thresholds.count), pair.dragged.evaluations >= pair.wakes,
      isMostlyWasted(pair.dragged),
      let stable = stableRead(beside: pair)
    else { return nil }
    let fast = Units.count(tally.written[pair.path].changes, "time")
    let slow = stable.changes == 0 ? "never changed" : "changed \(Units.count(stable.changes, "time"))"
    return parent(
      pair, .mixedReads,
      "\(text(pair.projection)) reads \(text(pair.path)), which changed \(fast), beside \(stable.path), which"
        + " \(slow): \(ranAlong(pair))")
  }

  /// A finding about a parent, with the change that fits what its children are handed.
  private func parent(_ pair: WakePairs.Pair, _ rule: LintRule, _ sentence: String) -> Finding {
    let (view, path) = (text(pair.projection), text(pair.path))
    let handed = handedFollowers(pair)
    let isolate = Change(.isolate, "\(view):\(path)")
    var message = sentence + "."
    var changes: [Change]
    let advice: String
    if !handed.isEmpty {
      let names = list(handed)
      message = sentence + ", though their input differed."
      changes = handed.map { Change(.derived, $0) }
      if case .exact = read(pair) { changes.insert(isolate, at: 0) }
      advice = "Hand \(names) what they show, or a derived value of it, and not what follows from \(path)."
    } else {
      switch read(pair) {
      case .exact:
        changes = [isolate]
        advice = "Read \(path) in the small child that shows it."
      case .whole(let whole):
        changes = followers(pair).map { Change(.input, $0) }
        advice =
          "Hand \(list(followers(pair))) inputs to be skipped by, or read the parts of \(whole) that are shown."
      case .object:
        changes = [Change(.tracking, "\(view):property")]
        advice = "Follow the properties that \(view) reads, not whole objects."
      }
    }
    return Finding(
      rule: handed.isEmpty ? rule : .changedInput, projection: view, path: path, message: message,
      advice: advice,
      evidence: .init(pair.evidence, writes: pair.writes, pair.own, pair.dragged), changes: changes)
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
