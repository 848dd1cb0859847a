extension RecordedArray where Element: Identifiable {
  /// Makes the array what a snapshot is, element by element: those that differ are replaced where they stand, others
  /// come, go and move as the snapshot has it, in as few steps as it takes. Readers of what is as it was are not
  /// woken.
  ///
  /// Elements are matched by id; of several with one id, here or in the snapshot, the first counts and the others
  /// are left out. All of it is one transaction. Cost: n log n.
  ///
  /// An object is replaced by the snapshot's object of the same id; to keep it, and all who hold it, merge what is
  /// not the object itself: ``merge(_:update:insert:)``.
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

  /// Makes the array what a snapshot says, and keeps the elements that there are: each takes over what the snapshot
  /// says of it, others are made, go and move.
  ///
  ///     app.episodes.merge(snapshots) { episode, snapshot in
  ///       episode.title = snapshot.title
  ///     } insert: { Episode($0) }
  ///
  /// Elements are matched by id; of several with one id, here or in the snapshot, the first counts and the others
  /// are left out. All of it is one transaction, the sets that `update` makes included. What `update` throws ends the
  /// merge: what was updated before stays so, nothing comes, goes or moves.
  ///
  /// An object counts as updated when one of its own recorded properties differs afterwards; one of a class that is
  /// not `@Recorded` always does. Cost: n log n, and a look at each object before and after its update.
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
