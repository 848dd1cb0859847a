import EventLog
import Synchronization

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
  /// What the engine remembers of each property, once one was set; most objects are only read.
  @exclusivity(unchecked) private(set) var slots: UnsafeMutablePointer<Slot>?
  /// And of the arrays in properties.
  var elements: [Int: ElementsSlot] = [:]
  private let recordings = Atomic<UInt64>(0)
  /// Whether something was refused, so that the log holds other values than the object.
  var isBehind = false
  /// The path by which the log names each property, as far as asked for, in one shape of the state.
  var cachedPaths: [Path?] = []
  var cachedShape: UInt64 = 0

  init(engine: Engine, id: ObjectID, properties: [RecordedPropertyDescriptor], places: [PathTable.ID]) {
    self.engine = engine
    uncountedEngine = .passUnretained(engine)
    self.id = id
    self.properties = properties
    self.places = places
  }

  /// How often something of the object was recorded, but for scalars that took each other's place. Needs no lock.
  var recordCount: UInt64 { recordings.load(ordering: .relaxed) }

  /// Notes that something is recorded.
  func countRecording() { recordings.wrappingAdd(1, ordering: .relaxed) }

  /// What the engine remembers of a property.
  func slot(_ property: Int) -> UnsafeMutablePointer<Slot> {
    if let slots { return slots + property }
    let made = UnsafeMutablePointer<Slot>.allocate(capacity: places.count)
    made.initialize(repeating: Slot(), count: places.count)
    slots = made
    return made + property
  }

  deinit {
    before?.release()
    slots?.deinitialize(count: places.count)
    slots?.deallocate()
  }
}
