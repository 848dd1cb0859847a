import EventLog

extension Session {
  /// Calls `action` with the old and the new value whenever the value at a key path has changed. A set to
  /// an equal value does not count; a transaction counts once, if its end differs from its beginning.
  @discardableResult
  public func onChange<Root: RecordedObject, Value>(
    of keyPath: KeyPath<Root, Value>, in object: Root, name: String? = nil,
    _ action: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> Subscription {
    let places = engine.placesRead { _ = object[keyPath: keyPath] }
    let node = engine.makeTopLevel(
      name: name ?? engine.name(of: "onChange", places), tracking: .element)
    var last: Value?
    node.run = { frame in
      let new = object[keyPath: keyPath]
      frame.isTracking = false
      guard let old = last else {
        last = new
        return nil
      }
      last = new
      if isSame(old, new) ?? false { return false }
      action(old, new)
      return true
    }
    engine.evaluate(node)
    return Subscription(engine: engine, node: node)
  }

  /// Calls `action` with the value after every set at a key path, to an equal value too; in a transaction
  /// once for each set, at its end.
  @discardableResult
  public func onReceive<Root: RecordedObject, Value>(
    of keyPath: KeyPath<Root, Value>, in object: Root, name: String? = nil,
    _ action: @escaping (_ value: Value) -> Void
  ) -> Subscription {
    let places = engine.placesRead { _ = object[keyPath: keyPath] }
    let node = engine.makeTopLevel(
      name: name ?? engine.name(of: "onReceive", places), tracking: .element)
    node.isDirty = false
    var pending: [Value] = []
    node.run = { frame in
      for place in places { frame.note(place) }
      frame.isTracking = false
      let values = pending
      pending = []
      for value in values { action(value) }
      return nil
    }
    engine.addReceiver(node, at: places) {
      pending.append(Frame.untracked { object[keyPath: keyPath] })
    }
    return Subscription(engine: engine, node: node)
  }
}
