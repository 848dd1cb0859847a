// The names, in ids of a run, of what its log calls by the numbers of objects. A name is that of the object and the steps
// below it, so that an object which has moved is named once for all its properties, one step below the object that holds it:
//
//     #4            mail.folders[2]
//     #57           mail.folders[2]  .messages[id: 9]
//     #57.isRead    mail.folders[2]  .messages[id: 9]  .isRead

/// What paths that begin with the number of an object are called, each as long as the object has its name.
package struct ReadNames: Sendable {
  private struct Home: Sendable {
    /// The name of the object, in the version in which it is that.
    var path: PathID
    var version: State.NameVersion
  }

  private struct Name: Sendable {
    /// The object that the path begins with; nil of a path that begins with a root, and so is its own name.
    var object: ObjectID?
    /// The name of the object, and that of the path.
    var home: PathID
    var path: PathID
  }

  private var homes: [ObjectID: Home] = [:]
  private var names = PathMap<Name?>(default: nil)
  /// The epoch of the paths in ``homes``.
  private var epoch: UInt32 = 0
  private var steps: [PathComponent] = []

  package init() {}

  /// The name of a bound path, as ``State/currentName(of:)``.
  ///
  /// Cost: a hash, as long as the object cannot have got another name since it was asked for last; else a look at its place,
  /// and a few hashes for each step if it has.
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

  /// Whether steps from an object, behind a name of it, lead to a part of it.
  private static func leads(_ steps: [PathComponent], into object: ObjectID, _ state: inout State) -> Bool {
    guard let first = steps.first, first != .exists else { return false }
    if steps.count == 1 { return true }
    // A reference that is crossed may lead back to the object.
    state.indexIdentities(on: Path(root: .object(object), components: steps.dropLast()))
    return state.owner(of: steps, in: object).steps.count == steps.count
  }

  /// The name of an object; nil where that is its number.
  private mutating func home(
    of object: ObjectID, in state: inout State, _ tables: inout RunTables
  ) -> PathID? {
    if let known = climb(from: object, in: &state, &tables) { return known }
    let path = state.path(of: object)
    // An object that is not defined yet gets a place without a change of the version.
    if case .object = path.root { return nil }
    return note(tables.id(of: path), of: object, &state)
  }

  /// The name by the homes of the object and of those on the way; nil where one of them is not at home.
  private mutating func climb(
    from object: ObjectID, in state: inout State, _ tables: inout RunTables, depth: Int = 0
  ) -> PathID? {
    if let known = homes[object], known.version == state.nameVersion(of: object) { return known.path }
    // More homes than a path has steps: the objects are a cycle that no root reaches.
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
    return tables.depth(of: path) > State.namedDepthMax ? nil : note(path, of: object, &state)
  }

  private mutating func note(_ path: PathID, of object: ObjectID, _ state: inout State) -> PathID {
    homes[object] = Home(path: path, version: state.nameVersion(of: object))
    return path
  }
}
