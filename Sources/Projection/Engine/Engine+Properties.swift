import EventLog

extension Engine {
  /// Records a set of a whole property. A container or a long string is recorded as its edits.
  ///
  /// - Parameters:
  ///   - before: What the property held before, if that is known.
  ///   - isSame: Whether by the app's equality nothing changed; nil to judge by the recorded values.
  func recordSet<Member>(
    _ new: Member, from before: ValueBefore<Member>? = nil, isSame: Bool?, of attachment: Attachment,
    property: Int
  ) {
    let before = before.flatMap { $0.recordCount == attachment.recordCount ? $0 : nil }
    record(of: attachment, property: property) { recorded in
      if let before, let recorded,
        let edits = self.plainEdits(from: before.value, to: new, recorded, isSame, attachment, property)
      {
        if !edits.isEmpty { return edits }
        return [
          isSame == false ? Edit(kind: .set(recorded)) : self.untouched(recorded, recorded, Member.self)
        ]
      }
      let value = self.encode(new, of: attachment, property: property)
      let same = isSame ?? (recorded == value)
      if same { return [self.untouched(recorded, value, Member.self)] }
      return self.edits(from: recorded, to: value, prefersEdits: false, Member.self)
    }
  }

  /// Records a mutation in place. One that threw before it changed anything is not recorded.
  func recordModification<Member>(
    _ change: RecordedModification<Member>, _ new: Member, of attachment: Attachment, property: Int
  ) {
    let before = change.before
    let known = before.flatMap { before in Frame.untracked { isSame(before.value, new) } }
    let isCurrent = before?.recordCount == attachment.recordCount
    record(of: attachment, property: property) { recorded in
      // What cannot be compared is a change, unless it is a string, whose old value only the log has kept.
      if let before, isCurrent, let recorded,
        let edits = self.plainEdits(
          from: before.value, to: new, recorded, known ?? false, attachment, property)
      {
        if !edits.isEmpty { return edits }
        if known != true { return [Edit(kind: .set(recorded))] }
        return change.isComplete ? [self.untouched(recorded, recorded, Member.self)] : []
      }
      let value = self.encode(new, of: attachment, property: property)
      let same = before == nil ? recorded == value : known ?? false
      if same { return change.isComplete ? [self.untouched(recorded, value, Member.self)] : [] }
      return self.edits(from: recorded, to: value, prefersEdits: true, Member.self)
    }
  }

  /// The edits between two values of a collection of which only what differs is encoded; nil where all has to be.
  ///
  /// - Parameter isSame: Whether by the app's equality nothing changed. Then there are no edits, or all has to be encoded.
  private func plainEdits<Member>(
    from old: Member, to new: Member, _ recorded: Value, _ isSame: Bool?, _ attachment: Attachment,
    _ property: Int
  ) -> [Edit]? {
    guard !attachment.isBehind, !attachment.properties[property].isRedacted else { return nil }
    func compare<Collection: PlainCollection>(_ new: Collection) -> [Edit]? {
      guard let old = old as? Collection else { return nil }
      if isSame == true { return new.agrees(with: old) ? [] : nil }
      return new.edits(from: old, recorded: recorded, in: self)
    }
    return (new as? any PlainCollection).flatMap { compare($0) }
  }

  /// What a change that changed nothing leaves in the log: of what may be long not all of it again.
  private func untouched<Member>(_ old: Value?, _ value: Value, _ type: Member.Type) -> Edit {
    switch (old, value) {
    case (.string(let text)?, .string) where text.utf8.count > 64 && old == value:
      Edit(kind: .splice(offset: 0, delete: 0, insert: .string("")), isSame: true)
    case (.array?, .array) where old == value:
      Edit(kind: .splice(offset: 0, delete: 0, insert: .array([])), isSame: true)
    case (.map(let entries)?, .map)
    where type is any KeyedCollection.Type && !entries.isEmpty && old == value:
      // The removal of an entry that is not there.
      Edit(components: [.key(entries.absentKey)], kind: .remove, isSame: true)
    default: Edit(kind: .set(value), isSame: true)
    }
  }

  /// Records a mutation in place of a recorded collection, nil when its journal does not tell the whole story.
  func recordEdits<Member: RecordedCollection>(
    _ edits: [Edit]?, isComplete: Bool, _ new: Member, of attachment: Attachment, property: Int
  ) {
    guard let edits else {
      recordSet(new, isSame: nil, of: attachment, property: property)
      return
    }
    record(of: attachment, property: property) { old in
      guard edits.isEmpty, isComplete, let old else { return edits }
      return [self.untouched(old, old, Member.self)]
    }
  }

  /// The edits between two values that the app calls different.
  private func edits<Member>(
    from old: Value?, to new: Value, prefersEdits: Bool, _ type: Member.Type
  ) -> [Edit] {
    guard let old else { return [Edit(kind: .set(new))] }
    let edits = ValueDiff.edits(
      from: old, to: new, prefersEdits: prefersEdits, isDictionary: type is any KeyedCollection.Type)
    // The recorded values agree, and yet it counts as a change.
    return edits.isEmpty ? [Edit(kind: .set(new))] : edits
  }
}

/// A collection whose parts are named by key in paths, where a struct's are named by field.
private protocol KeyedCollection {}

extension Dictionary: KeyedCollection {}

extension RecordedDictionary: KeyedCollection {}

extension NamedValues<Value> {
  /// A key that no entry has.
  fileprivate var absentKey: String {
    var key = ""
    while self[key] != nil { key += "-" }
    return key
  }
}
