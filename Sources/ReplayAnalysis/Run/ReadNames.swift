import EventLog

/// What the reads of a run are called that its log calls by the number of an object: each is found once, as long as no
/// object may have another name.
struct ReadNames {
  private struct Name {
    var path: PathID?
    /// That of the names; the largest number of a path that begins with a root, and so is its own name.
    var version: UInt64 = 0
  }

  private var known = PathMap<Name>(default: Name())

  /// The name of a path; nil where it is not known, or may be another one by now.
  ///
  /// - Parameter version: Is another one whenever objects may have other names.
  func name(of path: PathID, _ version: UInt64) -> PathID? {
    let name = known[path]
    return name.version == version || name.version == .max ? name.path : nil
  }

  /// Notes what a path is called now, and returns the id of that.
  mutating func note(_ name: Path, of path: PathID, _ version: UInt64, _ tables: inout RunTables) -> PathID {
    // An object that is not defined yet gets a place without a change of the version.
    if case .object = name.root { return path }
    let id = tables.id(of: name)
    known[path] = Name(path: id, version: id == path ? .max : version)
    return id
  }
}
