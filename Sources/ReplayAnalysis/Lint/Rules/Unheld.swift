import EventLog

// Views that follow nothing, or what nobody holds any more.

extension LintJudge {
  /// Projections that read an object to which nothing in the state leads any more, since before the last write of the app; and
  /// one note for those that read nothing.
  func unheld() -> [Finding] {
    let after = unheldReads(at: tally.lastEvent, isAfter: true)
    // Each takes reading a part of the log again.
    let before = after.isEmpty ? [:] : unheldReads(at: tally.lastWrite, isAfter: false)
    let callbacks = Set(
      names: groups.projectionTexts.enumerated().filter { isCallback(GroupID<ProjectionID>($0.offset)) }.map(
        \.element))
    var found: [String: (name: String, objects: [String])] = [:]
    for (name, objects) in after.sorted(by: { $0.key < $1.key }) {
      let known = Set(names: before[name] ?? [])
      let still = objects.filter { known.contains(ExactString($0)) }
      let group = name.projectionGroup
      if still.isEmpty || found[group] != nil || isDerived(group) { continue }
      if callbacks.contains(ExactString(group)) { continue }
      found[group] = (name, still)
    }
    return found.sorted { $0.key < $1.key }.map { group, found in
      var evidence = Evidence()
      evidence.append(tally.lastWrite)
      return Finding(
        rule: .unheld, projection: group, path: nil,
        message:
          "\(found.name) reads \(list(Array(found.objects.prefix(3)))), and nothing that is recorded leads there any more:"
          + " it shows what has been replaced or removed.",
        advice: LintRule.unheld.advice, evidence: .init(evidence, writes: 1), changes: [])
    } + [readsNothing()].compactMap(\.self)
  }

  /// What the projections that live at an event read of objects without a name, by projection: `#12.title (Item)`.
  private func unheldReads(at seq: UInt64, isAfter: Bool) -> [String: [String]] {
    guard seq >= log.firstSeq, let part = try? log.part(from: seq) else { return [:] }
    var run = LogRun(part, [.reads, .lastingProjections])
    while run.row.seq < seq { guard (try? run.next()) == true else { return [:] } }
    if isAfter { guard (try? run.carryOut()) != nil else { return [:] } }
    var state = run.state
    var unheld: [String: [String]] = [:]
    for projection in run.registry.living {
      for path in run.registry.reads(of: projection)?.paths ?? [] {
        guard case .object(let id) = path.root, case .object = state.currentName(of: path).root,
          let object = state.objects[id]
        else { continue }
        unheld[run.tables.name(projection), default: []].append("\(path) (\(object.type))")
      }
    }
    return unheld
  }

  /// Projections at the top that read nothing and ran once, beside many changes. One note for all.
  private func readsNothing() -> Finding? {
    let changes = tally.written.groups.reduce(0) { $0 + tally.written[$1].changes }
    guard changes >= 10 * max(1, thresholds.count) else { return nil }
    let parents = Set(tally.readers.values.compactMap(\.parent))
    let found = tally.readers.values.enumerated().filter { index, readers in
      let group = GroupID<ProjectionID>(index)
      return readers.created > 0 && !readers.hasParent && readers.hasRun && readers.work.evaluations == 0
        && tally.reads[group].isEmpty && !parents.contains(group) && !isCallback(group)
    }.map { (name: text(GroupID<ProjectionID>($0.offset)), seq: $0.element.created) }
    guard let first = found.first else { return nil }
    var evidence = Evidence()
    for seq in found.map(\.seq) { evidence.append(seq) }
    return Finding(
      rule: .readsNothing, projection: first.name, path: nil,
      message: "\(list(Array(found.prefix(3).map(\.name)))) read nothing that is recorded and ran once: what"
        + " \(found.count == 1 ? "it shows" : "they show") never changes, or is not recorded.",
      advice: LintRule.readsNothing.advice, evidence: .init(evidence, writes: found.count), changes: [],
      isNote: true)
  }
}
