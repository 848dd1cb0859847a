import EventLog

extension Session {
  /// Makes a projection whose body its host runs, as SwiftUI runs the body of a view.
  ///
  ///     let row = session.hosted("Row", id: item.id, parent: list)
  ///     let label = row.run { Label(item.title) }     // in the host's own time, again and again
  ///     row.dispose()                                 // when the view is gone
  ///
  /// The session records each run and what it read, and that it is out of date when that changes; it never runs the
  /// body itself. What makes the host run it again is up to the host: the standard library's observation, which the same
  /// reads feed, or ``HostedProjection/isInvalidated``.
  ///
  /// - Parameters:
  ///   - name: Its name in the log. Instances with the same text before a `#` form a group.
  ///   - id: Tells it from others of that name: the log has it as `name#id`.
  ///   - parent: The one in which it is shown; if nil, the one that is running on this thread, if any.
  ///   - tracking: Whether it depends on elements, properties or objects that it reads. Of properties, by default, as
  ///     observation does.
  ///   - fileID: The file of the call, for the log.
  ///   - line: Its line there.
  public func hosted(
    _ name: String, id: AnyHashable? = nil, parent: HostedProjection? = nil, tracking: Tracking = .property,
    fileID: String = #fileID, line: Int = #line
  ) -> HostedProjection {
    HostedProjection(
      engine, name, id: id, parent: parent, tracking: tracking, site: engine.site(fileID, line))
  }

  /// Ends the present turn of the host, in which children run because their parents did.
  ///
  /// A hosted projection that runs although nothing that it read has changed has the cause of its parent's run if that
  /// was in the same turn, else none. A turn ends by itself with the next change of the state or mark that no hosted
  /// run led to. Where a host runs bodies for reasons of its own, such as a list that is scrolled, call this at the end
  /// of its turns.
  public func endHostTurn() { engine.endHostTurn() }
}

/// A projection whose body its host runs; see ``Session/hosted(_:id:parent:tracking:fileID:line:)``.
///
/// It exists until it is disposed of or released, or its session ends. Its runs may be on any thread, but one at a time.
public final class HostedProjection: Sendable {
  private let engine: Engine
  /// Guarded by the engine's lock; nil if the session was closed when this was made.
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

  /// Runs the body, and records the run: what it read, how long it took without runs within it, what led to it, and
  /// whether its output differs from the last, as far as outputs of the type can be compared.
  ///
  /// The cause of the run, which writes in the body carry too, is the event that last invalidated the projection since it
  /// ran; else, where changes are collected or a transaction is open, the last of these that changed what it read; else the
  /// cause of its parent's run in the same turn (see ``Session/endHostTurn()``); else none. Runs may be nested. A body that
  /// throws has run; its output counts as unknown.
  ///
  /// Once the projection has ended, and within or beside another run of it, this only runs the body.
  ///
  /// - Parameters:
  ///   - inputChanged: Whether what the host hands in differs from what it handed in to the last run; nil if the host does
  ///     not know.
  ///   - body: The body; what it throws is thrown on.
  @discardableResult
  public func run<Output>(inputChanged: Bool? = nil, _ body: () throws -> Output) rethrows -> Output {
    guard let node else { return try body() }
    return try engine.run(hosted: node, inputChanged: inputChanged, body) { output in
      if holdsCollections(Output.self) { noteReadOfAll(of: output) }
      return compare(output, node)
    }
  }

  /// Runs an action of the host that follows from the last run: what it writes has the cause of that run, if both are in
  /// the same turn (see ``Session/endHostTurn()``). The projection does not depend on what the action reads.
  ///
  ///     label.perform { analytics.shown += 1 }     // once what the run returned is on the screen
  public func perform<Output>(_ action: () throws -> Output) rethrows -> Output {
    guard let node else { return try action() }
    return try engine.perform(after: node, action)
  }

  /// Whether something that it read has changed since its last run.
  public var isInvalidated: Bool {
    guard let node else { return false }
    return engine.withLock { _ in node.isDirty && !node.isDisposed } && !engine.isClosed
  }

  /// Ends it: it is never invalidated again, and its runs are not recorded. Doing so again does nothing.
  ///
  /// What is shown in it goes on, because a view may disappear before those within it, or be covered by one. Each is
  /// disposed of for itself.
  public func dispose() {
    if let node { engine.cancel(node) }
  }

  /// Whether an output differs from the last, which it replaces; nil if they cannot be compared.
  ///
  /// Outputs of a type that cannot be compared are not kept: a view would keep alive what it shows.
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
