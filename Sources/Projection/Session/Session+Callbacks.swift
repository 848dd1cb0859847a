import EventLog

extension Session {
  /// Calls `action` with the old and the new value each time the value at a key path has changed. A set to an
  /// equal value is not a change. A transaction is one change, if the value at its end differs from that at
  /// its beginning.
  ///
  /// The callback's name in the log is `name`, by default for example `onChange(store.isLoading)`.
  ///
  /// - Returns: A handle to end the callback. Releasing the handle does not end it.
  @discardableResult
  public func onChange<Root: RecordedObject, Value>(
    of keyPath: KeyPath<Root, Value>, in object: Root, name: String? = nil, fileID: String = #fileID,
    line: Int = #line, isolation: (any Actor)? = #isolation,
    _ action: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> ProjectionHandle {
    watch(keyPath, in: object, name, pace: nil, site: engine.site(fileID, line), home: isolation, action)
  }

  /// Calls `action` as ``onChange(of:in:name:fileID:line:isolation:_:)`` does, but at most once per interval.
  ///
  /// It is called at once for the first change, and once at the end of the interval for later changes, if the
  /// value then differs from that of the last call. All sets are recorded, and are in the timeline.
  @discardableResult
  public func onChange<Root: RecordedObject, Value>(
    of keyPath: KeyPath<Root, Value>, in object: Root, throttledTo interval: Duration, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, isolation: (any Actor)? = #isolation,
    _ action: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> ProjectionHandle {
    watch(
      keyPath, in: object, name, pace: .throttled(interval), site: engine.site(fileID, line), home: isolation,
      action)
  }

  /// Calls `action` as ``onChange(of:in:name:fileID:line:isolation:_:)`` does, after the value has not changed for an
  /// interval.
  @discardableResult
  public func onChange<Root: RecordedObject, Value>(
    of keyPath: KeyPath<Root, Value>, in object: Root, debouncedFor interval: Duration, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, isolation: (any Actor)? = #isolation,
    _ action: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> ProjectionHandle {
    watch(
      keyPath, in: object, name, pace: .debounced(interval), site: engine.site(fileID, line), home: isolation,
      action)
  }

  /// Calls `action` with the value of every set at a key path, including sets to an equal value. For sets
  /// within a transaction it is called at the end of the transaction, once for each set.
  ///
  /// The callback's name in the log is `name`, by default for example `onReceive(store.isLoading)`.
  ///
  /// - Returns: A handle to end the callback. Releasing the handle does not end it.
  @discardableResult
  public func onReceive<Root: RecordedObject, Value>(
    of keyPath: KeyPath<Root, Value>, in object: Root, name: String? = nil, fileID: String = #fileID,
    line: Int = #line, isolation: (any Actor)? = #isolation, _ action: @escaping (_ value: Value) -> Void
  ) -> ProjectionHandle {
    let frame = engine.reading { registerReadOfAll(of: object[keyPath: keyPath]) }
    let node = engine.makeTopLevel(
      name: name ?? engine.name(of: "onReceive", keyPath, in: object, frame), tracking: .element,
      site: engine.site(fileID, line), home: isolation)
    node.isDirty = false
    // Its action may read anything.
    node.runsToObserved = 0
    var pending: [Value] = []
    node.run = { [unowned node] frame in
      registerReadOfAll(of: object[keyPath: keyPath])
      frame.isTracking = false
      let values = pending
      pending = []
      guard frame.engine.mayCall(node, times: values.count) else { return nil }
      frame.engine.callOut { for value in values where !node.isDisposed { action(value) } }
      return nil
    }
    engine.addReceiver(node, reading: frame) { [unowned engine] in
      engine.reading {
        let value = object[keyPath: keyPath]
        registerReadOfAll(of: value)
        pending.append(value)
      }
    }
    engine.release(frame)
    return ProjectionHandle(engine: engine, node: node)
  }

  /// Makes the node of a callback that runs after changes.
  private func watch<Root: RecordedObject, Value>(
    _ keyPath: KeyPath<Root, Value>, in object: Root, _ name: String?, pace: Pace?, site: String,
    home: (any Actor)?, _ action: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> ProjectionHandle {
    let frame = engine.reading { registerReadOfAll(of: object[keyPath: keyPath]) }
    let node = engine.makeTopLevel(
      name: name ?? engine.name(of: "onChange", keyPath, in: object, frame), tracking: .element, site: site,
      home: home)
    engine.release(frame)
    // Its action may read anything.
    node.runsToObserved = 0
    var last: Value?
    let isCollection = holdsCollections(Value.self)
    node.run = { frame in
      let new = object[keyPath: keyPath]
      if isCollection { registerReadOfAll(of: new) }
      frame.isTracking = false
      guard let old = last else {
        last = new
        return nil
      }
      last = new
      if isSame(old, new) ?? false { return false }
      frame.engine.callOut { action(old, new) }
      return true
    }
    engine.evaluate(node)
    node.pacing = pace.map(Pacing.init)
    return ProjectionHandle(engine: engine, node: node)
  }

  /// A change of a watched value.
  public struct Change<Value> {
    /// The value after the previous change, or when the sequence began.
    public let old: Value
    /// The value after the change.
    public let new: Value
    /// Why it changed, for what is done about it: the loop is in a task of its own, to which nothing else leads.
    ///
    ///     for await change in session.changes(of: \.query, in: search) {
    ///       await change.cause.run { await search.load(change.new) }
    ///     }
    public let cause: SessionCause
  }

  /// The changes of the value at a key path from now on, as ``onChange(of:in:name:fileID:line:isolation:_:)`` reports
  /// them.
  ///
  ///     for await change in session.changes(of: \.isLoading, in: store) { print(change.new) }
  ///
  /// The sequence ends with the session. Releasing it, or cancelling the task that iterates, ends the
  /// subscription.
  ///
  /// `interval` is the least time between two changes, as in `onChange(of:in:throttledTo:)`. `limit`
  /// determines what happens to changes that are not consumed in time; by default all are buffered.
  public func changes<Root: RecordedObject, Value: Sendable>(
    of keyPath: KeyPath<Root, Value>, in object: Root, throttledTo interval: Duration? = nil,
    bufferingPolicy limit: AsyncStream<Change<Value>>.Continuation.BufferingPolicy = .unbounded,
    name: String? = nil, fileID: String = #fileID, line: Int = #line, isolation: (any Actor)? = #isolation
  ) -> AsyncStream<Change<Value>> {
    let (stream, continuation) = AsyncStream.makeStream(of: Change<Value>.self, bufferingPolicy: limit)
    let pace = interval.map { Pace.throttled($0) }
    let subscription = watch(
      keyPath, in: object, name, pace: pace, site: engine.site(fileID, line), home: isolation
    ) {
      [unowned engine] old, new in
      continuation.yield(
        Change(old: old, new: new, cause: SessionCause(engine: engine, seq: engine.currentCause)))
    }
    let (id, order) = (subscription.node.id, subscription.node.order)
    subscription.node.onEnd = { continuation.finish() }
    continuation.onTermination = { [weak engine] _ in engine?.cancel(id, order: order) }
    return stream
  }
}

extension Session.Change: Sendable where Value: Sendable {}
