import EventLog

extension Session {
  /// Makes a projection whose body is run by a host, as SwiftUI runs the body of a view.
  ///
  ///     let row = session.hosted("Row", id: item.id, parent: list)
  ///     let label = row.run { Label(item.title) }     // whenever the host decides, repeatedly
  ///     row.dispose()                                 // when the view is gone
  ///
  /// The session records each run and its reads, and invalidates the projection when what it has read
  /// changes; it never runs the body itself. The host decides when to run the body again:
  /// ``HostedProjection/onInvalidate(_:)`` calls it when a projection goes out of date, and
  /// ``invalidatedHosted`` has all that are, for a host that draws once a frame. The standard library's
  /// observation gets the same reads, for hosts that use it.
  ///
  /// ``Delivery`` decides when a hosted projection goes out of date: after each change, or when the changes
  /// that are collected end, as with ``Delivery/manual`` at each ``flush(isolation:)``. It does not decide when the host
  /// runs the body. <doc:Hosts> has a host that draws once a frame.
  ///
  /// - Parameters:
  ///   - name: Its name in the log. Instances with the same text before a `#` form a group.
  ///   - id: Distinguishes it from others with that name: the log has it as `name#id`.
  ///   - parent: The projection in which it is shown; if nil, the one that is running on this thread, if any.
  ///   - tracking: Whether it depends on the elements, properties or objects that it reads; by default on
  ///     properties, as with observation.
  ///   - fileID: The file of the call, for the log; nil for no place. A framework that makes the projections of all views in
  ///     one line gives nil for all of them, or every view would be said to be there.
  ///   - line: The line of the call.
  ///   - isolation: The actor of the host, on which it is called (``HostedProjection/onInvalidate(_:)``).
  public func hosted(
    _ name: String, id: AnyHashable? = nil, parent: HostedProjection? = nil, tracking: Tracking = .property,
    fileID: String? = #fileID, line: Int = #line, isolation: (any Actor)? = #isolation
  ) -> HostedProjection {
    HostedProjection(
      engine, name, id: id, parent: parent, tracking: tracking,
      site: fileID.map { engine.site($0, line) }, home: isolation)
  }

  /// Draws a frame of a host: an action, and one turn.
  ///
  ///     session.frame { for row in session.invalidatedHosted { row.run { draw(row) } } }
  ///
  /// First it flushes the session. What runs in `body` has a cause: what put it out of date, or else its parent's cause, or else
  /// the frame. In a frame, a parent's run counts as the cause of its children's runs, whatever is changed meanwhile, and so
  /// does a run as that of its ``HostedProjection/perform(_:)``. So what follows from drawing, such as callbacks of views, belongs
  /// at the end of `body`.
  ///
  /// Cost: two events. A frame in which nothing is to be done is best left out.
  ///
  /// - Parameters:
  ///   - label: The name of the action.
  ///   - fileID: The file of the call, for the log.
  ///   - line: The line of the call.
  ///   - isolation: The actor of the host.
  ///   - body: Draws the frame.
  @discardableResult
  public func frame<R>(
    _ label: String = "frame", fileID: String = #fileID, line: Int = #line,
    isolation: (any Actor)? = #isolation, _ body: () throws -> R
  ) rethrows -> R {
    engine.flushAll(on: isolation)
    engine.beginFrame()
    defer { engine.endFrame() }
    return try action(label, fileID: fileID, line: line, body)
  }

  /// The hosted projections that are out of date, in order of creation.
  ///
  ///     for row in session.invalidatedHosted { row.run { draw(row) } }     // once a frame
  ///
  /// Cost: sorts them; those that are up to date cost nothing.
  public var invalidatedHosted: [HostedProjection] {
    engine.withLock { state in
      engine.isClosed
        ? [] : state.invalidatedHosted.inOrder().compactMap { $0.hosting?.handle as? HostedProjection }
    }
  }

  /// Ends the current turn of the host. Within a turn, a parent's run counts as the cause of its children's
  /// runs.
  ///
  /// If a hosted projection runs although nothing that it has read has changed, the run has the cause of its
  /// parent's run in the same turn, otherwise none. A turn also ends with the next change of the state, or
  /// mark, that no hosted run caused. If a host runs bodies for its own reasons, as a list does when it is
  /// scrolled, call this at the end of its turns. Each ``frame(_:fileID:line:isolation:_:)`` is a turn of its own.
  public func endHostTurn() { engine.endHostTurn() }
}

/// A projection whose body is run by a host; see ``Session/hosted(_:id:parent:tracking:fileID:line:isolation:)``.
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
    site: String?, home: (any Actor)?
  ) {
    self.engine = engine
    if engine.isClosed {
      node = nil
      self.name = NodeRegistry.wantedName(name, id: id, parent: parent?.node)
    } else {
      let parent = parent.flatMap { $0.engine === engine ? $0.node : nil }
      let node = engine.makeHosted(
        name: name, id: id, tracking: tracking, parent: parent, site: site, home: home)
      self.node = node
      self.name = node.name
      engine.withLock { _ in node.hosting?.handle = self }
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
    return try engine.run(hosted: node, inputChanged: inputChanged, body) { read($0, node) }
  }

  /// Runs the body as ``run(inputChanged:_:)`` does, with an input that the session compares with that of the
  /// last run, as it compares the inputs of `Scope.child(_:id:input:tracking:_:)`: an input that is not
  /// `Equatable` by its recordable parts. An input with a part that cannot be recorded, such as a closure,
  /// counts as different, and the session's diagnostics report it.
  ///
  /// - Parameters:
  ///   - input: What the host hands to the projection. It is kept until the next run.
  ///   - body: The body; its error is rethrown.
  @discardableResult
  public func run<Input, Output>(input: Input, _ body: () throws -> Output) rethrows -> Output {
    guard let node else { return try body() }
    return try engine.run(hosted: node, input: InputBox(input, after: node.input), inputChanged: nil, body) {
      read($0, node)
    }
  }

  /// Tells the session what the host has drawn for the projection, where that is known only after the body has run: the body of a
  /// view returns other views, and their picture exists when these have run.
  ///
  ///     let body = view.run { counter.body }
  ///     let picture = draw(body)              // runs the views in it
  ///     view.drew(picture)
  ///
  /// Whether it differs from what was drawn before is the answer to whether the run was of use, in place of what the body
  /// returned. Therefore the log gets the runs of this projection when this is called, from the second run on; or with an unknown
  /// output when the turn ends, it runs again or ends, something that it has read changes, or a transaction begins. The picture
  /// is kept until the next.
  ///
  /// What is told without a run since the last call is what the next is compared with: the picture of a parent of which only a
  /// child was drawn anew.
  ///
  /// Cost: after a run a comparison, as for the output of a run; else next to nothing.
  public func drew<Picture>(_ picture: Picture) {
    guard let node else { return }
    engine.drew(node, timing: ComparingTime.mayBeLong(of: Picture.self)) {
      differs(picture, node)
    } keep: {
      outputBox(for: Picture.self, node)?.set(picture)
    }
  }

  /// Makes an object a root that ends with this projection: the state that a framework keeps for a view.
  ///
  ///     view.attach(box, as: "count")         // in the log as "Counter#3 count"
  ///
  /// Its name is that of the projection, a space and `name`. When the projection ends, the root is given back as by
  /// ``Session/detach(_:)``.
  public func attach(_ object: some RecordedObject, as name: String) {
    guard let node else { return }
    engine.attach(object, as: "\(self.name) \(name)", until: node)
  }

  /// Whether a run with this input can be skipped: the projection is up to date, and its last run had the same
  /// input, by the comparison of ``run(input:_:)``.
  ///
  ///     if row.isCurrent(for: item) { row.skip() } else { row.run(input: item) { draw(item) } }
  public func isCurrent<Input>(for input: Input) -> Bool {
    guard let node else { return false }
    return engine.isCurrent(hosted: node, for: input)
  }

  /// Records that the host did not run the body with its parent's, because it would have got the same input.
  /// The log has it as the mark `not run, same input: Row#3`, with the cause of the parent's run.
  public func skip(fileID: String = #fileID, line: Int = #line) {
    if let node { engine.markSkip(hosted: node, site: engine.site(fileID, line)) }
  }

  /// Makes it a child of another projection; nil for none. It keeps what it has read, its last output and input,
  /// and whether it is out of date.
  ///
  /// In the log it ends, and begins anew with its name and reads, within a transaction when that ends. So it is the
  /// last in order of creation from then on. A move into itself, or into a projection within it, is not made, and the session's
  /// diagnostics report it.
  public func move(to parent: HostedProjection?) {
    guard let node else { return }
    engine.move(hosted: node, to: parent.flatMap { $0.engine === engine ? $0.node : nil })
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

  /// Calls an action each time the projection goes out of date, which then is up to date again only after its
  /// next run: a host can schedule a frame by it. Another call replaces the action, and nil removes it.
  ///
  ///     row.onInvalidate { [weak screen] in screen?.setNeedsDisplay() }
  ///
  /// It is called on the thread that made the change, after the outermost mutation or transaction, when the
  /// session's own projections have run; with a ``Delivery`` that collects changes, when the session flushes
  /// them. If the projection was put out of date by its own run, it is called when that run ends, and at once
  /// if the projection is out of date already. It may run the projection. What it writes has the change as its
  /// cause. The session keeps it until the projection ends, so it should not retain this object.
  public func onInvalidate(_ action: (() -> Void)?) {
    if let node { engine.setOnInvalidate(of: node, action) }
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

  /// Registers the reads of an output. Returns whether it differs from the last one, which it replaces; nil if they
  /// cannot be compared.
  ///
  /// Of a projection of which the host tells what it has drawn, that counts, and not what the body returns.
  private func read<Output>(_ output: Output, _ node: Node) -> Bool? {
    if holdsCollections(Output.self) { registerReadOfAll(of: output) }
    if node.hosting?.isDrawnLater == true { return nil }
    guard ComparingTime.mayBeLong(of: Output.self), let frame = Frame.current else {
      return differs(output, node)
    }
    return frame.timingComparison { differs(output, node) }
  }

  /// Whether an output differs from the last one, which it replaces; nil if they cannot be compared.
  private func differs<Output>(_ output: Output, _ node: Node) -> Bool? {
    guard let box = outputBox(for: Output.self, node) else { return nil }
    defer { box.set(output) }
    return box.differs(output)
  }

  /// What keeps outputs of a type for the next comparison.
  ///
  /// Outputs of a type that cannot be compared are not kept, because a view would keep its contents alive.
  private func outputBox<Output>(for type: Output.Type, _ node: Node) -> OutputBox<Output>? {
    if let known = node.output as? OutputBox<Output> { return known }
    guard type is any Equatable.Type || type is AnyClass || type is any OptionalValue.Type else { return nil }
    let box = OutputBox<Output>()
    node.output = box
    return box
  }
}
