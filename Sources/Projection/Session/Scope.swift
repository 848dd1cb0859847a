import EventLog

/// What the body of a projection is handed: where it makes its children.
///
/// Use it only while the body runs.
public struct Scope {
  let frame: Frame
  /// The child whose body runs within its parent's frame, once the session is closed.
  var closedChild: Node?

  private var engine: Engine { frame.engine }

  /// Makes or keeps a child that follows its parent: it runs whenever the parent does, and by itself when
  /// only what it reads changes.
  ///
  /// - Parameters:
  ///   - name: Its name; with its id and its parent, what it is from run to run.
  ///   - id: Tells it from other children of the same name.
  ///   - tracking: How finely it follows what it reads; its parent's way by default.
  /// - Returns: The output of its last run.
  @discardableResult
  public func child<Output>(
    _ name: String, id: AnyHashable? = nil, tracking: Tracking? = nil, _ body: @escaping (Scope) -> Output
  ) -> Output {
    child(name, id: id, tracking: tracking, given: nil, body)
  }

  /// Makes or keeps a child that is skipped while its input is equal to the last and nothing that it read
  /// has changed.
  ///
  /// - Returns: The output of its last run.
  @discardableResult
  public func child<Input, Output>(
    _ name: String, id: AnyHashable? = nil, input: Input, tracking: Tracking? = nil,
    _ body: @escaping (Scope) -> Output
  ) -> Output {
    child(name, id: id, tracking: tracking, given: ChildInput(input), body)
  }

  /// Runs the action once for what this projection is (its name, its id and its parents'), after the run in
  /// which it is first met. A projection made again with the same identity does not run it again.
  public func onFirstAppear(_ action: @escaping () -> Void) {
    guard let node = closedChild ?? frame.node else { return }
    let isFirst = engine.lock.withLock { engine.appeared.insert(node.identity).inserted }
    if isFirst { frame.firstAppearances.append(action) }
  }

  /// Runs the action once this run is over and done with: right before the next run of this projection's body, or at its
  /// end, which is when it is cancelled, its parent no longer makes it, or the session is closed.
  ///
  ///     session.projection("Clock") { scope in
  ///       let timer = Timer(every: settings.interval)
  ///       scope.onCleanup { timer.stop() }
  ///     }
  ///
  /// Of several actions the last runs first, as with `defer`, and a child's before its parent's. Nothing depends on what
  /// they read; what they write has as its cause what led to the run or the end.
  public func onCleanup(_ action: @escaping () -> Void) {
    guard let node = frame.node else { return }
    engine.lock.withLock { node.cleanups.append(action) }
  }

  private func child<Output>(
    _ name: String, id: AnyHashable?, tracking: Tracking?, given input: ChildInput?,
    _ body: @escaping (Scope) -> Output
  ) -> Output {
    // Only one that was kept after its run has no projection.
    guard let node = closedChild ?? frame.node else { return body(self) }
    let key = Node.Key(name: name, id: id)
    let child: Node
    let output: OutputBox<Output>
    if let known = node.children[key], let box = known.output as? OutputBox<Output> {
      (child, output) = (known, box)
    } else {
      (child, output) = engine.makeChild(of: node, key, tracking: tracking ?? node.tracking)
    }
    let isDirty = engine.lock.withLock { child.isDirty }
    let isCurrent = !isDirty && (input?.isSame(as: child.input) ?? false)
    child.input = input
    frame.visited.insert(ObjectIdentifier(child))
    engine.setBody(of: child, output, body)
    if !isCurrent { engine.evaluate(child) }
    // A body that closes its own session still gets its outputs; nothing is kept of them.
    return output.value ?? body(Scope(frame: frame, closedChild: child))
  }
}

/// A child's input, compared at run time as properties are.
final class ChildInput {
  private let value: Any
  private let compare: (Any) -> Bool

  init<Input>(_ input: Input) {
    value = input
    compare = { other in (other as? Input).flatMap { Sameness.dynamic(input, $0) } ?? false }
  }

  func isSame(as other: ChildInput?) -> Bool { other.map { compare($0.value) } ?? false }
}
