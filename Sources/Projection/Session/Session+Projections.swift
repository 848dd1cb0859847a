import EventLog

extension Session {
  /// Runs `body` now, and again each time that something it read has changed.
  ///
  /// Instances whose `name` in the log has the same text before a `#` form a group. `tracking` says whether it depends on the
  /// elements, the properties or the objects that it reads.
  ///
  /// - Returns: A handle to end the projection; releasing the handle does not end it.
  @discardableResult
  public func projection<Output>(
    _ name: String, tracking: Tracking = .element, fileID: String = #fileID, line: Int = #line,
    _ body: @escaping (Scope) -> Output
  ) -> Callback {
    let node = engine.makeTopLevel(name: name, tracking: tracking, site: engine.site(fileID, line))
    if Output.self == Void.self {
      // There is no output to keep, and none to compare.
      node.run = { frame in
        _ = body(Scope(frame: frame))
        return nil
      }
    } else {
      engine.setBody(of: node, OutputBox<Output>(), body)
    }
    engine.evaluate(node)
    return Callback(engine: engine, node: node)
  }

  /// The same for a body that makes no children, and so needs no scope.
  @discardableResult
  public func projection<Output>(
    _ name: String, tracking: Tracking = .element, fileID: String = #fileID, line: Int = #line,
    _ body: @escaping () -> Output
  ) -> Callback {
    projection(name, tracking: tracking, fileID: fileID, line: line) { (_: Scope) in body() }
  }
}

/// A projection or callback, which exists until it is cancelled or its session ends. Releasing this object does not end it.
public final class Callback {
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

/// The argument of a projection's body, with which it makes children.
///
/// Use it only while the body runs.
public struct Scope {
  private let frame: Frame
  /// The child whose body runs in its parent's frame, after the session was closed.
  private var closedChild: Node?

  init(frame: Frame, closedChild: Node? = nil) {
    self.frame = frame
    self.closedChild = closedChild
  }

  private var engine: Engine { frame.engine }

  /// Makes or keeps a child that runs each time that its parent does, and alone when only something that it read has
  /// changed.
  ///
  /// - Parameters:
  ///   - name: Its name. Name, id and parent identify it from run to run.
  ///   - id: Identifies it among children of the same name.
  ///   - tracking: Whether it depends on elements, properties or objects that it reads; as its parent by default.
  ///   - body: What it does, and returns.
  /// - Returns: The output of its last run.
  @discardableResult
  public func child<Output>(
    _ name: String, id: AnyHashable? = nil, tracking: Tracking? = nil, _ body: @escaping (Scope) -> Output
  ) -> Output {
    child(name, id: id, tracking: tracking, given: nil, body)
  }

  /// Makes or keeps a child that does not run with its parent while its input equals the last one and nothing that it read
  /// has changed. An input that is not `Equatable` is compared as the log compares, by what of it can be recorded; one of
  /// which a part cannot be, such as a closure, counts as different, and the session's diagnostics name it.
  ///
  /// - Returns: The output of its last run.
  @discardableResult
  public func child<Input, Output>(
    _ name: String, id: AnyHashable? = nil, input: Input, tracking: Tracking? = nil,
    _ body: @escaping (Scope) -> Output
  ) -> Output {
    child(name, id: id, tracking: tracking, given: ChildInput(input), body)
  }

  /// The same for a body that needs no scope.
  @discardableResult
  public func child<Output>(
    _ name: String, id: AnyHashable? = nil, tracking: Tracking? = nil, _ body: @escaping () -> Output
  ) -> Output {
    child(name, id: id, tracking: tracking, given: nil) { (_: Scope) in body() }
  }

  /// The same for a body that needs no scope.
  @discardableResult
  public func child<Input, Output>(
    _ name: String, id: AnyHashable? = nil, input: Input, tracking: Tracking? = nil,
    _ body: @escaping () -> Output
  ) -> Output {
    child(name, id: id, tracking: tracking, given: ChildInput(input)) { (_: Scope) in body() }
  }

  /// A scope makes children: the argument of a body is a scope, and what it makes is a child.
  @available(*, unavailable, renamed: "child(_:id:input:tracking:_:)")
  @discardableResult
  public func scope<Output>(
    _ name: String, id: AnyHashable? = nil, input: Any? = nil, tracking: Tracking? = nil,
    _ body: @escaping (Scope) -> Output
  ) -> Output {
    fatalError()
  }

  /// Runs the action once for the identity of this projection (its name and id, and those of its parents), after the run
  /// that first calls this. A projection that is made again with the same identity does not run it again.
  public func onFirstAppear(_ action: @escaping () -> Void) {
    guard let node = closedChild ?? frame.node else { return }
    let isFirst = engine.withLock { $0.appeared.insert(node.identity).inserted }
    if isFirst { frame.firstAppearances.append(action) }
  }

  /// Runs the action once, before the next run of this projection's body, or when the projection ends: it is cancelled, its
  /// parent no longer makes it, or the session is closed.
  ///
  ///     session.projection("Clock") { scope in
  ///       let timer = Timer(every: settings.interval)
  ///       scope.onCleanup { timer.stop() }
  ///     }
  ///
  /// Several actions run in reverse order, as with `defer`, and a child's before its parent's. The projection does not
  /// depend on what they read. The cause of what they write is the event that led to the next run or to the end.
  public func onCleanup(_ action: @escaping () -> Void) {
    guard let node = frame.node else { return }
    engine.withLock { _ in node.cleanups.append(action) }
  }

  private func child<Output>(
    _ name: String, id: AnyHashable?, tracking: Tracking?, given input: ChildInput?,
    _ body: @escaping (Scope) -> Output
  ) -> Output {
    // A scope that the app kept after the run has no node.
    guard let node = closedChild ?? frame.node else { return body(self) }
    let key = Node.Key(name: name, id: id)
    let child: Node
    let output: OutputBox<Output>
    if let known = node.children[key], let box = known.output as? OutputBox<Output> {
      (child, output) = (known, box)
    } else {
      (child, output) = engine.makeChild(of: node, key, tracking: tracking ?? node.tracking)
    }
    let isDirty = engine.withLock { state in
      if let input, !input.isComparable { state.reportIncomparable(input, of: child) }
      return child.isDirty
    }
    let isSame = input?.isSame(as: child.input)
    let isCurrent = !isDirty && isSame == true
    child.input = input
    child.inputChanged = isSame.map { !$0 }
    frame.visited.insert(ObjectIdentifier(child))
    engine.setBody(of: child, output, body)
    if !isCurrent { engine.evaluate(child) }
    // A body that has closed its own session still gets the outputs of children; these are not kept.
    return output.value ?? body(Scope(frame: frame, closedChild: child))
  }
}

extension Engine {
  /// Sets what a node runs. A run compares its output with the last.
  fileprivate func setBody<Output>(
    of node: Node, _ output: OutputBox<Output>, _ body: @escaping (Scope) -> Output
  ) {
    if Output.self == Void.self {
      // Nothing is compared, nor kept but that the node has run.
      node.run = { frame in
        let nothing = body(Scope(frame: frame))
        if !output.isSet { output.set(nothing) }
        return nil
      }
      return
    }
    let isCollection = holdsCollections(Output.self)
    node.run = { frame in
      let new = body(Scope(frame: frame))
      if isCollection { noteReadOfAll(of: new) }
      defer { output.set(new) }
      return output.differs(new)
    }
  }
}

/// Returns the result of `body`, so that the projection, derived value or callback that runs does not depend on what `body`
/// reads.
///
///     session.projection("Total") { _ in
///       let total = store.orders.count
///       untracked { print("\(store.user.name) sees \(total)") }   // a change of the name alone runs nothing
///       return total
///     }
///
/// It may be called anywhere, and nested. It affects only the innermost run: a child that is made in `body`, and a derived
/// value that is computed because `body` reads it, depend on what they read themselves. Writes are recorded as usual. The
/// standard library's `withObservationTracking` still tracks what `body` reads.
public func untracked<R>(_ body: () throws -> R) rethrows -> R { try Frame.untracked(body) }
