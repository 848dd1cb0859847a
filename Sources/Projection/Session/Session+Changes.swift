extension Session {
  /// A change of a watched value.
  public struct Change<Value> {
    /// The value when it was last told.
    public let old: Value
    /// The value now.
    public let new: Value
  }

  /// The changes of the value at a key path from now on, as ``onChange(of:in:name:fileID:line:_:)`` tells them.
  ///
  ///     for await change in session.changes(of: \.isLoading, in: store) { print(change.new) }
  ///
  /// It ends with the session. Letting go of it, or cancelling the task that iterates, ends the subscription.
  ///
  /// - Parameters:
  ///   - interval: The least time from one to the next; see `onChange(of:in:throttledTo:)`.
  ///   - limit: What becomes of changes that come faster than they are taken; all wait by default.
  public func changes<Root: RecordedObject, Value: Sendable>(
    of keyPath: KeyPath<Root, Value>, in object: Root, throttledTo interval: Duration? = nil,
    bufferingPolicy limit: AsyncStream<Change<Value>>.Continuation.BufferingPolicy = .unbounded,
    name: String? = nil, fileID: String = #fileID, line: Int = #line
  ) -> AsyncStream<Change<Value>> {
    let (stream, continuation) = AsyncStream.makeStream(of: Change<Value>.self, bufferingPolicy: limit)
    let pace = interval.map { Pace.throttled($0) }
    let subscription = watch(keyPath, in: object, name, pace: pace, site: engine.site(fileID, line)) {
      old, new in
      continuation.yield(Change(old: old, new: new))
    }
    let id = subscription.node.id
    subscription.node.onEnd = { continuation.finish() }
    continuation.onTermination = { [weak engine] _ in engine?.cancel(id) }
    return stream
  }
}

extension Session.Change: Sendable where Value: Sendable {}
