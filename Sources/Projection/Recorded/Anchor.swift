import EventLog
import Invalidation
import Synchronization

/// The place of a recorded collection: the object that owns it, and the path from there. Made by the session.
///
/// A collection registers its reads through its anchor. A part that is itself a recorded collection is
/// returned with its own anchor, and registers reads of its own elements.
public struct Anchor: Sendable {
  let attachment: Attachment
  private let property: Int
  /// The steps from the property, for a collection within another.
  private let steps: [PathComponent]
  /// Whether the log must not or cannot name parts of the collection. Reading a part then counts as reading
  /// the whole.
  private let hidesParts: Bool

  /// The anchor of a collection in a property.
  ///
  /// - Parameter hidesParts: Whether the log must not name parts of the collection.
  init(attachment: Attachment, property: Int, steps: [PathComponent] = [], hidesParts: Bool) {
    self.attachment = attachment
    self.property = property
    self.steps = steps
    self.hidesParts = hidesParts
  }

  /// Whether reads are registered at present.
  var isFollowed: Bool { trackingFrame != nil }

  /// Registers a read of a part of the collection by the running projection, if there is one.
  ///
  /// - Parameter component: The path of the part within the collection; nil if the log cannot name it.
  func registerRead(_ component: @autoclosure () -> PathComponent?) {
    if let frame = trackingFrame { registerRead(component(), by: frame) }
  }

  private func registerRead(_ component: PathComponent?, by frame: Frame) {
    let (part, collection) = slots(of: component, expecting: frame.reads.next)
    frame.register(part, in: collection)
  }

  /// Registers a read of the collection as a whole.
  func registerReadOfAll() {
    guard let frame = trackingFrame else { return }
    let slot = slot
    frame.register(slot, in: slot)
  }

  /// Registers a read of the presence of a part, without its value.
  func registerPresence(of component: @autoclosure () -> PathComponent?, isThere: Bool) {
    guard let frame = trackingFrame else { return }
    let component = component()
    let (part, collection) = slots(of: component, .exists)
    frame.register(part, in: collection)
    if !isThere { registerMissing(component) }
  }

  /// Registers the further dependency of an absent part. If a part is inserted under another spelling of the
  /// same name, the app finds it under this name. So if a name may have several spellings, its absence
  /// depends on all names.
  private func registerMissing(_ component: PathComponent?) {
    if let component, component.mayBeSpelledOtherwise, !hidesParts { registerRead(.order) }
  }

  /// The path component of an element with an id; nil if the log cannot name it.
  func component<ID>(ofID id: ID) -> PathComponent? {
    let value = attachment.engine.encode(id)
    return value.namesElement ? .id(value) : nil
  }

  /// The anchor of a part.
  private func within(_ component: PathComponent?) -> Anchor {
    let isHidden = hidesParts || component == nil
    return Anchor(
      attachment: attachment, property: property,
      steps: isHidden ? steps : steps + [component].compactMap(\.self),
      hidesParts: isHidden)
  }

  /// The slot of the collection.
  private var slot: SlotID { steps.isEmpty ? attachment.slot(property) : slots(of: nil).collection }

  /// The slots of a part, or of an aspect of a part, and of the collection. Both are the same if the log
  /// cannot name the part.
  ///
  /// - Parameter expected: The slot that the part probably has.
  private func slots(
    of part: PathComponent?, _ aspect: PathComponent? = nil, expecting expected: SlotID? = nil
  ) -> (part: SlotID, collection: SlotID) {
    let first = attachment.slot(property)
    if steps.isEmpty, part == nil || hidesParts { return (first, first) }
    let engine = attachment.engine
    return engine.withLock { state in
      let collection = steps.reduce(first) { state.core.slot($1, under: $0) }
      guard !hidesParts, let part else { return (collection, collection) }
      let slot = state.core.slot(part, under: collection, expecting: expected)
      return (aspect.map { state.core.slot($0, under: slot) } ?? slot, collection)
    }
  }

  private var trackingFrame: Frame? {
    guard let frame = Frame.current, frame.isTracking, frame.engine === attachment.engine else { return nil }
    return frame
  }
}

extension Anchor {
  /// Registers the read of a present part. The reader depends on its value. If the part is a recorded
  /// collection, it is returned with its own anchor, and the reader depends on what it then reads from it.
  func part<Part>(_ part: Part, at component: @autoclosure () -> PathComponent?) -> Part {
    guard let frame = trackingFrame else { return part }
    if Self.isCollection(Part.self) { return within(component()).hold(part) }
    registerRead(component(), by: frame)
    return part
  }

  /// Registers the read of a part that may be absent, as ``part(_:at:)``. If it is a recorded collection, the
  /// reader also depends on its presence.
  func part<Part>(_ part: Part?, ifAnyAt component: @autoclosure () -> PathComponent?) -> Part? {
    guard let frame = trackingFrame else { return part }
    let component = component()
    if Self.isCollection(Part.self) {
      registerPresence(of: component, isThere: part != nil)
      return part.map { within(component).hold($0) }
    }
    registerRead(component, by: frame)
    if part == nil { registerMissing(component) }
    return part
  }

  /// Gives each recorded collection within a collection its anchor. Registers no read.
  func placeParts<Parts: MutableCollection>(
    of parts: inout Parts, at component: (Parts.Index) -> PathComponent
  ) {
    var index = parts.startIndex
    while index != parts.endIndex {
      parts[index] = within(component(index)).hold(parts[index])
      parts.formIndex(after: &index)
    }
  }

  /// Whether values of a type are recorded collections. Cost: nothing for a trivial type, and a load for the type that was
  /// found last not to be one; some 20 ns for others.
  static func isCollection<Value>(_ type: Value.Type) -> Bool {
    if _isPOD(type) { return false }
    let address = UInt(bitPattern: ObjectIdentifier(type))
    if otherType.load(ordering: .relaxed) == address { return false }
    if type is any RecordedCollection.Type { return true }
    otherType.store(address, ordering: .relaxed)
    return false
  }

  /// The type, by its address, that was found last not to be a recorded collection: the rows of a list have one type, and to
  /// look a conformance up takes 400 instructions. Types stay where they are.
  private static let otherType = Atomic<UInt>(0)

  /// A copy of a recorded collection with this anchor; registers the copy with the current run.
  private func hold<Value>(_ value: Value) -> Value {
    guard var collection = value as? any RecordedCollection else { return value }
    trackingFrame?.registerTaken(collectionAt: slot)
    collection.anchor = self
    return collection as? Value ?? value
  }
}

extension PathComponent {
  /// Whether a name may have other spellings that are equal in Swift. ASCII names have none in practice.
  fileprivate var mayBeSpelledOtherwise: Bool {
    switch self {
    case .key(let name), .id(.string(let name)): !name.utf8.allSatisfy { $0 < 0x80 }
    default: false
    }
  }
}
