import EventLog

/// The events of a range one by one, as columns. The page draws them when the user zooms in.
///
/// The name table belongs to the slice, so that a page can read one slice without the others.
struct RowSlice {
  private struct Header: Encodable {
    var firstSeq: UInt64
    var names: [String]
    var groups: [String]
    /// The index of each name's group, by name; -1 if it has none.
    var groupOf: [Int32]

    enum CodingKeys: String, CodingKey {
      case firstSeq = "first_seq"
      case names, groups
      case groupOf = "group_of"
    }
  }

  /// The range, shortened to the events that could be read.
  let seqs: Range<UInt64>
  let file: [UInt8]

  private static let none = UInt32.max

  /// - Parameter hasValues: Whether to include written values, as JSON.
  init(_ log: LogSource, _ seqs: Range<UInt64>, hasValues: Bool, _ reportNames: ReportNames) throws {
    var run = LogRun(try log.part(from: seqs.lowerBound, hasState: false), [])
    var names = SliceNames(reportNames)
    var kinds: [UInt8] = []
    var times: [UInt64] = []
    var causes: [UInt32] = []
    var subjects: [UInt32] = []
    var durations: [UInt64] = []
    var flags: [UInt8] = []
    var values: [UInt32] = []
    while try run.next(), run.row.seq < seqs.upperBound {
      let row = run.row
      if row.seq < seqs.lowerBound { continue }
      kinds.append(row.kind.rawValue)
      times.append(row.time)
      causes.append(row.cause > 0 ? UInt32(exactly: row.seq - min(row.seq, row.cause)) ?? 0 : 0)
      durations.append(row.kind == .evaluate ? row.duration : 0)
      flags.append(Self.flags(row))
      if let path = run.path {
        subjects.append(names.number(of: path, run.tables))
      } else if let projection = run.projection {
        subjects.append(names.number(of: projection, run.tables))
      } else {
        subjects.append(run.label.map { names.number(ofLabel: $0) } ?? Self.none)
      }
      if hasValues {
        let isWrite = row.kind == .set || row.kind == .splice
        values.append(isWrite ? names.number(ofValue: row.value.json) : Self.none)
      }
    }
    self.seqs = seqs.lowerBound..<(seqs.lowerBound + UInt64(kinds.count))
    var columns = ReportColumns()
    columns.add("kind", kinds)
    columns.add("time", times, isGrowing: true)
    columns.add("cause", causes)
    columns.add("subject", subjects)
    columns.add("duration", durations)
    columns.add("flags", flags)
    if hasValues { columns.add("value", values) }
    file = try columns.file(
      Header(
        firstSeq: seqs.lowerBound, names: names.texts, groups: names.groups, groupOf: names.groupOf))
  }

  /// 1 if the run's output changed, 2 if it did not, 4 for a write of an equal value.
  private static func flags(_ row: EventLog.Row) -> UInt8 {
    if row.kind.isWrite { return row.isSameValue ? 4 : 0 }
    guard row.kind == .evaluate, let changed = row.changed else { return 0 }
    return changed ? 1 : 2
  }
}

/// The distinct names of projections and paths, labels and values, each with the index of its group.
private struct SliceNames {
  private enum Kind { case path, projection, label, value }

  /// The kind is part of the key: a label may equal a projection's name, but only the projection has a group.
  private struct Key: Hashable {
    var kind: Kind
    var text: ExactString
  }

  private let names: ReportNames
  private(set) var texts: [String] = []
  private(set) var groups: [String] = []
  private(set) var groupOf: [Int32] = []
  private var known: [Key: UInt32] = [:]
  private var knownGroups: [ExactString: Int32] = [:]
  private var ofPaths = PathMap<UInt32>(default: .max)
  private var ofProjections = ProjectionMap<UInt32>(default: .max)

  private static let valueMax = 160

  init(_ names: ReportNames) { self.names = names }

  mutating func number(of path: PathID, _ tables: borrowing RunTables) -> UInt32 {
    let found = ofPaths[path]
    if found != .max { return found }
    let spelled = tables.path(path)
    let number = number(
      of: names.path(spelled.description), .path, group: names.pathGroup(spelled.group))
    ofPaths[path] = number
    return number
  }

  mutating func number(of projection: ProjectionID, _ tables: borrowing RunTables) -> UInt32 {
    let found = ofProjections[projection]
    if found != .max { return found }
    let name = tables.name(projection)
    let number = number(
      of: names.projection(name), .projection, group: names.projection(name.projectionGroup))
    ofProjections[projection] = number
    return number
  }

  mutating func number(ofLabel text: String) -> UInt32 { number(of: names.label(text), .label, group: nil) }

  mutating func number(ofValue json: String) -> UInt32 {
    number(of: json.cutForReport(Self.valueMax), .value, group: nil)
  }

  private mutating func number(of text: String, _ kind: Kind, group: String?) -> UInt32 {
    let key = Key(kind: kind, text: ExactString(text))
    if let known = known[key] { return known }
    let number = UInt32(texts.count)
    texts.append(text)
    groupOf.append(group.map { groupNumber($0) } ?? -1)
    known[key] = number
    return number
  }

  private mutating func groupNumber(_ text: String) -> Int32 {
    let key = ExactString(text)
    if let known = knownGroups[key] { return known }
    let number = Int32(groups.count)
    groups.append(text)
    knownGroups[key] = number
    return number
  }
}
