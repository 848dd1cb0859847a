import EventLog

// Rows that are known by their place, and what is made again and again; and what the session itself reported.

extension LintJudge {
  /// Lists whose rows run with another element's input after an insertion or a removal.
  func shiftedRows() -> [Finding] {
    tally.shifted.found.compactMap { key, found in
      guard found.changes >= 3 || found.work.evaluations >= 10 * thresholds.fanOut else { return nil }
      let (list, rows) = (text(key.list), text(key.rows))
      return Finding(
        rule: .indexIdentity, projection: rows, path: list,
        message:
          "\(Units.count(found.changes, "insertion or removal", "insertions and removals")) in \(list) ran \(rows)"
          + " \(Units.count(found.work.evaluations, "time")), each with the input of a neighbour: they are known by their place.",
        advice: "Know the rows by the ids of their elements.",
        evidence: .init(found.evidence, writes: found.changes, found.work),
        changes: [Change(.identity, "\(rows):\(list)")])
    }
  }

  /// Callbacks that are made again and again, and live on. Of those at one line that also follow one path, what says more.
  func madeAgain() -> [Finding] {
    let (ofPaths, ofSites) = (callbacksOfOnePath(), callbacksOfOneSite())
    func runs(_ finding: Finding) -> Int { finding.needless?.runs ?? 0 }
    return ofPaths.filter { path in
      !ofSites.contains { $0.projection == path.projection && runs($0) > runs(path) }
    }
      + ofSites.filter { site in
        !ofPaths.contains { $0.projection == site.projection && runs($0) >= runs(site) }
      }
  }

  /// Callbacks made at one line, each for another object: one that nothing leads to any more, or one that was there before.
  private func callbacksOfOneSite() -> [Finding] {
    let most = max(5, thresholds.count / 2)
    return tally.callbackSites.sites.sorted { $0.place < $1.place }.compactMap { site in
      guard site.living >= most, site.units >= most, 4 * (site.made - site.living) < site.made
      else { return nil }
      let areLeft = 2 * site.left >= site.living
      let areOlder = 2 * site.older >= site.living && site.made <= 2 * site.units && site.most >= most
      guard areLeft || areOlder else { return nil }
      let name = text(site.group)
      let path = tally.reads[site.group].map { text($0) }.min()
      let made =
        "\(Units.count(site.made, "callback")) were made one after another at \(site.place), as \(name),"
      return Finding(
        rule: .madeAgain, projection: name, path: path,
        message: areLeft
          ? "\(made) and \(site.living.grouped) were never cancelled, though nothing leads to the objects of"
            + " \(site.left.grouped) any more."
          : "\(made) of objects that had been there before, and \(site.living.grouped) were never cancelled: one change"
            + " ran up to \(site.most.grouped) of them.",
        advice: "Cancel what onChange and onReceive return when its owner leaves.",
        evidence: .init(site.evidence, writes: site.made, tally.readers[site.group].work), changes: [],
        needless: site.needless)
    }
  }

  private func callbacksOfOnePath() -> [Finding] {
    tally.madeAgain.lives.values.enumerated().filter { $1.made > 0 }.compactMap { index, lives in
      let group = GroupID<ProjectionID>(index)
      let name = text(group)
      let most = max(5, thresholds.count / 2)
      let work = tally.readers[group].work
      if isCallback(group), lives.living >= most, lives.units >= most, lives.ended * 4 < lives.made {
        let woken = tally.pairs.pairs.filter { $0.projection == group }.map(\.most).max() ?? 0
        guard woken >= most, !areEachOfAnother(group) else { return nil }
        let writes = tally.pairs.pairs.filter { $0.projection == group }.reduce(0) { $0 + $1.writes }
        return Finding(
          rule: .madeAgain, projection: name, path: tally.reads[group].map { text($0) }.min(),
          message: "\(Units.count(lives.made, "callback")) \(name) were made one after another, and"
            + " \(lives.living.grouped) were never cancelled: one write woke up to \(woken.grouped) of them.",
          advice: "Cancel what onChange and onReceive return when its owner leaves, or make it once.",
          evidence: .init(lives.evidence, writes: lives.made, work), changes: [],
          needless: work.part(work.evaluations - writes))
      }
      return nil
    }
  }

  /// Whether the callbacks of a name follow other objects each: then a write, or a transaction, that sets all of these runs all of
  /// them, as it should.
  private func areEachOfAnother(_ group: GroupID<ProjectionID>) -> Bool {
    let sites = tally.callbackSites.sites.filter { $0.group == group }
    return 2 * sites.reduce(0) { $0 + $1.paths } > sites.reduce(0) { $0 + $1.reading }
  }

  /// Derived values and callbacks that are made once more in each run of a projection.
  func madeInBodies() -> [Finding] {
    tally.madeAgain.inRuns.filter { $1.count >= max(1, thresholds.count) }
      .sorted { ($0.value.evidence.seqs.first ?? 0) < ($1.value.evidence.seqs.first ?? 0) }
      .compactMap { edge, found in
        let (maker, made) = (text(edge.maker), text(edge.made))
        // A callback that is cancelled when the next one is made follows what its owner asks for.
        let lives = tally.madeAgain.lives[edge.made]
        guard isDerived(made) || isCallback(edge.made) && lives.ended * 4 < lives.made else { return nil }
        let firsts = tally.readers[edge.made].firsts
        let kind = isDerived(made) ? "derived value" : "callback"
        return Finding(
          rule: .madeInBody, projection: maker, path: nil,
          message: "\(maker) made the \(kind) \(made) anew in \(Units.count(found.count, "run")),"
            + " so nothing of it is kept from one run to the next.",
          advice: "Make it once, where the owner of \(maker) is made, and keep it.",
          evidence: .init(found.evidence, writes: found.count, tally.readers[edge.made].work, firsts),
          changes: [],
          needless: firsts.part(found.count))
      }
  }

  /// Projections whose runs take longer and longer.
  func growing() -> [Finding] {
    tally.readers.values.enumerated().compactMap { index, readers in
      let group = GroupID<ProjectionID>(index)
      guard let growth = readers.growth.found, growth.late >= 1_000_000 else { return nil }
      let name = text(group)
      let elements = tally.reads[group].map { text($0) }.filter { $0.contains("[*]") }.sorted()
      let reads =
        elements.isEmpty
        ? "" : ", and it reads the elements of \(list(elements.prefix(2).map(\.self)))"
      let pairs = tally.pairs.pairs.filter { $0.projection == group }
      var evidence = Evidence()
      for seq in pairs.compactMap(\.evidence.seqs.first).sorted().prefix(3) { evidence.append(seq) }
      evidence.append(pairs.map(\.evidence.last).max() ?? 0)
      let work = readers.work
      let least = UInt64(readers.growth.least) * UInt64(work.evaluations)
      return Finding(
        rule: .grows, projection: name, path: elements.first,
        message: "\(name) takes longer and longer: \(Units.duration(UInt64(growth.early))) a run early on,"
          + " \(Units.duration(UInt64(growth.late))) in the end\(reads).",
        advice: "Show a part of what grows, or compute what follows from it once, in a derived value.",
        evidence: .init(evidence, writes: work.evaluations, work), changes: [],
        needless: .init(runs: 0, time: work.time - min(work.time, least)))
    }
  }

  /// What the session reported, but that it stopped a cycle, if another finding has the cycle.
  func diagnostics(beside findings: [Finding]) -> [Finding] {
    let hasCycle = findings.contains { $0.rule == .selfWake }
    return tally.diagnostics.filter { !(hasCycle && $0.reported.message.hasPrefix("stopped after ")) }
      .map { diagnostic($0.reported, at: $0.seq) }
  }

  /// A diagnostic that the session reported. If it is about an input that cannot be compared, the change
  /// shows what a comparable one would save.
  private func diagnostic(_ reported: ReportedDiagnostic, at seq: UInt64) -> Finding {
    var evidence = Evidence()
    evidence.append(seq)
    let child = reported.incomparableChild
    return Finding(
      rule: .diagnostic, projection: child, path: nil, message: reported.message + ".",
      advice: LintRule.diagnostic.advice, evidence: .init(evidence, writes: 1),
      changes: child.map { [Change(.input, $0)] } ?? [])
  }
}
