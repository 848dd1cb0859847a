import EventLog

/// A value computed from recorded state; see ``Session/derived(_:tracking:fileID:line:_:)``.
///
/// It lives as long as it is held, which every closure that reads it does, or something depends on it, until it is
/// cancelled or its session ends.
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
    let isCollection = holdsCollections(Value.self)
    node.run = { [unowned engine, unowned node, output] frame in
      let new = compute()
      if isCollection { noteReadOfAll(of: new) }
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
  /// A value that depends on itself, directly or through others, is a mistake that the session's diagnostics name. Where
  /// it is read while it is computed it is what it was last, and the first time zero, empty, false or nil.
  ///
  /// - Precondition: A value of a type that has nothing like that does not read itself the first time that it is
  ///   computed. One with a throwing body may: it reads a ``DerivedCycle``.
  public var value: Value {
    if engine.isClosed { return computeAside() }
    engine.lock.lock()
    if output.isSet, engine.isCurrent(node) {
      // Noted before it is read: what another thread changes after that must count as not seen.
      noteRead()
      let value = output.known
      engine.lock.unlock()
      return value
    }
    let isEnded = node.isDisposed
    engine.lock.unlock()
    if isEnded { return computeAside() }
    let cycle = engine.pull(node)
    noteRead()
    if let cycle { return value(within: cycle) }
    // On its first run another thread has not computed it yet.
    return engine.lock.withLock { output.value } ?? computeAside()
  }

  /// The name under which the log knows it.
  public var name: String { node.name }

  /// Ends it: it is not kept up to date any more, and who has read it does not hear of it again. Reading it computes it
  /// each time; who reads it so depends on what is read for that.
  public func cancel() { engine.cancel(node) }

  deinit { engine.abandon(node) }

  /// Whoever is running depends on the value.
  @inline(__always)
  private func noteRead() {
    guard let frame = Frame.current, frame.isTracking, frame.engine === engine, frame.node !== node,
      let derived = node.derived
    else { return }
    frame.note(derived.place)
  }

  /// The value as computed for this reader alone.
  private func computeAside() -> Value {
    if engine.isComputing(node) { return value(within: engine.cycle(backTo: node)) }
    let outer = Frame.current
    let frame = engine.lock.withLock {
      Frame(
        engine: engine, node: node, cause: engine.currentCause,
        isTracking: node.isDisposed && outer?.isTracking == true && outer?.engine === engine)
    }
    defer { if frame.isTracking { outer?.take(frame) } }
    return frame.run(compute)
  }

  private func value(within cycle: DerivedCycle) -> Value {
    if let outcome = Value.self as? any FallibleOutcome.Type, let value = outcome.init(cycle) as? Value {
      return value
    }
    engine.report(cycle)
    guard let value = engine.lock.withLock({ output.value }) ?? blank() else {
      preconditionFailure("\(cycle); with a throwing body this would be an error")
    }
    return value
  }
}
