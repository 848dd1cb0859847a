import EventLog

/// Counts the callbacks that are made at one line, one after another, and live on: for objects that are gone, or that were there
/// long before, as each time that something is opened.
struct CallbackSites {
  struct Site {
    let place: String
    let group: GroupID<ProjectionID>
    fileprivate(set) var made = 0
    /// How many live at the end; how many of these follow an object that nothing leads to any more, and one that was there
    /// before the app made what led to the callback.
    fileprivate(set) var living = 0
    fileprivate(set) var left = 0
    fileprivate(set) var older = 0
    /// How many of them follow a path that is known, and how many such paths there are.
    fileprivate(set) var reading = 0
    fileprivate(set) var paths = 0
    /// The units of the app in which they were made.
    fileprivate(set) var units = 0
    /// The most that one burst of writes ran.
    fileprivate(set) var most = 0
    /// The runs of all but the one that was made last.
    fileprivate(set) var needless = LintReport.Price.zero
    fileprivate(set) var evidence = Evidence()
    fileprivate var lastUnit: UInt64?
    fileprivate var latest: ProjectionID?
    fileprivate var burst: UInt32 = 0
    fileprivate var present = 0
  }

  private struct Callback {
    var site: Int
    /// The number of objects that there were before the last burst of writes.
    var objects: UInt64
    var read: PathID?
    var isOlder = false
    var burst: UInt32 = 0
  }

  private(set) var sites: [Site] = []
  private var indices: [String: Int] = [:]
  private var callbacks = ProjectionMap<Callback?>(default: nil)
  private static let sitesMax = 1 << 12

  init() {}

  /// Looks at a row that makes a projection.
  ///
  /// - Parameters:
  ///   - lastWrite: The last write of the app; 0 if there was none.
  ///   - objects: The number that an object would have got before the burst of that.
  mutating func begin(
    _ projection: ProjectionID, _ group: GroupID<ProjectionID>, after lastWrite: UInt64, objects: UInt64,
    _ run: borrowing LogRun
  ) {
    guard run.text(group).isCallbackName, let place = run.site else { return }
    if indices[place] == nil {
      if sites.count >= Self.sitesMax { return }
      indices[place] = sites.count
      sites.append(Site(place: place, group: group))
    }
    let site = indices[place] ?? 0
    callbacks[projection] = Callback(site: site, objects: objects)
    sites[site].made += 1
    sites[site].evidence.append(run.row.seq)
    if sites[site].lastUnit != lastWrite { sites[site].units += 1 }
    (sites[site].lastUnit, sites[site].latest) = (lastWrite, projection)
  }

  @inline(__always)
  mutating func end(_ projection: ProjectionID) {
    if callbacks[projection] != nil { callbacks[projection] = nil }
  }

  /// Keeps the first path that a callback reads, which begins with an object.
  @inline(__always)
  mutating func markReads(of projection: ProjectionID, _ run: borrowing LogRun) {
    guard let callback = callbacks[projection], let path = run.readPaths.first else { return }
    callbacks[projection]?.read = path
    if case .object(let object) = run.tables.path(path).root {
      callbacks[projection]?.isOlder = object.number < callback.objects
    }
  }

  /// Looks at a run, in a burst of writes.
  @inline(__always)
  mutating func countRun(_ entry: FlushRuns.Entry, in burst: UInt32) {
    if let callback = callbacks[entry.projection], !entry.isFirst { count(entry, callback, in: burst) }
  }

  private mutating func count(_ entry: FlushRuns.Entry, _ callback: Callback, in burst: UInt32) {
    let site = callback.site
    if sites[site].burst != burst { (sites[site].burst, sites[site].present) = (burst, 0) }
    if callback.burst != burst { sites[site].present += 1 }
    callbacks[entry.projection]?.burst = burst
    sites[site].most = max(sites[site].most, sites[site].present)
    if sites[site].latest == entry.projection { return }
    sites[site].needless.runs += 1
    sites[site].needless.time += entry.duration
  }

  /// The path that a callback follows, if it is known and lives.
  func read(of projection: ProjectionID) -> PathID? { callbacks[projection]?.read }

  mutating func finish(_ run: inout LogRun) {
    var paths: Set<PathID> = []
    for case let (_, callback?) in callbacks.all {
      sites[callback.site].living += 1
      if callback.isOlder { sites[callback.site].older += 1 }
      guard let read = callback.read, read.epoch == run.tables.epoch else { continue }
      sites[callback.site].reading += 1
      if paths.insert(read).inserted { sites[callback.site].paths += 1 }
      let name = run.name(ofRead: read)
      if case .named = run.tables.path(name).root { continue }
      sites[callback.site].left += 1
    }
  }
}
