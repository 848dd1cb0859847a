import EventLog

/// What ties an object to the session that records it. Guarded by the session's lock, but for what never changes.
///
/// The slots are behind a pointer: they are touched by every recorded set, where checking an array's bounds and
/// owners costs as much as the rest.
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
  let slots: UnsafeMutablePointer<PropertySlot>
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
    slots.initialize(repeating: PropertySlot(), count: places.count)
  }

  deinit {
    before?.release()
    slots.deinitialize(count: places.count)
    slots.deallocate()
  }
}

/// What the engine remembers of a property that scalars are set to again and again.
struct PropertySlot {
  /// The engine's `plansVersion` at which the rest was found out; good for no other.
  var version = UInt64.max
  /// The version at the last set that found nothing here: two in a row are worth finding out.
  var missedVersion = UInt64.max
  /// The property's name in the log, if there is one.
  var loggedPath: LogWriter.InternedPath?
  /// Who is woken by a change, in order of creation.
  var readers: [Node] = []
  /// The last value, which the core's state lacks while it waits.
  var value = Value.null
  var isWaiting = false
}
