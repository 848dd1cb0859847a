import EventLog

// Actions: what a person or the system did, with everything that it led to.

extension Session {
  /// Runs `body` as an action: what a person or the system did, such as a tap or a request.
  ///
  /// ```swift
  /// session.action("Sort") { store.sort() }
  /// ```
  ///
  /// The log has the action under its label, and how it ended. The writes, transactions, marks and first runs of `body` have it
  /// as their cause, and so has what its tasks do: child tasks, groups, `Task { }`, on any actor. The nearest cause counts:
  /// within a callback that is the event that called it. `Task.detached`, dispatch queues, timers and delegates carry nothing
  /// by themselves; ``cause`` is for them.
  ///
  /// Cost: two events.
  @discardableResult
  public func action<R>(
    _ label: String, fileID: String = #fileID, line: Int = #line, _ body: () throws -> R
  ) rethrows -> R {
    let seq = engine.beginAction(label, site: engine.site(fileID, line))
    do {
      guard let seq else { return try body() }
      let value = try Frame.withCause(seq, in: engine) { try engine.carrying(seq, body) }
      engine.endAction(seq, .returned)
      return value
    } catch {
      engine.endAction(seq, ActionOutcome(of: error))
      throw error
    }
  }

  /// Runs an asynchronous `body` as an action, as the synchronous function of this name does. It is cancelled if its task was
  /// by the time that it ends.
  ///
  /// ```swift
  /// try await session.action("Load feed") { store.items = try await api.load() }
  /// ```
  @discardableResult
  public func action<R>(
    _ label: String, fileID: String = #fileID, line: Int = #line,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
  ) async rethrows -> R {
    guard let seq = engine.beginAction(label, site: engine.site(fileID, line)) else {
      return try await body()
    }
    do {
      let value = try await AmbientCause.$current.withValue(
        AmbientCause.adding(seq, of: engine), operation: body, isolation: isolation)
      engine.endAction(seq, Task.isCancelled ? .cancelled : .returned)
      return value
    } catch {
      engine.endAction(seq, ActionOutcome(of: error))
      throw error
    }
  }

  /// A closure that runs `body` as an action each time that it is called, for a button.
  ///
  /// ```swift
  /// Button("Add", action: session.handler("Add") { store.add() })
  /// ```
  public func handler<R>(
    _ label: String, fileID: String = #fileID, line: Int = #line, _ body: @escaping @MainActor () -> R
  ) -> @MainActor () -> Void {
    { [self] in action(label, fileID: fileID, line: line) { _ = body() } }
  }

  /// A closure that starts a task with `body` as an action each time that it is called, for a button.
  ///
  /// ```swift
  /// Button("Refresh", action: session.handler("Refresh") { await store.refresh() })
  /// ```
  public func handler<R>(
    _ label: String, fileID: String = #fileID, line: Int = #line,
    _ body: @escaping @MainActor () async -> R
  ) -> @MainActor () -> Void {
    { [self] in
      Task { @MainActor in await action(label, fileID: fileID, line: line) { _ = await body() } }
    }
  }

  /// Why the current code runs: the action around it, or the event that called the callback that it is in. It is handed on by
  /// hand where tasks do not carry it.
  ///
  /// ```swift
  /// let cause = session.cause
  /// queue.async { cause.run { store.items = decoded } }
  /// ```
  public var cause: SessionCause { SessionCause(engine: engine, seq: engine.currentCause) }
}

// For packages that keep for each task what it belongs to.
extension Session {
  /// A number that no other session of this process has.
  package var number: UInt64 { engine.number }

  /// Begins an action, and returns its event; nil if the session is closed.
  ///
  /// - Parameter cause: Its cause; nil for that of the current code.
  package func beginAction(_ label: String, cause: UInt64?, fileID: String, line: Int) -> UInt64? {
    engine.beginAction(label, cause: cause, site: engine.site(fileID, line))
  }

  /// Ends an action, unless the session is closed by now.
  package func endAction(_ seq: UInt64?, _ outcome: ActionOutcome) { engine.endAction(seq, outcome) }

  /// Whether something is still to be done at the next turn of another actor: to record changes of followed objects, or to run
  /// what it made.
  package var awaitsTurn: Bool { engine.awaitsTurn || engine.awaitsOthers }

  /// The labels of the actions that have not ended.
  package var actionsUnderWay: [String] { engine.withLock { Array($0.actions.values) } }

  /// Looks for the events because of which code runs there, too: given the number of a session.
  package static func lookForCauses(in other: @escaping @Sendable (_ session: UInt64) -> UInt64?) {
    AmbientCause.look(in: other)
  }
}

/// Why some code runs, as ``Session/cause`` gives it.
public struct SessionCause: Sendable {
  let engine: Engine
  let seq: UInt64?

  /// Runs `body` for the same reason, with the tasks that it starts: for none if it was taken outside of any action.
  public func run<R>(_ body: () throws -> R) rethrows -> R {
    try Frame.withCause(seq, in: engine) { try AmbientCause.$current.withValue(list, operation: body) }
  }

  /// Runs an asynchronous `body` for the same reason, with the tasks that it starts.
  public func run<R>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
  ) async rethrows -> R {
    try await AmbientCause.$current.withValue(list, operation: body, isolation: isolation)
  }

  private var list: AmbientCause {
    seq.map { AmbientCause.adding($0, of: engine) }
      ?? AmbientCause.clearing(upTo: engine.withLock { $0.recorder.lastSeq }, of: engine)
  }
}

extension ActionOutcome {
  /// How an action ended that threw an error.
  package init(of error: any Error) {
    self = Task.isCancelled || error is CancellationError ? .cancelled : .threw
  }
}
