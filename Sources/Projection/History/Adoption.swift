import EventLog

/// Finds out which objects of a session stand for which of a recording, where nothing is known yet: those at the same
/// place of one property, or with the same id in one array.
struct Adoption {
  private let engine: Engine
  private let restorer: ObjectRestorer
  private var candidates: [ObjectID: any RecordedObject]

  /// Looks among the objects that a property holds.
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

  /// Goes through a value of the recording and what is recorded here in its place.
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
    guard recorded.type.isEmpty || recorded.type == "\(type(of: object))" else { return }
    for property in type(of: object)._$properties where property.isConstant {
      guard let value = recorded.fields[property.name], value.isRestorable else { continue }
      if value != engine.recorded(property.name, of: here) { return }
    }
    candidates[here] = nil
    restorer.use(object, for: id)
  }
}

/// Finds the objects in a property's value, in collections, structs and enums too, but not behind other objects.
private final class ObjectFinder: RecordedPropertyReader {
  private let engine: Engine
  private(set) var found: [ObjectID: any RecordedObject] = [:]

  init(engine: Engine) { self.engine = engine }

  func read<Member>(_ value: Member) { Frame.untracked { find(in: value, depth: 0) } }

  private func find(in value: Any, depth: Int) {
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
