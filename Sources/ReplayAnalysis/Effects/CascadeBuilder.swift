import EventLog

/// Builds the tree of a cascade. Below the root are the projections that it invalidated; below those, the
/// projections that ran with them and the writes that they made.
///
/// One builder serves many cascades in turn, and reuses its memory.
struct CascadeBuilder {
  private(set) var nodes = CascadeNodes()
  private var lookup = CascadeLookup()
  /// The events that caused others, in order.
  private var units: [UInt64] = []
  /// The evaluations and invalidations of each unit, by their indices.
  private var evaluations = ItemsByUnit()
  private var invalidations = ItemsByUnit()
  /// The node of each event, by seq.
  private var eventNodes = PairMap<Int>()
  /// The node of each projection that ran for a unit, by the unit's index and the projection.
  private var runNodes = PairMap<ProjectionID>()
  /// The projections between an evaluation and the ancestor below which it is placed; the keys have 0 as unit.
  private var onWay = PairMap<ProjectionID>()

  /// Builds the tree of a flat cascade.
  mutating func build(
    flat slot: Int, of open: borrowing OpenCascades, _ titles: inout CascadeTitles, _ run: inout LogRun
  ) {
    nodes.removeAll()
    open.draw(slot, &nodes, &titles, &run)
  }

  mutating func build(_ cascade: Cascade, _ titles: inout CascadeTitles, _ run: inout LogRun) {
    nodes.removeAll()
    eventNodes.removeAll()
    runNodes.removeAll()
    lookup.fill(from: cascade)
    findUnits(cascade)
    // Causes come before effects, so in seq order the parent of each node exists already.
    for (unit, seq) in units.enumerated() {
      let node = node(of: seq, cascade, &titles)
      eventNodes[seq, 0] = node
      let runs = evaluations.items(of: seq)
      for index in runs {
        place(cascade.evaluations[index], unit: unit, below: node, cascade, &titles, &run)
      }
      for index in runs {
        let evaluation = cascade.evaluations[index]
        eventNodes[evaluation.seq, 0] = runNodes[UInt64(unit), evaluation.projection]
      }
      for index in invalidations.items(of: seq) {
        let projection = cascade.invalidations[index].projection
        let invalidated =
          runNodes[UInt64(unit), projection]
          ?? nodes.child(titles.projection(projection, &run), .projection, of: node)
        nodes.addInvalidation(to: invalidated, isSuperseded: cascade.isSuperseded(index))
      }
    }
  }

  private mutating func findUnits(_ cascade: Cascade) {
    units.removeAll(keepingCapacity: true)
    for unit in cascade.units { units.append(unit.seq) }
    for evaluation in cascade.evaluations where evaluation.cause > 0 && units.last != evaluation.cause {
      units.append(evaluation.cause)
    }
    for invalidation in cascade.invalidations where units.last != invalidation.seq {
      units.append(invalidation.seq)
    }
    if units.count > 1 {
      units.sort()
      var last = 0
      for index in 1..<units.count where units[index] != units[last] {
        last += 1
        units[last] = units[index]
      }
      units.removeSubrange((last + 1)...)
    }
    evaluations.fill(cascade.evaluations.lazy.map(\.cause))
    invalidations.fill(cascade.invalidations.lazy.map(\.seq))
  }

  private mutating func node(of seq: UInt64, _ cascade: Cascade, _ titles: inout CascadeTitles) -> Int32 {
    // If the event is an evaluation that led to a write, it has a node already.
    if let known = eventNodes[seq, 0] { return known }
    let unit = cascade.unit(seq)
    let title = unit?.title ?? titles.title("event \(seq)")
    if let unit, unit.cause > 0, let above = eventNodes[unit.cause, 0] {
      return nodes.child(title, .write, of: above)
    }
    return nodes.addRoot(title)
  }

  /// Adds an evaluation below the ancestor with which it ran, or else below the event that invalidated it.
  private mutating func place(
    _ evaluation: Cascade.Evaluation, unit: Int, below node: Int32, _ cascade: Cascade,
    _ titles: inout CascadeTitles, _ run: inout LogRun
  ) {
    var chain = [evaluation]
    var top = node
    onWay.removeAll()
    onWay[0, evaluation.projection] = 0
    while let last = chain.last, lookup.invalidation(of: last) == nil,
      let leader = lookup.leader(of: last, in: cascade).map({ cascade.evaluations[$0] }),
      onWay[0, leader.projection] == nil
    {
      if let known = runNodes[UInt64(unit), leader.projection] {
        top = known
        break
      }
      onWay[0, leader.projection] = 0
      chain.append(leader)
    }
    for evaluation in chain.reversed() {
      let known =
        runNodes[UInt64(unit), evaluation.projection]
        ?? nodes.child(titles.projection(evaluation.projection, &run), .projection, of: top)
      runNodes[UInt64(unit), evaluation.projection] = known
      top = known
    }
    nodes.add(evaluation, to: top)
  }
}

/// A sink that counts the trees of cascades.
protocol CascadeTreeSink: CascadeSink {
  var builder: CascadeBuilder { get set }
  /// Whether all cascades are counted, so that a flat one need not be made whole to ask for it.
  var countsAll: Bool { get }
  mutating func counts(_ cascade: Cascade, _ run: inout LogRun) -> Bool
  /// Counts the trees of the builder.
  ///
  /// - Parameter writes: The writes of the transaction with which the cascade began; empty for a single write.
  mutating func count(_ root: UInt64, writes: [TitleID], _ titles: borrowing CascadeTitles)
}

extension CascadeTreeSink {
  @inline(__always) var countsAll: Bool { true }
  @inline(__always) func counts(_ cascade: Cascade, _ run: inout LogRun) -> Bool { true }

  mutating func receiveFlat(
    _ slot: Int, of open: borrowing OpenCascades, _ titles: inout CascadeTitles, _ run: inout LogRun
  ) -> Bool {
    guard countsAll else { return false }
    builder.build(flat: slot, of: open, &titles, &run)
    count(open.root(slot), writes: [], titles)
    return true
  }

  mutating func receive(_ cascade: Cascade, _ titles: inout CascadeTitles, _ run: inout LogRun) {
    guard counts(cascade, &run) else { return }
    builder.build(cascade, &titles, &run)
    count(cascade.root, writes: cascade.transaction(endedBy: cascade.root)?.writes ?? [], titles)
  }
}

/// The indices of items by their units, those of one unit in their original order.
private struct ItemsByUnit {
  private var items: [(unit: UInt64, index: Int)] = []
  private var next = 0

  mutating func fill(_ units: some Sequence<UInt64>) {
    items.removeAll(keepingCapacity: true)
    next = 0
    for (index, unit) in units.enumerated() { items.append((unit, index)) }
    // Nearly all are in order already.
    items.sort { ($0.unit, $0.index) < ($1.unit, $1.index) }
  }

  /// The indices of a unit's items. To be called for the units in order.
  mutating func items(of unit: UInt64) -> some Sequence<Int> {
    while next < items.count, items[next].unit < unit { next += 1 }
    let first = next
    while next < items.count, items[next].unit == unit { next += 1 }
    return items[first..<next].lazy.map(\.index)
  }
}

/// Finds the evaluations and invalidations of a cascade by their cause. One lookup serves many cascades in
/// turn.
struct CascadeLookup {
  /// The indices of evaluations, by their cause and projection.
  private var runs = PairMap<ProjectionID>()
  private var invalidations = PairMap<ProjectionID>()

  private static let ancestorsMax = 64

  /// Replaces the contents by those of a cascade.
  mutating func fill(from cascade: Cascade) {
    runs.removeAll()
    invalidations.removeAll()
    if cascade.evaluations.isEmpty { return }
    for (index, evaluation) in cascade.evaluations.enumerated() where evaluation.cause > 0 {
      runs[evaluation.cause, evaluation.projection] = Int32(index)
    }
    for (index, invalidation) in cascade.invalidations.enumerated() {
      invalidations[invalidation.seq, invalidation.projection] = Int32(index)
    }
  }

  /// The index of the last evaluation of a projection for a cause.
  private func evaluation(of projection: ProjectionID, cause: UInt64) -> Int? {
    runs[cause, projection].map { Int($0) }
  }

  /// The index of the invalidation that an evaluation followed.
  func invalidation(of evaluation: Cascade.Evaluation) -> Int? {
    evaluation.cause == 0 ? nil : invalidations[evaluation.cause, evaluation.projection].map { Int($0) }
  }

  /// The index of the evaluation of the nearest ancestor that ran for the same cause. The projection ran
  /// because that ancestor did.
  func leader(of evaluation: Cascade.Evaluation, in cascade: Cascade) -> Int? {
    firstAbove(evaluation, in: cascade) { self.evaluation(of: $0, cause: evaluation.cause) }
  }

  /// Whether the nearest ancestors ran for the same cause, or were invalidated by it.
  func hasReasonAbove(_ evaluation: Cascade.Evaluation, in cascade: Cascade) -> Bool {
    firstAbove(evaluation, in: cascade) { ancestor in
      runs[evaluation.cause, ancestor] ?? invalidations[evaluation.cause, ancestor]
    } != nil
  }

  /// The first result of a function for the ancestors of a projection that ran, the nearest first.
  private func firstAbove<R>(
    _ evaluation: Cascade.Evaluation, in cascade: Cascade, _ body: (ProjectionID) -> R?
  ) -> R? {
    if evaluation.cause == 0 { return nil }
    var next = evaluation.parent
    // Beyond as many ancestors that did not run, the parent chain may be a cycle, or as long as the log.
    for _ in 0..<Self.ancestorsMax {
      guard let ancestor = next, ancestor != evaluation.projection else { return nil }
      if let found = body(ancestor) { return found }
      next = cascade.parents[ancestor]
    }
    return nil
  }
}
