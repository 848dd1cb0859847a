import EventLog

/// The place that holds a recorded collection. Made by the session.
public struct Anchor: Sendable {
  let attachment: Attachment
  /// The place, named from the object that owns it.
  let place: PathTable.ID
  /// Whether the log must not name parts of the collection: their names are part of the secret.
  let isRedacted: Bool

  /// Registers a read of a part of the collection by the projection that runs, if one does.
  func noteRead(_ component: @autoclosure () -> PathComponent) {
    guard let frame = trackingFrame else { return }
    if isRedacted { return frame.note(place) }
    let engine = attachment.engine
    frame.note(engine.lock.withLock { engine.places.intern(component(), under: place) })
  }

  /// Registers a read of a part by its name. Where there is none, one may come that is spelled otherwise and yet is the
  /// one that the app means: so a name that may have several spellings depends on which there are, too.
  func noteRead(named component: @autoclosure () -> PathComponent, isThere: @autoclosure () -> Bool) {
    if trackingFrame == nil { return }
    if isRedacted { return noteReadOfAll() }
    let component = component()
    noteRead(component)
    if component.mayBeSpelledOtherwise, !isThere() { noteRead(.order) }
  }

  /// Registers, where what was read by a name is not there, what ``noteRead(named:isThere:)`` registers for that.
  func noteMissing(_ component: @autoclosure () -> PathComponent) {
    if trackingFrame != nil, !isRedacted, component().mayBeSpelledOtherwise { noteRead(.order) }
  }

  /// Registers a read of the element with an id.
  func noteRead<ID>(id: @autoclosure () -> ID, isThere: @autoclosure () -> Bool) {
    if trackingFrame == nil { return }
    if isRedacted { return noteReadOfAll() }
    let value = attachment.engine.encode(id())
    switch value {
    case .int, .uint, .string, .bool, .double: noteRead(named: .id(value), isThere: isThere())
    default: noteReadOfAll()
    }
  }

  /// Registers a read of the collection as a whole.
  func noteReadOfAll() {
    trackingFrame?.note(place)
  }

  /// The anchor of a collection within this one, for the projection that runs; nil when none does: then nobody
  /// asks what is read.
  func within(_ component: @autoclosure () -> PathComponent) -> Anchor? {
    if trackingFrame == nil { return nil }
    if isRedacted { return self }
    let engine = attachment.engine
    return Anchor(
      attachment: attachment,
      place: engine.lock.withLock { engine.places.intern(component(), under: place) },
      isRedacted: false)
  }

  private var trackingFrame: Frame? {
    guard let frame = Frame.current, frame.isTracking, frame.engine === attachment.engine else { return nil }
    return frame
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
