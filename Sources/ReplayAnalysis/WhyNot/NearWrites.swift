import EventLog

/// A path that is written, and what it has to do with what a projection reads.
package struct NearWrite: Encodable, Sendable {
  package enum Relation: String, Encodable, Sendable, Comparable {
    /// Another property of an object or element of which the projection reads one.
    case sameObject = "same_object"
    /// The property that it reads, of another object or element.
    case sameProperty = "same_property"
    /// Another property in a list of which it reads something.
    case sameList = "same_list"

    package static func < (a: Relation, b: Relation) -> Bool { a.rank < b.rank }

    private var rank: Int {
      switch self {
      case .sameObject: 0
      case .sameProperty: 1
      case .sameList: 2
      }
    }

    var sentence: String {
      switch self {
      case .sameObject: "same object"
      case .sameProperty: "same property"
      case .sameList: "same list"
      }
    }
  }

  package var path: String
  /// Nil for a path that nobody reads.
  package var relation: Relation?
  /// How often a write changed it, and how often since the projection's last run.
  package var writes: Int
  package var writesSinceRun: Int
  /// The last such write.
  package var seq: UInt64

  enum CodingKeys: String, CodingKey {
    case path, relation, writes
    case writesSinceRun = "writes_since_last_run"
    case seq = "last_event"
  }

  /// `same object, 3 times (2 since it ran), event 17`
  package var facts: String {
    let times =
      Units.count(writes, "time") + (relation == nil ? "" : " (\(writesSinceRun.grouped) since it ran)")
    return [relation?.sentence, times, "event \(seq)"].compactMap(\.self).joined(separator: ", ")
  }
}

/// Finds what is written near what a projection reads, and what is written and read by nobody.
struct NearWrites: RowObserver {
  /// The writes of a path or of a group of paths that changed something.
  private struct Writes {
    var path: Path
    var count = 0
    /// How many of them came since the run that was the last at the last write.
    var sinceRun = 0
    var run: UInt64 = 0
    var last: UInt64 = 0

    mutating func add(_ seq: UInt64, after run: UInt64) {
      if self.run != run { (self.run, sinceRun) = (run, 0) }
      count += 1
      sinceRun += 1
      last = seq
    }

    func write(_ text: String, _ relation: NearWrite.Relation?, after run: UInt64) -> NearWrite {
      NearWrite(
        path: text, relation: relation, writes: count, writesSinceRun: self.run == run ? sinceRun : 0,
        seq: last)
    }
  }

  private(set) var near: [NearWrite] = []
  private(set) var unread: [NearWrite] = []

  let needs: RunNeeds = [.lookback, .reads, .lastingProjections]
  let end: UInt64
  private let name: String
  private var projection: ProjectionID?
  private var lastRun: UInt64 = 0
  /// What it read when it ended last, and how precisely it followed that.
  private var ended: ProjectionRegistry.Reader?
  private var written: [PathID: Writes] = [:]
  private var groups: [GroupID<PathID>: Writes] = [:]
  /// The groups of the paths that some projection read, and of those that invalidated one.
  private var read: Set<ExactString> = []
  private var woke: Set<GroupID<PathID>> = []

  /// More paths are not followed, which bounds the memory.
  private static let pathsMax = 1 << 16
  private static let nearMax = 5
  private static let unreadMax = 3

  init(of name: String, upTo limit: UInt64) {
    self.name = name
    end = limit == .max ? .max : limit + 1
  }

  mutating func begin(_ run: inout LogRun) {
    projection = run.keptID(ofProjection: name)
    var state = run.state
    for living in run.registry.living {
      for path in run.registry.reads(of: living)?.paths ?? [] {
        read.insert(ExactString(state.currentName(of: path).group))
      }
    }
  }

  mutating func observe(_ run: inout LogRun) {
    switch run.row.kind {
    case .set, .splice, .remove: if !run.row.isSameValue, let path = run.path { count(path, &run) }
    case .reads:
      for path in run.readPaths { read.insert(ExactString(run.text(run.group(of: run.name(ofRead: path))))) }
    case .invalidate:
      for cause in run.recordedCauses.all {
        if let path = run.writtenPath(of: cause) { woke.insert(run.group(of: path)) }
      }
    case .evaluate: if run.projection == projection { lastRun = run.row.seq }
    case let kind where kind.lifeChange == .ends:
      if let projection, run.projection == projection { ended = run.registry.reader(projection) }
    default: break
    }
  }

  /// Counts a write, but not one that attaches a root, or removes an object to which nothing leads any more.
  private mutating func count(_ path: PathID, _ run: inout LogRun) {
    let place = run.tables.path(path)
    guard case .named(let root) = place.root, root != "derived", !place.components.isEmpty else { return }
    let group = run.group(of: path)
    groups[group, default: Writes(path: place)].add(run.row.seq, after: lastRun)
    if written.count < Self.pathsMax || written[path] != nil {
      written[path, default: Writes(path: place)].add(run.row.seq, after: lastRun)
    }
  }

  mutating func finish(_ run: inout LogRun) {
    findNear(run)
    findUnread(run)
  }

  private mutating func findNear(_ run: borrowing LogRun) {
    guard let projection, let reader = run.registry.reader(projection) ?? ended else { return }
    var state = run.state
    let reads = reader.reads.paths.map { NearPlace(name: state.currentName(of: $0), bound: state.byIDs($0)) }
    for writes in written.values {
      let place = NearPlace(name: writes.path, bound: state.byIDs(state.bound(writes.path)))
      if reads.contains(where: { $0.isRead(with: place, reader.tracking) }) { continue }
      guard let relation = reads.compactMap({ $0.relation(to: place) }).min() else { continue }
      near.append(writes.write(writes.path.description, relation, after: lastRun))
    }
    near.sort { a, b in
      if a.relation != b.relation, let x = a.relation, let y = b.relation { return x < y }
      let (isOldA, isOldB) = (a.writesSinceRun == 0 ? 1 : 0, b.writesSinceRun == 0 ? 1 : 0)
      return (isOldA, b.seq, a.path) < (isOldB, a.seq, b.path)
    }
    near = Array(near.prefix(Self.nearMax))
  }

  private mutating func findUnread(_ run: borrowing LogRun) {
    for (group, writes) in groups where !woke.contains(group) {
      let text = run.text(group)
      let isRead =
        read.contains(ExactString(text))
        || read.contains { text.isPart(of: $0.string) || $0.string.isPart(of: text) }
      if isRead { continue }
      unread.append(writes.write(text, nil, after: lastRun))
    }
    unread.sort { ($1.writes, $0.path) < ($0.writes, $1.path) }
    unread = Array(unread.prefix(Self.unreadMax))
  }
}

/// A path by its name, and from the object that it leads into.
private struct NearPlace {
  var name: Path
  var bound: Path

  /// Whether what is written at a place concerns this one, which a projection reads and follows in a way.
  func isRead(with written: NearPlace, _ tracking: Tracking) -> Bool {
    if bound.root != written.bound.root { return false }
    switch tracking {
    case .object: return true
    case .property: return bound.components.first == written.bound.components.first
    case .element: return zip(bound.components, written.bound.components).allSatisfy { $0 == $1 }
    }
  }

  /// What a place that it does not concern has to do with it; nil for nothing.
  func relation(to written: NearPlace) -> NearWrite.Relation? {
    let (own, other) = (bound.components, written.bound.components)
    if bound.root == written.bound.root, !own.isEmpty, own.dropLast() == other.dropLast() {
      return .sameObject
    }
    if name.group == written.name.group { return .sameProperty }
    guard let list = name.list, list == written.name.list else { return nil }
    let isOfRead = bound.root == written.bound.root && written.name.group.isPart(of: name.group)
    return isOfRead ? .sameProperty : .sameList
  }
}

extension Path {
  /// The group of the outermost list that the path leads into; nil for none.
  fileprivate var list: String? {
    let group = group
    return group.firstRange(of: "[*]").map { String(group[..<$0.upperBound]) }
  }
}

extension State {
  /// The path with the ids of elements where it has their places, as an element may be written by either.
  fileprivate func byIDs(_ path: Path) -> Path {
    var steps: [PathComponent] = []
    for component in path.components {
      if case .index = component,
        let element = value(at: Path(root: path.root, components: steps + [component])),
        let known = self.id(of: element)
      {
        steps.append(.id(known))
      } else {
        steps.append(component)
      }
    }
    return Path(root: path.root, components: steps)
  }
}
