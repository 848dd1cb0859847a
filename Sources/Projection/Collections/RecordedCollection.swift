import EventLog

/// A collection that reports what is read of it and what is done to it, element by element.
///
/// Its own accessors register reads, so the property that holds it registers none of its own. While the
/// property is being mutated in place it keeps a journal, from which the edits are recorded.
public protocol RecordedCollection {
  /// The property that holds the collection, once its object is attached. Copies keep it.
  var anchor: Anchor? { get set }

  /// Starts to keep a journal.
  mutating func _$beginEdits()

  /// Stops, and gives what was done, or nil when the journal does not tell the whole story.
  mutating func _$endEdits(_ encoder: CollectionEncoder) -> [CollectionEdit]?
}

/// The property that holds a recorded collection. Made by the session.
public struct Anchor: Sendable {
  let attachment: Attachment
  let property: Int

  /// Whether the log must not name parts of the collection: their names are part of the secret.
  var isRedacted: Bool { attachment.properties[property].isRedacted }

  /// Registers a read of a place in the collection by the projection that runs, if one does.
  @usableFromInline
  func noteRead(_ component: @autoclosure () -> PathComponent) {
    guard let frame = trackingFrame else { return }
    if isRedacted { return frame.note(place) }
    let engine = attachment.engine
    frame.note(engine.lock.withLock { engine.places.intern(component(), under: place) })
  }

  /// Registers a read of the collection as a whole.
  @usableFromInline
  func noteReadOfAll() {
    trackingFrame?.note(place)
  }

  private var place: PathTable.ID { attachment.places[property] }

  private var trackingFrame: Frame? {
    guard let frame = Frame.current, frame.isTracking, frame.engine === attachment.engine else { return nil }
    return frame
  }
}

/// Turns elements into recorded values; handed to a collection by its session.
public struct CollectionEncoder {
  let engine: Engine
  /// Whether the log must not hold the elements.
  var isRedacted = false

  func encode<T>(_ value: T) -> Value { isRedacted ? .redacted : engine.encodeElement(value) }
}

/// What was done to a recorded collection. Made and read by the runtime alone.
public struct CollectionEdit {
  let edit: Edit
}
