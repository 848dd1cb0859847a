import EventLog
import Invalidation
import Observation
import Synchronization

/// Ties an object to the session that records it, and to the standard library's observers.
///
///     RecordedRegistrar -> Link -> Attachment -> Engine
///                               -> Watchers   -> ObservationRegistrar
///
/// A new object has only the link. The rest is made when the object is attached to a session, or first read.
@usableFromInline
final class Link: Sendable {
  private let attached = Atomic<Unmanaged<Attachment>?>(nil)
  private let watched = Atomic<Unmanaged<Watchers>?>(nil)

  init() {}

  deinit {
    attached.load(ordering: .acquiring)?.release()
    watched.load(ordering: .acquiring)?.release()
  }

  /// The attachment to an open session. Cost if there is none: one atomic load.
  var attachment: Attachment? {
    guard let attachment = attached.load(ordering: .acquiring)?.takeUnretainedValue(),
      !attachment.engine.isClosed
    else { return nil }
    return attachment
  }

  /// The slot of a property in an engine's core; nil unless the object is attached to that engine's session
  /// and the session is open. Retains nothing.
  @inline(__always)
  func slot(_ property: Int, in engine: Engine) -> SlotID? {
    attached.load(ordering: .acquiring)?._withUnsafeGuaranteedRef {
      $0.engine === engine && !engine.isClosed ? $0.slot(property) : nil
    }
  }

  /// Runs the body with the last attachment, whose session may be closed, without retaining it.
  @inline(__always)
  private func withLastAttachment(_ body: (Attachment) -> Void) {
    attached.load(ordering: .acquiring)?._withUnsafeGuaranteedRef(body)
  }

  /// Attaches the object to a session. Earlier attachments stay in memory, because another thread may be
  /// using them.
  func attach(_ attachment: Attachment) {
    attachment.before = attached.load(ordering: .acquiring)
    attached.store(Unmanaged.passRetained(attachment), ordering: .releasing)
  }

  /// The standard library's observers; nil if the object has never been read.
  @inline(__always)
  var watchers: Watchers? {
    watched.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { $0 }
  }

  /// Calls the body with the standard library's observers, which are made at the first call. Retains nothing.
  ///
  /// - Parameter properties: The number of the object's logged properties.
  @inline(__always)
  func withWatchers(_ properties: @autoclosure () -> Int, _ body: (Watchers) -> Void) {
    if let watchers = watched.load(ordering: .acquiring) {
      watchers._withUnsafeGuaranteedRef(body)
    } else {
      body(makeWatchers(properties: properties()))
    }
  }

  /// Makes the standard library's observers, unless they exist, and returns them.
  ///
  /// - Parameter properties: The number of the object's logged properties.
  @inline(never)
  func makeWatchers(properties: Int) -> Watchers {
    let made = Unmanaged.passRetained(Watchers(properties: properties))
    let (isFirst, known) = watched.compareExchange(
      expected: nil, desired: made, ordering: .acquiringAndReleasing)
    guard !isFirst, let known else { return made.takeUnretainedValue() }
    made.release()
    return known.takeUnretainedValue()
  }

  /// Whether the standard library may have an observer of the property. Cost for an object that has never
  /// been read: one atomic load.
  @usableFromInline
  func isWatched(_ property: Int) -> Bool { watchers?.isWatched(property) ?? false }

  /// Records a set of a property to a scalar, if a session records the object.
  @usableFromInline
  func record(_ value: Value, isSame: Bool, property: Int) {
    withLastAttachment { attachment in
      attachment.uncountedEngine._withUnsafeGuaranteedRef {
        $0.setNow(value, isSame: isSame, of: attachment, property: property)
      }
    }
  }
}

/// Connects an object to the session that records it. Guarded by the session's lock, except for constants and
/// atomics.
final class Attachment: @unchecked Sendable {
  let engine: Engine
  /// The engine, unretained, because reference counting would cost as much as the rest of a scalar's set.
  fileprivate let uncountedEngine: Unmanaged<Engine>
  /// The object's previous attachment, retained.
  fileprivate var before: Unmanaged<Attachment>?
  /// The object's id in the session's log.
  let id: ObjectID
  let properties: [RecordedPropertyDescriptor]
  /// For each property, the index of its slot in the core plus 1, or 0 if it has none yet. The core keeps the
  /// slots as long as the object is in the state, so a read finds its slot without a lock.
  private let slots: UnsafeMutablePointer<Atomic<UInt32>>
  /// The engine's cached data for setting each property; nil until one is set, because most objects are only
  /// read.
  @exclusivity(unchecked) private(set) var setters: UnsafeMutablePointer<Setter>?
  private let recordings = Atomic<UInt64>(0)
  /// Whether the log has refused a mutation, so that it differs from the object.
  var isBehind = false
  /// The path of the object in the log when `cachedShape` and `cachedLayout` were the version of its name;
  /// nil until it is needed.
  @exclusivity(unchecked) var cachedPath: Path?
  @exclusivity(unchecked) var cachedShape = UInt64.max
  @exclusivity(unchecked) var cachedLayout = UInt64.max
  /// Changes whenever that path changes.
  @exclusivity(unchecked) var nameVersion: UInt32 = 0

  init(engine: Engine, id: ObjectID, properties: [RecordedPropertyDescriptor]) {
    self.engine = engine
    uncountedEngine = .passUnretained(engine)
    self.id = id
    self.properties = properties
    slots = .allocate(capacity: properties.count)
    for property in properties.indices { (slots + property).initialize(to: Atomic(0)) }
  }

  /// The number of recorded mutations of the object, except for sets from one scalar to another. Needs no
  /// lock.
  var recordCount: UInt64 { recordings.load(ordering: .relaxed) }

  /// Counts a mutation.
  func countRecording() { recordings.wrappingAdd(1, ordering: .relaxed) }

  /// The slot of a property in the core. Takes the session's lock the first time; after that it costs a load.
  @inline(__always)
  func slot(_ property: Int) -> SlotID {
    let known = slots[property].load(ordering: .acquiring)
    return known == 0 ? makeSlot(property) : SlotID(Int(known - 1))
  }

  @inline(never)
  private func makeSlot(_ property: Int) -> SlotID {
    let slot = engine.makeSlot(of: id, properties[property].name)
    slots[property].store(slot.index + 1, ordering: .releasing)
    return slot
  }

  /// The engine's cached data for setting a property.
  @inline(__always)
  func setter(_ property: Int) -> UnsafeMutablePointer<Setter> { (setters ?? makeSetters()) + property }

  @inline(never)
  private func makeSetters() -> UnsafeMutablePointer<Setter> {
    let made = UnsafeMutablePointer<Setter>.allocate(capacity: properties.count)
    made.initialize(repeating: Setter(), count: properties.count)
    setters = made
    return made
  }

  deinit {
    if !engine.isClosed { engine.departed.add(id) }
    before?.release()
    slots.deinitialize(count: properties.count)
    slots.deallocate()
    setters?.deinitialize(count: properties.count)
    setters?.deallocate()
  }
}

/// The standard library's observers of one object, and which properties may have observers.
///
/// Notifying observers of a set costs as much as the rest of the set, and most properties have none. The
/// library does not report whether there are any, but it can be inferred: an observer of a property, and a
/// tracking closure that has read it and still runs, retain the key path of the read. Therefore each property
/// is also read by a second key path, the witness, which this object retains. While there is no other
/// reference to the witness, the property has no observer.
final class Watchers: @unchecked Sendable {
  let registrar = ObservationRegistrar()
  private let properties: Int
  /// The witness of each property, retained; nil until the property is read.
  private let witnesses: UnsafeMutablePointer<Atomic<UnsafeRawPointer?>>

  init(properties: Int) {
    self.properties = properties
    witnesses = .allocate(capacity: properties)
    for property in 0..<properties { (witnesses + property).initialize(to: Atomic(nil)) }
  }

  deinit {
    for property in 0..<properties {
      guard let witness = witnesses[property].load(ordering: .acquiring) else { continue }
      // A witness that an observer still retains must not be reused for another object, which would then seem
      // observed.
      if isWatched(property) {
        Unmanaged<AnyKeyPath>.fromOpaque(witness).release()
      } else {
        SpareWitnesses.add(Unmanaged<AnyKeyPath>.fromOpaque(witness).takeRetainedValue(), property)
      }
    }
    witnesses.deinitialize(count: properties)
    witnesses.deallocate()
  }

  /// Whether the standard library may have an observer of the property. Cost: three loads.
  @inline(__always)
  func isWatched(_ property: Int) -> Bool {
    let witness = witnesses + property
    guard witness.pointee.load(ordering: .acquiring) != nil else { return false }
    // The check is done in place, because a copy of the reference would count as another one.
    return UnsafeMutableRawPointer(witness).withMemoryRebound(to: AnyKeyPath.self, capacity: 1) {
      !isKnownUniquelyReferenced(&$0.pointee)
    }
  }

  /// Registers a read by the witness, and by the key path itself if the property may have an observer.
  func access<Subject: RecordedObject, Member>(
    _ subject: Subject, _ keyPath: () -> KeyPath<Subject, Member>, _ property: Int
  ) {
    let witness = witnesses[property].load(ordering: .acquiring) ?? makeWitness(subject, property)
    // The property's index determines the class that declares it, and so the type of the witness.
    Unmanaged<KeyPath<Subject, Void>>.fromOpaque(witness)._withUnsafeGuaranteedRef {
      registrar.access(subject, keyPath: $0)
    }
    if isWatched(property) { registrar.access(subject, keyPath: keyPath()) }
  }

  /// Makes a property's witness, unless another thread has just made one.
  @inline(never)
  private func makeWitness<Subject: RecordedObject>(_ subject: Subject, _ property: Int) -> UnsafeRawPointer {
    let made = Unmanaged.passRetained(
      SpareWitnesses.pop(Subject.self, property) ?? \Subject.[witnessOf: property])
    let (isFirst, known) = witnesses[property].compareExchange(
      expected: nil, desired: UnsafeRawPointer(made.toOpaque()), ordering: .acquiringAndReleasing)
    guard !isFirst, let known else { return UnsafeRawPointer(made.toOpaque()) }
    made.release()
    return known
  }
}

/// Witnesses of deallocated objects, for reuse by new objects of their class. Making a key path takes some
/// 7,000 instructions.
private enum SpareWitnesses {
  private struct Key: Hashable {
    let subject: ObjectIdentifier
    let property: Int
  }

  /// A key path that depends on an index only, so any thread may use it.
  private struct Spare: @unchecked Sendable {
    let witness: AnyKeyPath
  }

  private static let spares = Lock<[Key: [Spare]]>([:])
  /// The most witnesses that are kept for a property.
  private static let countMax = 128

  /// Removes and returns a witness to which there is no other reference.
  static func pop<Subject: RecordedObject>(_ type: Subject.Type, _ property: Int) -> KeyPath<Subject, Void>? {
    let key = Key(subject: ObjectIdentifier(type), property: property)
    guard let spare = spares.withLock({ $0[key]?.popLast() }) else { return nil }
    return unsafeDowncast(spare.witness, to: KeyPath<Subject, Void>.self)
  }

  /// Keeps a witness to which there is no other reference, unless there are enough.
  static func add(_ witness: AnyKeyPath, _ property: Int) {
    let key = Key(subject: ObjectIdentifier(Swift.type(of: witness).rootType), property: property)
    let spare = Spare(witness: witness)
    spares.withLock { spares in
      if spares[key]?.count ?? 0 < countMax { spares[key, default: []].append(spare) }
    }
  }
}

extension RecordedObject {
  /// Has no value; the subscript exists only for its key paths.
  fileprivate subscript(witnessOf property: Int) -> Void { () }
}
