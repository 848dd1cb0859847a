import EventLog
import Invalidation

/// The engine's data about a derived value, besides its node.
final class DerivedState {
  /// The path at which its values are published.
  let path: Path
  /// The node. It retains this object, and nothing else does for longer.
  #if REPLAY_CHECKS
    unowned let node: Node
    private unowned let state: EngineState
  #else
    unowned(unsafe) let node: Node
    private unowned(unsafe) let state: EngineState
  #endif
  /// The slot at which the values are published, once it was needed; see ``EngineState/slot(of:)``.
  @exclusivity(unchecked) var slot: SlotID?
  /// Whether that slot is a property of the object that holds the values, so that it does not change any
  /// more.
  @exclusivity(unchecked) var isBound = false
  /// Where the value is, once it was published.
  @exclusivity(unchecked) var write = Write()
  /// Whether the app has released it, so that it ends with its last reader.
  @exclusivity(unchecked) var isAbandoned = false
  /// Its readers, in no particular order.
  @exclusivity(unchecked) private(set) var readers: [Node.ID: Node] = [:]
  /// Whether a derived value that it depends on, directly or indirectly, has become out of date since this
  /// value was last brought up to date.
  @exclusivity(unchecked) var mayBeStale = false
  /// The thread that is checking whether it is out of date; 0 if none.
  @exclusivity(unchecked) var pulledBy: UInt = 0
  /// The last mutation at the time when it was last brought up to date within a transaction.
  @exclusivity(unchecked) var checkedAt = UInt64.max
  /// Whether a projection or callback depends on it, directly or indirectly, and the version of the readers
  /// for which that holds.
  @exclusivity(unchecked) var observation: (version: UInt64, isObserved: Bool)?

  init(path: Path, node: Node, _ state: EngineState) {
    self.state = state
    self.path = path
    self.node = node
  }

  /// The name of the property that holds the values.
  var name: String { node.name }

  /// Marks its readers, and adds those that were unmarked and have readers themselves to the list.
  @inline(__always)
  func markReaders(_ marked: inout [DerivedState]) {
    for reader in readers.values {
      guard let derived = reader.derived, !derived.mayBeStale else { continue }
      derived.mayBeStale = true
      if !derived.readers.isEmpty { marked.append(derived) }
    }
  }

  func add(_ reader: Node) { readers[reader.id] = reader }

  func remove(_ reader: Node) {
    readers[reader.id] = nil
    if isAbandoned, readers.isEmpty, !node.isDisposed { state.abandoned.append(node) }
  }
}
