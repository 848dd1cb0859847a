import EventLog

/// The work of several runs by projection, each run a column: of a row of commits, in their order.
package struct RunsTable: Encodable, Sendable {
  package struct Work: Encodable, Sendable, RunCounts {
    package var evaluations = 0
    package var wasted = 0
    package var time: UInt64 = 0
    package var wastedTime: UInt64 = 0

    enum CodingKeys: String, CodingKey {
      case evaluations, wasted
      case time = "time_ns"
      case wastedTime = "wasted_time_ns"
    }
  }

  package struct Run: Encodable, Sendable {
    /// The name of the log's file.
    package var log: String
    /// What the app noted of its build: the commit or the revision, else the version.
    package var commit: String?
    package var total = Work()
    package var writes = 0
  }

  package struct Line: Encodable, Sendable {
    package var name: String
    /// By run.
    package var work: [Work]

    /// How many more runs were wasted in the last run than in the first; and how many more there were.
    var change: (wasted: Int, evaluations: Int) {
      guard let first = work.first, let last = work.last else { return (0, 0) }
      return (last.wasted - first.wasted, last.evaluations - first.evaluations)
    }
  }

  package private(set) var runs: [Run] = []
  /// What became worse first, from the first run to the last: more wasted, then more runs.
  package private(set) var projections: [Line] = []
  /// The number of projections that were left out because there were too many.
  package private(set) var hidden = 0

  private static let linesMax = 1 << 13

  /// Cost: a pass over each log.
  ///
  /// - Throws: `AnalysisError` when a selection names nothing that is in its log.
  package init(_ logs: [(log: LogSource, selection: Selection)], progress: AnalysisProgress = .hidden) throws
  {
    var numbers: [ExactString: Int] = [:]
    for (position, (log, selection)) in logs.enumerated() {
      let hot = try HotReport(log, selection, progress: progress)
      var run = Run(log: log.path, commit: Self.commit(log.header))
      run.writes = hot.paths.reduce(0) { $0 + $1.sets }
      for line in hot.projections {
        run.total.add(line)
        let known = numbers[ExactString(line.name)]
        if known == nil, projections.count >= Self.linesMax {
          hidden += 1
          continue
        }
        let number = known ?? projections.count
        if known == nil {
          numbers[ExactString(line.name)] = number
          projections.append(Line(name: line.name, work: Array(repeating: Work(), count: logs.count)))
        }
        projections[number].work[position].add(line)
      }
      runs.append(run)
    }
    projections.sort { a, b in
      (b.change.wasted, b.change.evaluations, ExactString(a.name))
        < (a.change.wasted, a.change.evaluations, ExactString(b.name))
    }
  }

  /// The table as the chunk `report` of a page.
  package func chunk(
    _ options: ReportOptions, pack: ([UInt8]) throws -> [UInt8]
  ) throws -> ReportChunk {
    var table = self
    let names = ReportNames(hasNames: options.hasNames)
    for index in runs.indices {
      table.runs[index].log = names.isHidden ? "run \(index + 1)" : runs[index].log.file.cutForReport
      table.runs[index].commit = names.isHidden ? nil : runs[index].commit?.cutForReport(80)
    }
    for index in projections.indices {
      table.projections[index].name = names.projection(projections[index].name)
    }
    return ReportChunk(name: "report", packed: try pack(Array(PrintedJSON(encoding: table).text.utf8)))
  }

  private static func commit(_ header: LogHeader) -> String? {
    for word in ["commit", "revision", "version"] {
      let keys = header.metadata.keys.filter { $0.lowercased().contains(word) }.sorted()
      if let text = keys.lazy.compactMap({ header.metadata[$0] }).first(where: { !$0.isEmpty }) {
        return text
      }
    }
    return nil
  }
}
