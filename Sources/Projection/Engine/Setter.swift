import EventLog
import Invalidation

// A fast path for sets of properties that replace a number, a Boolean or a short string by another, which most
// sets do. All others go through `record(of:property:)`.

/// Cached data for setting a property. Guarded by the session's lock.
///
/// The setters of an object are behind a pointer, because every recorded set uses one, and an array's checks
/// of bounds and unique ownership would double the cost.
struct Setter {
  /// Where the value is. Without a location, the fast path must not be used.
  var write = Write()
  /// The version of the object's name for which the path in the log is valid.
  var nameVersion = UInt32.max
  /// What is known of the part that was replaced last; nil until a part is.
  private var part: PartWrite?
  /// The memory layout of the elements of the array in the property, once an element was changed;
  /// `.some(nil)` if they are not structs of plain values.
  var elementLayout: StructLayout??
  /// The part of the struct in the property, or of its elements, that mutations in place have changed.
  var mutatedPart = MutatedPart.unknown
  /// The position of the field that the fast path has added to `mutatedPart` last; -1 if there is none.
  var mutatedField = -1
  /// How values of the property are recorded, once a value was recorded in another way than as a number.
  var form: ValueForm?

  /// What is known of a part, at a version of the state's routes; see ``PartWrite``.
  mutating func part(at location: Location, _ routeVersion: UInt64, _ steps: [PathComponent]) -> PartWrite {
    guard let part else {
      let made = PartWrite(at: location, routeVersion, steps)
      part = made
      return made
    }
    part.begin(at: location, routeVersion, steps)
    return part
  }

  /// Records that a mutation in place has changed a field.
  @inline(__always)
  mutating func addMutation(ofField position: Int, at components: @autoclosure () -> [PathComponent]) {
    if mutatedField == position { return }
    mutatedField = position
    mutatedPart.add(components())
  }
}

extension Engine {
  /// Records a set of a property to a scalar, then runs what it made out of date.
  ///
  /// Cost if the property has no readers: a lock, a reading of the clock and the log's row; no allocation.
  func set(_ value: Value, isSame: Bool, of attachment: Attachment, property: Int) {
    setNow(value, isSame: isSame, of: attachment, property: property)
  }

  /// The same, inlined into the caller, for the app's accessors.
  @inline(__always)
  func setNow(_ value: Value, isSame: Bool, of attachment: Attachment, property: Int) {
    setAndUnlock(lock(), value, isSame: isSame, of: attachment, property: property)
  }

  /// The same under the lock, which it gives back.
  @inline(__always)
  func setAndUnlock(
    _ state: EngineState, _ value: Value, isSame: Bool, of attachment: Attachment, property: Int
  ) {
    guard state.put(value, isSame: isSame, of: attachment, property) else {
      unlock()
      return setGenerally(value, isSame: isSame, of: attachment, property)
    }
    if state.core.invalidated.isEmpty {
      unlock()
    } else {
      flushAndUnlock(state, from: state.recorder.momentOfLastEvent)
    }
  }

  @inline(never)
  private func setGenerally(_ value: Value, isSame: Bool, of attachment: Attachment, _ property: Int) {
    record(of: attachment, property: property) { _ in [Edit(kind: .set(value), isSame: isSame)] }
  }
}

extension EngineState {
  /// Records a set of a property to a scalar in the fast way. Returns false and does nothing if that is not
  /// possible.
  @inline(__always)
  fileprivate func put(_ value: Value, isSame: Bool, of attachment: Attachment, _ property: Int) -> Bool {
    guard let setter = quickSetter(of: attachment, property) else { return false }
    return put(value, isSame: isSame, by: setter, of: attachment, property)
  }

  /// The setter of a property that the fast path may write now; nil if it is left to the general way, which alone
  ///
  /// - knows redacted properties, and ids, by which paths name elements (see `prepare`);
  /// - tells what the running projections and measurements, receivers and readers of objects that are just being
  ///   attached must know;
  /// - defines objects before an event that may refer to them;
  /// - records where a write came from, and one that continues;
  /// - decides when an overdue session, or one that runs projections later, runs them;
  /// - records the runs that are held before what they have read changes.
  @inline(__always)
  func quickSetter(of attachment: Attachment, _ property: Int) -> UnsafeMutablePointer<Setter>? {
    let setter = attachment.setter(property)
    guard setter.pointee.write.location != nil || prepare(setter, attachment, property),
      !earlyReaders.haveLate,
      !objects.hasDefinitions, !needsOrigin(attachment, property), isQuick(setter.pointee.write.slot)
    else { return nil }
    return setter
  }

  @inline(never)
  private func prepare(_ setter: UnsafeMutablePointer<Setter>, _ attachment: Attachment, _ property: Int)
    -> Bool
  {
    let descriptor = attachment.properties[property]
    guard descriptor.isPlainScalar, !engine.isClosed,
      let location = core.state.propertyLocation(of: attachment.id, property: descriptor.name)
    else { return false }
    setter.pointee.write.slot = attachment.slot(property)
    setter.pointee.write.location = location
    return true
  }

  @inline(__always)
  private func isQuick(_ slot: SlotID) -> Bool {
    if !runs.isNone || !measurements.isEmpty || continuesWrite || hasHeldRuns { return false }
    if recorder.recordsOrigins, recorder.isOriginDue { return false }
    if !receivers.isEmpty, receivers.exist(for: slot) { return false }
    if core.openTransactions == 0 { return delivery == .immediate }
    markCollected()
    // The general way ends with a flush.
    return !isOverdue
  }

  /// Whether every set of a property must be recorded with its origin.
  @inline(__always)
  private func needsOrigin(_ attachment: Attachment, _ property: Int) -> Bool {
    recorder.recordsOrigins && recorder.wantsOrigins(at: path(of: attachment, property: property))
  }

  /// Replaces the value of a property by another scalar, records that, and leaves the invalidated nodes in the core. Returns
  /// false and does nothing if the general way is needed.
  ///
  /// - Parameter isCase: Whether the value is another case of an enum, with its payload. Neither may hold objects.
  @inline(__always)
  private func put(
    _ value: Value, isSame: Bool, isCase: Bool = false, by setter: UnsafeMutablePointer<Setter>,
    of attachment: Attachment, _ property: Int
  ) -> Bool {
    guard replace(&setter.pointee.write, by: value, isSame: isSame, isCase: isCase) else { return false }
    append(
      value, isSame: isSame, cause: AmbientCause.seq(in: engine),
      at: isNamed(attachment, setter) ? setter.pointee.write.loggedPath : nil
    ) { log throws(LogError) in try name(setter, attachment, property, in: log) }
    return true
  }

  /// Whether the object still has the name that its setter has for the property. The state must hold the
  /// setter's location.
  @inline(__always)
  private func isNamed(_ attachment: Attachment, _ setter: UnsafeMutablePointer<Setter>) -> Bool {
    attachment.cachedShape == core.state.shapeVersion
      && attachment.cachedLayout == setter.pointee.write.location?.layout
      && attachment.nameVersion == setter.pointee.nameVersion
  }

  /// Finds the path of a property in the log. This needs no lookup in the log's tables if the object's name
  /// is unchanged and the id of the path is still valid.
  @inline(never)
  func name(
    _ setter: UnsafeMutablePointer<Setter>, _ attachment: Attachment, _ property: Int, in log: LogWriter
  ) throws(LogError) -> LogWriter.LoggedPath {
    if let known = setter.pointee.write.loggedPath, log.holds(known), isNamed(attachment, setter) {
      return known
    }
    let owner = path(of: attachment)
    if let known = setter.pointee.write.loggedPath, setter.pointee.nameVersion == attachment.nameVersion,
      log.holds(known)
    {
      return known
    }
    let path = owner.appending(.property(attachment.properties[property].name))
    let logged = try log.logged(path, renewing: setter.pointee.write.loggedPath)
    setter.pointee.write.loggedPath = logged
    setter.pointee.nameVersion = attachment.nameVersion
    return logged
  }
}

// MARK: Values other than numbers

extension Engine {
  /// How values of a property are recorded.
  func form(of type: Any.Type, _ attachment: Attachment, _ property: Int) -> ValueForm {
    _ = lock()
    defer { unlock() }
    let setter = attachment.setter(property)
    if let form = setter.pointee.form, form.type == ObjectIdentifier(type) { return form }
    let form = ValueForm.of(type)
    setter.pointee.form = form
    return form
  }

  /// The recorded form of a value, if that is one scalar. Registers no reads.
  func scalar(_ value: StoredValue, _ form: ValueForm) -> Value? {
    if !form.mayBeScalar { return nil }
    return Frame.untracked {
      var context = EncodingContext(objects: self)
      // A large value may have to be left out of the log, which only the general way does.
      return form.scalar(at: value.address, in: &context).flatMap { $0.sharesBlock ? $0 : nil }
    }
  }

  /// Takes the quick route under the lock, then runs what it made out of date. Returns false if the general way is needed.
  private func quickly(_ put: (EngineState) -> Bool) -> Bool {
    let state = lock()
    guard put(state) else {
      unlock()
      return false
    }
    flushAndUnlock(state)
    return true
  }

  /// Records a set of a long text, unless it is to be recorded as an edit of the text before. Returns false
  /// and does nothing in that case, or if the general way is needed.
  func setText(_ text: Value, of attachment: Attachment, property: Int) -> Bool {
    quickly { $0.putText(text, of: attachment, property) }
  }

  /// Records a change of a struct that replaced one scalar in it by another. Returns false and does nothing
  /// for other changes, or if the general way is needed.
  ///
  /// - Parameter isMutation: Whether the struct was mutated in place.
  func setPart(
    from old: UnsafeRawPointer, to new: StoredValue, _ form: ValueForm, isMutation: Bool,
    of attachment: Attachment, _ property: Int
  ) -> Bool {
    if form.parts.isEmpty { return false }
    return quickly { state in
      guard !attachment.isBehind, !isClosed, let change = onlyChange(from: old, to: new, form),
        state.putField(change.value, at: change.part.components, of: attachment, property)
      else { return false }
      if isMutation {
        attachment.setter(property).pointee.addMutation(
          ofField: change.part.number, at: change.part.components)
      }
      return true
    }
  }

  /// Records that a scalar in a struct was replaced, at steps from the property. Call it under the lock, which it gives back.
  func setPartAndUnlock(
    _ state: EngineState, _ value: Value, at components: [PathComponent], of attachment: Attachment,
    property: Int
  ) {
    guard !attachment.isBehind, !isClosed, state.putField(value, at: components, of: attachment, property)
    else {
      unlock()
      return record(of: attachment, property: property) { _ in
        [Edit(components: components, kind: .set(value), isSame: false)]
      }
    }
    flushAndUnlock(state)
  }

  private func onlyChange(
    from old: UnsafeRawPointer, to new: StoredValue, _ form: ValueForm
  ) -> (part: ValueForm.Part, value: Value)? {
    Frame.untracked {
      var context = EncodingContext(objects: self)
      return form.onlyChange(from: old, to: new.address, in: &context)
    }
  }
}

extension EngineState {
  fileprivate func putText(_ text: Value, of attachment: Attachment, _ property: Int) -> Bool {
    guard let setter = quickSetter(of: attachment, property), let location = setter.pointee.write.location
    else { return false }
    guard let before = core.value(at: location) else {
      setter.pointee.write.location = nil
      return false
    }
    guard text.sharesBlock, !ValueDiff.isEdit(from: before, to: text, prefersEdits: false) else {
      return false
    }
    return put(text, isSame: false, by: setter, of: attachment, property)
  }

  /// Records the only edit of a property, if it replaces one scalar in it by another or is a set to another
  /// enum case. Returns false and does nothing for other edits, or if the general way is needed.
  func putAlone(
    _ edit: Edit, over old: Value?, _ form: ValueForm, of attachment: Attachment, _ property: Int
  ) -> Bool {
    guard case .set(let value) = edit.kind, edit.isSame == false, let old else { return false }
    if edit.components.isEmpty {
      guard form.isEnum, value.sharesBlock, !value.mayHoldObjects, !old.mayHoldObjects,
        let setter = quickSetter(of: attachment, property)
      else { return false }
      return put(value, isSame: false, isCase: true, by: setter, of: attachment, property)
    }
    // The parts of a struct were tried before.
    guard form.parts.isEmpty, edit.components.nameNoIdentity, value.isScalar,
      let part = old.part(at: edit.components), part.isScalar,
      value.isShort || !ValueDiff.isEdit(from: part, to: value, prefersEdits: true)
    else { return false }
    return putPart(value, at: edit.components, of: attachment, property)
  }

  /// Records that a field of a struct was replaced by a number or a short text. Returns false and does nothing if the
  /// general way is needed.
  fileprivate func putField(
    _ value: Value, at steps: [PathComponent], of attachment: Attachment, _ property: Int
  ) -> Bool {
    guard value.isShort, steps.nameNoIdentity, putPart(value, at: steps, of: attachment, property) else {
      return false
    }
    attachment.countRecording()
    return true
  }

  private func putPart(
    _ value: Value, at steps: [PathComponent], of attachment: Attachment, _ property: Int
  ) -> Bool {
    guard value.sharesBlock, let setter = quickSetter(of: attachment, property),
      let whole = setter.pointee.write.location
    else { return false }
    guard let location = core.location(at: steps, in: whole) else {
      forgetLost(&setter.pointee.write)
      return false
    }
    let part = setter.pointee.part(at: location, core.state.routeVersion, steps)
    return put(value, at: location, steps, part, by: setter, of: attachment, property)
  }

  /// Replaces a scalar in the value of a property by another, and records that. Returns false and does nothing if
  /// the general way is needed.
  ///
  /// - Parameters:
  ///   - location: Where it is.
  ///   - id: The id of the element that contains it, by which a path names the element.
  ///   - steps: The path from the property, for the log.
  ///   - part: What is known of it.
  func put(
    _ value: Value, at location: Location, elementID id: Value? = nil,
    _ steps: @autoclosure () -> [PathComponent], _ part: PartWrite,
    by setter: UnsafeMutablePointer<Setter>, of attachment: Attachment, _ property: Int
  ) -> Bool {
    guard
      core.findReaders(
        of: &part.slots, at: location, below: setter.pointee.write.slot, elementID: id, sameValue: false),
      core.state.putScalar(value, at: location)
    else { return false }
    append(
      value, isSame: false, cause: AmbientCause.seq(in: engine),
      at: isNamed(attachment, setter) ? part.loggedPath(below: setter.pointee.write.loggedPath) : nil
    ) { log throws(LogError) in
      let (whole, below) = (try name(setter, attachment, property, in: log), steps())
      if let path = try log.logged(below, under: whole) {
        part.setLoggedPath(path, below: whole)
        return path
      }
      let path = path(of: attachment, property: property)
      return try log.logged(Path(root: path.root, components: path.components + below))
    }
    return true
  }
}

extension [PathComponent] {
  /// Whether the steps lead neither to an id nor into an element of an array, which may have one.
  fileprivate var nameNoIdentity: Bool {
    for (position, step) in enumerated() {
      switch step {
      case .property(let name) where name != "id", .key(let name) where name != "id": continue
      case .index where position == count - 1: continue
      default: return false
      }
    }
    return true
  }
}

extension Value {
  /// Whether it is not a text, or a text that is never recorded as an edit of another.
  var isShort: Bool {
    guard case .string(let text) = self else { return true }
    return text.utf8.count < RecordedScalar.shortString
  }

  /// Whether both are values of enums with payloads, and of different cases.
  func isOtherCase(than old: Value) -> Bool {
    guard case .map(let new) = self, case .map(let old) = old, new.count == 1, old.count == 1 else {
      return false
    }
    return !new[0].key.hasSameBytes(as: old[0].key)
  }

  /// The part that steps lead to; nil if there is none.
  func part(at components: [PathComponent]) -> Value? {
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
