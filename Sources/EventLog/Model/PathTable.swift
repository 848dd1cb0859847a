/// Paths as small integers: a path is stored as its parent plus one step, once each.
///
/// Ids are dense from 0, and a parent always has a lower id than its children. Arrays can therefore be
/// indexed by id, and one pass in order of ids meets each parent before its children.
public struct PathTable: Sendable {
  /// The number of an interned path in its table.
  public struct ID: Hashable, Comparable, Sendable {
    /// The index into the table.
    public let index: Int32

    /// Creates the id of the path at this index.
    public init(index: Int32) { self.index = index }

    /// Orders ids by when they were interned.
    public static func < (a: ID, b: ID) -> Bool { a.index < b.index }
  }

  /// One interned step.
  public enum Entry: Hashable, Sendable {
    /// Where a path begins.
    case root(Path.Root)
    /// One step below a path that has an id.
    case step(parent: ID, PathComponent)
  }

  /// Every entry, by id.
  public private(set) var entries: [Entry] = []
  private var index = HashIndex()

  /// Creates an empty table.
  public init() {}

  /// The id of an entry; adds the entry if it is new. Cost: one hash.
  public mutating func intern(_ entry: Entry) -> ID {
    let hash = entry.hashValue
    return find(entry, hash) ?? add(entry, hash)
  }

  /// The id of an entry with this hash; nil if it is not in the table.
  func find(_ entry: Entry, _ hash: Int) -> ID? {
    index.find(hash, where: { entries[$0] == entry }).map { ID(index: Int32($0)) }
  }

  /// Adds an entry with this hash, which must not be in the table.
  mutating func add(_ entry: Entry, _ hash: Int) -> ID {
    let id = ID(index: Int32(entries.count))
    entries.append(entry)
    index.add(entries.count - 1, hash) { entries[$0].hashValue }
    return id
  }

  /// The id of a path; adds the path if it is new. Cost: one hash a component.
  public mutating func intern(_ path: Path) -> ID {
    var id = intern(.root(path.root))
    for component in path.components {
      id = intern(.step(parent: id, component))
    }
    return id
  }

  /// The path with this id. Cost: linear in its depth.
  public func path(_ id: ID) -> Path { Self.path(id, in: entries) }

  /// The path with an id in a list of entries, which are numbered as in a table.
  static func path(_ id: ID, in entries: [Entry]) -> Path {
    var components: [PathComponent] = []
    var id = id
    while true {
      switch entries[Int(id.index)] {
      case .root(let root):
        components.reverse()
        return Path(root: root, components: components)
      case .step(let parent, let component):
        components.append(component)
        id = parent
      }
    }
  }
}

extension PathTable.ID: DenseKey {
  @inlinable package var denseIndex: Int { Int(index) }
}
