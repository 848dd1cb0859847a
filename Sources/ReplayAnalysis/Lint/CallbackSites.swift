import EventLog

/// Counts the callbacks that are made at one line and live on, though the objects that they follow are gone.
struct CallbackSites {
  struct Site {
    let group: GroupID<ProjectionID>
    fileprivate(set) var made = 0
    /// How many live at the end, and how many of these follow an object that nothing leads to any more.
    fileprivate(set) var living = 0
    fileprivate(set) var left = 0
    /// The units of the app in which they were made.
    fileprivate(set) var units = 0
    fileprivate(set) var evidence = Evidence()
    fileprivate var lastUnit: UInt64?
  }

  private struct Callback {
    var site: String
    var read: PathID?
  }

  private(set) var sites: [String: Site] = [:]
  private var living: [ProjectionID: Callback] = [:]
  private static let livingMax = 1 << 14

  init() {}

  /// Looks at a row that makes a projection, after a write of the app; 0 if there was none.
  mutating func begin(
    _ projection: ProjectionID, _ group: GroupID<ProjectionID>, after lastWrite: UInt64,
    _ run: borrowing LogRun
  ) {
    guard run.text(group).isCallbackName, let site = run.site, living.count < Self.livingMax else { return }
    living[projection] = Callback(site: site)
    var known = sites[site] ?? Site(group: group)
    known.made += 1
    known.evidence.append(run.row.seq)
    if known.lastUnit != lastWrite { known.units += 1 }
    known.lastUnit = lastWrite
    sites[site] = known
  }

  mutating func end(_ projection: ProjectionID) {
    if !living.isEmpty { living[projection] = nil }
  }

  /// Keeps the first path that a callback reads, which begins with an object.
  @inline(__always)
  mutating func markReads(of projection: ProjectionID, _ paths: [PathID]) {
    if let first = paths.first, !living.isEmpty, living[projection] != nil {
      living[projection]?.read = first
    }
  }

  /// The path that a callback follows, if it is known and lives.
  func read(of projection: ProjectionID) -> PathID? { living[projection]?.read }

  mutating func finish(_ run: inout LogRun) {
    for callback in living.values {
      sites[callback.site]?.living += 1
      guard let read = callback.read, read.epoch == run.tables.epoch else { continue }
      let name = run.name(ofRead: read)
      if case .named = run.tables.path(name).root { continue }
      sites[callback.site]?.left += 1
    }
  }
}
