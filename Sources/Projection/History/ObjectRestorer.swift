import EventLog

/// Creates the objects of one recorded state, each once.
///
/// An object is created when it is first referred to. Its variables are set later, one object after the
/// other, so that cycles and linked lists of any length can be restored. Nothing that is set here is recorded
/// or reaches observers.
final class ObjectRestorer: ObjectRestoring {
  /// The recorded state; a drive applies event after event to it.
  var state: State
  let rules: RestoringRules
  /// The types of the rules, by name.
  private let types: [String: RestorableType]
  /// The objects that were created or given so far.
  private(set) var objects: [ObjectID: any RecordedObject] = [:]
  /// The ids of these objects.
  private var ids: [ObjectIdentifier: ObjectID] = [:]
  /// Finds an existing object of the app for an id, before one is created.
  var find: ((ObjectID) -> (any RecordedObject)?)?
  /// The values that do not fit, in the order in which they were found.
  private(set) var problems: [RestoreProblem] = []
  private var migrated: [ObjectID: MigratedObject] = [:]
  /// The objects whose initializers are running, each called by the initializer of the one before.
  private var underway: Set<ObjectID> = []
  /// The objects whose variables are still to be set.
  private var unfilled: [ObjectID] = []
  /// The greatest depth of nested initializer calls.
  private static let depthLimit = 256

  init(_ state: State, _ rules: RestoringRules) {
    self.state = state
    self.rules = rules
    types = Dictionary(rules.types.map { ($0.name, $0) }) { $1 }
  }

  /// Creates the object at a root, and all objects that it refers to.
  ///
  /// - Throws: ``RestoreProblem`` if there is no such root or its object cannot be created. Problems with
  ///   other objects are collected.
  func restore<Model: RecordedObject>(_ type: Model.Type, root: String) throws -> Model {
    guard let id = state.roots[root] else {
      let known = state.roots.keys.joined(separator: ", ")
      throw RestoreProblem(
        path: Path(root: .named(root)), recorded: "nothing", expected: "\(type)",
        reason: known.isEmpty ? "there are no roots here" : "the roots here are: \(known)")
    }
    let context = RestoringContext(objects: self, owner: id, components: [])
    let object = try object(id, type, in: context)
    fill()
    guard let model = object as? Model else {
      throw context.mismatch(.reference(id), type, "its class is no \(type)")
    }
    return model
  }

  /// Uses an object of the app for the object with an id in the log.
  func use(_ object: any RecordedObject, for id: ObjectID) {
    if let other = objects.updateValue(object, forKey: id) { ids[ObjectIdentifier(other)] = nil }
    ids[ObjectIdentifier(object)] = id
  }

  /// The id in the log of an object that was created or given; nil for other objects.
  func id(of object: any RecordedObject) -> ObjectID? { ids[ObjectIdentifier(object)] }

  /// Releases an object that is no longer in the state.
  func forget(_ id: ObjectID) {
    migrated[id] = nil
    if let object = objects.removeValue(forKey: id) { ids[ObjectIdentifier(object)] = nil }
  }

  /// Drops the cached results of migrations, because the state has changed.
  func markChange() { if !migrated.isEmpty { migrated.removeAll(keepingCapacity: true) } }

  /// Removes and returns the problems so far.
  func popProblems() -> [RestoreProblem] {
    if problems.isEmpty { return [] }
    defer { problems = [] }
    return problems
  }

  func object(_ id: ObjectID, _ wanted: Any.Type, in context: RestoringContext) throws -> AnyObject {
    if let object = objects[id] ?? find?(id) { return object.subject ?? object }
    let recorded = self.migrated(id)
    let wantedClass = try chosenClass(recorded, wanted, in: context)
    guard underway.count < Self.depthLimit, underway.insert(id).inserted else {
      throw context.mismatch(
        .reference(id), wanted, "initializers need objects that need each other; make one of them a variable")
    }
    defer { underway.remove(id) }
    var fields = recorded.fields
    for property in wantedClass._$properties where !property.isRestorable {
      fields[property.name] = .redacted
    }
    let source = RecordedObjectSource(
      type: recorded.type, fields: fields,
      context: RestoringContext(objects: self, owner: id, components: []))
    let made: (any RecordedObject)?
    do { made = try types["\(wantedClass)"]?.make?(source) ?? wantedClass._$create(from: source) } catch {
      throw error as? RestoreProblem ?? context.mismatch(.reference(id), wantedClass, "\(error)")
    }
    guard let object = made, type(of: object) == wantedClass else {
      throw context.mismatch(
        .reference(id), wantedClass,
        "no initializer of it takes properties alone; give it one, or restore with a `RestorableType` that makes it"
      )
    }
    use(object, for: id)
    unfilled.append(id)
    adoptConstants(of: object, fields)
    return object
  }

  /// Pairs the objects that an initializer created for constants, as in `let audio = AudioPlayer()`, with the
  /// objects that the log has there.
  private func adoptConstants(of object: any RecordedObject, _ fields: NamedValues<Value>) {
    for (number, property) in object.loggedProperties.enumerated() where property.isConstant {
      guard case .reference(let id)? = fields[property.name], objects[id] == nil else { continue }
      let finder = ConstantObject()
      _ = object._$read(property: number, into: finder)
      let recorded = migrated(id)
      guard let made = finder.object, recorded.type.isEmpty || recorded.type == made.loggedType else {
        continue
      }
      use(made, for: id)
      unfilled.append(id)
      adoptConstants(of: made, recorded.fields)
    }
  }

  /// Sets the variables of all objects that were created.
  func fill() {
    while let id = unfilled.popLast() {
      guard let object = objects[id] else { continue }
      fill(object, id)
    }
  }

  /// Sets the variables of an object that is in the place of one in the log.
  func fill(_ object: any RecordedObject, as id: ObjectID) {
    use(object, for: id)
    fill(object, id)
  }

  private func fill(_ object: any RecordedObject, _ id: ObjectID) {
    let fields = migrated(id).fields
    let properties = object.loggedProperties
    for (number, property) in properties.enumerated() {
      guard let value = fields[property.name], value.isRestorable, property.isRestorable else { continue }
      // What cannot be set of a followed object follows from its other properties.
      if property.isConstant, object is FollowedObject { continue }
      let context = RestoringContext(objects: self, owner: id, components: [.property(property.name)])
      do throws(RestoreProblem) {
        try PropertyRestorer(value, context).restore(property: number, of: object, property)
      } catch {
        append(error)
      }
    }
    reportUnknownProperties(of: object, id)
  }

  /// Adds a problem for each property that the log holds of an object and that its class does not have.
  func reportUnknownProperties(of object: any RecordedObject, _ id: ObjectID) {
    let properties = object.loggedProperties
    for (name, value) in migrated(id).fields where !properties.contains(where: { $0.name == name }) {
      if name == "id", object is any Identifiable { continue }
      append(
        RestoreProblem(
          path: path(of: id, [.property(name)]), recorded: kind(of: value), expected: object.loggedType,
          reason: "the class has no property \(name); declare a migration, `.rename` or `.remove`"))
    }
  }

  /// Adds a problem.
  func append(_ problem: RestoreProblem) { problems.append(problem) }

  /// The recorded properties of an object after the migrations.
  func migrated(_ id: ObjectID) -> MigratedObject {
    if let known = migrated[id] { return known }
    let recorded = state.objects[id]
    var object = MigratedObject(type: recorded?.type ?? "", fields: recorded?.fields ?? [:])
    let context = RestoringContext(objects: self, owner: id, components: [])
    for migration in rules.migrations {
      do { try migration.apply(&object, context) } catch {
        append(error as? RestoreProblem ?? context.mismatch(.reference(id), Any.self, "\(error)"))
      }
    }
    migrated[id] = object
    return object
  }

  /// The class of an object: the wanted class if the log has its name or no name, otherwise one of the given
  /// types.
  func chosenClass(
    _ recorded: MigratedObject, _ wanted: Any.Type, in context: RestoringContext
  ) throws -> any RecordedObject.Type {
    if let wanted = wanted as? any RecordedObject.Type, recorded.type.isEmpty || recorded.type == "\(wanted)"
    {
      return wanted
    }
    if let known = types[recorded.type] { return known.type }
    throw RestoreProblem(
      path: path(of: context.owner, context.components), recorded: recorded.type, expected: "\(wanted)",
      reason: "declare a migration, `.type`, or list the class among the types")
  }

  func path(of owner: ObjectID, _ components: [PathComponent]) -> Path {
    let path = state.path(of: owner)
    return Path(root: path.root, components: path.components + components)
  }

  func kind(of value: Value) -> String {
    if case .reference(let id) = value { migrated(id).type } else { value.kind }
  }
}

/// Gets the object in a property, if it holds one.
private final class ConstantObject: RecordedPropertyReader {
  private(set) var object: (any RecordedObject)?

  func read<Member>(_ value: Member) { object = value as? any RecordedObject }
}

/// Writes a recorded value to the store of a property, without informing the session or observers.
private final class PropertyRestorer: RecordedPropertyReader, RecordedPropertyWriter {
  /// A value of the property's type, which may be an optional.
  private final class Box<Member> {
    let member: Member
    init(_ member: Member) { self.member = member }
  }

  private let value: Value
  private let context: RestoringContext
  private var isConstant = false
  private var restored: AnyObject?
  /// Whether a constant already has the recorded value.
  private var isAsRestored = false
  private var problem: RestoreProblem?

  init(_ value: Value, _ context: RestoringContext) {
    self.value = value
    self.context = context
  }

  /// Sets a property of an object. For a constant, checks that it has the recorded value.
  ///
  /// - Throws: ``RestoreProblem`` if the value does not fit; the property then keeps its value.
  func restore(
    property number: Int, of object: any RecordedObject, _ descriptor: RecordedPropertyDescriptor
  ) throws(RestoreProblem) {
    isConstant = descriptor.isConstant
    // The new value is created before the store is accessed, because an initializer may read this object.
    guard object._$read(property: number, into: self) else { return }
    if let problem { throw problem }
    guard isConstant else {
      _ = object._$write(property: number, from: self)
      return
    }
    if !isAsRestored {
      throw context.mismatch(
        value, type(of: object),
        "\(descriptor.name) is a constant that no initializer takes; make it a variable that only the class sets"
      )
    }
  }

  func read<Member>(_ member: Member) {
    do throws(RestoreProblem) {
      let new = try context.restore(Member.self, from: value)
      restored = Box(new)
      guard isConstant else { return }
      var encoding = EncodingContext(objects: ObjectAddresses())
      isAsRestored = encoding.encode(member) == encoding.encode(new)
    } catch {
      problem = error
    }
  }

  func write<Member>(_ storage: inout Member) {
    if let box = restored as? Box<Member> { storage = box.member }
  }
}
