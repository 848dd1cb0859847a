import EventLog

// Projections that read more than they show.

extension LintJudge {
  func wholeCollection(_ pair: WakePairs.Pair) -> Finding? {
    let written = text(pair.path)
    guard written.contains("[*]"), pair.writes > 0, pair.own.evaluations >= thresholds.fanOut * pair.writes,
      isMostlyWasted(pair.own)
    else { return nil }
    let group = text(pair.projection)
    if isDerived(group) { return nil }
    let each = pair.writes == 1 ? "a write" : "each of \(pair.writes.grouped) writes"
    let woke =
      "\(each) to \(written) woke up to \(Units.count(pair.most, "instance")), and"
      + " \(pair.own.wasted.grouped) of \(Units.count(pair.own.evaluations, "run")) drew the same."
    if readsMany(pair) {
      return Finding(
        rule: .aggregate, projection: group, path: written,
        message: "Each \(group) computes something of all of \(written): \(woke)",
        advice: "Compute it once, in a derived value that all of them share.",
        evidence: .init(pair.evidence, writes: pair.writes, pair.own, pair.dragged),
        changes: [Change(.derived, "\(group):\(written)")])
    }
    let (cause, change, advice) =
      switch read(pair) {
      case .exact:
        (
          "follows all of \(written)", Change(.tracking, "\(group):element"),
          "Follow the element that it shows."
        )
      case .whole(let whole) where tally.readers[pair.projection].hasParent:
        (
          "reads \(whole) to show one element", Change(.input, "\(group):\(whole)"),
          "Hand each its own element, or let it read that alone, for which the elements are in a RecordedArray."
        )
      case .whole(let whole):
        (
          "reads \(whole) to show a part of it", Change(.derived, "\(group):\(written)"),
          "Read a derived value of the part of \(whole) that it shows."
        )
      case .object:
        ("follows a whole object", Change(.tracking, "\(group):element"), "Follow the element that it shows.")
      }
    return Finding(
      rule: .wholeCollection, projection: group, path: written, message: "\(group) \(cause): \(woke)",
      advice: advice,
      evidence: .init(pair.evidence, writes: pair.writes, pair.own, pair.dragged), changes: [change])
  }

  /// Whether one instance reads many elements one by one; or the whole collection, and an element besides.
  private func readsMany(_ pair: WakePairs.Pair) -> Bool {
    let reader = tally.readers[pair.projection]
    guard reader.tracking == .element else { return false }
    return switch read(pair) {
    case .exact: reader.pathsMost >= 2 * thresholds.fanOut
    case .whole(let whole):
      whole.contains("[*]")
        ? reader.pathsMost >= 2 * thresholds.fanOut
        : tally.reads[pair.projection].contains { text($0).isPart(of: "\(whole)[*]") }
    case .object: false
    }
  }

  /// Projections that one path ran, mostly to draw the same.
  func excessReads(_ pair: WakePairs.Pair) -> Finding? {
    let name = text(pair.projection)
    guard pair.own.evaluations >= max(1, thresholds.count), isMostlyWasted(pair.own), !isDerived(name) else {
      return nil
    }
    if case .object = read(pair) { return nil }
    // Another derived value would only stand between the two.
    if text(pair.path).isPart(of: "derived") { return nil }
    // Otherwise the writes were for nothing, and not the reads.
    if 2 * pair.own.equalOutputs < pair.own.wasted { return nil }
    let path = names(pair)
    let writes = Units.count(pair.writes, "write")
    let isOneOfMany = pair.writes > 0 && pair.own.evaluations >= thresholds.fanOut * pair.writes
    let derived = pair.paths.map { Change(.derived, "\(name):\(text($0))") }
    // One parent that reads it for all takes fewer runs than a derived value for each.
    let inputs = pair.paths.map { Change(.input, "\(name):\(text($0))") }
    let isHanded = isOneOfMany && tally.readers[pair.projection].hasParent
    let message =
      isOneOfMany
      ? "All of \(Units.count(pair.most, "\(name)")) read \(path), and few show it differently: after \(writes)"
        + " \(pair.own.wasted.grouped) of \(Units.count(pair.own.evaluations, "run")) drew the same."
      : "\(name) ran \(Units.count(pair.own.evaluations, "time")) because of \(path), \(pair.own.wasted.grouped) of them to draw the"
        + " same."
    return Finding(
      rule: isOneOfMany ? .oneOfMany : .excessReads, projection: name, path: text(pair.path),
      message: message,
      advice: isOneOfMany
        ? isHanded
          ? "Hand each what it shows of \(path), or let it read a derived value of that, or a property of its own."
          : "Let each read a derived value of what it shows of \(path), or a property of its own."
        : "Read a derived value of what it shows of \(path), which wakes it when that differs.",
      evidence: .init(pair.evidence, writes: pair.writes, pair.own, pair.dragged),
      changes: isHanded ? inputs : derived, options: isHanded ? [derived] : [],
      paths: pair.paths.map { text($0) })
  }

  /// Projections that follow whole objects or properties, of which they read a part. One finding for each.
  func followingWholes() -> [Finding] {
    var found: [GroupID<ProjectionID>: (pairs: [WakePairs.Pair], own: LintSums, dragged: LintSums)] = [:]
    for pair in tally.pairs.pairs where tally.readers[pair.projection].tracking != .element {
      guard case .object = read(pair), wholeCollection(pair) == nil else { continue }
      var known = found[pair.projection] ?? ([], LintSums(), LintSums())
      known.pairs.append(pair)
      known.own.add(pair.own)
      known.dragged.add(pair.dragged)
      found[pair.projection] = known
    }
    return found.compactMap { group, found in
      let name = text(group)
      guard found.own.evaluations >= max(1, thresholds.count), !isCallback(group) else { return nil }
      var work = found.own
      work.add(found.dragged)
      guard isMostlyWasted(work) else { return nil }
      let paths = found.pairs.sorted { $0.own.evaluations > $1.own.evaluations }.map { text($0.path) }
      let more = paths.count > 3 ? ["\((paths.count - 3).grouped) more"] : []
      let isObject = tally.readers[group].tracking == .object
      return Finding(
        rule: .followsWhole, projection: name, path: paths[0],
        message:
          "\(name) follows whole \(isObject ? "objects" : "properties"), and ran \(Units.count(found.own.evaluations, "time"))"
          + " because of \(list(paths.prefix(3) + more)), which it does not read: \(work.wasted.grouped) of"
          + " \(Units.count(work.evaluations, "run")) drew the same.",
        advice: "Follow the \(isObject ? "properties" : "elements") that it reads.",
        evidence: .init(
          found.pairs[0].evidence, writes: found.pairs.reduce(0) { $0 + $1.writes }, found.own, found.dragged),
        changes: [Change(.tracking, "\(name):\(isObject ? "property" : "element")")])
    }
  }
}
