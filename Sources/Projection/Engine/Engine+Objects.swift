import EventLog
import Invalidation

extension Engine {
  /// Makes an object a root, and records it with all objects that it reaches.
  func attach(_ object: some RecordedObject, as name: String) {
    withLock { state in
      guard !isClosed else { return }
      if let attachment = object._$recorded.attachment, attachment.engine !== self {
        return state.reportForeign(type(of: object))
      }
      state.playback.insert(object, as: name)
      let value = encode(object)
      let path = Path(root: .named(name))
      state.mutate(path, [Edit(kind: .set(value), isSame: state.core.state.value(at: path) == value)])
    }
    flush()
  }

  /// Makes an object a root that ends with a hosted projection; does nothing if that has ended.
  func attach(_ object: some RecordedObject, as name: String, until node: Node) {
    let isAlive = withLock { _ in
      guard !node.isDisposed, let hosting = node.hosting else { return false }
      if !hosting.roots.contains(where: { $0.hasSameBytes(as: name) }) { hosting.roots.append(name) }
      return true
    }
    if isAlive { attach(object, as: name) }
  }

  /// Makes the object of a root an ordinary one.
  func detach(_ name: String) {
    withLock { state in
      if !isClosed, name != Self.derivedRoot { state.detach(name) }
    }
    flush()
  }

  /// The recorded form of a value of the app. Registers no reads.
  func encode<T>(_ value: T) -> Value {
    encoding { $0.encode(value) }
  }

  func encodeElement<T>(_ element: T) -> Value {
    encoding { $0.encodeElement(element) }
  }

  func encodeElements<T>(_ elements: UnsafeBufferPointer<T>, at indices: [Int]) -> [Value] {
    encoding { $0.encodeElements(elements, at: indices) }
  }

  /// The recorded form of what `body` encodes. Registers no reads.
  func encoding<Encoded>(_ body: (inout EncodingContext) -> Encoded) -> Encoded {
    withLock { state in
      Frame.untracked {
        var context = EncodingContext(objects: self)
        let value = body(&context)
        state.encodeDeepObjects()
        return value
      }
    }
  }

  /// Encodes an object as a reference if the log knows it, otherwise as its definition. An object deep within
  /// a value becomes a reference, too, and is defined by an event of its own.
  func value(of object: any RecordedObject, in context: inout EncodingContext) -> Value {
    if let attachment = object._$recorded.attachment {
      if attachment.engine === self { return .reference(attachment.id) }
      withLock { $0.reportForeign(type(of: object)) }
      return .opaque(type: "\(type(of: object))", identity: identity(of: object))
    }
    // Objects nest, so a closure here would take stack for each level.
    let state = lock()
    defer { unlock() }
    return state.value(ofNew: object, in: &context)
  }

  /// The recorded form of a value that is a recorded or followed object; nil for other values.
  func reference(to value: Any, in context: inout EncodingContext) -> Value? {
    if let recorded = value as? any RecordedObject { return self.value(of: recorded, in: &context) }
    guard type(of: value) is AnyClass else { return nil }
    return withLock { $0.followed?.find(value as AnyObject).map { .reference($0.attachment.id) } }
  }

  func hashed<T>(_ value: T) -> Value {
    withLock { state in Frame.untracked { state.redactedHasher.hashed(value) } }
  }

  func identity(of object: AnyObject) -> UInt64 { withLock { $0.objects.identities.identity(of: object) } }

  func freshIdentity() -> UInt64 { withLock { $0.objects.identities.freshIdentity() } }

  /// Binds a recorded collection to its property, so that it can register reads of its elements.
  func bindCollection(of object: any RecordedObject, _ attachment: Attachment, property: Int) {
    guard !attachment.properties[property].isConstant else { return }
    _ = object._$write(property: property, from: AnchorWriter(attachment: attachment, property: property))
  }

  /// The slot of a property of an object. The core keeps it until the object is removed.
  func makeSlot(of object: ObjectID, _ property: String) -> SlotID {
    withLock { state in
      let owner = state.core.slot(of: object)
      state.core.hold(owner)
      return state.core.slot(.property(property), under: owner)
    }
  }
}

extension EngineState {
  /// Removes a root, if there is one.
  func detach(_ name: String) {
    guard core.state.roots[name] != nil else { return }
    playback.remove(name)
    // What is read is an object's, whatever leads to it.
    mutate(Path(root: .named(name)), [Edit(kind: .remove)], isReleased: true)
  }

  fileprivate func value(ofNew object: any RecordedObject, in context: inout EncodingContext) -> Value {
    let form = ObjectForm.of(object)
    let attachment = attach(object, form)
    if context.onlyRefersToObjects || context.depth >= EncodingContext.objectDepthLimit {
      objects.postpone(object, attachment)
      return .reference(attachment.id)
    }
    return .object(definition(of: object, attachment, form, in: &context))
  }

  private func attach(_ object: any RecordedObject, _ form: ObjectForm) -> Attachment {
    // The state itself assigns an id to the root of derived values, which must be skipped.
    let id = objects.makeID(notBefore: core.freeObjectID)
    let attachment = Attachment(engine: engine, id: id, properties: form.properties)
    if form.hasRedactions { addRedactions(of: form.properties, attachment) }
    object._$recorded.attach(attachment)
    markAttached(object._$recorded.link, id)
    return attachment
  }

  private func definition(
    of object: any RecordedObject, _ attachment: Attachment, _ form: ObjectForm,
    in context: inout EncodingContext
  ) -> ObjectDefinition {
    let fields = context.fields(of: object, by: form)
    for number in form.collections(of: object) {
      engine.bindCollection(of: object, attachment, property: number)
    }
    return ObjectDefinition(id: attachment.id, type: form.name, fields: fields)
  }

  /// Encodes the objects that were postponed because they lie deep within a value. Each refers to the next,
  /// so a linked list of any length takes no more stack than one object.
  fileprivate func encodeDeepObjects() {
    while let (object, attachment) = objects.nextPostponed() {
      var context = EncodingContext(objects: engine)
      context.onlyRefersToObjects = true
      objects.define(definition(of: object, attachment, ObjectForm.of(object), in: &context))
    }
  }

  /// Records the definitions that the next event needs.
  func defineDeepObjects(cause: UInt64?, site: String?) throws(StateError) {
    if !objects.hasDefinitions { return }
    let isOuter = !isDefiningObjects
    isDefiningObjects = true
    defer { if isOuter { isDefiningObjects = false } }
    for definition in objects.popDefinitions() {
      let path = Path(root: .object(definition.id))
      try emitMutation(.set(path, .object(definition), sameValue: false), cause: cause, site: site)
    }
  }

  /// Reports ids that several elements of an array have. It is called at the end of a transaction, because an
  /// id may occur twice for a moment within it.
  func reportDuplicateIDs() {
    if core.state.duplicateIDs.isEmpty { return }
    for duplicate in core.state.popDuplicateIDs() { report(duplicate) }
  }

  /// The present path of a property in the log, which changes when the object moves.
  func path(of attachment: Attachment, property: Int) -> Path {
    let owner = path(of: attachment)
    var components: [PathComponent] = []
    components.reserveCapacity(owner.components.count + 1)
    components += owner.components
    components.append(.property(attachment.properties[property].name))
    return Path(root: owner.root, components: components)
  }

  /// The present path of an object in the log. Cost: a hash; as ``State/path(of:)`` if the object's name may
  /// have changed.
  func path(of attachment: Attachment) -> Path {
    let version = core.nameVersion(of: attachment.id)
    if attachment.cachedShape == version.shape, attachment.cachedLayout == version.layout,
      let known = attachment.cachedPath
    {
      invariant(
        core.state.value(at: known) == .reference(attachment.id),
        "a name leads to its object as long as the version of names is the same")
      return known
    }
    let path = path(of: attachment.id, version)
    // A later definition gives the object a place without changing the version, so this name is not kept.
    let isNamed = if case .named = path.root { true } else { false }
    if path != attachment.cachedPath { attachment.nameVersion &+= 1 }
    attachment.cachedPath = path
    attachment.cachedShape = isNamed ? version.shape : .max
    attachment.cachedLayout = version.layout
    return path
  }

  private func path(of object: ObjectID, _ version: State.NameVersion) -> Path {
    if let known = objects.names.path(of: object, version) { return known }
    let path = core.state.path(of: object)
    if case .named = path.root { objects.names.insert(path, of: object, version) }
    return path
  }

  /// The present path of a slot in the log.
  func loggedPath(of slot: SlotID) -> Path {
    let path = core.path(of: slot)
    guard case .object(let object) = path.root else { return path }
    return logged(path, of: object)
  }

  /// The present path in the log for a path that begins with an object.
  func logged(_ path: Path, of object: ObjectID) -> Path {
    let owner = self.path(of: object, core.nameVersion(of: object))
    return Path(root: owner.root, components: owner.components + path.components)
  }
}

/// Binds a recorded collection to its property; does nothing with other values.
private final class AnchorWriter: RecordedPropertyWriter {
  let attachment: Attachment
  let property: Int

  init(attachment: Attachment, property: Int) {
    self.attachment = attachment
    self.property = property
  }

  func write<Member>(_ storage: inout Member) {
    guard var collection = storage as? any RecordedCollection else { return }
    collection._$bind(
      to: Anchor(
        attachment: attachment, property: property,
        hidesParts: attachment.properties[property].hidesParts))
    if let bound = collection as? Member { storage = bound }
  }
}
