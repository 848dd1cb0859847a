import EventLog

/// A stored value of the app, given by its address and its type at run time.
///
/// Generic code that is called across modules is not specialized, and looks up metadata at each step. The
/// engine therefore takes addresses.
struct StoredValue {
  let address: UnsafeRawPointer
  let type: Any.Type
}

/// The value of a property before a change. It equals the recorded value as long as nothing else is recorded
/// of the object.
struct ValueBefore {
  let address: UnsafeRawPointer
  /// The value of ``Attachment/recordCount`` when the value was read.
  let recordCount: UInt64

  /// - Parameter address: Nil if the value was not kept.
  init?(_ address: UnsafeRawPointer?, _ recordCount: UInt64) {
    guard let address else { return nil }
    self.address = address
    self.recordCount = recordCount
  }
}

extension Engine {
  /// Records a set of a whole property to a value; see ``recordSet(_:from:isSame:of:property:)``.
  func recordSet<Member>(_ new: Member, isSame: Bool?, of attachment: Attachment, property: Int) {
    withUnsafePointer(to: new) {
      recordSet(
        StoredValue(address: $0, type: Member.self), isSame: isSame, of: attachment, property: property)
    }
  }

  /// Records a set of a whole property. Sets of containers and long strings are recorded as edits.
  ///
  /// - Parameters:
  ///   - before: The value before the set, if it is known.
  ///   - isSame: Whether nothing changed by the app's own equality; nil to compare the recorded values.
  func recordSet(
    _ new: StoredValue, from before: ValueBefore? = nil, isSame: Bool?, of attachment: Attachment,
    property: Int
  ) {
    let form = form(of: new.type, attachment, property)
    if let isSame, let value = scalar(new, form) {
      if !form.isText || value.isShort {
        return set(value, isSame: isSame, of: attachment, property: property)
      }
      if !isSame, setText(value, of: attachment, property: property) { return }
    }
    let before = before.flatMap { $0.recordCount == attachment.recordCount ? $0 : nil }
    if isSame == false, let before,
      setPart(from: before.address, to: new, form, isMutation: false, of: attachment, property)
    {
      return
    }
    record(of: attachment, property: property, form) { recorded in
      if form.isCollection, let before, let recorded,
        let edits = self.plainEdits(
          from: before.address, to: new, recorded, isSame, form, attachment, property)
      {
        if !edits.isEmpty { return edits }
        return [isSame == false ? Edit(kind: .set(recorded)) : self.untouched(recorded, recorded, form)]
      }
      let value = self.encode(new, form, of: attachment, property: property)
      return self.edits(from: recorded, toWhole: value, isSame: isSame, form, attachment, property)
    }
  }

  /// The same for a value whose recorded form is known, and was encoded outside the lock. It defines no objects.
  func recordSet(encoded value: Value, as type: Any.Type, of attachment: Attachment, property: Int) {
    let form = form(of: type, attachment, property)
    record(of: attachment, property: property, form) { recorded in
      self.edits(from: recorded, toWhole: value, isSame: nil, form, attachment, property)
    }
  }

  /// The edits of a set of a whole property.
  private func edits(
    from recorded: Value?, toWhole value: Value, isSame: Bool?, _ form: ValueForm, _ attachment: Attachment,
    _ property: Int
  ) -> [Edit] {
    if isSame ?? isRecorded(value, recorded, of: attachment, property: property) {
      return [untouched(recorded, value, form)]
    }
    return edits(from: recorded, to: value, prefersEdits: false, form)
  }

  /// Records a mutation in place. A mutation that threw before it changed anything is not recorded.
  func recordModification(
    to new: StoredValue, from before: ValueBefore?, isComplete: Bool, of attachment: Attachment, property: Int
  ) {
    let form = form(of: new.type, attachment, property)
    let known = before.flatMap { before in
      Frame.untracked { form.areSame(before.address, new.address, in: EncodingContext(objects: self)) }
    }
    if before != nil, !form.isText, let value = scalar(new, form) {
      if known == true, !isComplete { return }
      return set(value, isSame: known ?? false, of: attachment, property: property)
    }
    let isCurrent = before?.recordCount == attachment.recordCount
    if isCurrent, known != true, let before,
      setPart(from: before.address, to: new, form, isMutation: true, of: attachment, property)
    {
      return
    }
    record(of: attachment, property: property, form) { recorded in
      // If the values cannot be compared, the mutation counts as a change. The old value of a string is in
      // the recorded state.
      if form.isCollection, let before, isCurrent, let recorded,
        let edits = self.plainEdits(
          from: before.address, to: new, recorded, known ?? false, form, attachment, property)
      {
        if !edits.isEmpty { return edits }
        if known != true { return [Edit(kind: .set(recorded))] }
        return isComplete ? [self.untouched(recorded, recorded, form)] : []
      }
      let value = self.encode(new, form, of: attachment, property: property)
      let same =
        before == nil
        ? self.isRecorded(value, recorded, of: attachment, property: property) : known ?? false
      if same, !isComplete { return [] }
      let setter = attachment.setter(property)
      if same {
        return [self.untouched(recorded, value, form, setter.pointee.mutatedPart.only(of: new.type))]
      }
      let edits = self.edits(from: recorded, to: value, prefersEdits: true, form)
      setter.pointee.mutatedPart.add(edits)
      return edits
    }
  }

  /// Whether a value is the recorded one, apart from parts that the log cannot hold.
  private func isRecorded(
    _ value: Value, _ recorded: Value?, of attachment: Attachment, property: Int
  ) -> Bool {
    withLock { state in
      recorded == state.fitted(value, at: state.path(of: attachment, property: property))
    }
  }

  /// The edits between two values of a collection, which encode only the parts that differ; nil if the whole
  /// value must be encoded.
  ///
  /// - Parameter isSame: Whether nothing changed by the app's own equality. The result then is nil or has no
  ///   edits.
  private func plainEdits(
    from old: UnsafeRawPointer, to new: StoredValue, _ recorded: Value, _ isSame: Bool?, _ form: ValueForm,
    _ attachment: Attachment, _ property: Int
  ) -> [Edit]? {
    guard !attachment.isBehind, !attachment.properties[property].hidesParts else { return nil }
    return form.edits(from: old, to: new.address, recorded: recorded, isSame: isSame, by: self)
  }

  /// The edit that records a set to an equal value, without repeating a long value.
  ///
  /// - Parameter part: The steps to the part that was written, if only a part was.
  private func untouched(
    _ old: Value?, _ value: Value, _ form: ValueForm, _ part: [PathComponent]? = nil
  ) -> Edit {
    guard old == value else { return Edit(kind: .set(value), isSame: true) }
    if form.isKeyed, case .map(let entries) = value, !entries.isEmpty {
      // The removal of a key that does not exist.
      return Edit(components: [.key(entries.absentKey)], kind: .remove, isSame: true)
    }
    guard let part, let written = value.part(at: part) else { return .untouched(value) }
    var edit = Edit.untouched(written)
    edit.components = part
    return edit
  }

  /// Records a mutation of a recorded collection in place. `edits` is nil if the collection's journal does
  /// not cover all of it.
  func recordEdits<Member: RecordedCollection>(
    _ edits: [Edit]?, isComplete: Bool, _ new: Member, of attachment: Attachment, property: Int
  ) {
    guard let edits else {
      recordSet(new, isSame: nil, of: attachment, property: property)
      return
    }
    record(of: attachment, property: property) { old in
      if let old, old.isTooLarge, Self.mayFit(new, after: edits) {
        return [Edit(kind: .set(self.encode(new)))]
      }
      guard edits.isEmpty, isComplete, let old else { return edits }
      return [self.untouched(old, old, ValueForm.of(Member.self))]
    }
  }

  /// Whether to record a collection as a whole after some edits, because it was too large before. That takes
  /// long, so it is tried only when the number of elements has fallen below a power of two.
  private static func mayFit<Member>(_ new: Member, after edits: [Edit]) -> Bool {
    guard let collection = new as? any Collection else { return true }
    var before = collection.count
    for edit in edits {
      switch edit.kind {
      case .splice(_, let delete, .array(let inserted)) where edit.components.isEmpty:
        before += delete - inserted.count
      case .remove where edit.components.count == 1: before += 1
      default: break
      }
    }
    return collection.count.leadingZeroBitCount > before.leadingZeroBitCount
  }

  /// The edits between two values that differ by the app's own equality.
  private func edits(
    from old: Value?, to new: Value, prefersEdits: Bool, _ form: ValueForm
  ) -> [Edit] {
    guard let old else { return [Edit(kind: .set(new))] }
    // Values of different enum cases are not edits of each other.
    if form.isEnum, new.isOtherCase(than: old) { return [Edit(kind: .set(new))] }
    let edits = ValueDiff.edits(
      from: old, to: new, prefersEdits: prefersEdits, isDictionary: form.isKeyed)
    // The recorded values are equal, but by the app's own equality there is a change.
    return edits.isEmpty ? [Edit(kind: .set(new))] : edits
  }
}

extension NamedValues<Value> {
  /// A key that no entry of the map has.
  fileprivate var absentKey: String {
    var key = ""
    while self[key] != nil { key += "-" }
    return key
  }
}

// MARK: Edits of a property

extension Engine {
  /// Records the edits of an object's property, then runs what they made out of date.
  ///
  /// - Parameters:
  ///   - form: How values of the property are recorded; nil for the general form.
  ///   - edits: Returns the edits, given the recorded value before.
  func record(
    of attachment: Attachment, property: Int, _ form: ValueForm? = nil, _ edits: (_ old: Value?) -> [Edit]
  ) {
    withLock { state in
      if !isClosed { state.record(of: attachment, property, form, edits) }
    }
    flush()
  }
}

extension EngineState {
  fileprivate func record(
    of attachment: Attachment, _ property: Int, _ form: ValueForm?, _ edits: (_ old: Value?) -> [Edit]
  ) {
    attachment.countRecording()
    if hasHeldRuns { releaseHeldRuns(reading: attachment.slot(property)) }
    let name = attachment.properties[property].name
    guard let all = self.edits(toRecordOf: attachment, property, form, edits) else { return }
    let path = path(of: attachment, property: property)
    let refused = refusedCount
    // What a body attaches is read by nobody yet, and needs no cause; what it sets does.
    let cause = engine.currentCause ?? markHostRun()
    let isChange = mutate(
      path, redacted(all, of: attachment.properties[property]), cause: cause, isReleased: true
    ) { edit in
      narrow(&edit, of: attachment, property)
      guard case .index? = edit.components.first else { return }
      edit.components = core.state.namingElementsByID(edit.components, of: attachment.id, property: name)
    }
    if refusedCount != refused { attachment.isBehind = true }
    if !runs.isNone { runs.markChange(of: attachment.slot(property), isSame: !isChange, by: lastMutation) }
    if !receivers.isEmpty { notifyReceivers(of: attachment.slot(property)) }
  }

  /// The edits that must be recorded in the general way; nil if there are none. This is a separate function,
  /// so that the state does not have to copy the old value.
  private func edits(
    toRecordOf attachment: Attachment, _ property: Int, _ form: ValueForm?, _ edits: (_ old: Value?) -> [Edit]
  ) -> [Edit]? {
    let old = core.value(of: attachment.properties[property].name, in: attachment.id)
    let known = objects.nextNumber
    var all = edits(old)
    if all.isEmpty { return nil }
    if objects.nextNumber != known, !all.isOnlyDefinition { all = DefinitionOrder.applied(to: all) }
    if let form, all.count == 1, putAlone(all[0], over: old, form, of: attachment, property) { return nil }
    return all
  }

  /// Replaces the set of an element or entry by an edit of its single part that differs, or that was written.
  /// Also decides whether it differs at all, if the app's own equality has not.
  private func narrow(_ edit: inout Edit, of attachment: Attachment, _ property: Int) {
    let name = attachment.properties[property].name
    guard case .set(let new) = edit.kind, edit.isSame != true || edit.mutated != nil,
      !edit.components.isEmpty,
      new.isContainer || edit.isSame == nil,
      case .location(let location, _) = core.state.resolve(
        [.property(name)] + edit.components[...], in: attachment.id),
      let old = core.state.value(at: location)
    else { return }
    let parts = ValueDiff.edits(from: old, to: new, prefersEdits: true)
    if edit.isSame == nil { edit.isSame = parts.isEmpty }
    if let type = edit.mutated {
      let setter = attachment.setter(property)
      if !parts.isEmpty { setter.pointee.mutatedPart.add(parts) }
      if parts.isEmpty, edit.isSame == true, let part = setter.pointee.mutatedPart.only(of: type),
        let written = old.part(at: part)
      {
        edit.components += part
        edit.kind = Edit.untouched(written).kind
      }
    }
    guard parts.count == 1 else { return }
    edit.components += parts[0].components
    edit.kind = parts[0].kind
  }

  /// Records edits at a path, as one transaction if there are several.
  ///
  /// - Parameters:
  ///   - isReleased: Whether the log has all runs that the edits put out of date; see ``HeldRun``.
  ///   - name: Replaces the steps of an edit by those for the log. It is called right before the edit
  ///     is recorded, because earlier edits may have moved its target.
  /// - Returns: Whether any edit changed something.
  @discardableResult
  func mutate(
    _ path: Path, _ edits: [Edit], cause given: UInt64? = nil, isReleased: Bool = false,
    naming name: (inout Edit) -> Void = { _ in }
  ) -> Bool {
    if !isReleased { releaseHeldRuns(before: path) }
    let cause = given ?? engine.currentCause
    let site = continuesWrite ? Event.continuingSite : nil
    collect()
    markCollected()
    if edits.count > 1 { begin(nil, cause: cause, site: site) }
    var isChange = false
    for var edit in edits {
      name(&edit)
      if edit.isSame != true { isChange = true }
      do {
        try emitMutation(edit.body(at: path), cause: cause, site: site)
      } catch {
        refusedCount += 1
        report("not recorded: \(error)")
      }
    }
    if edits.count > 1 { end(cause: cause) }
    return isChange
  }
}

extension [Edit] {
  /// Whether all that they do is to set the property to a new object without references, which needs no order.
  fileprivate var isOnlyDefinition: Bool {
    guard count == 1, case .set(.object(let definition)) = self[0].kind else { return false }
    return !definition.fields.values.contains { $0.mayHoldObjects }
  }
}

extension Value {
  /// Whether it has parts.
  fileprivate var isContainer: Bool {
    switch self {
    case .map, .array, .string: true
    default: false
    }
  }
}
