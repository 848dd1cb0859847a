import Algorithms
import EventLog

/// The data of a page that compares two runs: the results of `diff`, the stretches of events that both runs
/// or only one of them has, and the cascades of each run.
///
/// It consists of chunks. `report` is JSON; `stretches` are columns, see ``DiffStretches``; `tree` is JSON, a
/// ``CascadeUnion/Node`` for each kind of root; `hunks` is JSON, the first places where the runs differ.
/// Whatever `diff` or `cascades` report too is equal to what they print as JSON.
package struct DiffReport {
  /// The chunk `report` comes first.
  package let chunks: [ReportChunk]
  /// Whether something was left out that would fit in a larger budget.
  package let isPartial: Bool

  private static let linesMax = 1000
  private static let stateMax = 2000
  private static let nodesMax = 2000
  private static let hunksMax = 200
  private static let hunkLinesMax = 60

  /// Receives the comparison step by step, and makes the report from it.
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

    package mutating func add(_ aligned: DiffAligner.AlignedEvent) {
      stretches.add(aligned)
      hunks.add(aligned)
    }

    /// Makes the report. Cost: a pass over each log.
    ///
    /// - Parameters:
    ///   - diff: The result of the comparison.
    ///   - findings: What lint finds in one of the runs only. A page without names has none.
    ///   - ignored: The patterns of the paths and projections that were left out of the comparison.
    ///   - pages: The names of files with the pages of the runs, beside that of this one.
    ///   - sources: Makes the chunk `sources` of the places in the source that the page names.
    ///   - pack: Compresses the bytes of a chunk.
    package func report(
      _ diff: RunDiff, findings: FindingChanges, ignoring ignored: [String], _ options: ReportOptions,
      pages: [String]? = nil,
      sources: (([String]) throws -> [UInt8])? = nil, progress: AnalysisProgress = .hidden,
      pack: @escaping ([UInt8]) throws -> [UInt8]
    ) throws -> DiffReport {
      let names = ReportNames(hasNames: options.hasNames)
      var packer = ReportPacker(room: options.budget, pack: pack)
      var main = Main(diff, options, names)
      main.a = Side(a, diff.counts.a, options, names)
      main.b = Side(b, diff.counts.b, options, names)
      main.ignored = names.isHidden ? [] : ignored.map(\.cutForReport)
      main.pages = pages
      main.hunkCount = hunks.count
      main.findings = names.isHidden ? nil : findings.cut(names)
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
      if let sources, !names.isHidden {
        let sites = main.sites + found.flatMap { $0.lines.compactMap(\.event.site) }
        _ = try packer.add("sources", sources(Array(sites.uniqued())), share: 0.3)
      }
      while try !packer.add("hunks", Array(PrintedJSON(encoding: found).text.utf8), share: 1), !found.isEmpty
      {
        found.removeLast((found.count + 1) / 2)
      }
      return DiffReport(
        chunks: [ReportChunk(name: "report", packed: try pack(main.bytes()))] + packer.chunks,
        isPartial: packer.hasRefused || main.isCut)
    }

    /// Returns an empty report if the selected path or projection does not occur in this run: then it is new
    /// or gone.
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

// MARK: Encoded parts

extension DiffReport {
  /// One of the two runs.
  private struct Side: Encodable {
    /// The name of the log's file, for commands.
    var log: String
    var info: LogSummary
    /// These count only the compared events.
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
      time = counts.projections.values.reduce(0) { $0 + $1.time }
      writes = counts.paths.values.reduce(0) { $0 + $1 }
    }
  }

  private struct Divergence: Encodable {
    /// The event is nil if the run had ended.
    @Nullable var a: ReportEvent?
    @Nullable var b: ReportEvent?
    var before: [ReportEvent]
    var after: ReportEvent?
    /// The seqs in run b of the events in `before`, which otherwise are as in run a.
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
      /// The seq in run b of an event that both runs have; otherwise the event is as in run a.
      var other: UInt64?

      enum CodingKeys: String, CodingKey {
        case side = "in"
        case event
        case other = "seq_b"
      }
    }

    /// The number of steps before the first line that only one run has.
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
    var findings: FindingChanges?
    /// The files of the pages of both runs, beside that of this page; nil if it has none.
    var pages: [String]?
    /// The number of places where the runs differ. The chunk `hunks` has the first of them.
    var hunkCount = 0
    var hasStretches = false
    var hasTree = false
    var hiddenNodes = 0
    /// The number of shapes of cascades that were dropped to bound memory.
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
      case builds, failures, ignored, findings, pages
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
      for difference in names.isHidden ? [] : diff.builds.prefix(LogSummary.metadataShown) {
        let line = difference.forReport(names, hasValues: options.hasValues)
        // Several keys may have the same stand-in; it is listed once.
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

    /// Whether a list was shortened to save space.
    private(set) var isCut = false

    /// Shortens each list to at most `most` elements.
    mutating func cut(to most: Int) {
      let hidden = hiddenProjections + hiddenPaths + hiddenState
      hiddenProjections += projections.cut(to: most)
      hiddenPaths += paths.cut(to: most)
      hiddenState += state.cut(to: 2 * most)
      if hiddenProjections + hiddenPaths + hiddenState > hidden { isCut = true }
    }

    func bytes() throws -> [UInt8] { Array(try PrintedJSON(encoding: self).text.utf8) }

    /// The places in the source around the first divergence.
    var sites: [String] {
      guard let divergence else { return [] }
      return ([divergence.a, divergence.b, divergence.after] + divergence.before).compactMap { $0?.site }
    }
  }
}

extension Array {
  /// Shortens the array to at most `most` elements; returns how many were removed.
  fileprivate mutating func cut(to most: Int) -> Int {
    let hidden = Swift.max(0, count - most)
    removeLast(hidden)
    return hidden
  }
}

extension BuildDifference {
  /// A copy for the page. If values are left out, so are the app's own metadata and its keys.
  fileprivate func forReport(_ names: ReportNames, hasValues: Bool) -> BuildDifference {
    func text(_ text: String?) -> String? {
      key == "program" ? text.map { names.program($0) } : hasValues ? text?.cutForReport : nil
    }
    return BuildDifference(key: hasValues ? key.cutForReport : word, a: text(a), b: text(b))
  }
}

extension LogSummary {
  /// A summary for the page: without folders and, if values are left out, without the app's own metadata.
  init(_ log: LogSource, _ names: ReportNames, hasValues: Bool) {
    self.init(log)
    program = names.program(program)
    metadata = OrderedFields(
      hasValues
        ? metadata.fields.prefix(Self.metadataShown).map { ($0.key.cutForReport, $0.value.cutForReport) } : []
    )
  }
}
