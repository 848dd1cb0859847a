import Algorithms
import EventLog

extension Dictionary: PlainCollection {
  func agrees(with old: Self) -> Bool {
    if count != old.count { return false }
    let changes = changes(from: old) { MapKey.text(of: $0).hasSameBytes(as: MapKey.text(of: $1)) }
    return changes.set.isEmpty && changes.removed.isEmpty
  }

  func edits(from old: Self, recorded: EventLog.Value, by encoder: some ElementEncoding) -> [Edit]? {
    edits(from: old, recorded: recorded, by: encoder) { MapKey.text(of: $0) }
  }

  /// - Parameter text: Returns the text of a key in the log; nil if it has none.
  func edits(
    from old: Self, recorded: EventLog.Value, by encoder: some ElementEncoding, text: (Key) -> String?
  ) -> [Edit]? {
    if case .array(let pairs) = recorded { return pairEdits(from: old, pairs, by: encoder) }
    guard case .map(let recorded) = recorded, recorded.count == old.count else { return nil }
    let changes = changes(from: old) { text($0).hasSameBytes(as: text($1)) }
    // If two keys have the same text, the whole dictionary is encoded in another way, so this is checked
    // before any value is encoded.
    var removed: [ExactString] = []
    for key in changes.removed {
      guard let text = text(key), recorded[text] != nil else { return nil }
      removed.append(ExactString(text))
    }
    var set: [ExactString: Value] = [:]
    for (entry, isNew) in changes.set {
      guard let text = text(entry.key), (recorded[text] == nil) == isNew,
        set.updateValue(entry.value, forKey: ExactString(text)) == nil
      else { return nil }
    }
    if Edit.isWhole(removed.count + set.count, of: count) {
      let others = Set(removed).union(set.keys)
      var entries = recorded.filter { !others.contains(ExactString($0.key)) }.map {
        (ExactString($0.key), $0.value)
      }
      entries += set.map { ($0.key, encoder.encodeElement($0.value)) }
      entries.sort { $0.0 < $1.0 }
      return [Edit(kind: .set(.map(NamedValues(uniqueKeysWithValues: entries.map { ($0.0.string, $0.1) }))))]
    }
    let removals = removed.sorted().map { Edit(components: [.key($0.string)], kind: .remove) }
    return set.sorted { $0.key < $1.key }.reduce(into: removals) { edits, entry in
      let (text, value) = (entry.key.string, encoder.encodeElement(entry.value))
      if let before = recorded[text] {
        edits += ValueDiff.edits(from: before, to: value, prefersEdits: false).map { $0.within(.key(text)) }
      } else {
        edits.append(Edit(components: [.key(text)], kind: .set(value)))
      }
    }
  }

  /// The same for a dictionary whose keys have no texts: it is recorded as pairs, in the order of the keys.
  private func pairEdits(
    from old: Self, _ recorded: [EventLog.Value], by encoder: some ElementEncoding
  ) -> [Edit]? {
    // An empty dictionary is recorded as a map.
    guard recorded.count == old.count, !isEmpty, MapKey.areWithoutText(Key.self) else { return nil }
    let bytes = StoredBytes.of(Key.self)
    let changes = changes(from: old) { bytes.agree($0, $1) }
    // Two keys may be recorded alike.
    var (gone, keys, new): (Set<Int>, Set<EventLog.Value>, [EventLog.Value]) = ([], [], [])
    for key in changes.removed {
      guard let index = recorded.onlyIndex(ofKey: encoder.encode(key)) else { return nil }
      gone.insert(index)
    }
    for (entry, isNew) in changes.set {
      let key = encoder.encode(entry.key)
      let index = recorded.onlyIndex(ofKey: key)
      guard keys.insert(key).inserted, (index == nil) == isNew else { return nil }
      if let index { gone.insert(index) }
      new.append(.array([key, encoder.encodeElement(entry.value)]))
    }
    let pairs = recorded.sorted(without: gone, with: new)
    if Edit.isWhole(changes.removed.count + new.count, of: count) { return [Edit(kind: .set(.array(pairs)))] }
    return ValueDiff.arrayEdits(from: recorded, to: pairs)
  }

  /// The entries that are new or do not agree with those before, and the removed keys.
  ///
  /// A dictionary that was copied and then changed mostly keeps the order of its entries, so the two are
  /// compared as arrays, many entries at a time. Keys are looked up only where the orders differ.
  ///
  /// - Parameter areSame: Whether two equal keys are recorded alike. Two spellings of an accented letter are the same
  ///   key for the app, but two keys for the log.
  private func changes(
    from old: Self, areSame: (Key, Key) -> Bool
  ) -> (set: [(entry: Element, isNew: Bool)], removed: [Key]) {
    let (entryBytes, valueBytes) = (StoredBytes.of(Element.self), StoredBytes.of(Value.self))
    let (newEntries, oldEntries) = (Array(self), Array(old))
    var set: [(entry: Element, isNew: Bool)] = []
    var removed: [Key] = []
    var (found, next, nextOld) = (0, 0, 0)
    // Whether the entry at `nextOld` may also be the next new one, and the index of an old entry that is
    // known to come later.
    var (isInStep, later) = (true, -1)
    while next < newEntries.count {
      if isInStep {
        let agreeing = entryBytes.commonCount(oldEntries[nextOld...], newEntries[next...])
        (found, next, nextOld) = (found + agreeing, next + agreeing, nextOld + agreeing)
        if next == newEntries.count { break }
      }
      let entry = newEntries[next]
      next += 1
      guard let index = old.index(forKey: entry.key) else {
        set.append((entry, isNew: true))
        continue
      }
      found += 1
      let before = old[index]
      if !areSame(before.key, entry.key) {
        removed.append(before.key)
        set.append((entry, isNew: true))
      } else if !valueBytes.agree(before.value, entry.value) {
        set.append((entry, isNew: false))
      }
      isInStep = false
      while nextOld < oldEntries.count {
        let key = oldEntries[nextOld].key
        guard key == entry.key || nextOld != later && self.index(forKey: key) == nil else { break }
        nextOld += 1
        isInStep = true
      }
      if !isInStep { later = nextOld }
    }
    if found < old.count { removed += old.keys.filter { self[$0] == nil } }
    return (set, removed)
  }
}

extension [EventLog.Value] {
  /// The index of the only pair with a key among pairs in the order of their keys; nil if there is none.
  fileprivate func onlyIndex(ofKey key: EventLog.Value) -> Int? {
    let index = partitioningIndex { pair in
      guard case .array(let pair) = pair, let other = pair.first else { return true }
      return !EventLog.Value.comesFirst(other, key)
    }
    return self.key(at: index) == key && self.key(at: index + 1) != key ? index : nil
  }

  /// The key of the pair at an index; nil if there is none.
  fileprivate func key(at index: Int) -> EventLog.Value? {
    guard index < count, case .array(let pair) = self[index] else { return nil }
    return pair.first
  }
}
