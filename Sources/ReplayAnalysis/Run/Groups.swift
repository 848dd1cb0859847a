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
  /// By path; -1 where it was not looked for yet. This is asked at every write: optionals would take twice the memory.
  private var known = PathMap<Int32>(default: -1)

  /// The group of a path.
  @inline(__always)
  mutating func group(of path: Int, _ tables: borrowing RunTables) -> Int {
    let group = known[path, tables.generation]
    return group >= 0 ? Int(group) : find(path, tables)
  }

  private mutating func find(_ path: Int, _ tables: borrowing RunTables) -> Int {
    let name = tables.paths.path(path).group
    let group = numbers[name] ?? Int32(names.count)
    if group == names.count {
      names.append(name)
      numbers[name] = group
    }
    known[path, tables.generation] = group
    return Int(group)
  }
}

/// Groups of a run's projections as numbers, each found once.
struct NameGroups {
  /// What the groups are called.
  private(set) var names: [String] = []
  private var numbers: [ExactString: Int32] = [:]
  /// By name; -1 where it was not looked for yet.
  private var known = DenseMap<Int, Int32>(default: -1)

  /// The group of a projection.
  @inline(__always)
  mutating func group(of name: Int, _ tables: borrowing RunTables) -> Int {
    let group = known[name]
    return group >= 0 ? Int(group) : find(name, tables)
  }

  private mutating func find(_ name: Int, _ tables: borrowing RunTables) -> Int {
    let text = tables.names[name].projectionGroup
    let group = numbers[text] ?? Int32(names.count)
    if group == names.count {
      names.append(text)
      numbers[text] = group
    }
    known[name] = group
    return Int(group)
  }
}
