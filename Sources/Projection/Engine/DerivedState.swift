import EventLog

/// What the engine keeps of a derived value besides its node.
final class DerivedState {
  /// The path at which its values are published.
  let path: Path
  let pathID: PathTable.ID
  let slot: UnsafeMutablePointer<Slot>
  /// Whether the app has released it: it ends with its last reader.
  @exclusivity(unchecked) var isAbandoned = false
  private unowned let engine: Engine
  /// Its readers, in no order.
  @exclusivity(unchecked) private(set) var readers: [Node.ID: Node] = [:]
  private var sortedReaders: [Node]?
  /// Whether a derived value that it depends on, directly or not, has become out of date since this was last brought
  /// up to date.
  @exclusivity(unchecked) var mayBeStale = false
  /// The thread that is checking whether it is out of date; 0 if none is.
  @exclusivity(unchecked) var pulledBy: UInt = 0
  /// The last mutation when it was last brought up to date within a transaction.
  @exclusivity(unchecked) var checkedAt = UInt64.max
  /// Whether a projection or callback depends on it, directly or not, as of a version of the plans.
  @exclusivity(unchecked) var observation: (version: UInt64, isObserved: Bool)?

  init(path: Path, pathID: PathTable.ID, engine: Engine) {
    self.engine = engine
    self.path = path
    self.pathID = pathID
    slot = .allocate(capacity: 1)
    slot.initialize(to: Slot())
  }

  /// Its readers, in order of creation.
  var readersInOrder: [Node] {
    if let known = sortedReaders { return known }
    let sorted = readers.values.sorted { $0.id < $1.id }
    sortedReaders = sorted
    return sorted
  }

  func add(_ reader: Node) {
    readers[reader.id] = reader
    sortedReaders = nil
  }

  func remove(_ reader: Node) {
    readers[reader.id] = nil
    sortedReaders = nil
    if isAbandoned, readers.isEmpty, let node = engine.derivedByPath[pathID] { engine.abandoned.append(node) }
  }

  deinit {
    slot.deinitialize(count: 1)
    slot.deallocate()
  }
}
