import EventLog

/// The groups under which the paths and projections of a run are counted. Each is computed once.
struct RunGroups {
  private var paths = GroupTable<PathID>()
  private var projections = GroupTable<ProjectionID>()
  // `.max` marks a group that was not looked up yet. Optionals would take twice the memory, and this is read
  // at every write.
  private var ofPaths = PathMap<UInt32>(default: .max)
  private var ofProjections = ProjectionMap<UInt32>(default: .max)

  /// The group of a path, if ``find(_:_:)`` found it before. Cost: an array access.
  @inline(__always)
  func known(_ path: PathID) -> GroupID<PathID>? {
    let known = ofPaths[path]
    return known == .max ? nil : GroupID(Int(known))
  }

  /// The group of a path. Cost: formatting a text.
  mutating func find(_ path: PathID, _ tables: borrowing RunTables) -> GroupID<PathID> {
    let group = paths.id(of: tables.path(path).group)
    ofPaths[path] = group.index
    return group
  }

  /// The group of a projection, if ``find(_:_:)`` found it before. Cost: an array access.
  @inline(__always)
  func known(_ projection: ProjectionID) -> GroupID<ProjectionID>? {
    let known = ofProjections[projection]
    return known == .max ? nil : GroupID(Int(known))
  }

  /// The group of a projection. Cost: formatting a text.
  mutating func find(
    _ projection: ProjectionID, _ tables: borrowing RunTables
  ) -> GroupID<ProjectionID> {
    let group = projections.id(of: tables.name(projection).projectionGroup)
    ofProjections[projection] = group.index
    return group
  }

  /// The group of projections with this name; added if there is none.
  mutating func projectionGroup(called text: String) -> GroupID<ProjectionID> { projections.id(of: text) }

  func text(_ group: GroupID<PathID>) -> String { paths.texts[group.denseIndex] }

  func text(_ group: GroupID<ProjectionID>) -> String { projections.texts[group.denseIndex] }

  var pathTexts: [String] { paths.texts }

  var projectionTexts: [String] { projections.texts }
}

private struct GroupTable<Member> {
  private(set) var texts: [String] = []
  private var ids: [ExactString: GroupID<Member>] = [:]

  mutating func id(of text: String) -> GroupID<Member> {
    if let known = ids[text] { return known }
    let id = GroupID<Member>(texts.count)
    texts.append(text)
    ids[text] = id
    return id
  }
}
