import EventLog

// Own time of bodies that goes into what they did not run for.

extension LintJudge {
  /// Bodies that take long for what did not change, those of the most time first.
  func slowBodies(_ found: [UnchangedReads]) -> [Finding] {
    found.filter { $0.alone.long.count >= max(1, thresholds.count) }.compactMap { slowBody($0) }
  }

  private func slowBody(_ found: UnchangedReads) -> Finding? {
    let (alone, name) = (found.alone, text(found.projection))
    let share = Self.share(found.time, of: tally.runs.time)
    // What most of the runs take at least: the load of a machine makes some of them longer.
    let each = alone.long.quantile(percent: 25)
    guard !isDerived(name), 4 * alone.long.count >= 3 * alone.runs, share >= 10 else { return nil }
    let isSlow = each >= Self.slow || each >= Self.slow / 2 && stands(found.projection, out: each)
    let (path, read) = (text(found.path), Self.collection(text(found.read)))
    return Finding(
      rule: .slowBody, projection: name, path: path,
      message:
        "\(name) ran \(Units.count(alone.runs, "time")) for \(path) alone, and took \(Units.duration(each)) or more of"
        + " its own in most of these runs; it also reads \(found.elements.grouped) elements of \(read), which did not change in"
        + " between.",
      advice:
        "Compute what follows from \(read) alone in a derived value, which is kept while only \(path) changes; that saves"
        + " at most what is predicted.",
      evidence: .init(alone.evidence, writes: alone.runs, work(of: alone)), changes: [],
      needless: LintReport.Price(runs: 0, time: found.time), isNote: !(isSlow && share >= 20))
  }

  /// All such bodies that take a share of the session's time, by the sum of theirs.
  func unchangedReads() -> [UnchangedReads] {
    tally.bodies.alone.compactMap { key, alone in
      guard !isCallback(key.projection), Self.share(alone.time, of: tally.runs.time) >= Self.unchangedLeast
      else {
        return nil
      }
      let path = text(key.path)
      let others = alone.reads.filter { group, _ in
        let read = text(group)
        return group != key.path && read != path && !read.isPart(of: path) && !path.isPart(of: read)
          && !Self.isSameCollection(read, path)
      }
      let sizes = others.map { group, reads in
        (read: group, elements: reads > 1 ? reads : alone.elements[group] ?? reads)
      }
      // Where a body makes a child of each element, its children are what it takes long for.
      guard
        let most = sizes.max(by: { ($0.elements, text($1.read)) < ($1.elements, text($0.read)) }),
        most.elements >= 2 * max(1, thresholds.fanOut), 4 * alone.children <= most.elements
      else { return nil }
      let rest = alone.children + alone.reads.reduce(0) { $1.key == most.read ? $0 : $0 + $1.value }
      let part = Double(most.elements) / Double(most.elements + rest)
      return UnchangedReads(
        projection: key.projection, path: key.path, read: most.read, elements: most.elements, alone: alone,
        time: UInt64(Double(alone.time) * part))
    }.sorted { ($1.time, text($0.projection)) < ($0.time, text($1.projection)) }
  }

  /// The same with names, for the account.
  func account(of found: UnchangedReads) -> RunAccount.Unchanged {
    RunAccount.Unchanged(
      projection: text(found.projection), path: text(found.path), read: text(found.read),
      elements: found.elements,
      runs: found.alone.runs, time: found.time)
  }

  /// Whether both are of one collection: its elements, its count, or their order.
  private static func isSameCollection(_ a: String, _ b: String) -> Bool { collection(a) == collection(b) }

  /// The path of the collection to which a path of elements leads; the path itself for others.
  private static func collection(_ path: String) -> String {
    guard let start = path.lastIndex(of: "[") else { return path }
    return String(path[..<start])
  }

  /// Whether a run takes much longer than those of other projections do, on whatever machine.
  private func stands(_ projection: GroupID<ProjectionID>, out time: UInt64) -> Bool {
    let own = tally.readers[projection].work
    let (runs, rest) = (tally.runs.runs - own.evaluations, tally.runs.time - own.time)
    return runs > 0 && Double(time) >= Self.outstanding * Double(rest) / Double(runs)
  }

  private func work(of alone: BodyTimes.Alone) -> LintSums {
    var work = LintSums()
    (work.evaluations, work.time) = (alone.runs, alone.time)
    return work
  }

  /// Projections whose time goes into comparing.
  func slowComparisons() -> [Finding] {
    tally.bodies.comparing.compactMap { group, found in
      let types = comparedTypes(below: group)
      let each = found.time / UInt64(max(1, found.runs))
      guard found.runs >= max(1, thresholds.count), Self.share(found.time, of: tally.runs.time) >= 20,
        each >= (types.isEmpty ? Self.slowComparing : Self.slowByParts)
      else { return nil }
      let name = text(group)
      let times =
        "\(Units.duration(found.time)) of its \(Units.duration(found.ownTime)) in \(Units.count(found.runs, "run"))"
      let names = list(types.map(\.type))
      var work = LintSums()
      (work.evaluations, work.time) = (found.runs, found.ownTime)
      return Finding(
        rule: .slowComparison, projection: name, path: nil,
        message: types.isEmpty
          ? "\(name) spent \(times) in comparing the inputs of its children, and its output, with those before."
          : "\(name) spent \(times) in comparing what it hands to \(list(types.map(\.child))) with what it handed in before:"
            + " \(names) \(types.count == 1 ? "has" : "have") no ==, and so all parts are compared one by one.",
        advice: types.isEmpty
          ? "Hand in less: an id, a version, or the values that are shown." : "Make \(names) Equatable.",
        evidence: .init(found.evidence, writes: found.runs, work), changes: [],
        needless: LintReport.Price(runs: 0, time: found.time))
    }
  }

  /// The children of a projection whose inputs were compared by their parts, with the types of these, each once.
  private func comparedTypes(below parent: GroupID<ProjectionID>) -> [(child: String, type: String)] {
    let children = Set(
      names: tally.readers.values.enumerated().filter { $1.parent == parent }.map {
        text(GroupID<ProjectionID>($0.offset))
      })
    var found: [(child: String, type: String)] = []
    for compared in tally.bodies.comparedTypes where children.contains(ExactString(compared.child)) {
      if !found.contains(where: { $0.type == compared.type }) { found.append(compared) }
    }
    return found
  }

  /// In per cent.
  private static func share(_ time: UInt64, of all: UInt64) -> Double {
    all == 0 ? 0 : 100 * Double(time) / Double(all)
  }

  /// From which share of the session's time on it is asked what a body took it for, in per cent.
  private static let unchangedLeast = 1.0
  /// From which own time on a body is slow, and how many times as long as another run it takes to be so at half of that.
  private static let slow: UInt64 = 1_000_000
  private static let outstanding = 20.0
  /// From which time in each run on comparing is slow: a quarter of a frame, and less where a type without `==` is why.
  private static let slowComparing: UInt64 = 4_000_000
  private static let slowByParts: UInt64 = 100_000
}
