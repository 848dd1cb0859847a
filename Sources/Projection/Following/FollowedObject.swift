import EventLog
import Observation

/// An object whose class knows nothing of recording. The session records it by what the standard library, or the object's
/// publisher, tells of it.
///
/// Guarded by the session's lock, but for constants. The object itself is used only in its isolation.
///
/// To those who change recorded objects, it is the recorded object.
final class FollowedObject: @unchecked Sendable {
  let _$recorded = RecordedRegistrar()
  /// The name of the object's class.
  let typeName: String
  let attachment: Attachment
  /// The name of the root in the log.
  let name: String
  /// The actor that the object belongs to; nil if it belongs to none.
  let isolation: (any Actor)?
  private weak var object: AnyObject?
  let properties: [any FollowedProperty]
  let way: FollowingWay
  /// The thread on which it was made known.
  let thread = RecursiveLock.currentThread
  /// What keeps up the notices of an object that has a publisher; nil for one that is `Observable`.
  private var subscription: Any?
  private let isPublished: Bool
  private(set) var isOver = false
  /// Whether it is in the log.
  var isDefined = false
  /// Whether its notices may be taken: what changes while it is read for the first time waits until it is in the log.
  var hasBegun: Bool { isDefined || isOver }
  /// What observes the sets of each property; nil if it must be observed anew.
  private var observations: [SetObservation?]
  /// The number of sets of each property that are under way.
  private var open: [Int]
  /// The property that the session sets itself, and records in another way.
  private var written: Int?
  /// The properties that were set while the object was read for the first time.
  private var missed: Set<Int> = []
  /// What the getter of each computed property has read last.
  private var reads: [Int: [ObservedRead]] = [:]
  /// The object as the standard library knows it: by a registrar for each class that `@Observable` made.
  private(set) var registrars: Set<ObjectIdentifier> = []
  /// The key paths of the stored properties. One in the app's code equals that in an accessor, but is another object, and it takes
  /// a while to compare two; so each is here under both.
  private var stored: [(keyPath: AnyKeyPath, property: Int)] = []

  init(
    _ object: AnyObject, as name: String, _ properties: [any FollowedProperty], isPublished: Bool,
    isolation: (any Actor)?, _ way: FollowingWay, _ attachment: Attachment
  ) {
    self.object = object
    self.name = name
    self.properties = properties
    self.isPublished = isPublished
    self.way = isPublished ? .announced : way
    observations = Array(repeating: nil, count: properties.count)
    open = Array(repeating: 0, count: properties.count)
    self.isolation = isolation
    typeName = "\(type(of: object))"
    self.attachment = attachment
    _$recorded.attach(attachment)
  }

  /// The object; nil if the app has released it.
  var followedSubject: AnyObject? { isOver ? nil : object }

  /// Reads a property, and observes its changes from now on, unless they are observed already. Call it in the object's isolation
  /// and outside the lock, since a getter is code of the app.
  ///
  /// - Parameter object: ``followedSubject``.
  func look(at property: Int, of object: AnyObject) -> any FollowedValue {
    switch way {
    case .announced:
      properties[property].look(at: object, for: attachment.engine) { observeOnce(property, $0) }
    case .told, .exact:
      if properties[property].isObservable, let observation = beginObservation(of: property) {
        observeSets(of: property, of: object, by: observation)
      } else {
        properties[property].lookAside(at: object, for: attachment.engine)
      }
    }
  }

  /// The recorded form of what was read of all its properties.
  func fields(_ values: [any FollowedValue], in context: inout EncodingContext) -> NamedValues<Value> {
    var fields = NamedValues<Value>(minimumCapacity: properties.count)
    for (property, value) in zip(properties, values) {
      value.keep()
      fields[property.name] = value.encode(in: &context)
    }
    return fields
  }

  /// Observes the next change of a property.
  private func observeOnce(_ property: Int, _ read: () -> Void) {
    if isPublished { return read() }
    withObservationTracking(read) { [self] in attachment.engine.notice(changeOf: self, property) }
  }

  /// Begins to listen to the object's publisher.
  ///
  /// - Parameter subscribe: Subscribes a closure to its changes, and returns what keeps up the subscription.
  func listen(_ subscribe: (_ notice: @escaping @Sendable () -> Void) -> Any) {
    subscription = subscribe { [weak self] in
      guard let self else { return }
      for property in properties.indices { attachment.engine.notice(changeOf: self, property) }
    }
  }

  /// Ends the following. One more notice may come for each property, and is ignored.
  func end() {
    isOver = true
    subscription = nil
    for property in observations.indices where open[property] == 0 { endObservation(of: property) }
  }
}

/// Which property a key path of a followed object leads to.
struct FollowedPlace<Member>: Hashable {
  let property: Int
}

// MARK: Sets that are told when they are made

extension FollowedObject {
  /// The observation to begin; nil if there is one, or if none is needed any more.
  private func beginObservation(of property: Int) -> SetObservation? {
    attachment.engine.withLock { _ in
      if isOver || observations[property] != nil { return nil }
      let observation = SetObservation()
      observations[property] = observation
      return observation
    }
  }

  /// Reads a property, and observes its sets, or those of what it is computed from.
  private func observeSets(
    of property: Int, of object: AnyObject, by observation: SetObservation
  ) -> any FollowedValue {
    func look() -> any FollowedValue {
      properties[property].look(at: object, for: attachment.engine, by: observation) { [self] in
        attachment.engine.beginSet(of: self, property)
      } didSet: { [self] in
        attachment.engine.endSet(of: self, property, isItself: $0)
      }
    }
    #if canImport(Darwin)
      return look()
    #else
      if way != .exact { return look() }
      let (value, reads) = AccessList.of(look)
      attachment.engine.withLock { $0.followed?.setReads(reads, of: self, property) }
      return value
    #endif
  }

  private func endObservation(of property: Int) {
    observations[property]?.cancel()
    observations[property] = nil
  }

  /// Marks that a set begins, of the property or of what it is computed from.
  func beginSet(of property: Int) { open[property] += 1 }

  /// What to do about a set that has ended.
  enum SetEnd {
    /// It is not followed any more, or what was set is read when it begins to be.
    case nothing
    /// The value is recorded in another way.
    case keep(AnyObject)
    case record(AnyObject)
    /// The property is computed from what was set.
    case compute
  }

  /// Marks that a set has ended.
  ///
  /// - Parameter isItself: Whether the property itself was set.
  /// - Returns: What to do, and whether its beginning was told.
  func endSet(of property: Int, isItself: Bool) -> (SetEnd, hasBegun: Bool) {
    let hasBegun = open[property] > 0
    if hasBegun { open[property] -= 1 }
    // What a computed property reads may be something else now.
    if isOver || !isItself, open[property] == 0 { endObservation(of: property) }
    guard let object = followedSubject else { return (.nothing, hasBegun) }
    if !isDefined {
      missed.insert(property)
      return (.nothing, hasBegun)
    }
    if written == property { return (.keep(object), hasBegun) }
    return (isItself ? .record(object) : .compute, hasBegun)
  }

  /// Adds a property that reads nothing but itself.
  func addStored(_ property: Int, in registrar: ObjectIdentifier) {
    registrars.insert(registrar)
    if stored.contains(where: { $0.property == property }) { return }
    if let keyPath = properties[property].keyPath { stored.append((keyPath, property)) }
  }

  /// The property at a key path, if it is stored.
  func storedProperty(at keyPath: AnyKeyPath) -> Int? {
    if let known = stored.first(where: { $0.keyPath === keyPath }) { return known.property }
    guard let equal = stored.first(where: { $0.keyPath == keyPath }) else { return nil }
    if stored.count < 4 * properties.count { stored.append((keyPath, equal.property)) }
    return equal.property
  }

  /// The properties whose key paths are not known.
  var unnamed: [Int] { properties.indices.filter { !properties[$0].isObservable } }

  func add(_ registrar: ObjectIdentifier) { registrars.insert(registrar) }

  /// Takes a key path that a run has read; returns the property that it leads to, if that was not known.
  func learn(_ keyPath: AnyKeyPath) -> Int? {
    guard !isOver, let name = text(ofAny: keyPath) else { return nil }
    return unnamed.first { properties[$0].name == name && properties[$0].learn(keyPath) }
  }

  func reads(of property: Int) -> [ObservedRead] { reads[property] ?? [] }

  func setReads(_ all: [ObservedRead], of property: Int) { reads[property] = all.isEmpty ? nil : all }

  /// Removes and returns the properties that were set before the object was in the log.
  func popMissed() -> [Int] {
    defer { missed = [] }
    return missed.sorted()
  }
}

extension FollowedObject: RecordedObject {
  static var _$properties: [RecordedPropertyDescriptor] { [] }
  static var _$propertyCount: Int { 0 }
  static func _$create(from source: RecordedObjectSource) throws -> (any RecordedObject)? { nil }

  func _$read(property: Int, into reader: any RecordedPropertyReader) -> Bool {
    guard let object = followedSubject else { return false }
    Frame.untracked { properties[property].read(object, into: reader) }
    return true
  }

  /// Sets the property as the app would, and does not record that.
  func _$write(property: Int, from writer: any RecordedPropertyWriter) -> Bool {
    let engine = attachment.engine
    guard let object = followedSubject, properties[property].isVariable else { return false }
    let outer = engine.withLock { _ in
      defer { written = property }
      return written
    }
    Frame.untracked { properties[property].write(object, from: writer) }
    engine.withLock { _ in written = outer }
    if way == .announced { engine.adoptChange(of: self, property) }
    return true
  }

  func _$visit(property: Int, by visitor: any RecordedPropertyVisitor) -> Bool {
    guard followedSubject != nil, properties[property].isVariable else { return false }
    return properties[property].visit(self, property, visitor)
  }

  /// The value of a property, for key paths.
  subscript<Member>(place: FollowedPlace<Member>) -> Member {
    guard let value = followedSubject.map({ properties[place.property].value(of: $0) }) as? Member else {
      preconditionFailure("\(name) has no value at \(properties[place.property].name)")
    }
    return value
  }
}
