import EventLog

extension Engine {
  /// A property whose every set somebody wants to hear of.
  typealias ReceiverKey = PathTable.ID

  /// Somebody who wants to hear of every set of a property.
  struct Receiver {
    var node: Node
    /// Keeps the value that was just set, until the flush; tells which places lead to it now.
    var keep: () -> [PathTable.ID]
  }

  /// What the body reads, named from the objects that own it.
  func placesRead(_ body: () -> Void) -> [PathTable.ID] {
    let frame = Frame(engine: self, node: nil, cause: nil, isTracking: true)
    frame.run(body)
    return Array(frame.reads.places)
  }

  /// `onChange(store.isLoading)`, after the last place read.
  func name(of kind: String, _ places: [PathTable.ID]) -> String {
    lock.withLock {
      places.last.map { "\(kind)(\(path(ofPlace: $0)))" } ?? kind
    }
  }

  /// Makes a node hear of every set: of changes through what it reads, of sets to an equal value besides.
  func addReceiver(_ node: Node, at places: [PathTable.ID], keep: @escaping () -> [PathTable.ID]) {
    lock.withLock {
      node.loggedPaths = places.map { path(ofPlace: $0) }
      node.follow(places.compactMap { derivedByPlace[$0] })
      emit(.reads(projection: node.name, paths: node.loggedPaths))
      settle()
      core.setReads(node.loggedPaths, of: node.id)
      listen(Receiver(node: node, keep: keep), at: places)
    }
  }

  /// Registers who wants to hear of every set of the properties of these places, and of no others. Called under the lock.
  private func listen(_ receiver: Receiver, at places: [PathTable.ID]) {
    let node = receiver.node
    let properties = Set(places.map { self.places.property(of: $0) })
    if properties == node.receives { return }
    stopListening(node)
    node.receives = properties
    for property in properties { receivers[property, default: [:]][node.id] = receiver }
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
    for receiver in listening.values {
      listen(receiver, at: receiver.keep())
      receiver.node.isDirty = true
      receiver.node.wokenBy = lastMutation
      own.queue.insert(receiver.node)
    }
  }

  /// Ends a node for good, if it is still there.
  func cancel(_ id: Node.ID) {
    lock.withLock {
      if let node = nodes[id] { cancel(node) }
    }
  }

  /// Ends a node for good. Called under the lock.
  func cancel(_ node: Node) {
    dispose(node)
    if let derived = node.derived { derivedByPlace[derived.place] = nil }
    stopListening(node)
  }
}
