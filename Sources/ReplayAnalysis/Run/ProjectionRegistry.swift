import EventLog

/// The projections of a run that live, whose child each is, and what it reads: the one place that knows when a life
/// begins and when it ends.
struct ProjectionRegistry {
  struct Life {
    var parent: ProjectionID?
    /// Grows with each projection that is created; 0 for one that does not live.
    var birth = 0
    var childCount = 0
    /// True, too, for one that ran although no event created it.
    var hasRun = false
    var tracking = Tracking.element

    var isAlive: Bool { birth > 0 }
  }

  /// What a projection reads, and the ids of the paths, to compare them, where one event has named them all.
  private struct Known {
    var ids: [PathID] = []
    var reads: LiveReads?
  }

  private struct Child {
    var id: ProjectionID
    var birth: Int
  }

  private var lives = ProjectionMap<Life>(default: Life())
  /// By the parent; some may be gone.
  private var children = ProjectionMap<[Child]>(default: [])
  private var reads = ProjectionMap<Known>(default: Known())
  private var births = 0

  /// Nothing lives.
  init() {}

  /// Those that lived before the first event of a part of a log, which all have run.
  init(_ base: StateFold, _ tables: inout RunTables) {
    var base = base
    for event in base.projectionEvents() {
      switch event {
      case .projection(let name, let parent, let tracking):
        let id = tables.id(ofProjection: name)
        tables.note(.projection, of: id, at: 0)
        create(id, parent: parent.map { tables.id(ofProjection: $0) }, tracking)
        lives[id].hasRun = true
      case .reads(let name, let reads):
        base.apply(reads, to: &self.reads[tables.id(ofProjection: name)].reads)
      default: break
      }
    }
  }

  /// What is known of a projection; of one that nothing was heard of, that it does not live.
  subscript(id: ProjectionID) -> Life {
    @inline(__always) get { lives[id] }
  }

  /// What a projection reads; nil where no event says it.
  func reads(of id: ProjectionID) -> LiveReads? { reads[id].reads }

  /// Those that live, in the order in which they were created.
  var living: [ProjectionID] {
    lives.all.filter { $0.value.isAlive }.sorted { $0.value.birth < $1.value.birth }.map(\.id)
  }

  func forEachChild(of id: ProjectionID, _ body: (ProjectionID) -> Void) {
    for child in children[id] where lives[child.id].birth == child.birth { body(child.id) }
  }

  /// A projection begins to live; one that lived ends before.
  mutating func create(_ id: ProjectionID, parent: ProjectionID?, _ tracking: Tracking) {
    if lives[id].isAlive { end(id) }
    births += 1
    // Children may be there before their parent.
    lives[id] = Life(parent: parent, birth: births, childCount: lives[id].childCount, tracking: tracking)
    reads[id] = Known()
    guard let parent, parent != id else { return }
    if children[parent].count > 2 * lives[parent].childCount + 8 {
      let alive = children[parent].filter { lives[$0.id].birth == $0.birth }
      children[parent] = alive
    }
    children[parent].append(Child(id: id, birth: births))
    lives[parent].childCount += 1
  }

  mutating func end(_ id: ProjectionID) {
    // Reads may be recorded of a projection that no event created.
    reads[id] = Known()
    guard lives[id].isAlive else { return }
    if let parent = lives[id].parent, parent != id { lives[parent].childCount -= 1 }
    lives[id].birth = 0
  }

  @inline(__always)
  mutating func noteRun(_ id: ProjectionID) {
    if !lives[id].hasRun { lives[id].hasRun = true }
  }

  /// Notes what a projection reads. Most runs read what the last one did: then this costs a comparison.
  mutating func noteReads(_ ids: [PathID], of id: ProjectionID, _ tables: borrowing RunTables) {
    // Without ids there may be paths all the same: those before the first event of a part of a log.
    if !ids.isEmpty, reads[id].ids == ids { return }
    reads[id] = Known(ids: ids, reads: .followed(ids.map { tables.path($0) }))
  }

  /// Notes what a projection reads besides and no longer, by the state at the event.
  mutating func noteReads(_ change: Reads, of id: ProjectionID, _ fold: inout StateFold) {
    reads[id].ids = []
    fold.apply(change, to: &reads[id].reads)
  }
}
