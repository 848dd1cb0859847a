import EventLog

/// One pass over the objects of a recording, from the roots down, that makes the session's objects like them.
struct PlaybackWalk {
  let engine: Engine
  private let restorer: ObjectRestorer
  private var seen: Set<ObjectID> = []
  private var waiting: [ObjectID] = []

  init(engine: Engine, _ restorer: ObjectRestorer) {
    self.engine = engine
    self.restorer = restorer
  }

  mutating func run() {
    for id in restorer.state.roots.values { enqueue(id) }
    // An object comes after one that holds it: then it is attached.
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
      guard let target = fields[property.name], target.isRestorable, !property.isRedacted else { continue }
      let references = target.references
      if !property.isConstant { set(number, of: object, attachment, id, to: target, references) }
      for id in references { enqueue(id) }
    }
    restorer.noteUnknownProperties(of: object, id)
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
    if let present, here(target) == present { return }
    let context = RestoringContext(objects: restorer, owner: id, components: [.property(name)])
    let setter = PlaybackSetter(engine, restorer, attachment, number, target, context)
    _ = object._$visit(property: number, by: setter)
  }

  /// The value with the session's own numbers of objects; nil if one of them is not in the session.
  private func here(_ value: Value) -> Value? {
    switch value {
    case .reference(let id):
      guard let attachment = restorer.objects[id]?._$recorded.attachment, attachment.engine === engine else {
        return nil
      }
      return .reference(attachment.id)
    case .array(let elements):
      var result: [Value] = []
      for element in elements {
        guard let element = here(element) else { return nil }
        result.append(element)
      }
      return .array(result)
    case .map(var fields):
      for (key, field) in fields {
        guard let field = here(field) else { return nil }
        fields[key] = field
      }
      return .map(fields)
    default: return value
    }
  }
}

extension Engine {
  /// What the session has recorded of a property.
  func recorded(_ name: String, of object: ObjectID) -> Value? {
    lock.withLock {
      settle()
      return core.state.objects[object]?.fields[name]
    }
  }
}

/// Sets a property to a recorded value as an app does, but for the class's own observers.
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
      registrar.tellBefore(subject, keyPath)
      _ = subject._$write(property: property, from: Store(new))
      registrar.tellAfter(subject, keyPath)
      engine.bindCollection(of: subject, attachment, property: property)
      engine.recordSet(new, isSame: nil, of: attachment, property: property)
    } catch {
      restorer.note(error)
    }
  }
}

private final class Store<Value>: RecordedPropertyWriter {
  private let value: Value

  init(_ value: Value) { self.value = value }

  func write<Member>(_ storage: inout Member) {
    if let same = self as? Store<Member> { storage = same.value }
  }
}
