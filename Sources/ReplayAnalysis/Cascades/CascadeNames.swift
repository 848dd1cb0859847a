import EventLog

/// What the nodes of cascades are called, each name under one number.
struct CascadeNames {
  private(set) var names: [String] = []
  private var numbers: [ExactString: Int32] = [:]
  private var places = PathGroups()
  private var groups = NameGroups()
  /// By the kind of write, and by the group of the path.
  private var writes = Array(repeating: DenseMap<Int, Int32?>(default: nil), count: 3)
  /// By the group of the projection.
  private var projections = DenseMap<Int, Int32?>(default: nil)

  /// The number of a name.
  mutating func number(_ name: String) -> Int32 {
    if let number = numbers[name] { return number }
    names.append(name)
    numbers[name] = Int32(names.count - 1)
    return Int32(names.count - 1)
  }

  /// The title of a write: `set store.rows[*].count`.
  mutating func write(_ kind: EventKind, _ path: Int, _ tables: borrowing RunTables) -> Int32 {
    let group = places.group(of: path, tables)
    let row = Int(kind.rawValue)
    if let known = writes[row][group] { return known }
    let title = number("\(kind.name) \(places.names[group])")
    writes[row][group] = title
    return title
  }

  /// The title of a projection: what its instances have in common.
  mutating func projection(_ name: Int, _ tables: borrowing RunTables) -> Int32 {
    let group = groups.group(of: name, tables)
    if let known = projections[group] { return known }
    let title = number(groups.names[group])
    projections[group] = title
    return title
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
