import EventLog
import Invalidation

/// Finds which of the paths that projections read a write concerns. The invalidation core decides it: it gets the
/// state before the write, and a reader for each path.
struct TouchedReads: ~Copyable {
  private var timeline: LogTimeline
  private var paths: [Path] = []

  /// - Parameter state: The state before the write.
  init(before state: State) { timeline = LogTimeline(state) }

  /// Adds what a projection reads. Returns the positions of these paths.
  mutating func add(_ reader: ProjectionRegistry.Reader) -> Range<Int> {
    let first = paths.count
    for path in reader.reads.paths {
      let id = ProjectionID(paths.count)
      _ = timeline.addProjection(id, tracking: reader.tracking)
      timeline.setReads([path], of: id)
      paths.append(path)
    }
    return first..<paths.count
  }

  /// The positions of the paths that the write concerns, in order. What the app called the same value counts as a
  /// change too.
  mutating func positions(touchedBy write: Event.Body) throws(StateError) -> [Int] {
    try timeline.apply(write.settingSameValue(false), seq: 1)
    return timeline.hits.map { Int($0.projection.index) }
  }

  subscript(position: Int) -> Path { paths[position] }
}

extension ProjectionRegistry {
  /// What a projection reads, and how precisely it follows that.
  struct Reader {
    var reads: BoundReads
    var tracking: Tracking
  }

  /// The reads of a projection; nil if it does not live and no reads were recorded for it.
  func reader(_ projection: ProjectionID) -> Reader? {
    let life = self[projection]
    let reads = reads(of: projection)
    if !life.isAlive, reads == nil { return nil }
    return Reader(reads: reads ?? BoundReads(), tracking: life.isAlive ? life.tracking : .element)
  }
}
