import EventLog

// A recording is applied to the objects of a session in one transaction: they are paired with those of the
// recording, and each property that differs is set as the app would set it. So the log, projections and
// observers need no special handling.

extension Engine {
  /// Changes the session's objects to the state of a recording after an event; see
  /// ``Session/apply(_:through:runningCallbacks:)``.
  func apply(
    _ recording: Recording, through seq: UInt64, _ runningCallbacks: Bool
  ) throws -> [RestoreProblem] {
    let restorer = ObjectRestorer(try recording.state(at: seq), recording.rules)
    // Callbacks for earlier changes are still called.
    flushAll()
    withLock { state in
      state.useKnownObjects(in: restorer, of: recording.rules.log)
      state.playback.isSilent = !runningCallbacks
    }
    defer { withLock { $0.playback.isSilent = false } }
    beginTransaction("apply \(min(seq, recording.lastSeq))", site: "\(#fileID):\(#line)")
    var walk = PlaybackWalk(engine: self, restorer)
    walk.run()
    withLock { $0.playback.set(restorer.objects, ofLog: recording.rules.log) }
    endTransaction()
    if runningCallbacks { flushCollected() } else { flushAll() }
    return restorer.problems
  }

  /// The value that the session has recorded for a property.
  func recorded(_ name: String, of object: ObjectID) -> Value? {
    withLock { $0.core.state.objects[object]?.fields[name] }
  }
}

extension EngineState {
  /// Pairs objects of a log with the session's objects as earlier calls did, and roots by name.
  fileprivate func useKnownObjects(in restorer: ObjectRestorer, of log: UInt64) {
    var objects = playback.objects(ofLog: log)
    for (name, id) in restorer.state.roots {
      guard let root = playback.root(name) else { continue }
      let recorded = restorer.migrated(id).type
      guard recorded.isEmpty || recorded == root.loggedType else {
        restorer.append(
          RestoreProblem(
            path: Path(root: .named(name)), recorded: recorded, expected: root.loggedType,
            reason: "declare a migration, `.type`, or attach an object of this type"))
        continue
      }
      // The attached root is paired with the recording's object at this root after the event.
      objects = objects.filter { $0.value !== root }
      objects[id] = root
    }
    for (id, object) in objects { restorer.use(object, for: id) }
  }
}

/// Changes the session's objects to those of a recording, from the roots down.
private struct PlaybackWalk {
  private let engine: Engine
  private let restorer: ObjectRestorer
  private var seen: Set<ObjectID> = []
  private var waiting: [ObjectID] = []

  init(engine: Engine, _ restorer: ObjectRestorer) {
    self.engine = engine
    self.restorer = restorer
  }

  mutating func run() {
    for id in restorer.state.roots.values { enqueue(id) }
    // An object comes after one that refers to it, so it is attached by then.
    var next = 0
    while next < waiting.count {
      if let object = restorer.objects[waiting[next]] { update(object, waiting[next]) }
      next += 1
    }
  }

  private mutating func enqueue(_ id: ObjectID) {
    if seen.insert(id).inserted { waiting.append(id) }
  }

  private mutating func update(_ object: any RecordedObject, _ id: ObjectID) {
    guard let attachment = object._$recorded.attachment, attachment.engine === engine else { return }
    let fields = restorer.migrated(id).fields
    for (number, property) in attachment.properties.enumerated() {
      guard let target = fields[property.name], target.isRestorable, property.isRestorable else { continue }
      let references = target.references
      if !property.isConstant { set(number, of: object, attachment, id, to: target, references) }
      for id in references { enqueue(id) }
    }
    restorer.reportUnknownProperties(of: object, id)
  }

  private func set(
    _ number: Int, of object: any RecordedObject, _ attachment: Attachment, _ id: ObjectID, to target: Value,
    _ references: [ObjectID]
  ) {
    let name = attachment.properties[number].name
    let present = engine.recorded(name, of: attachment.id)
    if let present, references.contains(where: { restorer.objects[$0] == nil }) {
      var adoption = Adoption(engine: engine, restorer, among: object, property: number)
      adoption.pair(target, with: present)
    }
    if let present, withSessionIDs(target) == present { return }
    let context = RestoringContext(objects: restorer, owner: id, components: [.property(name)])
    let setter = PlaybackSetter(engine, restorer, attachment, number, target, context)
    _ = object._$visit(property: number, by: setter)
  }

  /// The value with the session's ids of objects in place of the recording's; nil if an object is not in the
  /// session.
  private func withSessionIDs(_ value: Value) -> Value? {
    switch value {
    case .reference(let id):
      guard let attachment = restorer.objects[id]?._$recorded.attachment, attachment.engine === engine else {
        return nil
      }
      return .reference(attachment.id)
    case .array(let elements):
      var result: [Value] = []
      for element in elements {
        guard let element = withSessionIDs(element) else { return nil }
        result.append(element)
      }
      return .array(result)
    case .map(var fields):
      for (key, field) in fields {
        guard let field = withSessionIDs(field) else { return nil }
        fields[key] = field
      }
      return .map(fields)
    default: return value
    }
  }
}

/// Sets a property to a recorded value as the app would, but without running the class's `willSet` and
/// `didSet`.
private final class PlaybackSetter: RecordedPropertyVisitor {
  private let engine: Engine
  private let restorer: ObjectRestorer
  private let attachment: Attachment
  private let property: Int
  private let value: Value
  private let context: RestoringContext

  init(
    _ engine: Engine, _ restorer: ObjectRestorer, _ attachment: Attachment, _ property: Int, _ value: Value,
    _ context: RestoringContext
  ) {
    self.engine = engine
    self.restorer = restorer
    self.attachment = attachment
    self.property = property
    self.value = value
    self.context = context
  }

  func visit<Subject: RecordedObject, Member>(_ subject: Subject, _ keyPath: KeyPath<Subject, Member>) {
    do throws(RestoreProblem) {
      let new = try context.restore(Member.self, from: value)
      restorer.fill()
      let registrar = subject._$recorded
      registrar.notifyBefore(subject, keyPath)
      _ = subject._$write(property: property, from: PropertyEdit { $0 = new })
      registrar.notifyAfter(subject, keyPath)
      engine.bindCollection(of: subject, attachment, property: property)
      engine.recordSet(new, isSame: nil, of: attachment, property: property)
    } catch {
      restorer.append(error)
    }
  }
}

// MARK: Pairing objects

/// Pairs objects of a recording with objects of the session for the first time: those at the same position
/// within a property, or with the same id in an array.
private struct Adoption {
  private let engine: Engine
  private let restorer: ObjectRestorer
  /// The objects in the property that are not paired yet.
  private var candidates: [ObjectID: any RecordedObject]

  /// Begins with the objects in a property.
  init(engine: Engine, _ restorer: ObjectRestorer, among object: any RecordedObject, property: Int) {
    self.engine = engine
    self.restorer = restorer
    let finder = ObjectFinder(engine: engine)
    _ = object._$read(property: property, into: finder)
    candidates = finder.found
    for taken in restorer.objects.values {
      if let id = taken._$recorded.attachment?.id { candidates[id] = nil }
    }
  }

  /// Pairs the objects in a value of the recording with those in the session's value of the property.
  mutating func pair(_ target: Value, with present: Value) {
    switch (target, present) {
    case (.reference(let id), .reference(let here)): adopt(here, for: id)
    case (.array(let targets), .array(let presents)): pair(targets, with: presents)
    case (.map(let targets), .map(let presents)):
      for (key, target) in targets { if let present = presents[key] { pair(target, with: present) } }
    default: break
    }
  }

  private mutating func pair(_ targets: [Value], with presents: [Value]) {
    var byID: [Value: Value] = [:]
    for present in presents {
      guard case .reference(let id) = present, let name = engine.recorded("id", of: id) else { continue }
      if byID[name] == nil { byID[name] = present }
    }
    for (index, target) in targets.enumerated() {
      if case .reference(let id) = target, let name = restorer.migrated(id).fields["id"] {
        if let present = byID[name] { pair(target, with: present) }
      } else if index < presents.count {
        pair(target, with: presents[index])
      }
    }
  }

  private mutating func adopt(_ here: ObjectID, for id: ObjectID) {
    guard restorer.objects[id] == nil, let object = candidates[here] else { return }
    let recorded = restorer.migrated(id)
    guard recorded.type.isEmpty || recorded.type == object.loggedType else { return }
    for property in object.loggedProperties where property.isConstant {
      guard let value = recorded.fields[property.name], value.isRestorable else { continue }
      if value != engine.recorded(property.name, of: here) { return }
    }
    candidates[here] = nil
    restorer.use(object, for: id)
  }
}

/// Finds the recorded objects in a property's value. It searches collections, structs and enums, but not
/// other objects.
final class ObjectFinder: RecordedPropertyReader {
  private let engine: Engine
  private(set) var found: [ObjectID: any RecordedObject] = [:]

  init(engine: Engine) { self.engine = engine }

  func read<Member>(_ value: Member) { Frame.untracked { find(in: value) } }

  /// Finds the recorded objects in a value.
  func find(in value: Any, depth: Int = 0) {
    if let object = value as? any RecordedObject {
      if let attachment = object._$recorded.attachment, attachment.engine === engine {
        found[attachment.id] = object
      }
      return
    }
    guard depth < 16, !(type(of: value) is AnyClass) else { return }
    for child in Mirror(reflecting: value).children { find(in: child.value, depth: depth + 1) }
  }
}

extension Value {
  /// The ids of the objects to which the value refers, in order.
  var references: [ObjectID] {
    switch self {
    case .reference(let id): [id]
    case .array(let elements): elements.flatMap(\.references)
    case .map(let fields): fields.values.flatMap(\.references)
    default: []
    }
  }
}
