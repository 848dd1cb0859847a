import EventLog

/// Makes the objects of one state, each once, however many places refer to it.
///
/// Objects are made when they are first referred to, and their variables set after that, one object after the other:
/// so cycles and chains of any length are restored. Nothing that is set here is recorded or told to observers.
final class ObjectRestorer: ObjectRestoring {
  private(set) var state: State
  private let migrations: [Migration]
  private let types: [String: RestorableType]
  /// The objects made or given so far.
  private(set) var objects: [ObjectID: any RecordedObject] = [:]
  private(set) var problems: [RestoreProblem] = []
  private var migrated: [ObjectID: MigratedObject] = [:]
  private var underway: Set<ObjectID> = []
  private var unfilled: [ObjectID] = []
  /// How many initializers may wait for the objects that they need.
  private static let depthMax = 256

  init(_ state: State, migrations: [Migration], types: [RestorableType]) {
    self.state = state
    self.migrations = migrations
    self.types = Dictionary(types.map { ($0.name, $0) }) { $1 }
  }

  /// The object that a root names, with all that it leads to.
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

  /// Uses an object for what the log knows under a number.
  func use(_ object: any RecordedObject, for id: ObjectID) { objects[id] = object }

  func object(_ id: ObjectID, _ wanted: Any.Type, in context: RestoringContext) throws -> any RecordedObject {
    if let object = objects[id] { return object }
    let recorded = self.migrated(id)
    let wantedClass = try chosenClass(recorded, wanted, in: context)
    guard underway.count < Self.depthMax, underway.insert(id).inserted else {
      throw context.mismatch(
        .reference(id), wanted, "initializers need objects that need each other; make one of them a variable")
    }
    defer { underway.remove(id) }
    // What stands in the log for a redacted value is not the value.
    var fields = recorded.fields
    for property in wantedClass._$properties where property.isRedacted { fields[property.name] = .redacted }
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
    objects[id] = object
    unfilled.append(id)
    return object
  }

  /// Sets the variables of all objects that were made.
  func fill() {
    while let id = unfilled.popLast() {
      guard let object = objects[id] else { continue }
      fill(object, id)
    }
  }

  private func fill(_ object: any RecordedObject, _ id: ObjectID) {
    let fields = migrated(id).fields
    let properties = type(of: object)._$properties
    for (number, property) in properties.enumerated() {
      guard let value = fields[property.name], value.isRestorable, !property.isRedacted else { continue }
      let context = RestoringContext(objects: self, owner: id, components: [.property(property.name)])
      do throws(RestoreProblem) {
        try PropertyRestorer(value, context).restore(property: number, of: object, property)
      } catch {
        note(error)
      }
    }
    noteUnknownProperties(of: object, id)
  }

  /// Tells of what the log holds of an object and its class does not have.
  func noteUnknownProperties(of object: any RecordedObject, _ id: ObjectID) {
    let properties = type(of: object)._$properties
    for (name, value) in migrated(id).fields where !properties.contains(where: { $0.name == name }) {
      if name == "id", object is any Identifiable { continue }
      note(
        RestoreProblem(
          path: path(of: id, [.property(name)]), recorded: kind(of: value), expected: "\(type(of: object))",
          reason: "the class has no property \(name); declare a migration, `.rename` or `.remove`"))
    }
  }

  /// Keeps a problem to be told.
  func note(_ problem: RestoreProblem) { problems.append(problem) }

  /// What the log holds of an object, as the migrations have it.
  func migrated(_ id: ObjectID) -> MigratedObject {
    if let known = migrated[id] { return known }
    let recorded = state.objects[id]
    var object = MigratedObject(type: recorded?.type ?? "", fields: recorded?.fields ?? [:])
    let context = RestoringContext(objects: self, owner: id, components: [])
    for migration in migrations {
      do { try migration.apply(&object, context) } catch {
        note(error as? RestoreProblem ?? context.mismatch(.reference(id), Any.self, "\(error)"))
      }
    }
    migrated[id] = object
    return object
  }

  /// The class to make: the one that the log names, if that is known; else the wanted one, if it has that name.
  private func chosenClass(
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

extension Value {
  /// Whether the log held a value at all: what was redacted, or could not be recorded, stays as the initializer made it.
  var isRestorable: Bool {
    switch self {
    case .redacted, .opaque: false
    default: true
    }
  }
}
