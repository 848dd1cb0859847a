import EventLog

/// The projections of a run that live, with their parents and reads. Only this type decides when a life
/// begins and ends.
struct ProjectionRegistry {
  struct Life {
    var parent: ProjectionID?
    /// Increases with each projection that is created; 0 for one that does not live.
    var birth = 0
    var childCount = 0
    /// Also true for a projection that ran although no event created it.
    var hasRun = false
    var tracking = Tracking.element

    var isAlive: Bool { birth > 0 }
  }

  private struct Child {
    var id: ProjectionID
    var birth: Int
  }

  private var lives = ProjectionMap<Life>(default: Life())
  /// The children of each parent, including some that no longer live.
  private var children = ProjectionMap<[Child]>(default: [])
  private var reads = ProjectionMap<BoundReads?>(default: nil)
  private var births = 0
  /// The number of paths that they read, in all.
  private(set) var pathCount = 0

  /// Creates a registry in which nothing lives.
  init() {}

  /// Creates a registry with the projections that live before the first event of a part of a log. All of them
  /// have run.
  init(_ base: StateFold, _ tables: inout RunTables) {
    var base = base
    for event in base.projectionEvents() {
      switch event {
      case .projection(let name, let parent, let tracking):
        let id = tables.id(ofProjection: name)
        tables.apply(.projection, of: id, at: 0)
        create(id, parent: parent.map { tables.id(ofProjection: $0) }, tracking)
        lives[id].hasRun = true
      case .reads(let name, let reads):
        let id = tables.id(ofProjection: name)
        forgetPaths(of: id)
        base.apply(reads, to: &self.reads[id])
        pathCount += self.reads[id]?.count ?? 0
      default: break
      }
    }
  }

  /// The life of a projection; one that is unknown does not live.
  subscript(id: ProjectionID) -> Life {
    @inline(__always) get { lives[id] }
  }

  /// A projection's reads; nil if no event recorded any.
  func reads(of id: ProjectionID) -> BoundReads? { reads[id] }

  /// The projections that live, in the order of their creation.
  var living: [ProjectionID] {
    lives.all.filter { $0.value.isAlive }.sorted { $0.value.birth < $1.value.birth }.map(\.id)
  }

  func forEachChild(of id: ProjectionID, _ body: (ProjectionID) -> Void) {
    for child in children[id] where lives[child.id].birth == child.birth { body(child.id) }
  }

  /// Begins a projection's life, and ends a previous one.
  ///
  /// - Parameter isMove: Whether it is the projection that has just ended, below another parent.
  mutating func create(_ id: ProjectionID, parent: ProjectionID?, _ tracking: Tracking, isMove: Bool = false)
  {
    if lives[id].isAlive { end(id) }
    births += 1
    // Children may be created before their parent.
    lives[id] = Life(
      parent: parent, birth: births, childCount: lives[id].childCount, hasRun: isMove && lives[id].hasRun,
      tracking: tracking)
    forgetPaths(of: id)
    reads[id] = nil
    guard let parent, parent != id else { return }
    if children[parent].count > 2 * lives[parent].childCount + 8 {
      let alive = children[parent].filter { lives[$0.id].birth == $0.birth }
      children[parent] = alive
    }
    children[parent].append(Child(id: id, birth: births))
    lives[parent].childCount += 1
  }

  mutating func end(_ id: ProjectionID) {
    // Reads may be recorded for a projection that no event created.
    forgetPaths(of: id)
    reads[id] = nil
    guard lives[id].isAlive else { return }
    if let parent = lives[id].parent, parent != id { lives[parent].childCount -= 1 }
    lives[id].birth = 0
  }

  @inline(__always)
  mutating func countRun(_ id: ProjectionID) {
    if !lives[id].hasRun { lives[id].hasRun = true }
  }

  /// Records what a projection reads, resolved in the state at the event.
  mutating func applyReads(_ reads: Reads, of id: ProjectionID, _ fold: inout StateFold) {
    forgetPaths(of: id)
    fold.apply(reads, to: &self.reads[id])
    pathCount += self.reads[id]?.count ?? 0
  }

  /// Counts the paths of a projection no more.
  private mutating func forgetPaths(of id: ProjectionID) {
    if pathCount > 0 { pathCount -= reads[id]?.count ?? 0 }
  }
}
