import EventLog

extension Engine {
  /// A property whose every set somebody wants to hear of.
  typealias ReceiverKey = PathTable.ID

  /// Runs the body as who depends on what it reads, and returns the frame that knows what that is.
  func reading(_ body: () -> Void) -> Frame {
    let frame = Frame(engine: self, node: nil, cause: nil, isTracking: true)
    frame.run(body)
    frame.end()
    return frame
  }

  /// `onChange(store.isLoading)`, after the last place read.
  func name(of kind: String, _ frame: Frame) -> String {
    lock.withLock {
      frame.reads.places.last.map { "\(kind)(\(path(ofPlace: $0)))" } ?? kind
    }
  }

  /// Makes a node hear of every set: of changes through what a frame has read, of sets to an equal value besides.
  func addReceiver(_ node: Node, reading frame: Frame, keep: @escaping () -> Frame) {
    lock.withLock {
      node.keep = keep
      setEarlyReads(frame.settleEarlyReads(), of: node)
      node.lastReads = Array(frame.reads.places)
      node.loggedPaths = node.lastReads.map { path(ofPlace: $0) }
      node.follow(node.lastReads.compactMap { derivedByPlace[$0] })
      emit(.reads(projection: node.name, paths: node.loggedPaths))
      settle()
      core.setReads(node.loggedPaths, of: node.id)
      listen(node, at: frame)
    }
  }

  /// Registers who wants to hear of every set of the properties that a frame has read, and of no others. Called under
  /// the lock.
  private func listen(_ node: Node, at frame: Frame) {
    let properties = Set(frame.reads.places.map { places.property(of: $0) })
    if properties == node.receives { return }
    stopListening(node)
    node.receives = properties
    for property in properties { receivers[property, default: [:]][node.id] = node }
  }

  /// Makes who wants to hear of every set hear of these properties too. Called under the lock.
  func listen(_ node: Node, besides properties: [PathTable.ID]) {
    if node.keep == nil { return }
    node.receives.formUnion(properties)
    for property in properties { receivers[property, default: [:]][node.id] = node }
  }

  private func stopListening(_ node: Node) {
    for property in node.receives {
      receivers[property]?[node.id] = nil
      if receivers[property]?.isEmpty == true { receivers[property] = nil }
    }
  }

  /// Queues those who want to hear of a set. Called under the lock, right after the set.
  func notifyReceivers(of property: PathTable.ID) {
    guard let listening = receivers[property] else { return }
    for node in listening.values {
      guard let frame = node.keep?() else { continue }
      setEarlyReads(frame.settleEarlyReads(), of: node)
      listen(node, at: frame)
      node.isDirty = true
      node.wokenBy = lastMutation
      own.queue.insert(node)
    }
  }

  /// Ends a node for good, if it is still there.
  func cancel(_ id: Node.ID) {
    guard let node = lock.withLock({ nodes[id] }) else { return }
    cancel(node)
  }

  /// Ends a node for good. Called outside the lock.
  func cancel(_ node: Node) {
    lock.withLock {
      end(node)
      endAbandoned()
    }
    cleanEnded()
  }

  /// The same, up to what it wants done at its end. Called under the lock.
  func end(_ node: Node) {
    if node.isDisposed { return }
    dispose(node)
    stopListening(node)
    guard let derived = node.derived else { return }
    derivedByPlace[derived.place] = nil
    // Whoever reads it computes it.
    node.isDirty = true
  }
}
