import EventLog

// Shapes of who is woken by what.

extension LintJudge {
  func hotParent(_ place: Int) -> Finding? {
    let pair = tally.pairs.pairs[place]
    let written = tally.written.places
    let seconds = Int(pair.place) < written.count ? written[Int(pair.place)].hotSeconds : 0
    guard pair.wakes >= max(1, thresholds.count), seconds > 0 || pair.wakes >= 100,
      pair.dragged.runs >= thresholds.fanOut * pair.wakes, isMostlyWasted(pair.dragged)
    else { return nil }
    let cause =
      switch read(pair) {
      case .exact: "reads \(path(pair.place)), which woke it \(Units.count(pair.wakes, "time"))"
      case .whole(let whole):
        "reads \(whole) as a whole, and \(path(pair.place)) woke it \(Units.count(pair.wakes, "time"))"
      case .object:
        "follows a whole object, of which \(path(pair.place)) woke it \(Units.count(pair.wakes, "time"))"
      }
    return Finding(
      rule: .hotParent, projection: name(pair.group), path: path(pair.place),
      message: "\(name(pair.group)) \(cause): \(ranAlong(pair)).",
      evidence: .init(pair.evidence, writes: pair.writes, pair.own, pair.dragged), whatIf: fix(pair))
  }

  func mixedReads(_ place: Int) -> Finding? {
    let pair = tally.pairs.pairs[place]
    guard pair.wakes >= max(1, thresholds.count), pair.dragged.runs >= pair.wakes,
      isMostlyWasted(pair.dragged),
      let stable = stableRead(beside: pair)
    else { return nil }
    let fast = Units.count(changes(pair.place), "time")
    let slow = stable.changes == 0 ? "never changed" : "changed \(Units.count(stable.changes, "time"))"
    return Finding(
      rule: .mixedReads, projection: name(pair.group), path: path(pair.place),
      message:
        "\(name(pair.group)) reads \(path(pair.place)), which changed \(fast), beside \(stable.path), which"
        + " \(slow): \(ranAlong(pair)).",
      evidence: .init(pair.evidence, writes: pair.writes, pair.own, pair.dragged), whatIf: fix(pair))
  }

  /// Something else that the projection reads, and that changes a tenth as often or less.
  private func stableRead(beside pair: WakePairs.Pair) -> (path: String, changes: Int)? {
    let fast = path(pair.place)
    let others = tally.readers[Int(pair.group)].reads.map(path).filter { $0 != fast && !fast.isPart(of: $0) }
    let counted = others.map { read in
      let parts = tally.written.places.indices.filter {
        tally.places.names[$0] == read || tally.places.names[$0].isPart(of: read)
      }
      return (path: read, changes: parts.reduce(0) { $0 + tally.written.places[$1].changes })
    }
    return counted.filter { 10 * $0.changes <= changes(pair.place) }
      .min { ($0.changes, $0.path) < ($1.changes, $1.path) }
  }

  func wholeCollection(_ place: Int) -> Finding? {
    let pair = tally.pairs.pairs[place]
    let written = path(pair.place)
    guard written.contains("[*]"), pair.writes > 0, pair.own.runs >= thresholds.fanOut * pair.writes,
      isMostlyWasted(pair.own)
    else { return nil }
    let group = name(pair.group)
    let (cause, fix) =
      switch read(pair) {
      case .exact: ("follows all of \(written)", whatIf("--tracking", "\(group):element"))
      case .whole(let whole):
        (
          "reads \(whole) to show one element",
          tally.readers[Int(pair.group)].hasParent
            ? whatIf("--input", "\(group):\(whole)") : whatIf("--tracking", "\(group):element")
        )
      case .object: ("follows a whole object", whatIf("--tracking", "\(group):element"))
      }
    let each = pair.writes == 1 ? "a write" : "each of \(pair.writes.grouped) writes"
    return Finding(
      rule: .wholeCollection, projection: group, path: written,
      message:
        "\(group) \(cause): \(each) to \(written) woke up to \(Units.count(pair.most, "instance")), and"
        + " \(pair.own.wasted.grouped) of \(Units.count(pair.own.runs, "run")) drew the same.",
      evidence: .init(pair.evidence, writes: pair.writes, pair.own, pair.dragged), whatIf: fix)
  }

  func selfWake(_ place: Int) -> Finding? {
    guard let found = tally.chains.found[place] else { return nil }
    let pair = tally.pairs.pairs[place]
    return Finding(
      rule: .selfWake, projection: name(pair.group), path: path(pair.place),
      message:
        "\(name(pair.group)) was woken by \(path(pair.place)) up to \(found.roundsMost.grouped) times in a row,"
        + " by what it had led to itself, in \(Units.count(found.chains, "chain")) of causes.",
      evidence: .init(found.evidence, writes: found.chains, pair.own, pair.dragged),
      whatIf: whatIf("--throttle", "\(path(pair.place))=250ms"))
  }

  // MARK: Words

  private func ranAlong(_ pair: WakePairs.Pair) -> String {
    "\(list(followers(pair))) ran along \(wasted(pair.dragged))"
  }

  /// Away with the read where there is one; else inputs by which those who ran along are skipped.
  private func fix(_ pair: WakePairs.Pair) -> String {
    switch read(pair) {
    case .exact: whatIf("--isolate", "\(name(pair.group)):\(path(pair.place))")
    case .whole: whatIf(followers(pair).flatMap { ["--input", $0] })
    case .object: whatIf("--tracking", "\(name(pair.group)):property")
    }
  }
}
