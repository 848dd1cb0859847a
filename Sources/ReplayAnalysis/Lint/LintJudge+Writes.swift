import EventLog

// Shapes of what is written, and of what is computed from it.

extension LintJudge {
  func wholesaleChange(_ place: Int) -> Finding? {
    guard let found = tally.wholesale.found[place] else { return nil }
    let path = tally.places.names[place]
    let followers = found.followers.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3).map {
      name($0.key)
    }
    let fix =
      followers.isEmpty || 2 * found.woken > found.work.wasted
      ? whatIf("--tracking", "element") : whatIf(followers.flatMap { ["--input", $0] })
    let times = found.changes == 1 ? "once" : Units.count(found.changes, "time")
    return Finding(
      rule: .wholesaleChange, projection: nil, path: path,
      message: "\(path) was replaced as a whole \(times), \(Units.count(found.elements, "element")) in all:"
        + " \(found.work.wasted.grouped) of the \(Units.count(found.work.runs, "run")) after it drew the same.",
      evidence: .init(found.evidence, writes: found.changes, found.work), whatIf: fix)
  }

  func sameValue(_ place: Int) -> Finding? {
    let written = tally.written.places[place]
    let path = tally.places.names[place]
    guard written.sameValue >= max(1, thresholds.count),
      LintThresholds.isShare(written.sameValue, of: written.sets, atLeast: thresholds.sameValue)
    else { return nil }
    return Finding(
      rule: .sameValue, projection: nil, path: path,
      message:
        "\(path) was set \(Units.count(written.sets, "time")), \(written.sameValue.grouped) of them to what it"
        + " was.",
      evidence: .init(written.sameEvidence, writes: written.sameValue),
      whatIf: whatIf("--no-same-value", path))
  }

  func flood(_ place: Int) -> Finding? {
    let written = tally.written.places[place]
    let path = tally.places.names[place]
    let woken = tally.pairs.pairs.filter { $0.place == Int32(place) && $0.wakes > 0 }
    guard written.floodSeconds > 0, !woken.isEmpty else { return nil }
    var work = WakePairs.Work()
    for pair in woken {
      work.add(pair.own)
      work.add(pair.dragged)
    }
    return Finding(
      rule: .flood, projection: nil, path: path,
      message: "\(path) was set up to \(written.peak.grouped) times a second, and woke"
        + " \(list(woken.map { name($0.group) })): \(Units.count(work.runs, "evaluation")),"
        + " \(work.wasted.grouped) of them to draw the same.",
      evidence: .init(written.floodEvidence, writes: written.changes, work),
      whatIf: whatIf("--throttle", "\(path)=250ms"))
  }

  func equalDerived() -> [Finding] {
    let written = Set(
      names: tally.places.names.indices.filter { $0 < tally.written.places.count }.map {
        tally.places.names[$0]
      })
    return tally.readers.indices.compactMap { group in
      let readers = tally.readers[group]
      let name = name(Int32(group))
      let published = Path(root: .named("derived"), components: [.property(name)]).group
      guard readers.work.runs >= max(1, thresholds.count), isMostlyWasted(readers.work),
        written.contains(published)
      else { return nil }
      let causes = tally.pairs.pairs.filter { $0.group == Int32(group) }
      guard let cause = causes.max(by: { $0.own.wasted < $1.own.wasted }) else { return nil }
      let fix =
        if case .exact = read(cause) { whatIf("--isolate", "\(name):\(path(cause.place))") } else {
          whatIf("--throttle", "\(path(cause.place))=250ms")
        }
      return Finding(
        rule: .equalDerived, projection: name, path: path(cause.place),
        message:
          "\(name) was computed \(Units.count(readers.work.runs, "time")), \(readers.work.wasted.grouped) of them"
          + " to an equal result, most often because of \(path(cause.place)).",
        evidence: .init(readers.evidence, writes: cause.writes, readers.work), whatIf: fix)
    }
  }
}
