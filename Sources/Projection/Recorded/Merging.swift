import EventLog

/// The result of merging a snapshot into a recorded collection: the ids of the elements that were inserted,
/// removed, moved and updated. The ids of a dictionary are its keys.
///
///     let report = store.rows.merge(fresh)
///     log("\(report.inserted.count) new, \(report.unchangedCount) as they were")
public struct MergeReport<ID: Hashable> {
  /// The elements that are only in the snapshot, in its order.
  public fileprivate(set) var inserted: [ID] = []
  /// The elements that were only in the collection, in its order.
  public fileprivate(set) var removed: [ID] = []
  /// The smallest set of moved elements that explains the new order, in the snapshot's order; empty for a
  /// dictionary.
  public fileprivate(set) var moved: [ID] = []
  /// The elements that differed, in the snapshot's order. An element may be both moved and updated.
  public fileprivate(set) var updated: [ID] = []
  /// The number of elements that neither moved nor differed.
  public fileprivate(set) var unchangedCount = 0

  /// Creates the report of a merge that did nothing.
  public init() {}

  /// Whether the merge changed nothing.
  public var isEmpty: Bool { inserted.isEmpty && removed.isEmpty && moved.isEmpty && updated.isEmpty }
}

extension MergeReport: Equatable, Hashable {}

extension MergeReport: Sendable where ID: Sendable {}

extension MergeReport: CustomStringConvertible {
  /// `2 inserted, 1 removed, 0 moved, 3 updated, 94 unchanged`.
  public var description: String {
    "\(inserted.count) inserted, \(removed.count) removed, \(moved.count) moved, \(updated.count) updated, "
      + "\(unchangedCount) unchanged"
  }
}

// MARK: Arrays

extension RecordedArray where Element: Identifiable {
  /// Makes the array equal to a snapshot, element by element: replaces elements that differ in place, and
  /// inserts, removes and moves others in as few steps as possible. Readers of unchanged elements are not
  /// invalidated.
  ///
  /// Elements are matched by id. If several have the same id, in the array or in the snapshot, the first one
  /// counts and the others are left out. The merge is one transaction. Cost: n log n.
  ///
  /// An object is replaced by that of the snapshot; use ``merge(_:fileID:line:update:insert:)`` to keep the
  /// object itself.
  @discardableResult
  public mutating func merge(
    _ snapshot: some Sequence<Element>, fileID: String = #fileID, line: Int = #line
  ) -> MergeReport<Element.ID> {
    merge(snapshot, id: { $0.id }, site: "\(fileID):\(line)") { array, index, element in
      let differs = ElementContents.differ(array.storage[index], element)
      if differs { array.replace(at: index, by: element) }
      return differs
    } insert: {
      $0
    }
  }

  /// Makes the array match a snapshot and keeps its elements: `update` changes each element according to the
  /// snapshot's entry with its id, `insert` makes new elements, elements without an entry are removed, and
  /// all are moved to the order of the snapshot.
  ///
  ///     app.episodes.merge(snapshots) { episode, snapshot in
  ///       episode.title = snapshot.title
  ///     } insert: { Episode($0) }
  ///
  /// Elements are matched by id. If several have the same id, in the array or in the snapshot, the first one
  /// counts and the others are left out. The merge is one transaction, including the sets that `update`
  /// makes. If `update` or `insert` throws, the merge ends: elements that were updated before stay updated,
  /// and none is inserted, removed or moved.
  ///
  /// An object counts as updated if one of its own recorded properties differs afterwards; an object of a
  /// class that is not `@Recorded` always does. Cost: n log n, and encoding each object before and after its
  /// update.
  @discardableResult
  public mutating func merge<S: Sequence>(
    _ snapshot: S, fileID: String = #fileID, line: Int = #line,
    update: (_ element: inout Element, _ new: S.Element) throws -> Void,
    insert: (_ new: S.Element) throws -> Element
  ) rethrows -> MergeReport<Element.ID> where S.Element: Identifiable, S.Element.ID == Element.ID {
    try merge(snapshot, id: { $0.id }, site: "\(fileID):\(line)") { array, index, new in
      var element = array.storage[index]
      let before = ElementContents(element)
      try update(&element, new)
      if ElementContents.differ(array.storage[index], element) { array.replace(at: index, by: element) }
      return before.differ(from: element)
    } insert: {
      try insert($0)
    }
  }

  private mutating func merge<S: Sequence>(
    _ snapshot: S, id: (S.Element) -> Element.ID, site: String,
    update: (_ array: inout Self, _ index: Int, _ new: S.Element) throws -> Bool,
    insert: (_ new: S.Element) throws -> Element
  ) rethrows -> MergeReport<Element.ID> {
    mutation?.makeTransaction("merge", site: site)
    let ids = Frame.untracked { storage.map(\.id) }
    let offsets = Dictionary(zip(ids, ids.indices), uniquingKeysWith: { first, _ in first })
    var report = MergeReport<Element.ID>()
    var isUpdated = [Bool](repeating: false, count: ids.count)
    var isKept = isUpdated
    var seen: Set<Element.ID> = []
    var sources: [Source] = []
    var sourceIDs: [Element.ID] = []
    for new in snapshot {
      let id = Frame.untracked { id(new) }
      guard seen.insert(id).inserted else { continue }
      if let offset = offsets[id] {
        isKept[offset] = true
        isUpdated[offset] = try update(&self, offset, new)
        if isUpdated[offset] { report.updated.append(id) }
        sources.append(.kept(offset))
      } else {
        report.inserted.append(id)
        sources.append(.new(try insert(new)))
      }
      sourceIDs.append(id)
    }
    for (offset, id) in ids.enumerated() where !isKept[offset] { report.removed.append(id) }
    let kept = sources.map { if case .kept(let offset) = $0 { offset } else { nil as Int? } }
    let steps = Rearrangement(kept, from: ids.count)
    report.moved = steps.moved.map { sourceIDs[$0] }
    let isMoved = Set(steps.moved)
    report.unchangedCount = kept.enumerated().count { position, offset in
      offset.map { !isUpdated[$0] && !isMoved.contains(position) } ?? false
    }
    if !steps.isEmpty { become(sources, by: steps) }
    return report
  }
}

// MARK: Dictionaries

extension RecordedDictionary {
  /// Makes the dictionary equal to a snapshot, entry by entry: replaces values that differ, and inserts and
  /// removes others. Readers of unchanged entries are not invalidated. The merge is one transaction. Cost: n
  /// log n.
  ///
  /// An object is replaced by that of the snapshot; use ``merge(_:fileID:line:update:insert:)`` to keep the
  /// object itself.
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

  /// Makes the dictionary match a snapshot and keeps its values: `update` changes each value according to the
  /// snapshot's entry for its key, `insert` makes new values, and entries that are not in the snapshot are
  /// removed. See ``RecordedArray/merge(_:fileID:line:update:insert:)``.
  ///
  /// - Throws: The error of `update` or `insert`; earlier changes stay.
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

// MARK: Comparing

/// The contents of an element, to compare with those after an update.
private struct ElementContents<Element> {
  private enum Contents {
    case value(Element)
    case encoded(Value)
    case object(NamedValues<Value>)
    case unknown
  }

  private let contents: Contents

  init(_ element: Element) {
    if let object = element as? any RecordedObject {
      contents = .object(Self.fields(of: object))
    } else if Element.self is AnyClass {
      contents = .unknown
    } else if element is any Equatable {
      contents = .value(element)
    } else {
      contents = .encoded(Self.encode(element))
    }
  }

  /// Whether the contents of an element differ from these; true if they cannot be compared.
  func differ(from element: Element) -> Bool {
    switch contents {
    case .value(let old): Frame.untracked { isSame(old, element) } != true
    case .encoded(let value): value != Self.encode(element)
    case .object(let fields):
      (element as? any RecordedObject).map { Self.fields(of: $0) != fields } ?? true
    case .unknown: true
    }
  }

  /// Whether an element differs from its replacement. Objects differ if they are not identical.
  static func differ(_ old: Element, _ new: Element) -> Bool {
    if let old = Sameness.reference(old), let new = Sameness.reference(new) { return old !== new }
    // Most elements of a snapshot are equal, and comparing bytes is the cheapest way to find that.
    return !StoredBytes.of(Element.self).agree(old, new) && ElementContents(old).differ(from: new)
  }

  private static func encode(_ element: Element) -> Value {
    var context = EncodingContext(objects: ObjectAddresses())
    return Frame.untracked { context.encode(element) }
  }

  /// The recorded properties of an object, with the identities of objects in place of the objects.
  private static func fields(of object: any RecordedObject) -> NamedValues<Value> {
    let properties = type(of: object)._$properties
    let reader = FieldReader()
    for number in properties.indices {
      reader.name = properties[number].name
      _ = object._$read(property: number, into: reader)
    }
    return reader.fields
  }

  private final class FieldReader: RecordedPropertyReader {
    var name = ""
    var fields: NamedValues<Value> = [:]
    private let addresses = ObjectAddresses()

    func read<Member>(_ value: Member) {
      var context = EncodingContext(objects: addresses)
      fields[name] = Frame.untracked { context.encode(value) }
    }
  }
}
