import EventLog

extension Engine {
  /// A property whose every set somebody wants to hear of.
  typealias ReceiverKey = PathTable.ID

  /// Somebody who wants to hear of every set of a property.
  struct Receiver {
    var node: Node
    /// Keeps the value that was just set, until the flush.
    var keep: () -> Void
  }

  /// What the body reads, named from the objects that own it.
  func placesRead(_ body: () -> Void) -> [PathTable.ID] {
    let frame = Frame(engine: self, node: nil, cause: nil, isTracking: true)
    frame.run(body)
    return Array(frame.reads.keys)
  }

  /// `onChange(store.isLoading)`, after the last place read.
  func name(of kind: String, _ places: [PathTable.ID]) -> String {
    lock.withLock {
      places.last.map { "\(kind)(\(path(ofPlace: $0)))" } ?? kind
    }
  }

  /// Makes a node hear of every set: of changes through what it reads, of sets to an equal value besides.
  func addReceiver(_ node: Node, at places: [PathTable.ID], keep: @escaping () -> Void) {
    lock.withLock {
      node.loggedPaths = places.map { path(ofPlace: $0) }
      emit(.reads(projection: node.name, paths: node.loggedPaths))
      core.setReads(node.loggedPaths, of: node.id)
      for property in Set(places.map { self.places.property(of: $0) }) {
        receivers[property, default: []].append(Receiver(node: node, keep: keep))
      }
    }
  }

  /// Queues those who want to hear of a set. Called under the lock, right after the set.
  func notifyReceivers(of property: PathTable.ID) {
    guard let listening = receivers[property] else { return }
    for receiver in listening {
      receiver.keep()
      receiver.node.isDirty = true
      receiver.node.wokenBy = lastMutation
      queue.insert(receiver.node.id)
    }
  }

  /// Ends a node for good. Called under the lock.
  func cancel(_ node: Node) {
    dispose(node)
    derivedByName[node.name] = nil
    for (property, listening) in receivers {
      receivers[property] = listening.filter { $0.node !== node }
    }
  }
}
