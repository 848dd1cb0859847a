import EventLog

/// Compares a recording with the log of a drive of it through other code: the runs of each projection, the
/// first differences of state and timeline, and the writes of callbacks.
package struct DriveComparison: Encodable, Sendable {
  /// The number of evaluations of a projection's instances, and the time that they took.
  package struct Runs: Encodable, Sendable {
    package var evaluations = 0
    package var wasted = 0
    package var time: UInt64 = 0

    enum CodingKeys: String, CodingKey {
      case evaluations, wasted
      case time = "time_ns"
    }
  }

  /// The runs of one projection in the recorded and in the driven session.
  package struct Projection: Encodable, Sendable {
    package var name: String
    package var recorded: Runs
    package var driven: Runs
  }

  /// The first events of one kind that are not in both logs, each with its cause chain.
  package struct Divergence: Encodable, Sendable {
    /// The event in the recording, then its causes, the nearest first; empty if the recording has no such
    /// event.
    package var recorded: [PrintedJSON] = []
    package var driven: [PrintedJSON] = []
    /// The same as events; not encoded.
    package var events: (recorded: [Event], driven: [Event]) = ([], [])

    enum CodingKeys: CodingKey { case recorded, driven }
  }

  /// A write of a callback, a body or a derived value that differs between the two.
  package struct Reaction: Encodable, Sendable {
    package enum Change: String, Codable, Sendable { case new, missing, different }

    package var change: Change
    package var path: String
    @Nullable package var recorded: PrintedJSON?
    @Nullable package var driven: PrintedJSON?
    /// The same as events; not encoded.
    package var events: (recorded: Event?, driven: Event?)

    enum CodingKeys: CodingKey { case change, path, recorded, driven }
  }

  /// All projections that ran in either log, by name.
  package var projections: [Projection]
  /// The first write that is not in both logs; nil if all writes agree.
  @Nullable package var state: Divergence?
  /// The first event about a projection that is not in both.
  @Nullable package var timeline: Divergence?
  /// The first of the writes by callbacks that differ.
  package var reactions: [Reaction]
  /// The number of all such writes.
  package var reactionCount: Int
  /// What could not be driven, in the words of the new log.
  package var problems: [String]
  /// The comparison of the two logs as `diff` makes it.
  package var diff: RunDiff

  enum CodingKeys: String, CodingKey {
    case projections, state, timeline, reactions
    case reactionCount = "reaction_count"
    case problems, diff
  }

  /// Whether the logs are equal and everything could be driven.
  package var isIdentical: Bool { diff.isIdentical && problems.isEmpty }

  /// Compares a recording with the log of its drive.
  ///
  /// Cost: a diff of the two logs, and reading each event that is not in both.
  ///
  /// - Parameter seq: The last event of the recording to compare; nil for all.
  /// - Throws: `LogError` or `AnalysisError` where a log cannot be read.
  package init(
    _ recorded: LogSource, _ driven: LogSource, through seq: UInt64? = nil, rules: [DiffRule] = [],
    progress: AnalysisProgress = .hidden
  ) throws {
    var search = DriveDifferences(recorded, driven)
    var selection = try Selection(in: recorded)
    if let seq, seq < .max {
      let first = selection.seqs.lowerBound
      selection.seqs = first..<max(first, min(seq + 1, selection.seqs.upperBound))
    }
    diff = try RunComparison(rules: rules).compare(
      recorded, selection, driven, Selection(in: driven), progress: progress
    ) { search.add($0) }
    search.finish()
    (state, timeline) = (search.state, search.timeline)
    var compared = DriveReactions(recorded, selection.seqs, driven)
    compared.run()
    (reactions, reactionCount) = (compared.differences, compared.count)
    problems = search.problems
    let (a, b) = (diff.counts.a.projections, diff.counts.b.projections)
    projections = Set(a.keys).union(b.keys).sorted().map {
      Projection(name: $0.string, recorded: Runs(a[$0] ?? .init()), driven: Runs(b[$0] ?? .init()))
    }
  }
}

extension DriveComparison.Runs {
  fileprivate init(_ runs: DiffCounts.Runs) {
    self.init(evaluations: runs.evaluations, wasted: runs.wasted, time: runs.time)
  }
}

/// Collects the differences while two logs are compared.
private struct DriveDifferences {
  private let recorded: LogSource
  private let driven: LogSource
  private(set) var state: DriveComparison.Divergence?
  private(set) var timeline: DriveComparison.Divergence?
  private(set) var problems: [String] = []
  /// The events of the present difference, until the logs agree again.
  private var missing: [Event] = []
  private var new: [Event] = []
  private static let keptMax = 200
  private static let causesMax = 20

  init(_ recorded: LogSource, _ driven: LogSource) {
    self.recorded = recorded
    self.driven = driven
  }

  mutating func add(_ aligned: DiffAligner.AlignedEvent) {
    switch aligned {
    case .both: if !missing.isEmpty || !new.isEmpty { settle() }
    case .onlyA(let seq): if let event = recorded.event(seq), isKept(missing) { missing.append(event) }
    case .onlyB(let seq):
      guard let event = driven.event(seq) else { return }
      if case .mark(let label) = event.body, case .driveProblem(let problem) = MarkLabel(label) {
        if problems.count < Self.keptMax { problems.append(problem) }
        return
      }
      if isKept(new) { new.append(event) }
    }
  }

  mutating func finish() { settle() }

  private func isKept(_ events: [Event]) -> Bool { events.count < 1 << 12 }

  /// Takes over the present difference, which ends here.
  private mutating func settle() {
    if state == nil { state = divergence { $0.writtenPath != nil } }
    if timeline == nil { timeline = divergence { $0.projectionName != nil } }
    (missing, new) = ([], [])
  }

  private func divergence(_ isMeant: (Event.Body) -> Bool) -> DriveComparison.Divergence? {
    let (a, b) = (missing.first { isMeant($0.body) }, new.first { isMeant($0.body) })
    if a == nil, b == nil { return nil }
    let chains = (chain(of: a, in: recorded), chain(of: b, in: driven))
    return DriveComparison.Divergence(
      recorded: chains.0.map { PrintedJSON($0.json()) }, driven: chains.1.map { PrintedJSON($0.json()) },
      events: chains)
  }

  /// The event, its cause, the cause's cause, and so on.
  private func chain(of event: Event?, in log: LogSource) -> [Event] {
    var chain: [Event] = []
    var next = event
    while let event = next, chain.count < Self.causesMax {
      chain.append(log.namedEvent(event.seq) ?? event)
      next = event.cause.flatMap { log.event($0) }
    }
    return chain
  }
}
