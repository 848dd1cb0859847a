import EventLog

extension Session {
  /// Runs `body` now, and again whenever what it read has changed.
  ///
  /// - Parameters:
  ///   - name: Its name in the log; what comes before a `#` groups instances.
  ///   - tracking: How finely it follows what it reads.
  @discardableResult
  public func projection<Output>(
    _ name: String, tracking: Tracking = .element, fileID: String = #fileID, line: Int = #line,
    _ body: @escaping (Scope) -> Output
  ) -> Subscription {
    let node = engine.makeTopLevel(name: name, tracking: tracking, site: engine.site(fileID, line))
    engine.setBody(of: node, OutputBox<Output>(), body)
    engine.evaluate(node)
    return Subscription(engine: engine, node: node)
  }

  /// A value computed from recorded state, kept until something that it read changes.
  ///
  /// It is computed when it is first read, and then again as soon as it is out of date if somebody depends
  /// on it, else when it is next read. Its readers are woken only when the new value differs from the old.
  ///
  /// - Parameter name: Its name; its values are published at `derived.name`.
  public func derived<Value>(
    _ name: String, tracking: Tracking = .element, fileID: String = #fileID, line: Int = #line,
    _ compute: @escaping () -> Value
  ) -> Derived<Value> {
    Derived(engine: engine, name: name, tracking: tracking, site: engine.site(fileID, line), compute)
  }
}

/// A projection or callback that lives until it is cancelled or its session ends.
///
/// Letting go of it changes nothing.
public final class Subscription {
  private let engine: Engine
  let node: Node

  init(engine: Engine, node: Node) {
    self.engine = engine
    self.node = node
  }

  /// The name under which the log knows it.
  public var name: String { node.name }

  /// Ends it and all its children: they never run again, even if they are out of date already.
  public func cancel() {
    engine.cancel(node)
  }
}
