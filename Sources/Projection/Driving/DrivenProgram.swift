import EventLog

/// The program that a recording drives: pairs its objects with those of the recording, applies writes to
/// them, and records which writes cannot be applied.
final class DrivenProgram {
  private let engine: Engine
  private let objects: DrivenObjects
  /// The roots that were set by the recording and are paired, made or attached here.
  private var knownRoots: Set<String> = []
  private var detachedRoots: Set<String> = []
  private(set) var problems = DriveProblems()
  /// The number of writes that were applied.
  private(set) var writeCount = 0
  private var quickSets = QuickSets()
  private let quickWriter = QuickWriter()

  init(_ engine: Engine, _ state: State, _ rules: RestoringRules) {
    self.engine = engine
    objects = DrivenObjects(engine: engine, state, rules)
  }

  private var restorer: ObjectRestorer { objects.restorer }

  // MARK: Roots

  /// Whether the recording has set a root by now.
  func hasRoot(_ name: String) -> Bool { restorer.state.roots[name] != nil }

  /// Pairs the roots that the program attached itself.
  func pairRoots() {
    for (name, id) in restorer.state.roots where !knownRoots.contains(name) {
      guard let root = engine.root(name) else { continue }
      knownRoots.insert(name)
      quickSets.removeAll()
      objects.pairRoot(root, with: id)
    }
  }

  /// Makes the object at a root as the recording has it after an event, and attaches it.
  func make<Model: RecordedObject>(_ type: Model.Type, root name: String, after seq: UInt64) throws -> Model {
    let model: Model
    do { model = try restorer.restore(type, root: name) } catch let problem as RestoreProblem {
      throw RestoreError(problems: [problem] + restorer.popProblems())
    }
    reportProblems(of: seq)
    knownRoots.insert(name)
    engine.attach(model, as: name)
    return model
  }

  /// Gives an object that is about to be followed the values of the recording's object at a root, and pairs the two.
  func fill(_ followed: FollowedObject, root name: String, after seq: UInt64) {
    guard let id = restorer.state.roots[name] else { return }
    knownRoots.insert(name)
    restorer.fill(followed, as: id)
    reportProblems(of: seq)
  }

  private func set(root name: String, by body: Event.Body, _ seq: UInt64) throws(StateError) {
    let isFirst = knownRoots.insert(name).inserted
    quickSets.removeAll()
    try objects.apply(body, isDriven: true)
    guard let id = restorer.state.roots[name] else {
      knownRoots.remove(name)
      detachedRoots.insert(name)
      if engine.root(name) == nil { return }
      engine.detach(name)
      return writeCount += 1
    }
    let live = engine.root(name)
    if isFirst, let live { return objects.pairRoot(live, with: id) }
    let context = RestoringContext(objects: restorer, owner: id, components: [])
    do {
      // The object of a root that was detached may be in the session still.
      let known = live ?? (detachedRoots.contains(name) ? objects.object(id) : nil)
      guard let wanted = known.map({ Swift.type(of: $0) }) ?? restorer.knownType(of: id) else {
        // The program may attach the root later.
        knownRoots.remove(name)
        return
      }
      let made = try restorer.object(id, wanted, in: context)
      restorer.fill()
      if let object = made as? any RecordedObject {
        engine.attach(object, as: name)
        writeCount += 1
      }
    } catch { report(error, seq, Path(root: .named(name)), of: "", name) }
    reportProblems(of: seq)
  }

  // MARK: Writes

  /// Whether some objects are not paired yet; see ``pairNew()``.
  @inline(__always)
  var hasNew: Bool { objects.hasNew }

  /// Pairs the objects that reactions of the recorded app made. Those of this program have made their
  /// counterparts by now.
  func pairNew() { objects.pairNew() }

  /// Applies an event to the recording's state, and does nothing else.
  func apply(_ body: Event.Body) throws(StateError) { try objects.apply(body, isDriven: false) }

  /// Applies the event that makes a root, which the caller attaches.
  func apply(root body: Event.Body) throws(StateError) { try objects.apply(body, isDriven: true) }

  /// Drives a set of a scalar, if an earlier set of the same path of the block was driven and the path still
  /// leads to the same property. Releases the engine's lock then; otherwise does nothing and returns false.
  /// No code of the app runs under the lock.
  @inline(__always)
  func driveQuickly(_ set: RecordedEvents.PlainSet, inBlock block: Int, _ state: EngineState) -> Bool {
    let (value, isSame) = (set.value, set.isSame)
    guard let target = quickSets.target(ofPath: set.path, inBlock: block),
      target.shapeVersion == objects.shapeVersion, target.type.holds(value),
      !target.link._withUnsafeGuaranteedRef({ $0.isWatched(target.property) }),
      // A set that was recorded as no change but has another value needs the general way, which looks at the
      // previous value.
      !isSame || target.field == nil && objects.holds(value, at: target.location),
      target.field != nil || objects.put(value, at: target.location)
    else { return false }
    if let field = target.field { return drive(value, at: quickSets.fields[field], of: target, state) }
    quickWriter.begin(value, wasSame: isSame)
    _ = target.object._$write(property: target.property, from: quickWriter)
    // If this program finds that the set is a change, it needs the general way too, which looks at the
    // previous value.
    guard quickWriter.isDone else { return false }
    writeCount += 1
    target.attachment._withUnsafeGuaranteedRef {
      engine.setAndUnlock(state, value, isSame: quickWriter.isSame, of: $0, property: target.property)
    }
    return true
  }

  private func drive(
    _ value: Value, at field: QuickSets.Field, of target: QuickSets.Target, _ state: EngineState
  ) -> Bool {
    guard objects.put(value, at: field.components, in: target.location) else { return false }
    quickWriter.begin(value, in: field.type, at: field.offset)
    _ = target.object._$write(property: target.property, from: quickWriter)
    guard quickWriter.isDone else { return false }
    writeCount += 1
    target.attachment._withUnsafeGuaranteedRef {
      engine.setPartAndUnlock(state, value, at: field.components, of: $0, property: target.property)
    }
    return true
  }

  /// Drives a write.
  ///
  /// - Throws: `StateError` if the write does not fit the recording.
  func drive(_ body: Event.Body, at path: Path, _ event: RecordedEvents.Position) throws(StateError) {
    let seq = event.seq
    if path.components.isEmpty {
      switch path.root {
      case .named(let name): return try set(root: name, by: body, seq)
      case .object(let id): return try change(object: id, by: body)
      }
    }
    // When an object is unreachable, its properties are removed. This is not a write of the app.
    if case .remove = body, case .object = path.root, path.components.count == 1 {
      return try objects.apply(body, isDriven: true)
    }
    guard case .location(let location, _) = restorer.state.resolve(path, withCrossed: false),
      case .object(let owner) = location.owner
    else {
      try objects.apply(body, isDriven: true)
      return report(seq, path, "it is nowhere in the recording", of: "", path.lastName)
    }
    let components = Array(path.components.suffix(location.steps.count))
    objects.pair(in: restorer.state.replaced(by: body, at: location))
    let before = body.isSameValue ? restorer.state.value(at: location) : nil
    let object = objects.object(owner)
    try objects.apply(body, isDriven: true)
    guard let object else { return reportMissing(owner, path, seq) }
    do {
      let property = try drive(body, components, of: owner, object, before)
      writeCount += 1
      insertQuick(body, at: path, components, of: owner, object, property, event)
    } catch { report(error, seq, path, of: restorer.migrated(owner).type, components.first?.name ?? "") }
    reportProblems(of: seq)
  }

  /// Applies a write to an object of the session, and returns the index of the property.
  private func drive(
    _ body: Event.Body, _ components: [PathComponent], of owner: ObjectID, _ object: any RecordedObject,
    _ before: Value?
  ) throws -> Int {
    guard let attachment = object._$recorded.attachment, attachment.engine === engine else {
      throw Misfit("its object is not in the session any more")
    }
    var (components, kind) = (components, Edit.Kind(body))
    try migrate(&components, &kind, of: owner)
    guard let name = components.first?.name else { throw Misfit("it is no property") }
    guard let property = attachment.properties.firstIndex(where: { $0.name == name }) else {
      throw Misfit("\(type(of: object)) has no property \(name); declare a migration, `.rename` or `.remove`")
    }
    if components.count == 1, case .remove = kind { throw Misfit("a property is not removed") }
    guard let steps = engine.steps(of: components, in: attachment) else {
      throw Misfit("nothing is there in this session")
    }
    components.removeFirst()
    let context = RestoringContext(
      objects: restorer, owner: owner, components: [.property(name)] + components)
    let place = DrivenPlace(
      engine: engine, restorer: restorer, context: context, object: attachment.id, property: name,
      before: before)
    let edit = DrivenEdit(
      kind: kind, isSame: body.isSameValue, components: components, steps: Array(steps.dropFirst()))
    try engine.drive(edit, of: object, property: property, at: place)
    return property
  }

  /// Remembers the target of a set of a scalar for ``driveQuickly(_:inBlock:_:)``, if the path consists of
  /// the object's current path, one of its properties, and maybe fields of structs.
  private func insertQuick(
    _ body: Event.Body, at path: Path, _ components: [PathComponent], of owner: ObjectID,
    _ object: any RecordedObject, _ property: Int, _ event: RecordedEvents.Position
  ) {
    guard case .set(_, let value, let isSame) = body, let type = ScalarType(value),
      !(object is FollowedObject),
      components.last?.name != "id",
      let name = components.first?.name, restorer.rules.migrations.isEmpty,
      let attachment = object._$recorded.attachment, let number = event.path,
      attachment.properties[property].isRestorable, !attachment.properties[property].isConstant
    else { return }
    var field: QuickSets.Field?
    if components.count > 1 {
      if isSame { return }
      let below = Array(components.dropFirst())
      let finder = TypeFinder()
      _ = object._$read(property: property, into: finder)
      guard let whole = finder.type,
        let part = ValueForm.of(whole).parts.first(where: { $0.components == below }),
        part.type == type.swiftType
      else { return }
      field = QuickSets.Field(
        components: below, offset: part.offset, type: ObjectIdentifier(whole))
    }
    guard
      restorer.state.path(of: owner)
        == Path(root: path.root, components: path.components.dropLast(components.count)),
      let location = restorer.state.propertyLocation(of: owner, property: name)
    else { return }
    let target = QuickSets.Target(
      shapeVersion: restorer.state.shapeVersion, location: location, object: object,
      link: .passUnretained(object._$recorded.link), attachment: .passUnretained(attachment),
      property: property, type: type)
    quickSets.add(target, field, forPath: number, inBlock: event.block, ofPaths: event.pathCount)
  }

  /// Applies the recording's migrations to an edit of a property.
  private func migrate(_ components: inout [PathComponent], _ kind: inout Edit.Kind, of owner: ObjectID)
    throws
  {
    if restorer.rules.migrations.isEmpty { return }
    guard let recorded = restorer.state.objects[owner], let name = components.first?.name,
      let value = recorded.fields[name]
    else { return }
    var migrated = MigratedObject(type: recorded.type, fields: [name: value])
    let context = RestoringContext(objects: restorer, owner: owner, components: [])
    for migration in restorer.rules.migrations { try migration.apply(&migrated, context) }
    guard let field = migrated.fields.first else { throw Misfit("a migration has removed it") }
    if field.value == value {
      components[0] = .property(field.key)
    } else {
      (components, kind) = ([.property(field.key)], .set(field.value))
    }
  }

  /// Drives an event about an object by its id: its definition before the write that refers to it, or its
  /// removal.
  private func change(object id: ObjectID, by body: Event.Body) throws(StateError) {
    try objects.apply(body, isDriven: true)
    guard case .remove = body else { return }
    restorer.forget(id)
    engine.withLock { $0.forgetReleased() }
    engine.flush()
  }

  // MARK: Problems

  private func report(
    _ seq: UInt64, _ path: Path?, _ reason: String, of type: String, _ property: String,
    isRestoring: Bool = false
  ) {
    let problem = DriveProblem(seq, path, reason)
    if problems.add(problem, of: type, property, isRestoring: isRestoring) {
      engine.mark(MarkLabel.driveProblem(problem.description).text, site: nil)
    }
  }

  private func report(_ error: any Error, _ seq: UInt64, _ path: Path, of type: String, _ property: String) {
    switch error {
    case let misfit as Misfit: report(seq, path, misfit.reason, of: type, property)
    case let problem as RestoreProblem:
      report(seq, problem.path, problem.driveReason, of: type, property, isRestoring: true)
    default: report(seq, path, "\(error)", of: type, property)
    }
  }

  /// Reports a problem of the recording as a whole.
  func report(_ reason: String, before seq: UInt64) { report(seq, nil, reason, of: "", "") }

  /// Reports the values that could not be restored in objects to which an event led.
  private func reportProblems(of seq: UInt64) {
    for problem in restorer.popProblems() {
      let (type, property) = subject(of: problem.path)
      report(seq, problem.path, problem.driveReason, of: type, property, isRestoring: true)
    }
  }

  /// The class and the property that a path of the recording concerns.
  private func subject(of path: Path) -> (type: String, property: String) {
    if case .location(let location, _) = restorer.state.resolve(path, withCrossed: false),
      case .object(let owner) = location.owner, case .name(let name)? = location.steps.first
    {
      return (restorer.migrated(owner).type, name)
    }
    return ("", path.lastName)
  }

  /// Records that the session lacks the object of a write. If the root is not attached, reports one problem for
  /// the root instead.
  private func reportMissing(_ owner: ObjectID, _ path: Path, _ seq: UInt64) {
    if case .named(let name) = path.root, engine.root(name) == nil {
      let reason =
        "nothing is attached as \(name), so what it leads to is left out; attach it, or list its class among the types"
      return report(seq, path, reason, of: "", "")
    }
    report(seq, path, "this program has no such object", of: restorer.migrated(owner).type, "")
  }
}

private final class TypeFinder: RecordedPropertyReader {
  private(set) var type: Any.Type?

  func read<Member>(_ value: Member) { type = Member.self }
}

extension RestoreProblem {
  fileprivate var driveReason: String { "recorded as \(recorded), and wanted as \(expected): \(reason)" }
}

extension Path {
  fileprivate var lastName: String { components.last { $0.name != nil }?.name ?? "" }
}

extension Edit.Kind {
  fileprivate init(_ body: Event.Body) {
    switch body {
    case .set(_, let value, _): self = .set(value.referring)
    case .splice(_, let offset, let delete, let insert, _):
      self = .splice(offset: offset, delete: delete, insert: insert.referring)
    default: self = .remove
    }
  }
}

extension State {
  /// The value that a write replaces or removes.
  fileprivate func replaced(by body: Event.Body, at location: NamedLocation) -> Value? {
    guard case .splice(_, let offset, let delete, .array, _) = body else {
      if case .splice = body { return nil }
      return value(at: location)
    }
    guard delete > 0, case .array(let elements)? = value(at: location), offset >= 0, offset <= elements.count,
      delete <= elements.count - offset
    else { return nil }
    return .array(Array(elements[offset..<(offset + delete)]))
  }
}

extension ObjectRestorer {
  /// The class of an object, if it is in the list of types; nil if not.
  fileprivate func knownType(of id: ObjectID) -> (any RecordedObject.Type)? {
    let name = migrated(id).type
    return rules.types.first { $0.name == name }?.type
  }
}
