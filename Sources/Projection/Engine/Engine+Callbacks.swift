import EventLog
import Invalidation

extension Engine {
  /// Runs the body, and returns a frame with its reads. Slots are kept until ``release(_:)`` is called with
  /// the frame.
  func reading(_ body: () -> Void) -> Frame {
    withLock { $0.unlinkedFrames += 1 }
    let frame = Frame(engine: self, node: nil, cause: nil, isTracking: true)
    frame.run(body)
    frame.end()
    return frame
  }

  /// Releases a frame of ``reading(_:)``, after its reads have been linked to a node or are not needed.
  func release(_ frame: Frame) { withLock { $0.unlinkedFrames -= 1 } }

  /// The name of a callback, with the object's name and the key path as written in the source:
  /// `onChange(chat.lastMessage?.text)`. If the key path is not known, it contains the last path read
  /// instead; if nothing recorded was read, it contains no path.
  func name<Root: RecordedObject, Value>(
    of kind: String, _ keyPath: KeyPath<Root, Value>, in object: Root, _ frame: Frame
  ) -> String {
    if let attachment = object._$recorded.attachment, attachment.engine === self, let text = text(of: keyPath)
    {
      let path = withLock { $0.core.state.path(of: attachment.id) }
      // An object's number means nothing in another run, and text before a `#` would be taken for a group's
      // name.
      if case .object = path.root { return "\(kind)(\(Root.self).\(text))" }
      return "\(kind)(\(path).\(text))"
    }
    return withLock { state in
      guard let slot = frame.reads.slots.last else { return kind }
      var path = state.loggedPath(of: slot)
      // Text before a `#` would be taken for a group's name.
      while let last = path.components.last, last == .count || last == .order || last == .exists {
        path.components.removeLast()
      }
      return "\(kind)(\(path))"
    }
  }

  /// Makes a node a receiver, which runs after every set of what a frame has read, also after a set to an
  /// equal value.
  func addReceiver(_ node: Node, reading frame: Frame, keep: @escaping () -> Frame) {
    withLock { state in
      node.keep = keep
      state.setEarlyReads(frame.settleEarlyReads(in: state), of: node)
      state.setReads(Array(frame.reads.slots), of: node, cause: nil)
      state.listen(node, at: frame)
    }
  }

  /// Ends a node for good, unless it has ended.
  ///
  /// - Parameter order: The node's rank in the order of creation, which distinguishes it from a later node
  ///   with the same id.
  func cancel(_ id: Node.ID, order: UInt64) {
    guard let node = withLock({ $0.nodes[id] }), node.order == order else { return }
    cancel(node)
  }

  /// Ends a node for good. Call it outside the lock.
  func cancel(_ node: Node) {
    withLock { state in
      state.end(node)
      state.endAbandoned()
      state.sweep()
    }
    cleanEnded()
  }
}

extension EngineState {
  /// Registers a receiver for the properties that a frame has read, in place of its former ones.
  func listen(_ node: Node, at frame: Frame) {
    receivers.set(Set(frame.reads.slots.map { core.property(of: $0) }), of: node)
  }

  /// Registers a receiver for further properties; does nothing for other nodes.
  func listen(_ node: Node, besides properties: [SlotID]) {
    if node.keep != nil { receivers.add(properties, of: node) }
  }

  /// Queues the receivers of a property, right after it was set.
  func notifyReceivers(of property: SlotID) {
    guard let listening = receivers.of(property) else { return }
    for node in listening {
      guard let frame = node.keep?() else { continue }
      setEarlyReads(frame.settleEarlyReads(in: self), of: node)
      listen(node, at: frame)
      engine.release(frame)
      node.isDirty = true
      node.invalidatedBy = lastMutation
      // Its calls may be many already in the first round.
      follow(node, in: own)
      own.queue.insert(node)
    }
  }

  /// Removes slots without readers, if there are many.
  @inline(__always)
  func sweep() {
    if runs.isNone, unlinkedFrames == 0 { core.sweep() }
  }

  /// Ends a node for good, but leaves its cleanups to ``Engine/cleanEnded()``.
  func end(_ node: Node) {
    if node.isDisposed { return }
    disposeNode(node)
    receivers.remove(node)
    if let hosting = node.hosting { for root in hosting.roots { detach(root) } }
    guard let derived = node.derived else { return }
    if let slot = derived.slot {
      derivedBySlot[slot] = nil
      redactedSlots[slot] = nil
      core.release(slot)
    }
    // From now on, each read computes the value.
    node.isDirty = true
  }
}
