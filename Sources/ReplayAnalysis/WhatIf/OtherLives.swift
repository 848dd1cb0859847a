import EventLog
import Invalidation

/// The projections that live under the rules: those of the log, and the children that the rules create.
///
/// It keeps bit sets besides the registry, so that an event that affects a thousand projections costs only a
/// few words.
struct OtherLives {
  /// The group that all projections of one word of a bit set have in common.
  private enum WordGroup {
    case none, several
    case one(GroupID<ProjectionID>)
  }

  private var registry = ProjectionRegistry()
  /// The groups of projections that were created or ran. A child that a rule creates belongs to the rule's
  /// group.
  private var groups = ProjectionMap<GroupID<ProjectionID>?>(default: nil)
  private var wordGroups = DenseMap<Int, WordGroup>(default: .none)
  private(set) var alive = ProjectionSet()
  private(set) var haveRun = ProjectionSet()
  /// Projections that have or had children.
  private(set) var parents = ProjectionSet()
  /// Projections that were created before one of their ancestors.
  private(set) var early = ProjectionSet()

  /// Creates a registry in which nothing lives.
  init() {}

  /// Creates the registry with the projections that live before the first row of a run.
  init(_ run: inout LogRun) {
    registry = run.registry
    for id in registry.living {
      add(id, run.group(of: id))
      haveRun.insert(id)
    }
  }

  subscript(id: ProjectionID) -> ProjectionRegistry.Life {
    @inline(__always) get { registry[id] }
  }

  /// The group of a projection; nil for one that was neither created nor ran.
  func group(of id: ProjectionID) -> GroupID<ProjectionID>? { groups[id] }

  /// The groups of all projections that were created or ran.
  var knownGroups: Set<GroupID<ProjectionID>> { Set(groups.all.lazy.compactMap(\.value)) }

  /// The group that all projections of a word of a set have in common; nil if there are several groups.
  func onlyGroup(ofWord word: Int) -> GroupID<ProjectionID>? {
    if case .one(let group) = wordGroups[word] { return group }
    return nil
  }

  func forEachChild(of id: ProjectionID, _ body: (ProjectionID) -> Void) {
    registry.forEachChild(of: id, body)
  }

  /// Updates the registry by the run's current row.
  @inline(__always)
  mutating func observe(_ run: inout LogRun) {
    if let projection = run.projection { apply(projection, &run) }
  }

  private mutating func apply(_ projection: ProjectionID, _ run: inout LogRun) {
    switch run.row.kind.lifeChange {
    case .begins:
      create(
        projection, parent: run.parent, run.row.tracking, in: run.group(of: projection), isMove: run.isMove)
    case .ends: end(projection)
    case nil:
      guard run.row.kind == .evaluate else { return }
      countRun(projection)
      if groups[projection] == nil { insert(projection, run.group(of: projection)) }
    }
  }

  /// Adds a projection that begins to live.
  mutating func create(
    _ id: ProjectionID, parent: ProjectionID?, _ tracking: Tracking, in group: GroupID<ProjectionID>,
    isMove: Bool = false
  ) {
    end(id)
    registry.create(id, parent: parent, tracking, isMove: isMove)
    if !registry[id].hasRun { haveRun.remove(id) }
    early.remove(id)
    add(id, group)
  }

  mutating func end(_ id: ProjectionID) {
    registry.end(id)
    alive.remove(id)
  }

  /// Records that a projection ran.
  @inline(__always)
  mutating func countRun(_ id: ProjectionID) {
    registry.countRun(id)
    haveRun.insert(id)
  }

  /// Adds a projection of the registry to the sets.
  private mutating func add(_ id: ProjectionID, _ group: GroupID<ProjectionID>) {
    alive.insert(id)
    insert(id, group)
    if parents.contains(id) { markEarlyChildren(of: id) }
    guard let parent = registry[id].parent, parent != id else { return }
    if isEarly(id, within: parent) { markEarly(id) }
    parents.insert(parent)
  }

  private mutating func insert(_ id: ProjectionID, _ group: GroupID<ProjectionID>) {
    groups[id] = group
    let word = id.denseIndex >> 6
    switch wordGroups[word] {
    case .none: wordGroups[word] = .one(group)
    case .one(let known) where known != group: wordGroups[word] = .several
    case .one, .several: break
    }
  }

  private func isEarly(_ id: ProjectionID, within parent: ProjectionID) -> Bool {
    let life = registry[parent]
    return !life.isAlive || life.birth > registry[id].birth || early.contains(parent)
  }

  private mutating func markEarlyChildren(of parent: ProjectionID) {
    var children: [ProjectionID] = []
    forEachChild(of: parent) { if isEarly($0, within: parent) { children.append($0) } }
    for child in children { markEarly(child) }
  }

  private mutating func markEarly(_ id: ProjectionID) {
    var rest = [id]
    while let id = rest.popLast() {
      if early.contains(id) { continue }
      early.insert(id)
      forEachChild(of: id) { rest.append($0) }
    }
  }
}
