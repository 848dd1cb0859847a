import EventLog

extension Session {
  /// Makes a projection whose body is run by a host, as SwiftUI runs the body of a view.
  ///
  ///     let row = session.hosted("Row", id: item.id, parent: list)
  ///     let label = row.run { Label(item.title) }     // whenever the host decides, repeatedly
  ///     row.dispose()                                 // when the view is gone
  ///
  /// The session records each run and its reads, and invalidates the projection when what it has read
  /// changes; it never runs the body itself. The host decides when to run the body again, by the standard
  /// library's observation, which gets the same reads, or by ``HostedProjection/isInvalidated``.
  ///
  /// - Parameters:
  ///   - name: Its name in the log. Instances with the same text before a `#` form a group.
  ///   - id: Distinguishes it from others with that name: the log has it as `name#id`.
  ///   - parent: The projection in which it is shown; if nil, the one that is running on this thread, if any.
  ///   - tracking: Whether it depends on the elements, properties or objects that it reads; by default on
  ///     properties, as with observation.
  ///   - fileID: The file of the call, for the log.
  ///   - line: The line of the call.
  public func hosted(
    _ name: String, id: AnyHashable? = nil, parent: HostedProjection? = nil, tracking: Tracking = .property,
    fileID: String = #fileID, line: Int = #line
  ) -> HostedProjection {
    HostedProjection(
      engine, name, id: id, parent: parent, tracking: tracking, site: engine.site(fileID, line))
  }

  /// Ends the current turn of the host. Within a turn, a parent's run counts as the cause of its children's
  /// runs.
  ///
  /// If a hosted projection runs although nothing that it has read has changed, the run has the cause of its
  /// parent's run in the same turn, otherwise none. A turn also ends with the next change of the state, or
  /// mark, that no hosted run caused. If a host runs bodies for its own reasons, as a list does when it is
  /// scrolled, call this at the end of its turns.
  public func endHostTurn() { engine.endHostTurn() }
}

/// A projection whose body is run by a host; see ``Session/hosted(_:id:parent:tracking:fileID:line:)``.
///
/// It exists until it is disposed of or released, or until its session ends. Its runs may be on any thread,
/// but only one at a time.
public final class HostedProjection: Sendable {
  private let engine: Engine
  /// The node, guarded by the engine's lock; nil if the session was closed when this was made.
  private nonisolated(unsafe) let node: Node?

  /// Its name in the log, unique among the projections that exist: `Row#3`.
  public let name: String

  init(
    _ engine: Engine, _ name: String, id: AnyHashable?, parent: HostedProjection?, tracking: Tracking,
    site: String
  ) {
    self.engine = engine
    if engine.isClosed {
      node = nil
      self.name = NodeRegistry.wantedName(name, id: id, parent: parent?.node)
    } else {
      let parent = parent.flatMap { $0.engine === engine ? $0.node : nil }
      let node = engine.makeHosted(name: name, id: id, tracking: tracking, parent: parent, site: site)
      self.node = node
      self.name = node.name
    }
  }

  deinit {
    if let node { engine.abandon(hosted: node) }
  }

  /// Runs the body, and records the run: its reads, its duration without nested runs, its cause, and whether
  /// its output differs from the last one, if outputs of the type can be compared.
  ///
  /// The cause of the run, which writes in the body also get, is the first of these that exists: the event
  /// that last invalidated the projection since it ran; while changes are collected or a transaction is open,
  /// the last of these changes to what it has read; the cause of its parent's run in the same turn (see
  /// ``Session/endHostTurn()``). Runs may be nested. A run whose body throws is recorded, with an unknown
  /// output.
  ///
  /// If the projection has ended, or another run of it is in progress, this only runs the body.
  ///
  /// - Parameters:
  ///   - inputChanged: Whether the input from the host differs from that of the last run; nil if the host
  ///     does not know.
  ///   - body: The body; its error is rethrown.
  @discardableResult
  public func run<Output>(inputChanged: Bool? = nil, _ body: () throws -> Output) rethrows -> Output {
    guard let node else { return try body() }
    return try engine.run(hosted: node, inputChanged: inputChanged, body) { output in
      if holdsCollections(Output.self) { noteReadOfAll(of: output) }
      return compare(output, node)
    }
  }

  /// Runs an action of the host that follows from the last run. Its writes have the cause of that run, if
  /// both are in the same turn (see ``Session/endHostTurn()``). The projection does not depend on what the
  /// action reads.
  ///
  ///     label.perform { analytics.shown += 1 }     // after the result of the run is on the screen
  public func perform<Output>(_ action: () throws -> Output) rethrows -> Output {
    guard let node else { return try action() }
    return try engine.perform(after: node, action)
  }

  /// Whether something that it has read has changed since its last run.
  public var isInvalidated: Bool {
    guard let node else { return false }
    return engine.withLock { _ in node.isDirty && !node.isDisposed } && !engine.isClosed
  }

  /// Ends it: it is never invalidated again, and its runs are not recorded. Calling this again does nothing.
  ///
  /// Its children are not ended, because a view may disappear before the views within it, or be covered by
  /// one of them. Each is disposed of separately.
  public func dispose() {
    if let node { engine.cancel(node) }
  }

  /// Whether an output differs from the last one, which it replaces; nil if they cannot be compared.
  ///
  /// Outputs of a type that cannot be compared are not kept, because a view would keep its contents alive.
  private func compare<Output>(_ output: Output, _ node: Node) -> Bool? {
    let type = Output.self
    guard type is any Equatable.Type || type is AnyClass || type is any OptionalValue.Type else { return nil }
    let box = node.output as? OutputBox<Output> ?? OutputBox()
    defer {
      box.set(output)
      node.output = box
    }
    return box.differs(output)
  }
}
