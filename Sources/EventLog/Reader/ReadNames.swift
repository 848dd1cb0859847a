// The names of paths that begin with the number of an object, as ids of a run. Such a name consists of the
// object's name and the steps below it. After an object has moved, only its own name is computed again, which
// is one step below the name of the object that holds it:
//
//     #4            mail.folders[2]
//     #57           mail.folders[2]  .messages[id: 9]
//     #57.isRead    mail.folders[2]  .messages[id: 9]  .isRead

/// The names of paths that begin with the number of an object. Each is kept as long as the object's name is
/// valid.
package struct ReadNames: Sendable {
  private struct Home: Sendable {
    /// The name of the object, and the version of its name at that time.
    var path: PathID
    var version: State.NameVersion
  }

  private struct Name: Sendable {
    /// The object that the path begins with; nil if it begins with a root, because such a path is its own
    /// name.
    var object: ObjectID?
    /// The name of the object when `path` was computed, and the name of the path.
    var home: PathID
    var path: PathID
  }

  private var homes: [ObjectID: Home] = [:]
  private var names = PathMap<Name?>(default: nil)
  /// The epoch of the path ids in ``homes``.
  private var epoch: UInt32 = 0
  private var steps: [PathComponent] = []

  package init() {}

  /// The name of a bound path, as ``State/currentName(of:)``.
  ///
  /// Cost: a hash if the object's name cannot have changed since the last call; otherwise a lookup of its
  /// place, and if that has changed, a few hashes for each step.
  package mutating func name(of path: PathID, in state: inout State, _ tables: inout RunTables) -> PathID {
    if epoch != path.epoch {
      epoch = path.epoch
      homes = [:]
    }
    if names[path] == nil { names[path] = Name(object: tables.object(of: path), home: path, path: path) }
    guard let known = names[path], let object = known.object, let home = home(of: object, in: &state, &tables)
    else { return path }
    if home == known.home { return known.path }
    var name = path
    if Self.leads(tables.steps(of: path), into: object, &state), let below = tables.id(of: path, below: home)
    {
      name = below
    }
    names[path] = Name(object: object, home: home, path: name)
    return name
  }

  /// Whether steps that are appended to a name of an object lead to a part of that object.
  private static func leads(_ steps: [PathComponent], into object: ObjectID, _ state: inout State) -> Bool {
    guard let first = steps.first, first != .exists else { return false }
    if steps.count == 1 { return true }
    // A reference on the way leads out of the object.
    state.indexIdentities(on: Path(root: .object(object), components: steps.dropLast()))
    return state.owner(of: steps, in: object).steps.count == steps.count
  }

  /// The name of an object; nil if it is named by its number.
  private mutating func home(
    of object: ObjectID, in state: inout State, _ tables: inout RunTables
  ) -> PathID? {
    if let known = climb(from: object, in: &state, &tables) { return known }
    let path = state.path(of: object)
    // A later definition gives the object a place without changing the version, so its name is not kept.
    if case .object = path.root { return nil }
    return insert(tables.id(of: path), of: object, &state)
  }

  /// The name given by the homes of the object and of those on the way; nil if one of the homes no longer
  /// holds its object.
  private mutating func climb(
    from object: ObjectID, in state: inout State, _ tables: inout RunTables, depth: Int = 0
  ) -> PathID? {
    if let known = homes[object], known.version == state.nameVersion(of: object) { return known.path }
    // More homes than a path has steps means that the objects are a cycle that no root reaches.
    if depth > State.namedDepthMax { return nil }
    let start = steps.count
    defer { steps.removeLast(steps.count - start) }
    guard let owner = state.climb(from: object, &steps) else { return nil }
    var path: PathID
    switch owner {
    case .roots:
      guard case .property(let root)? = steps.popLast() else { return nil }
      path = tables.id(ofRoot: root)
    case .object(let owner):
      guard let home = climb(from: owner, in: &state, &tables, depth: depth + 1) else { return nil }
      path = home
    }
    for step in steps[start...].reversed() { path = tables.id(of: step, below: path) }
    return tables.depth(of: path) > State.namedDepthMax ? nil : insert(path, of: object, &state)
  }

  private mutating func insert(_ path: PathID, of object: ObjectID, _ state: inout State) -> PathID {
    homes[object] = Home(path: path, version: state.nameVersion(of: object))
    return path
  }
}
