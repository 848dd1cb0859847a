import EventLog

extension Session {
  /// Calls `action` with the old and the new value whenever the value at a key path has changed. A set to
  /// an equal value does not count; a transaction counts once, if its end differs from its beginning.
  ///
  /// - Parameter name: Its name in the log; `onChange(store.isLoading)` by default.
  @discardableResult
  public func onChange<Root: RecordedObject, Value>(
    of keyPath: KeyPath<Root, Value>, in object: Root, name: String? = nil, fileID: String = #fileID,
    line: Int = #line, _ action: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> Subscription {
    watch(keyPath, in: object, name, pace: nil, site: engine.site(fileID, line), action)
  }

  /// Calls `action` as ``onChange(of:in:name:fileID:line:_:)`` does, but not more often than once in an interval.
  ///
  /// The first change is told at once. Of those that follow within the interval the last is told at its end, with the
  /// value that was told before as the old one; nothing, if they have led back to that. All are recorded, and all
  /// show in the timeline.
  @discardableResult
  public func onChange<Root: RecordedObject, Value>(
    of keyPath: KeyPath<Root, Value>, in object: Root, throttledTo interval: Duration, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, _ action: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> Subscription {
    watch(keyPath, in: object, name, pace: .throttled(interval), site: engine.site(fileID, line), action)
  }

  /// Calls `action` as ``onChange(of:in:name:fileID:line:_:)`` does, once the value has not changed for an interval.
  @discardableResult
  public func onChange<Root: RecordedObject, Value>(
    of keyPath: KeyPath<Root, Value>, in object: Root, debouncedFor interval: Duration, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, _ action: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> Subscription {
    watch(keyPath, in: object, name, pace: .debounced(interval), site: engine.site(fileID, line), action)
  }

  /// Calls `action` with the value after every set at a key path, to an equal value too; in a transaction
  /// once for each set, at its end.
  @discardableResult
  public func onReceive<Root: RecordedObject, Value>(
    of keyPath: KeyPath<Root, Value>, in object: Root, name: String? = nil, fileID: String = #fileID,
    line: Int = #line, _ action: @escaping (_ value: Value) -> Void
  ) -> Subscription {
    let frame = engine.reading { noteReadOfAll(of: object[keyPath: keyPath]) }
    let node = engine.makeTopLevel(
      name: name ?? engine.name(of: "onReceive", frame), tracking: .element, site: engine.site(fileID, line))
    node.isDirty = false
    var pending: [Value] = []
    node.run = { [unowned node] frame in
      noteReadOfAll(of: object[keyPath: keyPath])
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
        noteReadOfAll(of: value)
        pending.append(value)
      }
    }
    return Subscription(engine: engine, node: node)
  }

  func watch<Root: RecordedObject, Value>(
    _ keyPath: KeyPath<Root, Value>, in object: Root, _ name: String?, pace: Pace?, site: String,
    _ action: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> Subscription {
    let frame = engine.reading { noteReadOfAll(of: object[keyPath: keyPath]) }
    let node = engine.makeTopLevel(
      name: name ?? engine.name(of: "onChange", frame), tracking: .element, site: site)
    var last: Value?
    let isCollection = holdsCollections(Value.self)
    node.run = { frame in
      let new = object[keyPath: keyPath]
      if isCollection { noteReadOfAll(of: new) }
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
    return Subscription(engine: engine, node: node)
  }
}
