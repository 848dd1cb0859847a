import EventLog
import Invalidation

extension Engine {
  /// A property of which a receiver (`onReceive`) is called for every set.
  typealias ReceiverKey = SlotID

  /// Runs the body, and returns a frame with what it read. Until ``release(_:)`` no slot goes.
  func reading(_ body: () -> Void) -> Frame {
    lock.withLock { unlinkedFrames += 1 }
    let frame = Frame(engine: self, node: nil, cause: nil, isTracking: true)
    frame.run(body)
    frame.end()
    return frame
  }

  /// Notes that what a frame of ``reading(_:)`` has read is linked by now, or not wanted.
  func release(_ frame: Frame) { lock.withLock { unlinkedFrames -= 1 } }

  /// The name of a callback, with the path that it read last: `onChange(store.isLoading)`.
  func name(of kind: String, _ frame: Frame) -> String {
    lock.withLock {
      frame.reads.slots.last.map { "\(kind)(\(loggedPath(of: $0)))" } ?? kind
    }
  }

  /// Makes a node a receiver: it runs after every set of what a frame has read, also after a set to an equal value.
  func addReceiver(_ node: Node, reading frame: Frame, keep: @escaping () -> Frame) {
    lock.withLock {
      node.keep = keep
      setEarlyReads(frame.settleEarlyReads(), of: node)
      setReads(Array(frame.reads.slots), of: node, cause: nil)
      listen(node, at: frame)
    }
  }

  /// Registers a receiver for the properties that a frame has read, and for no others. Called under the lock.
  private func listen(_ node: Node, at frame: Frame) {
    let properties = Set(frame.reads.slots.map { core.property(of: $0) })
    if properties == node.receives { return }
    stopListening(node)
    node.receives = properties
    for property in properties { receivers[property, default: [:]][node.id] = node }
  }

  /// Registers a receiver for further properties; does nothing for other nodes. Called under the lock.
  func listen(_ node: Node, besides properties: [SlotID]) {
    if node.keep == nil { return }
    node.receives.formUnion(properties)
    for property in properties { receivers[property, default: [:]][node.id] = node }
  }

  private func stopListening(_ node: Node) {
    if node.receives.isEmpty { return }
    for property in node.receives {
      receivers[property]?[node.id] = nil
      if receivers[property]?.isEmpty == true { receivers[property] = nil }
    }
  }

  /// Queues the receivers of a property. Called under the lock, right after the set.
  func notifyReceivers(of property: SlotID) {
    guard let listening = receivers[property] else { return }
    for node in listening.values {
      guard let frame = node.keep?() else { continue }
      setEarlyReads(frame.settleEarlyReads(), of: node)
      listen(node, at: frame)
      release(frame)
      node.isDirty = true
      node.invalidatedBy = lastMutation
      own.queue.insert(node)
    }
  }

  /// Ends a node for good, unless it has ended.
  ///
  /// - Parameter order: Its position in the order of creation, since ids are used again.
  func cancel(_ id: Node.ID, order: UInt64) {
    guard let node = lock.withLock({ nodes[id] }), node.order == order else { return }
    cancel(node)
  }

  /// Ends a node for good. Called outside the lock.
  func cancel(_ node: Node) {
    lock.withLock {
      end(node)
      endAbandoned()
      sweep()
    }
    cleanEnded()
  }

  /// Lets slots go that nothing reads, if they are many. Called under the lock.
  @inline(__always)
  func sweep() {
    if runsUnderWay == 0, unlinkedFrames == 0 { core.sweep() }
  }

  /// Ends a node for good, but leaves its cleanups to ``cleanEnded()``. Called under the lock.
  func end(_ node: Node) {
    if node.isDisposed { return }
    dispose(node)
    stopListening(node)
    guard let derived = node.derived else { return }
    if let slot = derived.slot {
      derivedBySlot[slot] = nil
      redactedSlots[slot] = nil
      core.release(slot)
    }
    // From now on each read computes the value.
    node.isDirty = true
  }
}
