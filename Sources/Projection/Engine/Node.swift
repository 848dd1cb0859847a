import EventLog
import Invalidation
import OrderedCollections

/// One live projection: the code to run when it is out of date, and the state of its runs.
final class Node {
  typealias ID = NodeID

  /// Identifies a child among those of its parent.
  struct Key: Hashable {
    let name: ExactString
    let id: AnyHashable?
    /// The hash of the id, which is compared first: an id of any type takes over 1,000 instructions to compare, and a table of
    /// children compares several.
    private let idHash: Int

    init(name: String, id: AnyHashable?) {
      self.name = ExactString(name)
      self.id = id
      idHash = id?.hashValue ?? 0
    }

    static func == (a: Key, b: Key) -> Bool { a.idHash == b.idHash && a.name == b.name && a.id == b.id }

    func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(idHash)
    }
  }

  let id: ID
  /// Its rank in the order of creation, which no other node ever has. A hosted projection that moves to
  /// another parent is created anew, with a new rank.
  @exclusivity(unchecked) private(set) var order: UInt64
  /// Its name, unique among living projections, as in the log: `Row#42`.
  let name: String
  /// The name with its id in the log.
  @exclusivity(unchecked) var loggedName: LogWriter.LoggedName
  let tracking: Tracking
  /// The source location at which it was made, if it has no parent.
  let site: String?
  weak var parent: Node?
  /// The actor on which it was made; nil for none.
  weak var home: (any Actor)?
  private let key: Key
  @exclusivity(unchecked) var children: OrderedDictionary<Key, Node> = [:]

  /// Runs the app's code; returns whether the output differs from the last, or nil if they cannot be
  /// compared.
  @exclusivity(unchecked) var run: ((Frame) -> Bool?)?
  /// The additional state of a derived value, which does not run by itself if nothing observes it; nil for
  /// other nodes.
  @exclusivity(unchecked) var derived: DerivedState?
  /// The additional state of a hosted projection, which only its host runs; nil for other nodes.
  @exclusivity(unchecked) var hosting: Hosting?
  /// The derived values that the last run read.
  @exclusivity(unchecked) private(set) var sources: [Node] = []

  /// The output of a child's last run, as an `OutputBox` of its type.
  @exclusivity(unchecked) var output: AnyObject?
  /// The last input that the parent passed, if any.
  @exclusivity(unchecked) var input: ChildInput?
  /// Whether the input differs from that of the last run; nil if that is not known.
  @exclusivity(unchecked) var inputChanged: Bool?

  @exclusivity(unchecked) var isDisposed = false
  @exclusivity(unchecked) var isRunning = false
  /// The thread on which it runs or last ran.
  @exclusivity(unchecked) var runner: UInt = 0
  /// Whether something it read has changed since it last ran.
  @exclusivity(unchecked) var isDirty = true
  /// The event that last invalidated it.
  @exclusivity(unchecked) var invalidatedBy: UInt64?
  /// The events that invalidated it while it was running.
  @exclusivity(unchecked) var invalidatedWhileRunning: [UInt64] = []
  /// For a receiver: it runs after every set of these properties.
  @exclusivity(unchecked) var receives: Set<SlotID> = []
  /// For a receiver: stores the value that was just set until the flush, and returns the frame in which it
  /// was read.
  @exclusivity(unchecked) var keep: (() -> Frame)?
  /// The reads of the last run, each once, in the order of their first reads.
  @exclusivity(unchecked) var lastReads: [SlotID] = []
  /// The last run's reads of objects that the session does not record.
  @exclusivity(unchecked) var earlyReads: [EarlyRead] = []
  /// What the standard library tells of its reads, if the session follows objects and does not know what runs read.
  @exclusivity(unchecked) var trackedReader: TrackedReader?
  /// The last run's reads of objects that are neither recorded nor followed, if the session follows some.
  @exclusivity(unchecked) var otherReads: RunObservation?
  /// Whether it is known to read objects that are followed.
  @exclusivity(unchecked) var readsFollowed = false

  /// The rule for when it may run, if that is not after each invalidation.
  @exclusivity(unchecked) var pacing: Pacing?

  /// The cleanups of the last run. They run before the next run or when the node ends.
  @exclusivity(unchecked) var cleanups: [() -> Void] = []

  /// Called once when the node has ended.
  @exclusivity(unchecked) var onEnd: (() -> Void)?

  /// The number of runs until one that may be observed; 0 for never. See ``Engine/mayObserve(_:)``.
  @exclusivity(unchecked) var runsToObserved: UInt32 = 1
  /// The number of runs until the next sample, in a session that observes all; see ``UnfollowedReads``.
  @exclusivity(unchecked) var runsToSample: UInt32 = 1
  /// The number of runs between the last such run and the next.
  @exclusivity(unchecked) var observedGap: UInt32 = 0

  /// Whether it is in a queue.
  @exclusivity(unchecked) var isQueued = false
  /// The round of the queue in which it last ran.
  @exclusivity(unchecked) var lastRound: UInt64 = 0

  init(
    id: ID, order: UInt64, name: String, tracking: Tracking, site: String?, parent: Node?, key: Key
  ) {
    self.id = id
    self.order = order
    self.name = name
    loggedName = LogWriter.LoggedName(name)
    self.tracking = tracking
    self.site = site
    self.parent = parent
    self.key = key
  }

  /// The names and ids of this node and its parents, which are the same if the node is made again.
  var identity: [Key] { (parent?.identity ?? []) + [key] }

  /// Gets a new rank, as if it were created now.
  func beginAgain(order: UInt64) { self.order = order }

  /// Registers as a reader of exactly these derived values.
  func follow(_ new: [Node]) {
    if sources.elementsEqual(new, by: ===) { return }
    for source in sources { source.derived?.remove(self) }
    for source in new { source.derived?.add(self) }
    sources = new
  }

  /// Releases the app's code and the derived values that it reads.
  func end() {
    follow([])
    earlyReads = []
    otherReads?.end()
    otherReads = nil
    run = nil
    keep = nil
    hosting?.end()
    guard let onEnd else { return }
    self.onEnd = nil
    onEnd()
  }
}

extension Node {
  /// Checks that its flags are one of the combinations in `README.md`.
  @inline(__always)
  func checkState() {
    invariant(isDirty || invalidatedBy == nil, "\(name) is out of date if it has a cause to run")
    invariant(hosting == nil || !isQueued, "\(name) is not queued if it has a host")
    invariant(!isRunning || runner != 0, "\(name) runs on a thread")
    invariant(
      invalidatedBy == nil || !invalidatedWhileRunning.isEmpty || !isRunning,
      "\(name) was told what put it out of date while it runs")
  }
}

/// The output of a node's last run.
///
/// It is stored behind a pointer, because each access to an `Optional` of a generic type looks up metadata,
/// which took an eighth of the time of an invalidation.
final class OutputBox<Output> {
  private let storage = UnsafeMutablePointer<Output>.allocate(capacity: 1)
  /// Whether the node has run.
  @exclusivity(unchecked) private(set) var isSet = false
  /// Made at the first comparison, which few of the nodes that come and go get to.
  @exclusivity(unchecked) private var comparison: Comparison?

  /// The output; nil before the first run.
  var value: Output? { isSet ? storage.pointee : nil }

  /// The output.
  ///
  /// - Precondition: The node has run.
  var known: Output { storage.pointee }

  /// Replaces the output.
  func set(_ new: Output) {
    if isSet { storage.pointee = new } else { storage.initialize(to: new) }
    isSet = true
  }

  /// Whether an output differs from the last one; nil if they cannot be compared.
  func differs(_ new: Output) -> Bool? {
    if !isSet { return true }
    if comparison == nil { comparison = Comparison(of: Output.self) }
    guard let isSame = comparison?.isSame(storage.pointee, new) else { return nil }
    return !isSame
  }

  deinit {
    if isSet { storage.deinitialize(count: 1) }
    storage.deallocate()
  }
}

extension Engine {
  /// Makes a child of a node that is running, and ends the child with the same key if there is one.
  func makeChild<Output>(of parent: Node, _ key: Node.Key, tracking: Tracking) -> (Node, OutputBox<Output>) {
    let (old, node, output) = withLock { state in
      let old = parent.children[key]
      if let old { state.disposeNode(old) }
      let node = state.addNode(
        name: key.name.string, id: key.id, tracking: tracking, parent: parent, cause: currentCause)
      node.home = parent.home
      parent.children[key] = node
      let output = OutputBox<Output>()
      node.output = output
      return (old, node, output)
    }
    if old != nil { cleanEnded() }
    return (node, output)
  }

  /// Makes a node without a parent.
  func makeTopLevel(name: String, tracking: Tracking, site: String?, home: (any Actor)?) -> Node {
    withLock { state in
      let node = state.addNode(name: name, tracking: tracking, parent: nil, cause: currentCause, site: site)
      node.home = home
      return node
    }
  }
}
