import EventLog

/// What a page shows of two runs: what `diff` says of them, where they have the same events, what is in one only, and what
/// writes woke in each.
///
/// It comes in chunks. `report` is JSON; `stretches` are columns, see ``DiffStretches``; `tree` is JSON, a
/// ``CascadeUnion/Node`` for each kind of write; `hunks` is JSON, the first places where the runs differ. All that `diff`
/// or `cascades` say too is equal to what they print as JSON.
package struct DiffReport {
  /// `report` first.
  package let chunks: [ReportChunk]
  /// Whether something was left out that there would be in a larger budget.
  package let isPartial: Bool

  private static let linesMax = 1000
  private static let stateMax = 2000
  private static let nodesMax = 2000
  private static let hunksMax = 200
  private static let hunkLinesMax = 60

  /// Takes in the comparison step by step, and makes the report of it.
  package struct Draft {
    private let a: LogSource
    private let b: LogSource
    private let selections: (a: Selection, b: Selection)
    private var stretches: DiffStretches
    private var hunks: DiffHunks

    /// - Parameter selections: The parts of the runs that are compared.
    package init(_ a: LogSource, _ b: LogSource, of selections: (a: Selection, b: Selection)) {
      self.a = a
      self.b = b
      self.selections = selections
      stretches = DiffStretches(from: (selections.a.seqs.lowerBound, selections.b.seqs.lowerBound))
      hunks = DiffHunks(a, b, hunksMax: hunksMax, linesMax: hunkLinesMax)
    }

    package mutating func add(_ step: DiffAligner.Step) {
      stretches.add(step)
      hunks.add(step)
    }

    /// Makes the report. Cost: a pass over each log.
    ///
    /// - Parameters:
    ///   - diff: What the comparison found.
    ///   - ignored: The patterns of what was left out of the comparison.
    ///   - pack: Makes bytes into those that are written.
    package func report(
      _ diff: RunDiff, ignoring ignored: [String], _ options: ReportOptions,
      progress: AnalysisProgress = .hidden,
      pack: @escaping ([UInt8]) throws -> [UInt8]
    ) throws -> DiffReport {
      let names = ReportNames(hasNames: options.hasNames)
      var packer = ReportPacker(room: options.budget, pack: pack)
      var main = Main(diff, options, names)
      main.a = Side(a, diff.counts.a, options, names)
      main.b = Side(b, diff.counts.b, options, names)
      main.ignored = names.isHidden ? [] : ignored.map(\.cutForReport)
      main.hunkCount = hunks.count
      var most = 2 * DiffReport.linesMax
      repeat {
        most /= 2
        main.cut(to: most)
      } while try Double(packer.measure(main.bytes()) + 4096) > 0.4 * Double(options.budget) && most > 1
      packer.room -= try packer.measure(main.bytes()) + 4096
      main.hasStretches = try packer.add("stretches", stretches.file(), share: 0.5)

      let cascades = (
        try cascades(a, selections.a, progress), try cascades(b, selections.b, progress)
      )
      let union = CascadeUnion(cascades.0, cascades.1)
      var nodesMax = 2 * DiffReport.nodesMax
      repeat {
        nodesMax /= 2
        let nodes = try PrintedJSON(encoding: union.nodes(most: nodesMax, names))
        main.hasTree = try packer.add("tree", Array(nodes.text.utf8), share: 0.6)
      } while !main.hasTree && nodesMax > 1
      main.hiddenNodes = main.hasTree ? max(0, union.count - nodesMax) : union.count
      main.forgotten = cascades.0.forgotten + cascades.1.forgotten

      var found = hunks.drafts.map { Hunk($0, hunks, names, hasValues: options.hasValues) }
      while try !packer.add("hunks", Array(PrintedJSON(encoding: found).text.utf8), share: 1), !found.isEmpty
      {
        found.removeLast((found.count + 1) / 2)
      }
      return DiffReport(
        chunks: [ReportChunk(name: "report", packed: try pack(main.bytes()))] + packer.chunks,
        isPartial: packer.hasRefused || main.isCut)
    }

    /// Of a run in which what is selected does not occur, none: it is new or gone.
    private func cascades(
      _ log: LogSource, _ selection: Selection, _ progress: AnalysisProgress
    ) throws -> CascadeReport {
      do { return try CascadeReport(log, selection, progress: progress) } catch let error as AnalysisError {
        guard selection.projection != nil || selection.path != nil else { throw error }
        return CascadeReport(lines: [], forgotten: 0)
      }
    }
  }
}

// MARK: What is written

extension DiffReport {
  /// One of the runs.
  private struct Side: Encodable {
    /// The name of the log's file, for commands.
    var log: String
    var info: LogSummary
    /// Of what was compared.
    var evaluations: Int
    var wasted: Int
    var time: UInt64
    var writes: Int

    enum CodingKeys: String, CodingKey {
      case log, info, evaluations, wasted
      case time = "time_ns"
      case writes
    }

    init(_ log: LogSource, _ counts: DiffCounts, _ options: ReportOptions, _ names: ReportNames) {
      self.log = names.log(log.path)
      info = LogSummary(log, names, hasValues: options.hasValues)
      evaluations = counts.projections.values.reduce(0) { $0 + $1.evaluations }
      wasted = counts.projections.values.reduce(0) { $0 + $1.wasted }
      time = counts.projections.values.reduce(0) { $0.addingClamped($1.time) }
      writes = counts.paths.values.reduce(0) { $0.addingClamped($1) }
    }
  }

  private struct Divergence: Encodable {
    /// Nil where a run had ended.
    @Nullable var a: ReportEvent?
    @Nullable var b: ReportEvent?
    var before: [ReportEvent]
    var after: ReportEvent?
    /// The numbers in b of those in both, which else are as a has them.
    var beforeB: [UInt64]
    var afterB: UInt64?

    enum CodingKeys: String, CodingKey {
      case a, b, before, after
      case beforeB = "before_b"
      case afterB = "after_b"
    }
  }

  private struct StateLine: Encodable {
    enum Change: String, Encodable { case new, gone, changed }

    var path: String
    var change: Change
    var a: PrintedJSON?
    var b: PrintedJSON?
  }

  private struct Hunk: Encodable {
    struct Line: Encodable {
      var side: DiffHunk.Line.Side
      var event: ReportEvent
      /// The number in b of an event in both, which else is as a has it.
      var other: UInt64?

      enum CodingKeys: String, CodingKey {
        case side = "in"
        case event
        case other = "seq_b"
      }
    }

    /// How many steps lie before its first line that is in one run only.
    var position: UInt64
    var lines: [Line] = []
    var hidden: Int

    init(_ draft: DiffHunks.Draft, _ hunks: DiffHunks, _ names: ReportNames, hasValues: Bool) {
      position = draft.position
      hidden = draft.hidden
      for line in draft.lines {
        if let event = hunks.event(line) {
          lines.append(
            Line(
              side: line.side, event: ReportEvent(event, names, hasValues: hasValues), other: line.other))
        } else {
          hidden += 1
        }
      }
    }
  }

  /// The chunk `report`.
  private struct Main: Encodable {
    let version = 1
    let kind = "diff"
    var a: Side?
    var b: Side?
    var hasValues: Bool
    var hasNames: Bool
    var isIdentical: Bool
    @Nullable var divergence: Divergence?
    var projections: [RunDiff.ProjectionCount]
    var hiddenProjections = 0
    var paths: [RunDiff.PathCount]
    var hiddenPaths = 0
    var state: [StateLine]
    var hiddenState = 0
    var alignment: DiffAlignment
    var builds: [BuildDifference]
    var failures: [DiffRule.Failure]
    var ignored: [String] = []
    /// How many places there are where the runs differ; the first of them are in the chunk `hunks`.
    var hunkCount = 0
    var hasStretches = false
    var hasTree = false
    var hiddenNodes = 0
    /// Shapes of cascades that were not counted because there were too many.
    var forgotten = 0

    enum CodingKeys: String, CodingKey {
      case version, kind, a, b
      case hasValues = "has_values"
      case hasNames = "has_names"
      case isIdentical = "identical"
      case divergence = "first_divergence"
      case projections
      case hiddenProjections = "hidden_projections"
      case paths
      case hiddenPaths = "hidden_paths"
      case state
      case hiddenState = "hidden_state"
      case alignment = "events"
      case builds, failures, ignored
      case hunkCount = "hunk_count"
      case hasStretches = "has_stretches"
      case hasTree = "has_tree"
      case hiddenNodes = "hidden_nodes"
      case forgotten
    }

    init(_ diff: RunDiff, _ options: ReportOptions, _ names: ReportNames) {
      hasValues = options.hasValues
      hasNames = options.hasNames
      isIdentical = diff.isIdentical
      func event(_ event: Event) -> ReportEvent { ReportEvent(event, names, hasValues: options.hasValues) }
      divergence = diff.divergence.map { found in
        Divergence(
          a: found.events.a.map(event), b: found.events.b.map(event), before: found.events.before.map(event),
          after: found.events.after.map(event), beforeB: found.events.beforeB, afterB: found.events.afterB)
      }
      projections = diff.projections.prefix(linesMax).map { line in
        var line = line
        line.name = names.projection(line.name)
        return line
      }
      hiddenProjections = diff.projections.count - projections.count
      paths = diff.paths.prefix(linesMax).map { line in
        var line = line
        line.path = names.pathGroup(line.path)
        return line
      }
      hiddenPaths = diff.paths.count - paths.count
      state = diff.state.prefix(stateMax).map { line in
        StateLine(
          path: names.path(line.path.description),
          change: line.a == nil ? .new : line.b == nil ? .gone : .changed,
          a: options.hasValues ? line.a.map { .cut($0.text) } : nil,
          b: options.hasValues ? line.b.map { .cut($0.text) } : nil)
      }
      hiddenState = diff.state.count - state.count
      alignment = diff.alignment
      builds = []
      for difference in names.isHidden ? [] : diff.builds {
        let line = difference.forReport(names, hasValues: options.hasValues)
        // Several keys may have one word.
        if options.hasValues || !builds.contains(where: { $0.key == line.key }) { builds.append(line) }
      }
      failures = diff.failures.map { failure in
        var failure = failure
        failure.name = failure.name.map {
          failure.isOfPaths ? names.pathGroup($0) : names.projection($0)
        }
        return failure
      }
    }

    /// Whether lists are shorter than they would be with more room.
    private(set) var isCut = false

    /// Leaves so many lines of each list at most.
    mutating func cut(to most: Int) {
      let hidden = hiddenProjections + hiddenPaths + hiddenState
      hiddenProjections += projections.cut(to: most)
      hiddenPaths += paths.cut(to: most)
      hiddenState += state.cut(to: 2 * most)
      if hiddenProjections + hiddenPaths + hiddenState > hidden { isCut = true }
    }

    func bytes() throws -> [UInt8] { Array(try PrintedJSON(encoding: self).text.utf8) }
  }
}

extension Array {
  /// Leaves so many elements at most; returns how many were left out.
  fileprivate mutating func cut(to most: Int) -> Int {
    let hidden = Swift.max(0, count - most)
    removeLast(hidden)
    return hidden
  }
}

extension BuildDifference {
  /// The same without what an app notes of itself, and how it calls that, where values are left out.
  fileprivate func forReport(_ names: ReportNames, hasValues: Bool) -> BuildDifference {
    func text(_ text: String?) -> String? {
      key == "program" ? text.map { names.program($0) } : hasValues ? text?.cutForReport : nil
    }
    return BuildDifference(key: hasValues ? key.cutForReport : word, a: text(a), b: text(b))
  }
}

extension LogSummary {
  /// As a page has it: without folders and, where values are left out, without what an app notes of itself.
  init(_ log: LogSource, _ names: ReportNames, hasValues: Bool) {
    self.init(log)
    program = names.program(program)
    metadata = OrderedFields(
      hasValues ? metadata.fields.map { ($0.key.cutForReport, $0.value.cutForReport) } : [])
  }
}
