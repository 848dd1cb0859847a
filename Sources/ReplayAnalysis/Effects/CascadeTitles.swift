import EventLog

/// The title of a node in a cascade's tree: `set store.rows[*].count`, `Row`.
struct TitleID: Hashable, DenseKey {
  private let index: Int32

  fileprivate init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }

  var denseIndex: Int { Int(index) }

  /// The title's number, for ``CascadeShape``.
  var number: Int32 { index }
}

/// The titles of nodes, each stored once.
struct CascadeTitles {
  private var texts: [String] = []
  private var ids: [ExactString: TitleID] = [:]
  /// By the kind of write and the group of the path.
  private var writes = Array(repeating: DenseMap<GroupID<PathID>, TitleID?>(default: nil), count: 3)
  private var projections = DenseMap<GroupID<ProjectionID>, TitleID?>(default: nil)

  /// The title of an action: `action "Refresh"`.
  static func action(_ label: String) -> String { "action \(Value.string(label).json)" }

  func text(_ title: TitleID) -> String { texts[title.denseIndex] }

  /// The title with this text; added if there is none.
  mutating func title(_ text: String) -> TitleID {
    if let known = ids[text] { return known }
    let title = TitleID(texts.count)
    texts.append(text)
    ids[text] = title
    return title
  }

  /// The title of a write: `set store.rows[*].count`.
  mutating func write(_ kind: EventKind, of path: PathID, _ run: inout LogRun) -> TitleID {
    let group = run.group(of: path)
    let row = Int(kind.rawValue)
    if let known = writes[row][group] { return known }
    let title = title("\(kind.name) \(run.text(group))")
    writes[row][group] = title
    return title
  }

  /// The title of a projection: the name that its instances share.
  mutating func projection(_ projection: ProjectionID, _ run: inout LogRun) -> TitleID {
    let group = run.group(of: projection)
    if let known = projections[group] { return known }
    let title = title(run.text(group))
    projections[group] = title
    return title
  }

  /// The title of an event that caused others, if it did not end a transaction.
  mutating func event(_ seq: UInt64, _ entry: RecentRow, _ run: inout LogRun) -> TitleID {
    if let path = entry.path { return write(entry.kind, of: path, &run) }
    if entry.kind == .evaluate, let projection = entry.projection {
      let group = run.group(of: projection)
      return title("evaluation of \(run.text(group))")
    }
    switch entry.kind {
    case .mark:
      guard case .mark(let label)? = run.log.event(seq)?.body else { return title("mark") }
      return title("mark \(Value.string(label).json)")
    case .action:
      guard case .action(let label)? = run.log.event(seq)?.body else { return title("action") }
      return title(Self.action(label))
    case .end: return title("transaction")
    default: return title(entry.kind.name)
    }
  }
}
