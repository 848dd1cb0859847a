import EventLog

/// What the projections of a run have read, by kind: for each group of projections the groups of paths.
struct ViewReads {
  /// What one group of projections has read, in the order in which it first did.
  struct Line: Encodable {
    var projection: String
    var paths: [String]
    /// How many more kinds of paths it read.
    var hidden: Int
  }

  private var lines: [GroupID<ProjectionID>: Line] = [:]
  private var known: [GroupID<ProjectionID>: Set<GroupID<PathID>>] = [:]
  private var count = 0

  /// More kinds than a view reads, and than all of them do.
  private static let kindsMax = 200
  private static let allMax = 1 << 14

  /// Takes in a row of kind `reads`. Needs `.names`.
  @inline(never)
  mutating func add(_ run: inout LogRun) {
    guard let projection = run.projection else { return }
    let group = run.group(of: projection)
    for path in run.readPaths {
      let read = run.group(of: run.name(ofRead: path))
      guard known[group, default: []].insert(read).inserted else { continue }
      add(read, to: group, run)
    }
  }

  private mutating func add(
    _ read: GroupID<PathID>, to group: GroupID<ProjectionID>, _ run: borrowing LogRun
  ) {
    var line = lines[group] ?? Line(projection: run.text(group), paths: [], hidden: 0)
    if count < Self.allMax, line.paths.count < Self.kindsMax {
      line.paths.append(run.text(read))
      count += 1
    } else {
      line.hidden += 1
    }
    lines[group] = line
  }

  func lines(_ names: ReportNames) -> [Line] {
    lines.values.sorted { ExactString($0.projection) < ExactString($1.projection) }.map { line in
      var line = line
      line.projection = names.projection(line.projection)
      line.paths = line.paths.map { names.pathGroup($0) }
      return line
    }
  }
}
