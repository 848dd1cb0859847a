/// The projections that exist after some event, and what each reads.
struct LiveProjections: Sendable {
  private struct Entry: Sendable {
    /// Its rank in the order of creation.
    var number: UInt64
    var parent: String?
    var tracking: Tracking
    var reads: BoundReads?
  }

  private var entries: [ExactString: Entry] = [:]
  private var nextNumber: UInt64 = 0
  /// The paths that they read, and the bytes of their names, in all.
  private var (pathCount, nameBytes) = (0, 0)

  /// Applies an event; events of other kinds change nothing. Cost: a hash; for a change of reads some hashes
  /// for each path.
  ///
  /// - Parameter state: The state at the event.
  mutating func apply(_ body: Event.Body, in state: inout State) {
    switch body {
    case .projection(let name, let parent, let tracking): add(name, parent, tracking)
    case .reads(let name, let reads):
      if entries[name] == nil { add(name, nil, .element) }
      pathCount -= entries[name]?.reads?.count ?? 0
      entries[name]?.reads.apply(reads, in: &state)
      pathCount += entries[name]?.reads?.count ?? 0
    case .evaluate(let name, _, _, _, _):
      if entries[name] == nil { add(name, nil, .element) }
    case .dispose(let name): end(name)
    case .set, .splice, .remove, .invalidate, .begin, .end, .mark, .action, .finish: break
    }
  }

  /// The number of projections.
  var count: Int { entries.count }

  /// About the bytes that they take.
  var bytesHeld: Int { entries.count * 2 * MemoryLayout<Entry>.stride + nameBytes + pathCount * 192 }

  /// Removes a projection.
  mutating func end(_ name: String) {
    guard let entry = entries[name] else { return }
    entries[name] = nil
    pathCount -= entry.reads?.count ?? 0
    nameBytes -= Self.nameBytes(name, entry.parent)
  }

  private mutating func add(_ name: String, _ parent: String?, _ tracking: Tracking) {
    end(name)
    entries[name] = Entry(number: nextNumber, parent: parent, tracking: tracking)
    nameBytes += Self.nameBytes(name, parent)
    nextNumber += 1
  }

  private static func nameBytes(_ name: String, _ parent: String?) -> Int {
    name.utf8.count + (parent?.utf8.count ?? 0)
  }

  /// The events that create them again, in order of creation.
  func asEvents(in state: inout State) -> [Event.Body] {
    var events: [Event.Body] = []
    for (name, entry) in entries.sorted(by: { $0.value.number < $1.value.number }) {
      events.append(.projection(name: name.string, parent: entry.parent, tracking: entry.tracking))
      for reads in entry.reads?.asEvents(in: &state) ?? [] {
        events.append(.reads(projection: name.string, reads))
      }
    }
    return events
  }
}

extension BoundReads? {
  /// Applies the reads of an event; nil stands for none so far. Cost: a lookup in the state and a hash for each of
  /// its paths.
  package mutating func apply(_ reads: Reads, in state: inout State) {
    // Keeps the set uniquely referenced, so that it is changed in place.
    var known = self ?? BoundReads()
    self = nil
    switch reads {
    case .paths(let paths):
      known = BoundReads()
      for path in paths { known.insert(state.indexedBound(path)) }
    case .change(let added, let dropped):
      for path in dropped { known.remove(state.indexedBound(path)) }
      for path in added { known.insert(state.indexedBound(path)) }
    }
    self = known
  }
}

/// What a projection reads according to its events so far: a set of bound paths, in the order in which they were
/// added.
package struct BoundReads: Sendable {
  private var numbers: [Slot: UInt64] = [:]
  private var nextNumber: UInt64 = 0

  /// A bound path as a key. `.a` and `["a"]` are the same step, since they lead to the same slot.
  private struct Slot: Hashable {
    let path: Path

    static func == (a: Slot, b: Slot) -> Bool {
      a.path.root == b.path.root
        && a.path.components.elementsEqual(b.path.components) { x, y in
          if let name = x.name, let other = y.name { name.hasSameBytes(as: other) } else { x == y }
        }
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(path.root)
      for component in path.components {
        if let name = component.name { hasher.combine(bytesOf: name) } else { hasher.combine(component) }
      }
    }
  }

  /// Creates an empty set.
  package init() {}

  /// Whether there are no paths.
  package var isEmpty: Bool { numbers.isEmpty }

  /// The number of paths. Cost: constant.
  package var count: Int { numbers.count }

  /// The paths, in order. Cost: sorts them.
  package var paths: [Path] { filter { _ in true } }

  /// The data of `reads` events that together produce these reads, each small enough for a block. The paths are
  /// written as a session writes them in the log.
  fileprivate func asEvents(in state: inout State) -> [Reads] {
    var names = paths.map { state.logged($0) }[...]
    var events: [Reads] = []
    repeat {
      events.append(.change(added: Array(names.prefix(Self.eventPathsMax)), dropped: []))
      names = names.dropFirst(Self.eventPathsMax)
    } while !names.isEmpty
    return events
  }

  /// The most paths in one such event. Many changes may have added more than that in all.
  private static let eventPathsMax = 4096

  /// The paths that satisfy a condition, in order. Cost: sorts them.
  package func filter(_ isIncluded: (Path) -> Bool) -> [Path] {
    numbers.filter { isIncluded($0.key.path) }.sorted { $0.value < $1.value }.map(\.key.path)
  }

  /// Calls a function with each path, in no particular order.
  package func forEach(_ body: (Path) -> Void) {
    for slot in numbers.keys { body(slot.path) }
  }

  package func contains(_ path: Path) -> Bool { numbers[Slot(path: path)] != nil }

  /// Adds a path if it is missing.
  package mutating func insert(_ path: Path) {
    if numbers[Slot(path: path)] != nil { return }
    numbers[Slot(path: path)] = nextNumber
    nextNumber += 1
  }

  package mutating func remove(_ path: Path) { numbers[Slot(path: path)] = nil }
}
