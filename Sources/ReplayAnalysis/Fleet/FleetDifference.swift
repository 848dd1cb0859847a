import EventLog

/// The costs that are higher, or lower, in one set of sessions than in another, beyond what chance and another mix of
/// devices explain.
package struct FleetDifference: Codable, Sendable {
  /// Of which sessions a line is.
  package enum Scope: String, Codable, Sendable {
    /// Of all, and it is so for every class of devices that has enough sessions.
    case all
    /// Of all on the average. For which class it is so cannot be told.
    case average
    /// Of one class of devices.
    case device
  }

  package struct Line: Codable, Sendable {
    package var role: FleetSubject.Role
    package var kind: String
    package var scope: Scope
    /// The class of devices, if the scope is one; nil for sessions without.
    package var deviceClass: String?
    /// The mean cost of a unit in nanoseconds, in each set, over all its sessions, weighted, as if both had the same mix.
    package var before: Double
    package var after: Double
    /// The confidence interval of the increase, in nanoseconds.
    package var low: Double
    package var high: Double
    /// The probability that chance alone makes as large a difference.
    package var probability: Double
    /// What 95 % of the sessions do not exceed, in each set.
    package var p95Before: Double
    package var p95After: Double
    /// The number of sessions that had it, in each set.
    package var sessions: [Int]
    package var example: FleetExample?

    /// Whether the line is of all devices.
    package var isOfAll: Bool { scope != .device }

    enum CodingKeys: String, CodingKey {
      case role, kind, scope, before, after, low, high, probability, sessions, example
      case deviceClass = "device_class"
      case p95Before = "p95_before"
      case p95After = "p95_after"
    }
  }

  /// A subject that only one of the sets has.
  package struct Change: Codable, Sendable {
    package var role: FleetSubject.Role
    package var kind: String
    /// If it seems to be another name: the kind that the other set has in its place.
    package var other: String?
    /// The mean cost of a unit in nanoseconds.
    package var cost: Double
    package var sessions: Int
    package var example: FleetExample?
  }

  /// A shape of cascades that the first set does not have.
  package struct NewShape: Codable, Sendable {
    package var hash: String
    package var root: String?
    package var count: UInt64
    package var sessions: Int
    /// In nanoseconds.
    package var time: UInt64
    package var example: FleetExample

    enum CodingKeys: String, CodingKey {
      case root, count, sessions, example
      case hash = "shape_hash"
      case time = "total_ns"
    }
  }

  package struct Options: Sendable {
    /// Fewer sessions than this are not compared.
    package var sessionsMin = 30
    /// The least increase that is reported, as a share of the cost before.
    package var growthMin = 0.05
    /// The least increase that is reported, in nanoseconds of a unit.
    package var floor = 1_000.0
    /// The confidence of the interval.
    package var confidence = 0.99
    /// The share of what is listed that may be chance.
    package var discovery = 0.05
    /// Whether to tell what would have been found, which takes some ten times as long as the comparison.
    package var tellsDetectable = false

    package init() {}
  }

  /// For what costs are given.
  package var unit: FleetUnit
  /// The number of sessions in each set.
  package var sessions: [Int]
  /// Of these, the number that were compared: the others are of strata that the other set has too few of.
  package var compared: [Int]
  /// What was left out of each set.
  package var leftOut: [FleetLosses]
  /// How many comparisons were made, for which chance is corrected.
  package var comparisons = 0
  /// What got worse, ordered by the extra cost over all sessions, the largest first.
  package var worse: [Line] = []
  /// What got better, likewise.
  package var better: [Line] = []
  /// What only the second set has, or only the first; the costliest first.
  package var new: [Change] = []
  package var gone: [Change] = []
  /// What the second set has in place of what the first has, at about the same cost: probably another name.
  package var renamed: [Change] = []
  package var newShapes: [NewShape] = []
  /// What would have been found; nil if it was not asked for, or if there are too few sessions to compare.
  package private(set) var detectable: FleetDetectable?
  /// Whether there were more kinds than can be counted.
  package var isCrowded: Bool

  /// Compares two sets of sessions.
  package init(_ a: FleetTally, _ b: FleetTally, _ options: Options = Options()) {
    unit = b.unit
    sessions = [a.sessionCount, b.sessionCount]
    leftOut = [FleetLosses(a), FleetLosses(b)]
    isCrowded = a.isCrowded || b.isCrowded
    let comparison = FleetComparison(a, b, options)
    compared = comparison.sessions
    for (hash, shape) in b.shapes where a.shapes[hash] == nil && shape.sessions >= options.sessionsMin {
      newShapes.append(
        NewShape(
          hash: hash, root: shape.root, count: shape.count, sessions: shape.sessions, time: shape.time,
          example: FleetExample(shape.worst)))
    }
    newShapes.sort { $0.time != $1.time ? $0.time > $1.time : $0.hash < $1.hash }
    if compared.contains(where: { $0 < options.sessionsMin }) { return }
    let found = comparison.lines()
    comparisons = comparison.count
    worse = found.filter { $0.extra > 0 }.sorted(by: FleetComparison.Found.precede).map(\.line)
    better = found.filter { $0.extra < 0 }.sorted(by: FleetComparison.Found.precede).map(\.line)
    (new, gone) = comparison.changes()
    (renamed, new, gone) = Self.renamed(new, gone, compared)
    if options.tellsDetectable { detectable = FleetDetectable(comparison.detectable()) }
  }

  /// Takes those of the changes that are one and the same under two names: of the same role, in about as large a share of
  /// sessions, at about the same cost, and each other's only match.
  private static func renamed(
    _ new: [Change], _ gone: [Change], _ compared: [Int]
  ) -> (renamed: [Change], new: [Change], gone: [Change]) {
    // Every pair is compared.
    let countMax = 500
    if new.count > countMax || gone.count > countMax { return ([], new, gone) }
    func match(_ a: Change, _ b: Change) -> Bool {
      let (shareA, shareB) = (
        Double(a.sessions) / Double(compared[0]), Double(b.sessions) / Double(compared[1])
      )
      return a.role == b.role && max(a.cost, b.cost) <= 1.25 * min(a.cost, b.cost)
        && abs(shareA - shareB) <= 0.15
    }
    var names: [Int: Int] = [:]
    for (index, change) in new.enumerated() {
      let old = gone.indices.filter { match(gone[$0], change) }
      guard old.count == 1, new.filter({ match(gone[old[0]], $0) }).count == 1 else { continue }
      names[index] = old[0]
    }
    let renamed = names.sorted { $0.key < $1.key }.map { index, old in
      var change = new[index]
      change.other = gone[old].kind
      return change
    }
    let known = Set(names.values)
    return (
      renamed, new.indices.filter { names[$0] == nil }.map { new[$0] },
      gone.indices.filter { !known.contains($0) }.map { gone[$0] }
    )
  }

  enum CodingKeys: String, CodingKey {
    case unit, sessions, compared, comparisons, worse, better, new, gone, renamed, detectable
    case leftOut = "left_out"
    case newShapes = "new_shapes"
    case isCrowded = "is_crowded"
  }
}

/// Compares each subject of two sets of sessions, stratum by stratum.
struct FleetComparison {
  private let a: FleetTally
  private let b: FleetTally
  private let options: FleetDifference.Options
  /// The strata that both sets have enough of. Sorted, so that sums are rounded the same each time.
  private let strata: [Pair]
  /// Whether these are of several classes of devices.
  private let hasClasses: Bool
  /// The number of sessions in these, in each set.
  let sessions: [Int]
  private let candidates: [Candidate]

  /// With fewer sessions on a side, a stratum's variance cannot be told.
  static let stratumMin = 8
  /// Of the sessions that have something, the share whose cost counts as that of the next.
  static let cutShare = 0.02

  /// A stratum of both sets.
  private struct Pair {
    var stratum: FleetStratum
    /// Its number in each set.
    var a: Int
    var b: Int
    /// Its share in all sessions of both.
    var share: Double
  }

  /// A comparison that was made.
  private struct Candidate {
    var subject: FleetSubject
    var contrast: FleetContrast
    /// Nil for all devices.
    var device: FleetStratum?
    var probability: Double
    /// The number of sessions that had it, in each set.
    var sessions: [Int]
  }

  struct Found {
    var line: FleetDifference.Line
    /// The increase over all sessions, in nanoseconds of a unit.
    var extra: Double

    static func precede(_ a: Found, _ b: Found) -> Bool {
      if abs(a.extra) != abs(b.extra) { return abs(a.extra) > abs(b.extra) }
      if a.line.role != b.line.role { return a.line.role.rawValue < b.line.role.rawValue }
      if a.line.kind != b.line.kind { return ExactString(a.line.kind) < ExactString(b.line.kind) }
      return ExactString(a.line.deviceClass ?? "") < ExactString(b.line.deviceClass ?? "")
    }
  }

  /// The number of comparisons.
  var count: Int { candidates.count }

  init(_ a: FleetTally, _ b: FleetTally, _ options: FleetDifference.Options) {
    (self.a, self.b, self.options) = (a, b, options)
    var common: [Pair] = []
    var (counts, sum) = ([0, 0], 0.0)
    for (stratum, numberA) in a.strata {
      guard let numberB = b.strata[stratum] else { continue }
      let (side, other) = (a.sides[numberA], b.sides[numberB])
      if min(side.count, other.count) < min(Self.stratumMin, options.sessionsMin) { continue }
      common.append(Pair(stratum: stratum, a: numberA, b: numberB, share: side.w + other.w))
      counts[0] += side.count
      counts[1] += other.count
    }
    common.sort { ExactString($0.stratum.key) < ExactString($1.stratum.key) }
    for pair in common { sum += pair.share }
    for index in common.indices { common[index].share /= max(sum, .leastNonzeroMagnitude) }
    strata = common
    sessions = counts
    let classes = Self.classes(strata)
    hasClasses = classes.count > 1
    candidates = Self.candidates(a, b, strata, classes, options)
  }

  /// The strata of each class of devices.
  private static func classes(_ strata: [Pair]) -> [(device: FleetStratum?, strata: [Pair])] {
    var classes: [(device: FleetStratum?, strata: [Pair])] = []
    for pair in strata {
      let device = FleetStratum(deviceClass: pair.stratum.deviceClass, dimensions: [:])
      if let known = classes.firstIndex(where: { $0.device == device }) {
        classes[known].strata.append(pair)
      } else {
        classes.append((device, [pair]))
      }
    }
    return classes
  }

  private static func candidates(
    _ a: FleetTally, _ b: FleetTally, _ strata: [Pair],
    _ classes: [(device: FleetStratum?, strata: [Pair])], _ options: FleetDifference.Options
  ) -> [Candidate] {
    // One class is all devices.
    let compared = [(nil, strata)] + (classes.count > 1 ? classes : [])
    var candidates: [Candidate] = []
    for subject in Set(a.sums.keys).union(b.sums.keys).sorted(by: FleetSubject.precede) {
      for (device, strata) in compared {
        if let candidate = candidate(subject, device, strata, a, b, options) { candidates.append(candidate) }
      }
    }
    return candidates
  }

  /// Compares a subject; nil if there are too few sessions, or if one of the sets has none.
  ///
  /// - Parameter factor: How many times as much it is to cost in the second set.
  private static func candidate(
    _ subject: FleetSubject, _ device: FleetStratum?, _ strata: [Pair],
    _ a: FleetTally, _ b: FleetTally, _ options: FleetDifference.Options, times factor: Double = 1
  ) -> Candidate? {
    var contrast = FleetContrast()
    var (all, having, share) = ([0, 0], [0, 0], 0.0)
    for stratum in strata { share += stratum.share }
    let (cellsA, cellsB) = (a.sums[subject]?.cells, b.sums[subject]?.cells)
    for pair in strata {
      let (costsA, found) = (cellsA?[pair.a]?.costs, cellsB?[pair.b]?.costs)
      let costsB = factor == 1 ? found : found?.multiplied(by: factor)
      let (sideA, sideB) = (a.sides[pair.a], b.sides[pair.b])
      all = [all[0] + sideA.count, all[1] + sideB.count]
      having = [having[0] + (costsA?.count ?? 0), having[1] + (costsB?.count ?? 0)]
      let cut = FleetCosts.cut(costsA, costsB, share: cutShare)
      contrast.add(
        FleetSums(of: costsA, in: sideA, cut: cut), FleetSums(of: costsB, in: sideB, cut: cut),
        weight: pair.share / max(share, .leastNonzeroMagnitude))
    }
    // How many have it is counted on both sides together: counted on one, chance would decide what is compared, and those
    // that it favours would seem to have become more.
    guard min(all[0], all[1]) >= options.sessionsMin, having[0] + having[1] >= options.sessionsMin,
      min(having[0], having[1]) > 0 || !isNewOrGone(subject, a, b)
    else { return nil }
    return Candidate(
      subject: subject, contrast: contrast, device: device, probability: contrast.probability,
      sessions: having)
  }

  /// Whether only one of the sets has a subject.
  private static func isNewOrGone(_ subject: FleetSubject, _ a: FleetTally, _ b: FleetTally) -> Bool {
    (a.sums[subject] == nil) != (b.sums[subject] == nil)
  }

  /// Where a subject got worse or better: a line for all devices if they are of one class, or if it is so for each of several
  /// classes that have enough sessions; else one for each class where it is, and if it is for none, one for the average.
  func lines() -> [Found] {
    guard let bound = FleetDiscovery.bound(candidates.map(\.probability), share: options.discovery) else {
      return []
    }
    var found: [Found] = []
    for (_, of) in Dictionary(grouping: candidates.indices, by: { candidates[$0].subject }) {
      let all = of.first { candidates[$0].device == nil }.map { candidates[$0] }
      let classes = of.map { candidates[$0] }.filter { $0.device != nil }
      for direction in [1.0, -1.0] {
        let those = classes.filter { isFound($0, direction, bound) }
        if let all, isFound(all, direction, bound), classes.count > 1 || !hasClasses,
          classes.allSatisfy({ $0.probability <= options.discovery && $0.contrast.difference * direction > 0 }
          )
        {
          found.append(line(all, .all))
        } else if !those.isEmpty {
          found += those.map { line($0, .device) }
        } else if let all, isFound(all, direction, bound) {
          found.append(line(all, .average))
        }
      }
    }
    return found
  }

  private func isFound(_ candidate: Candidate, _ direction: Double, _ bound: Double) -> Bool {
    let contrast = candidate.contrast
    let change = contrast.difference * direction
    guard change > 0, candidate.probability <= min(bound, 1 - options.confidence) else { return false }
    return change >= options.floor && change > options.growthMin * contrast.before
  }

  /// For each subject that costs something in both sets, over all devices, the least ratio of its costs that would be found with
  /// the power of `FleetDetectable`: infinite if none.
  func detectable() -> [Double] {
    let bound = options.discovery / Double(max(1, candidates.count))
    let known = candidates.filter { $0.device == nil && $0.contrast.before > 0 && $0.contrast.after > 0 }
    // Many tell as much as all, in bounded time.
    let step = max(1, known.count / FleetDetectable.kindsMax)
    return stride(from: 0, to: known.count, by: step).map { place in
      let contrast = known[place].contrast
      return FleetDetectable.least { ratio in
        let candidate = Self.candidate(
          known[place].subject, nil, strata, a, b, options, times: ratio * contrast.before / contrast.after)
        guard var candidate else { return false }
        candidate.contrast = candidate.contrast.lowered(by: FleetDetectable.errors)
        candidate.probability = candidate.contrast.probability
        return isFound(candidate, 1, bound)
      }
    }
  }

  private func line(_ candidate: Candidate, _ scope: FleetDifference.Scope) -> Found {
    let contrast = candidate.contrast
    let (low, high) = contrast.interval(options.confidence)
    let own = strata.filter { isIn(candidate.device, $0.stratum) }
    let cells = b.sums[candidate.subject]?.cells
    let examples = own.compactMap { cells?[$0.b]?.worst }
    // Of equal ones the first.
    let worst = examples.reduce(nil as FleetTally.Example?) { most, next in
      next.cost > most?.cost ?? 0 ? next : most
    }
    let line = FleetDifference.Line(
      role: candidate.subject.role, kind: candidate.subject.kind, scope: scope,
      deviceClass: candidate.device?.deviceClass, before: contrast.before, after: contrast.after, low: low,
      high: high, probability: candidate.probability,
      p95Before: quantile(candidate.subject, a, own.map { ($0.a, $0.share) }),
      p95After: quantile(candidate.subject, b, own.map { ($0.b, $0.share) }), sessions: candidate.sessions,
      example: worst.map { FleetExample($0) })
    return Found(line: line, extra: contrast.difference * own.reduce(0) { $0 + $1.share })
  }

  private func isIn(_ device: FleetStratum?, _ stratum: FleetStratum) -> Bool {
    device == nil || device?.deviceClass == stratum.deviceClass
  }

  /// What 95 % of the sessions of a set do not exceed, if it had the mix of both sets.
  private func quantile(
    _ subject: FleetSubject, _ tally: FleetTally, _ strata: [(number: Int, share: Double)]
  ) -> Double {
    var weights: [UInt16: Double] = [:]
    var all = 0.0
    for (number, share) in strata {
      all += share
      let side = tally.sides[number]
      if side.w <= 0 { continue }
      for (bucket, moments) in tally.sums[subject]?.cells[number]?.costs.buckets ?? [:] {
        weights[bucket, default: 0] += share * moments.w / side.w
      }
    }
    var above = 0.0
    for (bucket, weight) in weights.sorted(by: { $0.key > $1.key }) {
      above += weight
      if above > 0.05 * all { return FleetCosts.bound(of: bucket) }
    }
    return 0
  }

  /// The subjects that only the second set has, and those that only the first has.
  func changes() -> (new: [FleetDifference.Change], gone: [FleetDifference.Change]) {
    (changes(in: b, not: a), changes(in: a, not: b))
  }

  private func changes(in tally: FleetTally, not other: FleetTally) -> [FleetDifference.Change] {
    var changes: [FleetDifference.Change] = []
    for (subject, sums) in tally.sums where other.sums[subject] == nil && sums.sessions >= options.sessionsMin
    {
      let cost = sums.cost / max(tally.weight, .leastNonzeroMagnitude)
      if cost < options.floor { continue }
      changes.append(
        FleetDifference.Change(
          role: subject.role, kind: subject.kind, cost: cost, sessions: sums.sessions,
          example: sums.worst.map { FleetExample($0) }))
    }
    return changes.sorted { a, b in
      if a.cost != b.cost { return a.cost > b.cost }
      return FleetSubject.precede(FleetSubject(a.role, a.kind), FleetSubject(b.role, b.kind))
    }
  }
}

extension FleetSubject {
  /// Orders subjects by role and name.
  fileprivate static func precede(_ a: FleetSubject, _ b: FleetSubject) -> Bool {
    a.role != b.role ? a.role.rawValue < b.role.rawValue : ExactString(a.kind) < ExactString(b.kind)
  }
}

extension FleetStratum {
  /// A text that no other stratum has.
  fileprivate var key: String {
    let parts = dimensions.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    return ((deviceClass.map { ["+", $0] } ?? ["-"]) + parts).map { "\($0.utf8.count):\($0)" }.joined()
  }
}
