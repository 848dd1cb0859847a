import EventLog

/// What ties an object to the session that records it. Guarded by the session's lock, but for what never changes.
final class Attachment: @unchecked Sendable {
  let engine: Engine
  /// The same engine, for where counting references to it would cost as much as the rest.
  let uncountedEngine: Unmanaged<Engine>
  /// The object's attachment before this one, retained.
  var before: Unmanaged<Attachment>?
  let id: ObjectID
  let properties: [RecordedPropertyDescriptor]
  /// The name of each property for the engine: good wherever the object moves.
  let places: [PathTable.ID]
  /// What the engine remembers of each property.
  let slots: UnsafeMutablePointer<Slot>
  /// And of the arrays in properties.
  var elements: [Int: ElementsSlot] = [:]
  /// The path by which the log names each property, as far as asked for, in one shape of the state.
  var cachedPaths: [Path?]
  var cachedShape: UInt64 = 0

  init(engine: Engine, id: ObjectID, properties: [RecordedPropertyDescriptor], places: [PathTable.ID]) {
    self.engine = engine
    uncountedEngine = .passUnretained(engine)
    self.id = id
    self.properties = properties
    self.places = places
    self.cachedPaths = Array(repeating: nil, count: places.count)
    slots = .allocate(capacity: places.count)
    slots.initialize(repeating: Slot(), count: places.count)
  }

  deinit {
    before?.release()
    slots.deinitialize(count: places.count)
    slots.deallocate()
  }
}
