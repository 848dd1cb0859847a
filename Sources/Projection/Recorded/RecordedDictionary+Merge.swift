extension RecordedDictionary {
  /// Makes the dictionary what a snapshot is, entry by entry: values that differ are replaced, others come and go.
  /// Readers of what is as it was are not woken. All of it is one transaction. Cost: n log n.
  ///
  /// An object is replaced by the snapshot's; to keep it, and all who hold it, use ``merge(_:update:insert:)``.
  @discardableResult
  public mutating func merge(
    _ snapshot: [Key: Value], fileID: String = #fileID, line: Int = #line
  ) -> MergeReport<Key> {
    merge(snapshot, in: Self.inOrder(snapshot), site: "\(fileID):\(line)") { dictionary, key, value in
      guard let old = dictionary.storage[key], ElementContents.differ(old, value) else { return false }
      dictionary.updateValue(value, forKey: key)
      return true
    } insert: {
      $0
    }
  }

  /// Makes the dictionary what a snapshot says, and keeps the values that there are: each takes over what the snapshot
  /// says of it, others are made and go. See ``RecordedArray/merge(_:update:insert:)``.
  @discardableResult
  public mutating func merge<New>(
    _ snapshot: [Key: New], fileID: String = #fileID, line: Int = #line,
    update: (_ value: inout Value, _ new: New) throws -> Void, insert: (_ new: New) throws -> Value
  ) rethrows -> MergeReport<Key> {
    let order = RecordedDictionary<Key, New>.inOrder(snapshot)
    return try merge(snapshot, in: order, site: "\(fileID):\(line)") { dictionary, key, new in
      guard let old = dictionary.storage[key] else { return false }
      var value = old
      let before = ElementContents(value)
      try update(&value, new)
      if ElementContents.differ(old, value) { dictionary.updateValue(value, forKey: key) }
      return before.differ(from: value)
    } insert: {
      try insert($0)
    }
  }

  private mutating func merge<New>(
    _ snapshot: [Key: New], in order: [(text: String, key: Key, value: New)], site: String,
    update: (_ dictionary: inout Self, _ key: Key, _ new: New) throws -> Bool,
    insert: (_ new: New) throws -> Value
  ) rethrows -> MergeReport<Key> {
    mutation?.makeTransaction("merge", site: site)
    var report = MergeReport<Key>()
    for (_, key, new) in order {
      if storage[key] == nil {
        report.inserted.append(key)
        updateValue(try insert(new), forKey: key)
      } else if try update(&self, key, new) {
        report.updated.append(key)
      } else {
        report.unchangedCount += 1
      }
    }
    for (_, key, _) in Self.inOrder(storage.filter { snapshot[$0.key] == nil }) {
      removeValue(forKey: key)
      report.removed.append(key)
    }
    return report
  }
}
