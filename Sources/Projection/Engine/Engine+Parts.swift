import EventLog

// Shortcuts for values that are not simply numbers: a long text that is set anew, a scalar that is a part of a struct or
// an element of an array, and a case of an enum. Each replaces one value by another through a slot, as a set of a number
// does. Everything else goes through `record(of:property:)`.

/// What the engine caches of the parts of a property that are set one by one. Guarded by the session's lock.
final class PartSlots {
  private var slots: [[PathComponent]: UnsafeMutablePointer<Slot>] = [:]
  /// Those of the parts of a struct, by their numbers.
  private var numbered: [UnsafeMutablePointer<Slot>?] = []

  /// Whether there are so many parts that they should be forgotten.
  var isFull: Bool { slots.count >= 64 }

  /// The slot of a part of a struct.
  func slot(of part: ValueForm.Part) -> UnsafeMutablePointer<Slot> {
    if part.number < numbered.count, let slot = numbered[part.number] { return slot }
    while numbered.count <= part.number { numbered.append(nil) }
    let slot = UnsafeMutablePointer<Slot>.allocate(capacity: 1)
    slot.initialize(to: Slot())
    numbered[part.number] = slot
    return slot
  }

  /// The slot of a part.
  func slot(at components: [PathComponent]) -> UnsafeMutablePointer<Slot> {
    if let slot = slots[components] { return slot }
    let slot = UnsafeMutablePointer<Slot>.allocate(capacity: 1)
    slot.initialize(to: Slot())
    slots[components] = slot
    return slot
  }

  deinit {
    for slot in numbered.compactMap(\.self) + slots.values {
      slot.deinitialize(count: 1)
      slot.deallocate()
    }
  }
}

extension Engine {
  /// How values of a property are recorded.
  func form(of type: Any.Type, _ attachment: Attachment, _ property: Int) -> ValueForm {
    lock.lock()
    defer { lock.unlock() }
    let slot = attachment.slot(property)
    if let form = slot.pointee.form, form.type == ObjectIdentifier(type) { return form }
    let form = ValueForm.of(type)
    slot.pointee.form = form
    slot.pointee.isWhole = form.isEnum
    return form
  }

  /// What the log holds of a value, if that is one scalar. Registers no reads.
  func scalar(_ value: StoredValue, _ form: ValueForm) -> Value? {
    if !form.mayBeScalar { return nil }
    return Frame.untracked {
      var context = EncodingContext(objects: self)
      return form.scalar(at: value.address, in: &context)
    }
  }

  /// Records a set of a long text, if it is not recorded as an edit of the text before, and the property's slot is
  /// open; otherwise does nothing and returns false.
  func setText(_ text: Value, of attachment: Attachment, property: Int) -> Bool {
    lock.lock()
    guard let slot = attachment.slots.map({ $0 + property }), slot.pointee.version == core.plansVersion,
      !ValueDiff.isEdit(from: slot.pointee.value, to: text, prefersEdits: false), isQuick(slot)
    else {
      lock.unlock()
      return false
    }
    put(
      text, isSame: false, in: slot, of: attachment, cause: nil,
      logged: path(of: attachment, property: property))
    flushAndUnlock()
    return true
  }

  /// Records a change of a struct, if it replaced one scalar in it by another, and the slot of that part is open;
  /// otherwise does nothing and returns false.
  func setPart(
    from old: UnsafeRawPointer, to new: StoredValue, _ form: ValueForm, of attachment: Attachment,
    _ property: Int
  ) -> Bool {
    if form.parts.isEmpty { return false }
    lock.lock()
    guard !attachment.isBehind, !isClosed, let change = onlyChange(from: old, to: new, form),
      change.value.isShort, putPart(change.value, at: change.part, of: attachment, property)
    else {
      lock.unlock()
      return false
    }
    attachment.countRecording()
    flushAndUnlock()
    return true
  }

  private func onlyChange(
    from old: UnsafeRawPointer, to new: StoredValue, _ form: ValueForm
  ) -> (part: ValueForm.Part, value: Value)? {
    Frame.untracked {
      var context = EncodingContext(objects: self)
      return form.onlyChange(from: old, to: new.address, in: &context)
    }
  }

  /// Records the only edit of a property, if it replaces one scalar in it by another or is another case of an enum, and
  /// its slot is open; otherwise does nothing and returns false. Called under the lock, with a state that is settled.
  func putAlone(
    _ edit: Edit, over old: Value?, _ form: ValueForm, of attachment: Attachment, _ property: Int
  ) -> Bool {
    guard case .set(let value) = edit.kind, edit.isSame == false, let old else { return false }
    if edit.components.isEmpty {
      return form.isEnum && putCase(value, over: old, of: attachment, property)
    }
    // The parts of a struct were tried before.
    guard form.parts.isEmpty, value.isScalar, let part = old.part(at: edit.components), part.isScalar,
      value.isShort || !ValueDiff.isEdit(from: part, to: value, prefersEdits: true)
    else { return false }
    return putPart(value, at: edit.components, of: attachment, property)
  }

  /// Called under the lock.
  private func putPart(
    _ value: Value, at part: ValueForm.Part, of attachment: Attachment, _ property: Int
  ) -> Bool {
    guard mayUseSlots(of: attachment, property) else { return false }
    let parts = parts(of: attachment, property)
    return put(value, in: parts.slot(of: part), of: parts, at: part.components, of: attachment, property)
  }

  /// Called under the lock.
  private func putPart(
    _ value: Value, at components: [PathComponent], of attachment: Attachment, _ property: Int
  ) -> Bool {
    guard mayUseSlots(of: attachment, property) else { return false }
    let parts = parts(of: attachment, property)
    return put(value, in: parts.slot(at: components), of: parts, at: components, of: attachment, property)
  }

  /// Called under the lock.
  private func put(
    _ value: Value, in slot: UnsafeMutablePointer<Slot>, of parts: PartSlots, at components: [PathComponent],
    of attachment: Attachment, _ property: Int
  ) -> Bool {
    let version = core.plansVersion
    if slot.pointee.version != version {
      guard slot.pointee.missedVersion == version else {
        slot.pointee.missedVersion = version
        return false
      }
      guard open(slot, at: components, of: attachment, property) else { return false }
    }
    guard isQuick(slot) else { return false }
    put(
      value, isSame: false, in: slot, of: parts, cause: nil,
      logged: path(of: attachment, property: property, components))
    return true
  }

  /// Called under the lock, with a state that is settled.
  private func putCase(_ value: Value, over old: Value, of attachment: Attachment, _ property: Int) -> Bool {
    guard !value.mayHoldObjects, !old.mayHoldObjects, mayUseSlots(of: attachment, property) else {
      return false
    }
    let slot = attachment.slot(property)
    // Opened at once: in the general way each case would be another container, which invalidates all slots.
    if slot.pointee.version != core.plansVersion, !open(slot, at: [], of: attachment, property) {
      return false
    }
    guard isQuick(slot) else { return false }
    // The parts of the case before are gone, and none of them waits.
    attachment.parts[property] = nil
    put(
      value, isSame: false, in: slot, of: attachment, cause: nil,
      logged: path(of: attachment, property: property))
    return true
  }

  private func parts(of attachment: Attachment, _ property: Int) -> PartSlots {
    if let parts = attachment.parts[property], !parts.isFull { return parts }
    // None of them may wait once they are gone.
    settle()
    let parts = PartSlots()
    attachment.parts[property] = parts
    return parts
  }

  /// Whether a set of one value to another needs nothing but the row and the readers. Called under the lock.
  private func mayUseSlots(of attachment: Attachment, _ property: Int) -> Bool {
    runsUnderWay == 0 && measurements.isEmpty && lateFollowers.isEmpty && deepDefinitions.isEmpty
      && !attachment.properties[property].isRedacted && !isClosed
      && (receivers.isEmpty || receivers[attachment.paths[property]] == nil)
  }

  /// Fills the slot of a part; returns whether it may be used.
  private func open(
    _ slot: UnsafeMutablePointer<Slot>, at components: [PathComponent], of attachment: Attachment,
    _ property: Int
  ) -> Bool {
    if origins?.wantsAll(at: path(of: attachment, property: property)) == true { return false }
    let name = attachment.properties[property].name
    let path = Path(root: .object(attachment.id), components: [.property(name)] + components)
    open(slot, at: path, logged: self.path(of: attachment, property: property, components))
    return slot.pointee.version == core.plansVersion
  }

  /// The path of a part of a property in the log.
  private func path(of attachment: Attachment, property: Int, _ components: [PathComponent]) -> Path {
    var path = path(of: attachment, property: property)
    path.components += core.state.namingElementsByID(
      components, of: attachment.id, property: attachment.properties[property].name)
    return path
  }

  /// Puts into a property's slot what was recorded in the general way. Called under the lock.
  func refreshSlot(of attachment: Attachment, _ property: Int) {
    guard let slot = attachment.slots.map({ $0 + property }), slot.pointee.version == core.plansVersion,
      let place = slot.pointee.place
    else { return }
    if let value = core.state.value(at: place), value.isScalar || slot.pointee.isWhole {
      slot.pointee.value = value
    } else {
      slot.pointee.version = .max
    }
  }
}

extension Value {
  /// Whether it is no text, or one that is never recorded as an edit of another.
  var isShort: Bool {
    guard case .string(let text) = self else { return true }
    return text.utf8.count < RecordedScalar.shortString
  }

  /// Whether both are cases of an enum with payloads, and not the same.
  func isOtherCase(than old: Value) -> Bool {
    guard case .map(let new) = self, case .map(let old) = old, new.count == 1, old.count == 1 else {
      return false
    }
    return !new[0].key.hasSameBytes(as: old[0].key)
  }

  /// The part that steps lead to; nil if there is none.
  fileprivate func part(at components: [PathComponent]) -> Value? {
    var part = self
    for component in components {
      switch (part, component) {
      case (.map(let fields), .property(let name)), (.map(let fields), .key(let name)):
        guard let field = fields[name] else { return nil }
        part = field
      case (.array(let elements), .index(let index)):
        guard let element = elements.element(at: index) else { return nil }
        part = element
      default: return nil
      }
    }
    return part
  }
}
