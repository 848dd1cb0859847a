import EventLog

// Callbacks and views that write what runs others, or themselves.

extension LintJudge {
  /// One finding for each cycle of writes and what they run.
  func selfWakes() -> [Finding] {
    var rest = tally.chains.found.sorted { ($1.value.roundsMost, $0.key) < ($0.value.roundsMost, $1.key) }
      .map(\.key)
    var findings: [Finding] = []
    while !rest.isEmpty {
      guard let first = rest.first(where: { cycle(through: $0, in: rest) != nil }),
        let cycle = cycle(through: first, in: rest), let found = tally.chains.found[first]
      else { break }
      findings.append(selfWake(cycle, found))
      // What the cycle writes runs others too, which only read it.
      let paths = Set(cycle.map { tally.pairs.pairs[$0].path })
      rest.removeAll { cycle.contains($0) || paths.contains(tally.pairs.pairs[$0].path) }
    }
    return findings
  }

  /// The pairs of a path and what it runs, in order, that lead from a pair to itself.
  private func cycle(through first: Int, in pairs: [Int]) -> [Int]? {
    var came: [Int: Int] = [:]
    var next = [first]
    while !next.isEmpty {
      var further: [Int] = []
      for index in next {
        let written = Set(tally.writers.paths(of: tally.pairs.pairs[index].projection))
        for other in pairs where written.contains(tally.pairs.pairs[other].path) {
          if other == first {
            var (cycle, step) = ([index], index)
            while step != first, let before = came[step] {
              cycle.append(before)
              step = before
            }
            return cycle.reversed()
          }
          if came[other] == nil {
            came[other] = index
            further.append(other)
          }
        }
      }
      next = further
    }
    return nil
  }

  private func selfWake(_ cycle: [Int], _ found: RewakeChains.Found) -> Finding {
    let pairs = cycle.map { tally.pairs.pairs[$0] }
    let steps = pairs.map { "\(text($0.path)) -> \(text($0.projection))" }
    // What only reads the paths of the cycle runs in each round too.
    let paths = Set(pairs.map(\.path))
    let woken = tally.pairs.pairs.filter { paths.contains($0.path) && $0.own.evaluations > 0 }
    let work = work(of: woken)
    let writers = list(pairs.map { text($0.projection) })
    let stops = tally.diagnostics.filter { $0.reported.message.hasPrefix("stopped after ") }
    let stopped =
      stops.first.map {
        " The session stopped it \(stops.count == 1 ? "once" : Units.count(stops.count, "time")), first at event \($0.seq)."
      } ?? ""
    let advice =
      pairs.count == 1
      ? "Let \(writers) write something else, or only what differs from what it was woken by."
      : "Let only one of \(writers) decide: compute what follows in a derived value. A guard for equal values does not break"
        + " the cycle while the values alternate."
    return Finding(
      rule: .selfWake, projection: text(pairs[0].projection), path: text(pairs[0].path),
      message:
        "\(steps.joined(separator: " -> ")) -> \(text(pairs[0].path)): up to \(Units.count(found.roundsMost, "round"))"
        + " in \(Units.count(found.chains, "chain")) of causes.\(stopped)",
      advice: advice, evidence: .init(found.evidence, writes: found.chains, work),
      changes: [], paths: pairs.map { text($0.path) },
      // One round of each chain is for what began it.
      needless: work.part(work.evaluations - woken.count * found.chains))
  }

  /// Views that write while they run.
  func writesInBodies() -> [Finding] {
    var found: [GroupID<ProjectionID>: (paths: [GroupID<PathID>], writes: Int, evidence: Evidence)] = [:]
    for (edge, writes, evidence) in tally.writers.edges {
      let name = text(edge.writer)
      if edge.isLate || isCallback(edge.writer) || isDerived(name) || text(edge.path).isPart(of: "derived") {
        continue
      }
      var known = found[edge.writer] ?? ([], 0, evidence)
      known.paths.append(edge.path)
      known.writes += writes
      found[edge.writer] = known
    }
    return found.compactMap { group, found in
      if found.writes < max(1, thresholds.count) { return nil }
      let paths = found.paths.map { text($0) }
      let work = work(of: tally.pairs.pairs.filter { found.paths.contains($0.path) })
      let changes = found.paths.reduce(0) { $0 + tally.written[$1].changes }
      return Finding(
        rule: .writeInBody, projection: text(group), path: paths[0],
        message: "\(text(group)) wrote \(list(Array(paths.prefix(3)))) while it ran,"
          + " \(Units.count(found.writes, "time")).",
        advice: "Write it where the cause is, or derive it.",
        evidence: .init(found.evidence, writes: found.writes, work), changes: [], paths: paths,
        needless: work.part(work.evaluations * min(found.writes, changes) / max(1, changes)))
    }
  }

  /// Views that ran for a write, and again for what callbacks set because of it.
  func callbackChains() -> [Finding] {
    let cycles = Set(tally.chains.found.keys.map { tally.pairs.pairs[$0].path })
    return tally.callbackChains.found.compactMap { group, found in
      let name = text(group)
      let all = most(found.paths).filter { !cycles.contains($0) && !text($0).isPart(of: "derived") }
      // A collection stands for its elements.
      let paths = all.filter { path in !all.contains { text(path).isPart(of: text($0)) } }
      guard found.chains >= max(1, thresholds.count), let path = paths.first, !isCallback(group),
        !isDerived(name)
      else { return nil }
      let starts = most(found.starts).map { text($0) }
      let written = list(Array(paths.map { text($0) }.prefix(3)))
      let writers = Array(most(found.writers).map { text($0) }.filter { !isDerived($0) }.prefix(3))
      let cause = writers.isEmpty ? "was set because of it" : "\(list(writers)) set because of it"
      let first = starts.first.map { " for \($0)" } ?? ""
      return Finding(
        rule: .callbackChain, projection: name, path: text(path),
        message:
          "\(name) ran \(Units.count(found.chains, "time"))\(first) and \(found.runs.grouped) more for \(written),"
          + " which \(cause).",
        advice: advice(name, paths, written, starts.first),
        evidence: .init(found.evidence, writes: found.chains, found.replaced),
        // Only what is in one flush can be predicted; the rest is counted.
        changes: found.late * 5 > found.runs ? [] : writers.map { Change(.derived, $0) },
        paths: paths.map { text($0) },
        needless: .init(runs: found.replaced.evaluations, time: found.replaced.time))
    }
  }

  private func advice(
    _ name: String, _ paths: [GroupID<PathID>], _ written: String, _ start: String?
  ) -> String {
    // A value that the app sets too is no derived one.
    let isOwn = paths.contains { path in
      let sets = tally.written[path].sets
      return 10 * (sets - tally.writers.writes(of: path)) > sets
    }
    if isOwn, let start {
      return
        "Set \(written) where \(start) is set, in one transaction, or show a derived value of both: then \(name)"
        + " runs once."
    }
    return
      "Make \(written) \(paths.count > 1 ? "derived values" : "a derived value"): then \(name) runs once."
  }

  /// Those that were counted most often first.
  private func most<Member>(_ counts: [GroupID<Member>: Int]) -> [GroupID<Member>] {
    counts.sorted { ($1.value, $0.key.index) < ($0.value, $1.key.index) }.map(\.key)
  }
}
