import EventLog

/// What the engine keeps of a derived value besides its node.
final class DerivedState {
  /// The path at which its values are published, and the same for readers.
  let path: Path
  let place: PathTable.ID
  let slot: UnsafeMutablePointer<Slot>
  /// Whether nobody holds it any more: it ends with its last reader.
  @exclusivity(unchecked) var isAbandoned = false
  private unowned let engine: Engine
  /// Who has read it, in no order.
  @exclusivity(unchecked) private(set) var readers: [Node.ID: Node] = [:]
  private var sortedReaders: [Node]?
  /// Whether one that it depends on, however far away, has become out of date since it was last looked after.
  @exclusivity(unchecked) var mayBeStale = false
  /// The thread that is looking whether it is out of date, if one is.
  @exclusivity(unchecked) var pulledBy: UInt = 0
  /// The last mutation when it was last looked after within a transaction.
  @exclusivity(unchecked) var checkedAt = UInt64.max
  /// Whether anyone who runs by itself depends on it, as of a version of the plans.
  @exclusivity(unchecked) var observation: (version: UInt64, isObserved: Bool)?

  init(path: Path, place: PathTable.ID, engine: Engine) {
    self.engine = engine
    self.path = path
    self.place = place
    slot = .allocate(capacity: 1)
    slot.initialize(to: Slot())
  }

  /// Who has read it, in order of creation.
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
    if isAbandoned, readers.isEmpty, let node = engine.derivedByPlace[place] { engine.abandoned.append(node) }
  }

  deinit {
    slot.deinitialize(count: 1)
    slot.deallocate()
  }
}
