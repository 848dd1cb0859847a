import EventLog

extension Engine {
  /// Records a set of a whole property. A container or a long string is recorded as its edits.
  ///
  /// - Parameters:
  ///   - before: What the property held before, if that is known.
  ///   - isSame: Whether nothing changed by the app's equality; nil to compare the recorded values.
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
      // A value that cannot be compared counts as changed. Of a string the old value is in the recorded state.
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

  /// The edits between two values of a collection, of which only the parts that differ are encoded; nil if all must be
  /// encoded.
  ///
  /// - Parameter isSame: Whether nothing changed by the app's equality. The result then has no edits, or is nil.
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

  /// The edit that records a set to an equal value. It does not hold a long value again.
  private func untouched<Member>(_ old: Value?, _ value: Value, _ type: Member.Type) -> Edit {
    switch (old, value) {
    case (.string(let text)?, .string) where text.utf8.count > 64 && old == value:
      Edit(kind: .splice(offset: 0, delete: 0, insert: .string("")), isSame: true)
    case (.array?, .array) where old == value:
      Edit(kind: .splice(offset: 0, delete: 0, insert: .array([])), isSame: true)
    case (.map(let entries)?, .map)
    where type is any KeyedCollection.Type && !entries.isEmpty && old == value:
      // A removal of a key that no entry has.
      Edit(components: [.key(entries.absentKey)], kind: .remove, isSame: true)
    default: Edit(kind: .set(value), isSame: true)
    }
  }

  /// Records a mutation in place of a recorded collection; `edits` is nil if its journal does not cover all of it.
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

  /// The edits between two values that differ by the app's equality.
  private func edits<Member>(
    from old: Value?, to new: Value, prefersEdits: Bool, _ type: Member.Type
  ) -> [Edit] {
    guard let old else { return [Edit(kind: .set(new))] }
    let edits = ValueDiff.edits(
      from: old, to: new, prefersEdits: prefersEdits, isDictionary: type is any KeyedCollection.Type)
    // The recorded values agree, but the app's equality decides: it is a change.
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

// MARK: Edits of a property

extension Engine {
  /// Records what was done to a property of an object, then runs what is out of date because of it.
  ///
  /// - Parameter edits: Returns the edits for the value recorded before.
  func record(of attachment: Attachment, property: Int, _ edits: (_ old: Value?) -> [Edit]) {
    lock.withLock {
      guard !isClosed else { return }
      settle()
      attachment.countRecording()
      let path = path(of: attachment, property: property)
      let name = attachment.properties[property].name
      var all = edits(core.state.objects[attachment.id]?.fields[name])
      if all.isEmpty { return }
      if attachment.properties[property].isRedacted {
        all = redacted(all, of: attachment.properties[property])
      }
      let refused = refusedCount
      let isChange = mutate(path, all) { edit in
        narrow(&edit, of: attachment.id, property: name)
        guard case .index? = edit.components.first else { return }
        edit.components = core.state.namingElementsByID(edit.components, of: attachment.id, property: name)
      }
      if refusedCount != refused { attachment.isBehind = true }
      if runsUnderWay > 0 {
        changesDuringRuns.append((lastMutation, attachment.paths[property], !isChange))
      }
      notifyReceivers(of: attachment.paths[property])
    }
    flush()
  }

  /// Replaces a set of an element or entry by an edit of its one part that differs. Decides whether it differs at all
  /// if the app's equality did not.
  private func narrow(_ edit: inout Edit, of object: ObjectID, property: String) {
    guard case .set(let new) = edit.kind, edit.isSame != true, !edit.components.isEmpty,
      new.isContainer || edit.isSame == nil,
      case .place(let place, _) = core.state.resolve([.property(property)] + edit.components[...], in: object),
      let old = core.state.value(at: place)
    else { return }
    let parts = ValueDiff.edits(from: old, to: new, prefersEdits: true)
    if edit.isSame == nil { edit.isSame = parts.isEmpty }
    guard parts.count == 1 else { return }
    edit.components += parts[0].components
    edit.kind = parts[0].kind
  }

  /// Records edits at a path, several of them as one transaction. Called under the lock.
  ///
  /// - Parameter name: Replaces the steps of an edit by those that the log should have. Called right before the edit
  ///   is recorded, as earlier edits may have moved what it edits.
  /// - Returns: Whether any of them changed something.
  @discardableResult
  func mutate(_ path: Path, _ edits: [Edit], naming name: (inout Edit) -> Void = { _ in }) -> Bool {
    let cause = currentCause
    collect(cause: cause)
    noteCollected()
    if edits.count > 1 { begin(nil, cause: cause) }
    var isChange = false
    for var edit in edits {
      name(&edit)
      if edit.isSame != true { isChange = true }
      do {
        try emitMutation(edit.body(at: path), cause: cause)
      } catch {
        refusedCount += 1
        report(.init(message: "not recorded: \(error)"))
      }
    }
    if edits.count > 1 { end(cause: cause) }
    return isChange
  }
}

extension Value {
  /// Whether it has parts, so that it can differ from another in one of them.
  fileprivate var isContainer: Bool {
    switch self {
    case .map, .array, .string: true
    default: false
    }
  }
}
