import EventLog

extension Engine {
  /// Makes a child node of a running one.
  func makeChild<Output>(of parent: Node, _ key: Node.Key, tracking: Tracking) -> (Node, OutputBox<Output>) {
    let (old, node, output) = lock.withLock {
      let old = parent.children[key]
      if let old { dispose(old) }
      let node = addNode(
        name: key.name.string, id: key.id, tracking: tracking, parent: parent, cause: currentCause)
      parent.children[key] = node
      let output = OutputBox<Output>()
      node.output = output
      return (old, node, output)
    }
    if old != nil { cleanEnded() }
    return (node, output)
  }

  /// Makes a node that hangs below no other.
  func makeTopLevel(name: String, tracking: Tracking, site: String?) -> Node {
    lock.withLock {
      addNode(name: name, tracking: tracking, parent: nil, cause: currentCause, site: site)
    }
  }

  /// Gives a node what to run; the output tells whether a run changed anything, where it can be compared.
  func setBody<Output>(of node: Node, _ output: OutputBox<Output>, _ body: @escaping (Scope) -> Output) {
    let isCollection = holdsCollections(Output.self)
    let saysNothing = Output.self == Void.self
    node.run = { frame in
      let new = body(Scope(frame: frame))
      if isCollection { noteReadOfAll(of: new) }
      if saysNothing, output.isSet { return nil }
      defer { output.set(new) }
      return saysNothing ? nil : output.differs(new)
    }
  }
}
