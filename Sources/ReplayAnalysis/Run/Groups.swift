import EventLog

extension Path {
  /// The path with every index, key and id made `[*]`, and every object's number `#*`: what places of one kind
  /// have in common.
  package var group: String {
    var text = ""
    switch root {
    case .object: text = "#*"
    case .named: text = Path(root: root).description
    }
    for component in components {
      switch component {
      case .index, .key, .id: text += "[*]"
      case .property, .count, .order, .exists: text += component.description
      }
    }
    return text
  }
}

/// Groups of a run's paths as numbers, each found once.
struct PathGroups {
  /// What the groups are called.
  private(set) var names: [String] = []
  private var numbers: [ExactString: Int32] = [:]
  private var known: [Int32] = []
  private var generation = 0

  /// The group of a path.
  @inline(__always)
  mutating func group(of path: Int, _ tables: borrowing RunTables) -> Int {
    if generation == tables.generation, path < known.count, known[path] >= 0 { return Int(known[path]) }
    return find(path, tables)
  }

  private mutating func find(_ path: Int, _ tables: borrowing RunTables) -> Int {
    if generation != tables.generation {
      generation = tables.generation
      known.removeAll(keepingCapacity: true)
    }
    let name = tables.paths.path(path).group
    let group = numbers[name] ?? Int32(names.count)
    if group == names.count {
      names.append(name)
      numbers[name] = group
    }
    known.reserve(path)
    known[path] = group
    return Int(group)
  }
}

/// Groups of a run's projections as numbers, each found once.
struct NameGroups {
  /// What the groups are called.
  private(set) var names: [String] = []
  private var numbers: [ExactString: Int32] = [:]
  private var known: [Int32] = []

  /// The group of a projection.
  @inline(__always)
  mutating func group(of name: Int, _ tables: borrowing RunTables) -> Int {
    if name < known.count, known[name] >= 0 { return Int(known[name]) }
    return find(name, tables)
  }

  private mutating func find(_ name: Int, _ tables: borrowing RunTables) -> Int {
    let text = tables.names[name].projectionGroup
    let group = numbers[text] ?? Int32(names.count)
    if group == names.count {
      names.append(text)
      numbers[text] = group
    }
    known.reserve(name)
    known[name] = group
    return Int(group)
  }
}

extension [Int32] {
  /// Makes room for what is known of a number, -1 for nothing.
  package mutating func reserve(_ number: Int) {
    guard number >= count else { return }
    append(contentsOf: repeatElement(-1, count: Swift.max(number + 1, 2 * count) - count))
  }
}

extension Event.Body {
  /// The projection that the event is about, if it is about one.
  package var projectionName: String? {
    switch self {
    case .projection(let name, _, _), .reads(let name, _), .invalidate(let name, _),
      .evaluate(let name, _, _),
      .dispose(let name):
      name
    default: nil
    }
  }

  /// The kind of the row that holds it.
  var rowKind: EventLog.Row.Kind {
    switch self {
    case .set: .set
    case .splice: .splice
    case .remove: .remove
    case .projection: .projection
    case .reads: .reads
    case .invalidate: .invalidate
    case .evaluate: .evaluate
    case .dispose: .dispose
    case .begin: .begin
    case .end: .end
    case .mark: .mark
    }
  }
}
