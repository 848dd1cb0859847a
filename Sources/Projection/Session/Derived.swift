import EventLog

/// A value computed from recorded state; see ``Session/derived(_:tracking:_:)``.
public final class Derived<Value> {
  private let engine: Engine
  private let node: Node
  private let output = OutputBox<Value>()
  private let compute: () -> Value

  init(engine: Engine, name: String, tracking: Tracking, site: String, _ compute: @escaping () -> Value) {
    self.engine = engine
    self.compute = compute
    node = engine.makeTopLevel(name: name, tracking: tracking, site: site)
    engine.makeDerived(node)
    node.run = { [unowned engine, unowned node, output] frame in
      let new = compute()
      let redaction = engine.redaction(of: frame, publishedBy: node)
      let isChanged = redaction == .hidden || output.differs(new) ?? true
      engine.lock.withLock { output.set(new) }
      if isChanged {
        engine.publish(engine.encode(new, redaction), of: node, cause: frame.cause)
      }
      return isChanged
    }
  }

  /// The value for the present state. Whoever reads it depends on it, not on what it was computed from.
  /// Once the session is closed it is computed at each read.
  ///
  /// - Precondition: Computing it does not read it.
  public var value: Value {
    if engine.isClosed { return compute() }
    engine.pull(node)
    if let frame = Frame.current, frame.isTracking, frame.engine === engine, let derived = node.derived {
      frame.note(derived.place)
    }
    let (value, isOwn) = engine.lock.withLock {
      (output.value, node.runner == RecursiveLock.currentThread)
    }
    // On its first run another thread has not computed it yet.
    precondition(value != nil || !isOwn, "the derived value \(node.name) depends on itself")
    return value ?? compute()
  }
}
