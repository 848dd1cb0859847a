import EventLog
import Synchronization

/// What ties an object to the session that records it. Immutable but for a cache that the session guards.
final class Attachment: @unchecked Sendable {
  let engine: Engine
  let id: ObjectID
  let properties: [RecordedPropertyDescriptor]
  /// The name of each property for the engine: good wherever the object moves.
  let places: [PathTable.ID]
  /// The path by which the log names each property, as far as asked for, in one shape of the state.
  var cachedPaths: [Path?]
  var cachedShape: UInt64 = 0

  init(engine: Engine, id: ObjectID, properties: [RecordedPropertyDescriptor], places: [PathTable.ID]) {
    self.engine = engine
    self.id = id
    self.properties = properties
    self.places = places
    self.cachedPaths = Array(repeating: nil, count: places.count)
  }
}

/// An object's end of the tie: empty until a session attaches the object.
final class Link: Sendable {
  private let isAttached = Atomic<Bool>(false)
  private let stored = Mutex<Attachment?>(nil)

  /// The present attachment. Cost while there is none: one load.
  var attachment: Attachment? {
    guard isAttached.load(ordering: .acquiring) else { return nil }
    guard let attachment = stored.withLock(\.self), !attachment.engine.isClosed else { return nil }
    return attachment
  }

  func attach(_ attachment: Attachment) {
    stored.withLock { $0 = attachment }
    isAttached.store(true, ordering: .releasing)
  }
}
