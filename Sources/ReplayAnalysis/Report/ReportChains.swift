import EventLog

/// The cause chain of each run among single events, as `why` finds it, in a form that takes a few bytes each.
///
/// A chain is a list of nodes, each a step and the node behind it; chains that end alike share these nodes. A step has
/// what the page does not find in its rows. All of it is one file of columns for each slice.
struct ReportChains {
  /// The slices with their files, in order.
  private(set) var files: [(seqs: Range<UInt64>, bytes: [UInt8])] = []

  private static let budget = WalkBudget(walked: 1 << 24, kept: 1 << 24)
  /// How many events before the slices are read, since what caused their first runs may be there.
  static let lead: UInt64 = 1 << 12

  /// - Parameters:
  ///   - slices: Slices that follow one another.
  ///   - eventsMax: How many events are read again for runs with several causes.
  ///   - isInPage: Whether the page has an event one by one.
  init(
    _ slices: [Range<UInt64>], of log: LogSource, _ names: ReportNames, eventsMax: UInt64,
    isInPage: (UInt64) -> Bool
  ) throws {
    guard let first = slices.first?.lowerBound, let end = slices.last?.upperBound else { return }
    let part = try log.readablePart(from: first - min(first, Self.lead))
    try withoutActuallyEscaping(isInPage) { isInPage in
      var walk = FlushWalk(
        SlicedChains(slices, from: part.firstSeq, isWhole: part.firstSeq == log.firstSeq, names, isInPage),
        in: log, before: end, within: Self.budget)
      _ = try part.play(to: &walk)
      try walk.visitor.addOthers(log, eventsMax: eventsMax)
      files = try walk.visitor.files()
    }
  }
}

/// Takes in the chains of all runs whose causes are known in full.
private struct SlicedChains: ChainVisitor {
  private let slices: [Range<UInt64>]
  private var chains: [SharedChains]
  private let names: ReportNames
  private let isInPage: (UInt64) -> Bool
  /// The first event that is read.
  private let first: UInt64
  /// Whether that is the first of the log.
  private let isWhole: Bool
  /// The beginnings of chains whose runs have other causes too.
  private var several: [(seq: UInt64, draft: WhyDraft)] = []

  /// Chains whose other causes are looked for in one go.
  private static let severalMax = 1 << 12
  /// How many causes a run may have behind one another.
  private static let causesMax = 1 << 10
  /// How many causes an event has behind it, itself included, for events that runs were asked for: a chain that grows by a
  /// link with each run is not walked again from its beginning. ``causesMax`` if one of them is not near.
  private var causesBehind = RecentRing<UInt16>(keeping: Int(OpenCascades.patience))
  private var walked: [UInt64] = []

  init(
    _ slices: [Range<UInt64>], from first: UInt64, isWhole: Bool, _ names: ReportNames,
    _ isInPage: @escaping (UInt64) -> Bool
  ) {
    self.slices = slices
    chains = slices.map { SharedChains($0) }
    (self.first, self.isWhole, self.names, self.isInPage) = (first, isWhole, names, isInPage)
  }

  mutating func wants(_ evaluation: inout Cascade.Evaluation, _ run: inout LogRun) -> Bool {
    guard index(of: evaluation.seq) != nil else { return false }
    return evaluation.cause == 0 || (isWhole || evaluation.isWhole) && isNear(evaluation, &run)
  }

  /// Whether the causes of a run are among the events that are read, none of them so long ago that a cascade may have
  /// been passed on in between.
  private mutating func isNear(_ evaluation: Cascade.Evaluation, _ run: inout LogRun) -> Bool {
    var cause = evaluation.cause
    guard isNear(cause, to: evaluation.seq) else { return false }
    var behind = 0
    walked.removeAll(keepingCapacity: true)
    while cause > 0 {
      if let known = causesBehind[cause] {
        behind = Int(known)
        break
      }
      walked.append(cause)
      guard walked.count < Self.causesMax, cause >= first, let entry = run.entry(cause) else {
        behind = Self.causesMax
        break
      }
      let next = entry.cause > 0 ? run.unit(entry.cause) : 0
      let isRun = next > 0 && [.evaluate, .end].contains(run.entry(next)?.kind)
      if next >= cause || isRun && !isNear(next, to: cause) {
        behind = Self.causesMax
        break
      }
      cause = next
    }
    for seq in walked.reversed() {
      behind = min(behind + 1, Self.causesMax)
      causesBehind.append(seq, UInt16(behind))
    }
    return behind < Self.causesMax
  }

  private func isNear(_ cause: UInt64, to effect: UInt64) -> Bool {
    effect - min(effect, cause) <= OpenCascades.patience
  }

  mutating func receive(_ draft: WhyDraft, of seq: UInt64) throws {
    guard let index = index(of: seq) else { return }
    let head = try chains[index].add(draft.steps.dropFirst(), names, isInPage)
    chains[index].set(head, of: seq)
    guard draft.superseded != nil else { return }
    several.append((seq, draft))
    several[several.count - 1].draft.steps = Array(draft.steps.prefix(2))
  }

  /// Adds the other causes of runs that have several. Runs of which these are not found have no chain.
  mutating func addOthers(_ log: LogSource, eventsMax: UInt64) throws {
    var left = eventsMax
    for start in stride(from: 0, to: several.count, by: Self.severalMax) {
      let part = several[start..<min(several.count, start + Self.severalMax)]
      var drafts = part.map(\.draft)
      let reach = drafts.reduce(UInt64(0)) {
        $0 + ($1.superseded.map { $0.upperBound - $0.lowerBound } ?? 0)
      }
      _ = try SupersededSearch.complete(&drafts, in: log, keeping: .page, eventsMax: left)
      left -= min(left, reach)
      for (seq, draft) in zip(part.map(\.seq), drafts) {
        guard let index = index(of: seq) else { continue }
        if draft.isPartial { chains[index].set(SharedChains.unknown, of: seq) }
        guard draft.steps.count > 1, let others = draft.steps[1].others else { continue }
        try chains[index].add(others, draft.steps[1].moreOthers, of: seq, names, isInPage)
      }
    }
  }

  func files() throws -> [(seqs: Range<UInt64>, bytes: [UInt8])] {
    try zip(slices, chains).map { ($0, try $1.file()) }
  }

  private func index(of seq: UInt64) -> Int? {
    let index = slices.partitioningIndex { $0.upperBound > seq }
    return index < slices.count && slices[index].contains(seq) ? index : nil
  }
}

/// The chains of the runs in one slice.
private struct SharedChains {
  private struct Node: Hashable {
    var seq: UInt64
    var step: UInt32
    /// The node behind it, which has a lower number.
    var next: UInt32
  }

  /// The other invalidations since the projection's last run, each the first of a chain.
  private struct Others: Encodable {
    var seq: UInt64
    var nodes: [UInt32]
    var more: Int?
  }

  private struct Header: Encodable {
    var firstSeq: UInt64
    var steps: [SharedStep]
    var superseded: [Others]

    enum CodingKeys: String, CodingKey {
      case firstSeq = "first_seq"
      case steps, superseded
    }
  }

  /// The number of a chain that is not known, and of one without steps.
  static let unknown: UInt32 = 0
  static let end: UInt32 = 1

  private let seqs: Range<UInt64>
  /// For each event, the first node behind it.
  private var heads: [UInt32]
  private var nodes: [Node] = []
  private var nodeNumbers: [Node: UInt32] = [:]
  private var steps: [SharedStep] = []
  private var stepNumbers: [SharedStep: UInt32] = [:]
  private var others: [Others] = []

  init(_ seqs: Range<UInt64>) {
    self.seqs = seqs
    heads = Array(repeating: Self.unknown, count: Int(seqs.upperBound - seqs.lowerBound))
  }

  mutating func set(_ head: UInt32, of seq: UInt64) { heads[Int(seq - seqs.lowerBound)] = head }

  /// Adds steps; returns the number of the node with the first.
  mutating func add(
    _ steps: some BidirectionalCollection<WhyStep>, _ names: ReportNames, _ isInPage: (UInt64) -> Bool
  ) throws -> UInt32 {
    var next = Self.end
    for step in steps.reversed() {
      let because = try step.because.map { try add($0, names, isInPage) }
      let shared = SharedStep(step, because: because, names, isInPage: step.seq.map(isInPage) ?? false)
      let number = stepNumbers[shared] ?? UInt32(self.steps.count)
      if number == self.steps.count {
        stepNumbers[shared] = number
        self.steps.append(shared)
      }
      let node = Node(seq: step.seq ?? 0, step: number, next: next)
      next = nodeNumbers[node] ?? UInt32(nodes.count) + Self.end + 1
      if next == UInt32(nodes.count) + Self.end + 1 {
        nodeNumbers[node] = next
        nodes.append(node)
      }
    }
    return next
  }

  mutating func add(
    _ invalidations: [WhyStep], _ more: Int?, of seq: UInt64, _ names: ReportNames,
    _ isInPage: (UInt64) -> Bool
  ) throws {
    let heads = try invalidations.map { invalidation in
      var first = invalidation
      first.because = nil
      return try add([first] + (invalidation.because ?? []), names, isInPage)
    }
    others.append(Others(seq: seq, nodes: heads, more: more))
  }

  func file() throws -> [UInt8] {
    var columns = ReportColumns()
    columns.add("head", heads)
    columns.add("seq", nodes.map(\.seq), isGrowing: true)
    columns.add("step", nodes.map(\.step))
    columns.add("next", nodes.map(\.next))
    return try columns.file(Header(firstSeq: seqs.lowerBound, steps: steps, superseded: others))
  }
}

/// A step without what the page finds in its rows by the step's seq. So most steps of one kind are equal.
private struct SharedStep: Hashable, Encodable {
  var kind: WhyStep.Kind
  var projection: String?
  var parent: String?
  var event: String?
  var path: String?
  var text: String?
  var time: UInt64?
  var duration: UInt64?
  var changed: Bool?
  var sameValue: Bool?
  var offset: Int?
  var delete: Int?
  /// The label of the transaction, if it has one; nil outside of transactions.
  var transaction: [String]?
  var transactionSite: String?
  var writer: String?
  var site: String?
  var function: String?
  var thread: String?
  /// The node with which the chain of a write of its own begins.
  var because: UInt32?
  var omitted: Int?
  var omittedRuns: Int?

  enum CodingKeys: String, CodingKey {
    case kind, projection, parent, event, path, text
    case time = "time_ns"
    case duration = "duration_ns"
    case changed
    case sameValue = "same_value"
    case offset, delete, transaction
    case transactionSite = "transaction_site"
    case writer, site, function, thread, because, omitted
    case omittedRuns = "omitted_evaluations"
  }

  init(_ step: WhyStep, because: UInt32?, _ names: ReportNames, isInPage: Bool) {
    var step = step
    step.because = nil
    step.replaceNames(names)
    kind = step.kind
    self.because = because
    (parent, text, omitted, omittedRuns) = (step.parent, step.text, step.omitted, step.omittedRuns)
    (offset, delete, writer, site) = (step.offset, step.delete, step.writer, step.site)
    (function, thread) = (step.origin?.function, step.origin?.thread)
    transaction = step.transaction.map { $0.wrappedValue.map { [$0] } ?? [] }
    transactionSite = step.transactionSite
    // The row of an invalidation is the event that led to it.
    if kind == .invalidation || !isInPage { projection = step.projection }
    if isInPage { return }
    (event, path, time, sameValue) = (step.event, step.path, step.time, step.sameValue)
    (duration, changed) = (step.duration, step.changed)
  }
}
