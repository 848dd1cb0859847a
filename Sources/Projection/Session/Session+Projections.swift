import EventLog

extension Session {
  /// Runs `body` now, and again each time something that it has read has changed.
  ///
  /// Instances whose `name` in the log has the same text before a `#` form a group. `tracking` is whether the
  /// projection depends on the elements, the properties or the objects that it reads.
  ///
  /// `isolation`, the actor in whose code this is called, is where `body` runs again.
  ///
  /// - Returns: A handle to end the projection. Releasing the handle does not end it.
  @discardableResult
  public func projection<Output>(
    _ name: String, tracking: Tracking = .element, fileID: String = #fileID, line: Int = #line,
    isolation: (any Actor)? = #isolation, _ body: @escaping (Scope) -> Output
  ) -> ProjectionHandle {
    let node = engine.makeTopLevel(
      name: name, tracking: tracking, site: engine.site(fileID, line), home: isolation)
    if Output.self == Void.self {
      // The output is `Void`, so there is nothing to keep or compare.
      node.run = { frame in
        _ = body(Scope(frame: frame))
        return nil
      }
    } else {
      engine.setBody(of: node, OutputBox<Output>(), body)
    }
    engine.evaluate(node)
    return ProjectionHandle(engine: engine, node: node)
  }

  /// The same for a body that makes no children, and so needs no scope.
  @discardableResult
  public func projection<Output>(
    _ name: String, tracking: Tracking = .element, fileID: String = #fileID, line: Int = #line,
    isolation: (any Actor)? = #isolation, _ body: @escaping () -> Output
  ) -> ProjectionHandle {
    projection(name, tracking: tracking, fileID: fileID, line: line, isolation: isolation) { (_: Scope) in
      body()
    }
  }
}

/// A projection or callback. It exists until it is cancelled or its session ends; releasing this object does
/// not end it.
public final class ProjectionHandle {
  private let engine: Engine
  let node: Node

  init(engine: Engine, node: Node) {
    self.engine = engine
    self.node = node
  }

  /// Its name in the log.
  public var name: String { node.name }

  /// Ends it and all its children: they never run again, even if they are already out of date.
  public func cancel() {
    engine.cancel(node)
  }
}

/// The argument of a projection's body, which makes the projection's children.
///
/// Use it only while the body runs.
public struct Scope {
  private let frame: Frame
  /// The child whose body runs within its parent's frame, because the session is closed.
  private var closedChild: Node?

  init(frame: Frame, closedChild: Node? = nil) {
    self.frame = frame
    self.closedChild = closedChild
  }

  private var engine: Engine { frame.engine }

  /// Makes or keeps a child. It runs whenever its parent does, and runs alone if only something that it has
  /// read itself has changed.
  ///
  /// - Parameters:
  ///   - name: Its name. Name, id and parent identify the child from run to run.
  ///   - id: Distinguishes it from other children with the same name.
  ///   - tracking: Whether it depends on the elements, properties or objects that it reads; by default as its
  ///     parent.
  ///   - body: The child's body, which returns its output.
  /// - Returns: The output of its last run.
  @discardableResult
  public func child<Output>(
    _ name: String, id: AnyHashable? = nil, tracking: Tracking? = nil, _ body: @escaping (Scope) -> Output
  ) -> Output {
    child(name, id: id, tracking: tracking, given: { _ in nil }, body)
  }

  /// Makes or keeps a child that does not run with its parent as long as its input equals the last one and
  /// nothing that it has read has changed. An input that is not `Equatable` is compared by its recordable
  /// parts, as the log compares values. An input with a part that cannot be recorded, such as a closure,
  /// counts as different, and the session's diagnostics report it.
  ///
  /// - Returns: The output of its last run.
  @discardableResult
  public func child<Input, Output>(
    _ name: String, id: AnyHashable? = nil, input: Input, tracking: Tracking? = nil,
    _ body: @escaping (Scope) -> Output
  ) -> Output {
    child(name, id: id, tracking: tracking, given: { InputBox(input, after: $0) }, body)
  }

  /// The same for a body that needs no scope.
  @discardableResult
  public func child<Output>(
    _ name: String, id: AnyHashable? = nil, tracking: Tracking? = nil, _ body: @escaping () -> Output
  ) -> Output {
    child(name, id: id, tracking: tracking, given: { _ in nil }) { (_: Scope) in body() }
  }

  /// The same for a body that needs no scope.
  @discardableResult
  public func child<Input, Output>(
    _ name: String, id: AnyHashable? = nil, input: Input, tracking: Tracking? = nil,
    _ body: @escaping () -> Output
  ) -> Output {
    child(name, id: id, tracking: tracking, given: { InputBox(input, after: $0) }) { (_: Scope) in body() }
  }

  /// Not available: a scope makes children, so this method is called `child`.
  @available(*, unavailable, renamed: "child(_:id:input:tracking:_:)")
  @discardableResult
  public func scope<Output>(
    _ name: String, id: AnyHashable? = nil, input: Any? = nil, tracking: Tracking? = nil,
    _ body: @escaping (Scope) -> Output
  ) -> Output {
    fatalError()
  }

  /// Runs the action once for the identity of this projection (its name and id, and those of its parents),
  /// after the run that first calls this. If a projection with the same identity is made again, the action
  /// does not run again.
  public func onFirstAppear(_ action: @escaping () -> Void) {
    guard let node = closedChild ?? frame.node else { return }
    let isFirst = engine.withLock { $0.appeared.insert(node.identity).inserted }
    if isFirst { frame.firstAppearances.append(action) }
  }

  /// Runs the action once, before the next run of this projection's body, or when the projection ends because
  /// it is cancelled, because its parent no longer makes it, or because the session is closed.
  ///
  ///     session.projection("Clock") { scope in
  ///       let timer = Timer(every: settings.interval)
  ///       scope.onCleanup { timer.stop() }
  ///     }
  ///
  /// Several actions run in reverse order, as with `defer`, and those of a child before those of its parent.
  /// The projection does not depend on what they read. The cause of their writes is the event that caused
  /// the next run or the end.
  public func onCleanup(_ action: @escaping () -> Void) {
    guard let node = frame.node else { return }
    engine.withLock { _ in node.cleanups.append(action) }
  }

  private func child<Output>(
    _ name: String, id: AnyHashable?, tracking: Tracking?, given input: (_ last: ChildInput?) -> ChildInput?,
    _ body: @escaping (Scope) -> Output
  ) -> Output {
    // A scope that the app has kept after the run has no node.
    guard let node = closedChild ?? frame.node else { return body(self) }
    let key = Node.Key(name: name, id: id)
    let child: Node
    let output: OutputBox<Output>
    if let known = node.children[key], let box = known.output as? OutputBox<Output> {
      (child, output) = (known, box)
    } else {
      (child, output) = engine.makeChild(of: node, key, tracking: tracking ?? node.tracking)
    }
    let input = input(child.input)
    let (isDirty, isStopped) = engine.withLock { state in
      if let input, !input.isComparable { state.reportIncomparable(input, of: child) }
      if let input, input.isComparedByParts { state.countComparison(byPartsOf: input, of: child) }
      let isStopped = output.isSet && state.isStopped(child)
      if isStopped { state.markStopped(child) }
      return (child.isDirty, isStopped)
    }
    if isStopped, let last = output.value {
      frame.visited.insert(ObjectIdentifier(child))
      return last
    }
    let isSame = input.flatMap { engine.compare($0, with: child.input, within: frame) }
    let isCurrent = !isDirty && isSame == true
    child.input = input
    child.inputChanged = isSame.map { !$0 }
    frame.visited.insert(ObjectIdentifier(child))
    engine.setBody(of: child, output, body)
    if !isCurrent { engine.evaluate(child) }
    // A body that has closed its own session still gets the outputs of its children, but these are not kept.
    return output.value ?? body(Scope(frame: frame, closedChild: child))
  }
}

extension Engine {
  /// Sets the body of a node. Each run compares its output with the last one.
  fileprivate func setBody<Output>(
    of node: Node, _ output: OutputBox<Output>, _ body: @escaping (Scope) -> Output
  ) {
    if Output.self == Void.self {
      // There is no output; only the fact that the node has run is kept.
      node.run = { frame in
        let nothing = body(Scope(frame: frame))
        if !output.isSet { output.set(nothing) }
        return nil
      }
      return
    }
    let isCollection = holdsCollections(Output.self)
    let mayTakeLong = ComparingTime.mayBeLong(of: Output.self)
    node.run = { frame in
      let new = body(Scope(frame: frame))
      if isCollection { registerReadOfAll(of: new) }
      defer { output.set(new) }
      return mayTakeLong ? frame.timingComparison { output.differs(new) } : output.differs(new)
    }
  }
}

/// Returns the result of `body`, without making the current projection, derived value or callback depend on
/// what `body` reads.
///
///     session.projection("Total") { _ in
///       let total = store.orders.count
///       untracked { print("\(store.user.name) sees \(total)") }   // a change of the name alone runs nothing
///       return total
///     }
///
/// It may be called anywhere, and may be nested. It affects only the innermost run: a child that is made in
/// `body`, and a derived value that is computed because `body` reads it, still depend on what they read.
/// Writes are recorded as usual. The standard library's `withObservationTracking` still tracks what `body`
/// reads.
public func untracked<R>(_ body: () throws -> R) rethrows -> R {
  guard let frame = Frame.current, frame.sample != nil else { return try Frame.untracked(body) }
  return try Frame.untracked { try frame.aside(body) }
}
