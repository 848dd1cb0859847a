import EventLog

/// Why things ran in the cascades of most work: for each node of the tree of a shape, the chain of one run, in the
/// cascade of that shape that took longest.
struct ReportWhys {
  /// What was found out of one shape.
  struct Shape: Encodable {
    var root: UInt64
    /// By the node of the tree, each before those below; null where nothing ran.
    var chains: [WhyChain?]
  }

  /// By the shape; nil where the work that may be done for all of them was done.
  let shapes: [Shape?]
  let advice: String?

  private static let shapesMax = 120
  /// More of one shape than anybody looks at.
  private static let chainsMax = 40

  /// About so many events are gone through for the state before a chain.
  private static let workOfLook: UInt64 = 1 << 14

  /// - Parameter eventsMax: About how many events may be gone through in all.
  init(_ sights: [CascadeSights], _ log: LogSource, hasValues: Bool, _ standIns: StandIns?, eventsMax: UInt64)
    throws
  {
    var advice: String?
    var drafts: [WhyDraft] = []
    /// By the shape, and the node of its tree: the position among the drafts.
    var positions: [Int: [Int?]] = [:]
    var next = Self.affordable(sights, log, eventsMax: eventsMax).sorted {
      sights[$0].worst < sights[$1].worst
    }[
      ...]
    while let first = next.popFirst() {
      // Roots that are near each other are looked at in one pass.
      var together = [first]
      while let other = next.first, let last = together.last,
        sights[other].worst - sights[last].worst <= 2 * OpenCascades.patience,
        sights[other].worst - sights[first].worst < 1 << 18
      {
        together.append(next.removeFirst())
      }
      var feed = CascadeFeed(CascadeCollector(Set(together.map { sights[$0].worst })))
      var walk = WhyWalk(try Self.part(of: log, from: sights[first].worst).play(to: &feed), of: log)
      for shape in together {
        guard let cascade = feed.sink.found[sights[shape].worst] else { continue }
        walk.enter(cascade)
        positions[shape] = Self.addDrafts(to: &drafts, cascade, sights[shape], &walk)
      }
      advice = advice ?? walk.symbolizer.advice
    }
    var chains = zip(drafts, try WhyDetails.fill(drafts, log)).map { WhyChain($0.projection, $1) }
    if !hasValues { for index in chains.indices { chains[index].removeValues() } }
    if let standIns { for index in chains.indices { chains[index].replaceNames(standIns) } }
    shapes = sights.indices.map { shape in
      positions[shape].map { Shape(root: sights[shape].worst, chains: $0.map { $0.map { chains[$0] } }) }
    }
    self.advice = standIns == nil ? advice : nil
  }

  /// The shapes, in order, that can be looked at at that cost: at most two passes over the log.
  private static func affordable(_ sights: [CascadeSights], _ log: LogSource, eventsMax: UInt64) -> [Int] {
    if 2 * UInt64(log.eventCount) <= eventsMax { return Array(sights.indices.prefix(shapesMax)) }
    var spent: UInt64 = 0
    return Array(
      sights.indices.prefix { shape in
        let looks = UInt64(sights[shape].examples.count { $0.seq > 0 })
        spent.addClamped(3 * OpenCascades.patience + workOfLook * min(looks, 4))
        return spent <= eventsMax
      })
  }

  /// The log from an event on; from its beginning, where what the state there is made of cannot be read.
  private static func part(of log: LogSource, from seq: UInt64) throws -> LogSource {
    do { return try log.part(from: seq) } catch let error as LogError where error.code == .damaged {
      return log
    }
  }

  /// Adds a draft for each node that ran; returns where they are.
  private static func addDrafts(
    to drafts: inout [WhyDraft], _ cascade: Cascade, _ sights: CascadeSights, _ walk: inout WhyWalk
  ) -> [Int?] {
    var evaluations: [UInt64: Cascade.Evaluation] = [:]
    for evaluation in cascade.evaluations { evaluations[evaluation.seq] = evaluation }
    let last = drafts.count + chainsMax
    return sights.examples.map { example in
      guard example.seq > 0, drafts.count < last, var evaluation = evaluations[example.seq] else {
        return nil
      }
      // The part of the log may begin behind it.
      evaluation.earlier = example.earlier
      drafts.append(walk.chain(of: .evaluation(evaluation)))
      return drafts.count - 1
    }
  }
}

/// Keeps the cascades of some roots.
private struct CascadeCollector: CascadeSink {
  private let roots: Set<UInt64>
  private(set) var found: [UInt64: Cascade] = [:]
  let end: UInt64

  init(_ roots: Set<UInt64>) {
    self.roots = roots
    end = (roots.max() ?? 0).addingClamped(1)
  }

  mutating func takeFlat(
    _ slot: Int, of open: borrowing OpenCascades, _ titles: inout CascadeTitles, _ run: inout LogRun
  ) -> Bool { !roots.contains(open.root(slot)) }

  mutating func take(_ cascade: Cascade, _ titles: inout CascadeTitles, _ run: inout LogRun) {
    if roots.contains(cascade.root) { found[cascade.root] = cascade.copy() }
  }
}
