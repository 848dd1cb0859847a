extension RecordedDictionary {
  /// The value for a key. Reading depends on that entry alone, also where the value is only compared with nil: whether
  /// there is one is what ``contains(key:)`` asks. Setting nil removes the entry.
  public subscript(key: Key) -> Value? {
    get { value(forKey: key) }
    set {
      if let newValue { updateValue(newValue, forKey: key) } else { removeValue(forKey: key) }
    }
    _modify {
      let key = keyToNote(key)
      let old = copyToCompare(of: key)
      let wasThere = mutation != nil && storage[key] != nil
      defer { noteMutation(of: key, wasThere: wasThere, from: old) }
      yield &storage[key]
    }
  }

  /// The value for a key, or a default. Reading depends on that entry alone; a mutation in place begins with the
  /// default where there is no value.
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get { self[key] ?? defaultValue() }
    set { updateValue(newValue, forKey: key) }
    _modify {
      let key = keyToNote(key)
      let old = copyToCompare(of: key)
      let wasThere = mutation != nil && storage[key] != nil
      defer { noteMutation(of: key, wasThere: wasThere, from: old) }
      yield &storage[key, default: defaultValue()]
    }
  }

  /// The value for a key, for who reads it.
  private func value(forKey key: Key) -> Value? {
    guard let anchor else { return storage[key] }
    return anchor.part(storage[key], ifAnyAt: .key(of: ownKey(key)))
  }

  /// Whether there is a value for a key. Depends on nothing else: neither on the value, nor on other entries.
  public func contains(key: Key) -> Bool {
    let isThere = storage[key] != nil
    anchor?.notePresence(of: .key(of: ownKey(key)), isThere: isThere)
    return isThere
  }

  /// Sets the value for a key, and returns the one before if there was one.
  @discardableResult
  public mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
    let key = keyToNote(key)
    let old = storage.updateValue(value, forKey: key)
    note(.set(key, value, isSame: old.map { Self.isSameValue($0, value) } ?? false), of: key)
    return old
  }

  /// Removes an entry, and returns its value if there was one.
  @discardableResult
  public mutating func removeValue(forKey key: Key) -> Value? {
    let key = keyToNote(key)
    let old = storage.removeValue(forKey: key)
    note(.removed(key, isSame: old == nil), of: key)
    return old
  }

  /// Removes the entry at a position, and returns it.
  @discardableResult
  public mutating func remove(at position: Index) -> Element {
    let entry = storage.remove(at: position)
    note(.removed(entry.key, isSame: false), of: entry.key)
    return entry
  }

  /// Removes some entry, if there is one, and returns it.
  public mutating func popFirst() -> Element? {
    storage.isEmpty ? nil : remove(at: storage.startIndex)
  }

  /// Removes all entries. Logged as one set.
  public mutating func removeAll(keepingCapacity keepCapacity: Bool = false) {
    noteRemovalOfAll()
    storage.removeAll(keepingCapacity: keepCapacity)
  }

  /// Removes the entries that satisfy a predicate. When the predicate throws nothing has changed.
  public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    for (_, key, _) in Self.inOrder(try storage.filter(shouldBeRemoved)) { removeValue(forKey: key) }
  }

  /// Puts in other entries; where a key is there already, what `combine` makes of the two values.
  public mutating func merge(
    _ other: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    for (key, value) in other { try merge(key, value, combine) }
  }

  /// Puts in other entries; where a key is there already, what `combine` makes of the two values.
  public mutating func merge(
    _ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    for (_, key, value) in Self.inOrder(other) { try merge(key, value, combine) }
  }

  private mutating func merge(
    _ key: Key, _ value: Value, _ combine: (Value, Value) throws -> Value
  ) rethrows {
    updateValue(try storage[key].map { try combine($0, value) } ?? value, forKey: key)
  }

  /// Makes room for this many entries.
  public mutating func reserveCapacity(_ minimumCapacity: Int) { storage.reserveCapacity(minimumCapacity) }

  /// How many entries there is room for.
  public var capacity: Int { storage.capacity }

  /// The value before a mutation in place, if it is to be compared.
  func copyToCompare(of key: Key) -> Value? {
    mutation != nil && Self.comparesCopies ? storage[key] : nil
  }
}

extension RecordedDictionary where Value: RecordedCollection {
  /// The collection for a key. What is read of it is registered by its own elements, besides whether it is there; and
  /// what is done to it is recorded as edits of it.
  public subscript(key: Key) -> Value? {
    get { value(forKey: key) }
    set {
      if let newValue { updateValue(newValue, forKey: key) } else { removeValue(forKey: key) }
    }
    _modify {
      let key = keyToNote(key)
      guard let mutation, storage[key]?._$beginEdits(mutation) != nil else {
        defer { noteMutation(of: key, wasThere: false, from: nil) }
        yield &storage[key]
        return
      }
      defer {
        if let edits = storage[key]?._$endEdits(mutation) ?? nil {
          note(.edited(key, edits.map(\.edit)), of: key)
        } else {
          noteMutation(of: key, wasThere: true, from: nil)
        }
      }
      yield &storage[key]
    }
  }

  /// The collection for a key, or a default: `groups["a", default: []].append(1)`.
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get { self[key] ?? defaultValue() }
    set { updateValue(newValue, forKey: key) }
    _modify {
      let key = keyToNote(key)
      guard let mutation, storage[key]?._$beginEdits(mutation) != nil else {
        defer { noteMutation(of: key, wasThere: false, from: nil) }
        yield &storage[key, default: defaultValue()]
        return
      }
      defer {
        if let edits = storage[key]?._$endEdits(mutation) ?? nil {
          note(.edited(key, edits.map(\.edit)), of: key)
        } else {
          noteMutation(of: key, wasThere: true, from: nil)
        }
      }
      yield &storage[key, default: defaultValue()]
    }
  }
}
