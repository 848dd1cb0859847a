import EventLog

/// The place that holds a recorded collection. Made by the session.
///
/// All that is read of a collection is registered here. A part that is itself a recorded collection is handed out with
/// an anchor of its own, so what is read of it is registered by its own elements.
public struct Anchor: Sendable {
  let attachment: Attachment
  /// The place, named from the object that owns it.
  let place: PathTable.ID
  /// Whether the log must not name parts of the collection, or cannot: then reading a part is reading the whole.
  private let hidesParts: Bool

  /// The anchor of a collection in a property.
  ///
  /// - Parameter isRedacted: Whether the names of its parts are part of a secret.
  init(attachment: Attachment, place: PathTable.ID, isRedacted: Bool) {
    self.attachment = attachment
    self.place = place
    hidesParts = isRedacted
  }

  /// Whether what is read now is registered.
  var isFollowed: Bool { trackingFrame != nil }

  /// Registers a read of a part of the collection by the projection that runs, if one does.
  ///
  /// - Parameter component: The step to the part; nil where it has no name in the log.
  func noteRead(_ component: @autoclosure () -> PathComponent?) {
    if let frame = trackingFrame { frame.note(place(of: component()), in: place) }
  }

  /// Registers a read of the collection as a whole.
  func noteReadOfAll() {
    if let frame = trackingFrame { frame.note(place, in: place) }
  }

  /// Registers that a part was looked for and nothing else of it was read.
  func notePresence(of component: @autoclosure () -> PathComponent?, isThere: Bool) {
    guard let frame = trackingFrame else { return }
    let component = component()
    frame.note(within(component).place(of: .exists), in: place)
    if !isThere { noteMissing(component) }
  }

  /// Registers what else the absence of a part depends on: one may come that is spelled otherwise and yet is the one
  /// that the app means. So a name that may have several spellings depends on which there are.
  private func noteMissing(_ component: PathComponent?) {
    if let component, component.mayBeSpelledOtherwise, !hidesParts { noteRead(.order) }
  }

  /// The step to an element with an id; nil where the log has no name for it.
  func component<ID>(ofID id: ID) -> PathComponent? {
    let value = attachment.engine.encode(id)
    switch value {
    case .int, .uint, .string, .bool, .double: return .id(value)
    default: return nil
    }
  }

  /// The anchor of a part.
  private func within(_ component: PathComponent?) -> Anchor {
    Anchor(
      attachment: attachment, place: place(of: component), isRedacted: hidesParts || component == nil)
  }

  private func place(of component: @autoclosure () -> PathComponent?) -> PathTable.ID {
    guard !hidesParts, let component = component() else { return place }
    let engine = attachment.engine
    return engine.lock.withLock { engine.places.intern(component, under: place) }
  }

  private var trackingFrame: Frame? {
    guard let frame = Frame.current, frame.isTracking, frame.engine === attachment.engine else { return nil }
    return frame
  }
}

extension Anchor {
  /// A part that is known to be there, for who reads it. The read depends on its value; a recorded collection is handed
  /// out with its place instead, and the read depends on what is then read of it.
  func part<Part>(_ part: Part, at component: @autoclosure () -> PathComponent?) -> Part {
    guard isFollowed else { return part }
    if Self.isCollection(Part.self) { return within(component()).hold(part) }
    noteRead(component())
    return part
  }

  /// A part that may be there, for who reads it: as ``part(_:at:)``, and of a recorded collection the read depends on
  /// whether it is there.
  func part<Part>(_ part: Part?, ifAnyAt component: @autoclosure () -> PathComponent?) -> Part? {
    guard isFollowed else { return part }
    let component = component()
    if Self.isCollection(Part.self) {
      notePresence(of: component, isThere: part != nil)
      return part.map { within(component).hold($0) }
    }
    noteRead(component)
    if part == nil { noteMissing(component) }
    return part
  }

  /// Gives all parts of a collection of recorded collections their places. Depends on nothing.
  func placeParts<Parts: MutableCollection>(
    of parts: inout Parts, at component: (Parts.Index) -> PathComponent
  ) {
    var index = parts.startIndex
    while index != parts.endIndex {
      parts[index] = within(component(index)).hold(parts[index])
      parts.formIndex(after: &index)
    }
  }

  /// Whether values of a type are recorded collections. Cost: some 20 ns, for plain bits nothing.
  static func isCollection<Value>(_ type: Value.Type) -> Bool {
    !_isPOD(type) && type is any RecordedCollection.Type
  }

  /// A recorded collection as the one at this place, for the run that takes it.
  private func hold<Value>(_ value: Value) -> Value {
    guard var collection = value as? any RecordedCollection else { return value }
    trackingFrame?.noteTaken(collectionAt: place)
    collection.anchor = self
    return collection as? Value ?? value
  }
}

extension PathComponent {
  /// Whether Swift may take another name for the same; what is ASCII is hardly ever spelled otherwise.
  fileprivate var mayBeSpelledOtherwise: Bool {
    switch self {
    case .key(let name), .id(.string(let name)): !name.utf8.allSatisfy { $0 < 0x80 }
    default: false
    }
  }
}
