import EventLog

/// What the nodes of cascades are called, each name under one number.
struct CascadeNames {
  private(set) var names: [String] = []
  private var numbers: [ExactString: Int32] = [:]
  private var places = PathGroups()
  private var groups = NameGroups()
  /// By the kind of write, and by the group of the path.
  private var writes: [[Int32]] = [[], [], []]
  private var projections: [Int32] = []

  /// The number of a name.
  mutating func number(_ name: String) -> Int32 {
    if let number = numbers[name] { return number }
    names.append(name)
    numbers[name] = Int32(names.count - 1)
    return Int32(names.count - 1)
  }

  /// The title of a write: `set store.rows[*].count`.
  mutating func write(_ kind: EventLog.Row.Kind, _ path: Int, _ tables: borrowing RunTables) -> Int32 {
    let group = places.group(of: path, tables)
    let row = Int(kind.rawValue)
    writes[row].reserve(group)
    if writes[row][group] < 0 { writes[row][group] = number("\(kind.name) \(places.names[group])") }
    return writes[row][group]
  }

  /// The title of a projection: what its instances have in common.
  mutating func projection(_ name: Int, _ tables: borrowing RunTables) -> Int32 {
    let group = groups.group(of: name, tables)
    projections.reserve(group)
    if projections[group] < 0 { projections[group] = number(groups.names[group]) }
    return projections[group]
  }

  /// The title of an event that led to others, where it ended no transaction.
  mutating func event(_ seq: UInt64, _ entry: RecentRow, _ run: borrowing Run) -> Int32 {
    if let path = entry.path { return write(entry.kind, path, run.tables) }
    if entry.kind == .evaluate, let projection = entry.projection {
      return number("evaluation of \(run.tables.names[projection].projectionGroup)")
    }
    switch entry.kind {
    case .mark:
      guard case .mark(let label)? = run.log.event(seq)?.body else { return number("mark") }
      return number("mark \(Value.string(label).json)")
    case .end: return number("transaction")
    default: return number(entry.kind.name)
    }
  }
}
