import EventLog

extension Engine {
  /// Records a set of a whole property. A container or a long string is recorded as its edits.
  ///
  /// - Parameter isSame: Whether by the app's equality nothing changed; nil to judge by the recorded values.
  func recordSet<Member>(_ new: Member, isSame: Bool?, of attachment: Attachment, property: Int) {
    let value = encode(new, of: attachment, property: property)
    record(of: attachment, property: property) { old in
      let same = isSame ?? (old == value)
      if same { return [Edit(kind: .set(value), isSame: true)] }
      return self.edits(from: old, to: value, prefersEdits: false, Member.self)
    }
  }

  /// Records a mutation in place. One that threw before it changed anything is not recorded.
  func recordModification<Member>(
    _ change: RecordedModification<Member>, _ new: Member, of attachment: Attachment, property: Int
  ) {
    let value = encode(new, of: attachment, property: property)
    let known = change.old.flatMap { old in Frame.untracked { isSame(old, new) } }
    record(of: attachment, property: property) { old in
      // What cannot be compared is a change, unless it is a string, whose old value only the log has kept.
      let same = change.old == nil ? old == value : known ?? false
      if same {
        let isDictionary = Member.self is any KeyedCollection.Type
        return change.isComplete ? [self.untouched(old, value, isDictionary: isDictionary)] : []
      }
      return self.edits(from: old, to: value, prefersEdits: true, Member.self)
    }
  }

  /// What a mutation in place that changed nothing leaves in the log: of what may be long not all of it again.
  private func untouched(_ old: Value?, _ value: Value, isDictionary: Bool) -> Edit {
    switch (old, value) {
    case (.string(let text)?, .string) where text.utf8.count > 64 && old == value:
      Edit(kind: .splice(offset: 0, delete: 0, insert: .string("")), isSame: true)
    case (.array?, .array) where old == value:
      Edit(kind: .splice(offset: 0, delete: 0, insert: .array([])), isSame: true)
    case (.map(let entries)?, .map) where isDictionary && !entries.isEmpty && old == value:
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
      return [self.untouched(old, old, isDictionary: Member.self is any KeyedCollection.Type)]
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
