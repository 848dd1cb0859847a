import EventLog

/// The state of the recording, and the session's object for each object of the recording.
///
/// Objects are paired by root, then by where they are: at the same place of paired objects, or with the same
/// id in an array. If a driven write refers to an object that the session does not have, the object is made
/// by its initializer. All are retained until the recording says that they are gone, since the recorded app
/// may have held objects that its state does not show.
final class DrivenObjects {
  private unowned let engine: Engine
  let restorer: ObjectRestorer
  /// The objects that the recorded app's own reactions made and that are not paired yet.
  private var unpaired: [ObjectID] = []
  /// The objects that the current event defines, if it is driven. The session has no objects for them.
  private var defined: Set<ObjectID> = []
  /// Objects whose pairing is in progress, so that a reference cycle ends.
  private var underway: Set<ObjectID> = []
  private static let depthMax = 64

  init(engine: Engine, _ state: State, _ rules: RestoringRules) {
    self.engine = engine
    restorer = ObjectRestorer(state, rules)
    restorer.find = { [unowned self] in defined.contains($0) ? nil : paired($0) }
  }

  /// Applies an event to the recording's state.
  ///
  /// - Parameter isDriven: Whether the session repeats the event. If not, its own reactions may make the
  ///   objects that the event defines.
  func apply(_ body: Event.Body, isDriven: Bool) throws(StateError) {
    restorer.markChange()
    try restorer.state.apply(body)
    let new = restorer.state.newObjects
    if !isDriven { unpaired += new }
    if !defined.isEmpty || isDriven && !new.isEmpty { defined = isDriven ? Set(new) : [] }
  }

  /// Grows whenever the path of an object of the recording may have changed.
  @inline(__always)
  var shapeVersion: UInt64 { restorer.state.shapeVersion }

  /// Whether the recording's state has this value at a location.
  @inline(__always)
  func holds(_ value: Value, at location: PropertyLocation) -> Bool {
    restorer.state.value(at: location) == value
  }

  /// Replaces a scalar in the recording's state; returns false, with nothing done, if there is none.
  @inline(__always)
  func put(_ value: Value, at location: PropertyLocation) -> Bool {
    restorer.markChange()
    return restorer.state.putScalar(value, at: location)
  }

  /// The same for a part of the value of a property.
  func put(_ value: Value, at steps: [PathComponent], in property: PropertyLocation) -> Bool {
    restorer.markChange()
    guard let location = restorer.state.location(at: steps, in: property) else { return false }
    return restorer.state.putScalar(value, at: location)
  }

  /// The session's object for an object of the recording; nil if there is none.
  func object(_ id: ObjectID) -> (any RecordedObject)? { restorer.objects[id] ?? paired(id) }

  /// Pairs the object at a root, and all objects below it that both sides have.
  func pairRoot(_ root: any RecordedObject, with id: ObjectID) {
    restorer.use(root, for: id)
    var waiting = [id]
    var seen: Set = [id]
    while let id = waiting.popLast() {
      for reference in restorer.state.objects[id]?.fields.values.flatMap(\.references) ?? [] {
        if seen.insert(reference).inserted, object(reference) != nil { waiting.append(reference) }
      }
    }
  }

  /// Whether some objects are not paired yet; see ``pairNew()``.
  @inline(__always)
  var hasNew: Bool { !unpaired.isEmpty }

  /// Pairs the objects that reactions of the recorded app made. The session's own reactions have made their
  /// counterparts by now.
  func pairNew() {
    if unpaired.isEmpty { return }
    let ids = unpaired
    unpaired = []
    for id in ids { _ = object(id) }
  }

  /// Pairs the objects in a part of the recorded state before a write removes it.
  func pair(in value: Value?) {
    guard let value, value.mayHoldObjects else { return }
    for id in value.references { _ = object(id) }
  }

  /// Finds an object in the session at the place that it has in the recording, and pairs it.
  private func paired(_ id: ObjectID) -> (any RecordedObject)? {
    guard restorer.objects[id] == nil, underway.count < Self.depthMax, underway.insert(id).inserted else {
      return nil
    }
    defer { underway.remove(id) }
    let path = restorer.state.path(of: id)
    if path.components.isEmpty {
      guard case .named(let name) = path.root, let root = engine.root(name), restorer.id(of: root) == nil
      else {
        return nil
      }
      restorer.use(root, for: id)
      return root
    }
    guard case .location(let location, _) = restorer.state.resolve(path, withCrossed: false),
      case .object(let owner) = location.owner, let holder = object(owner),
      let attachment = holder._$recorded.attachment, attachment.engine === engine,
      let here = engine.part(at: Array(path.components.suffix(location.steps.count)), of: holder, attachment),
      restorer.id(of: here) == nil, hasType(here, id)
    else { return nil }
    restorer.use(here, for: id)
    return here
  }

  private func hasType(_ object: any RecordedObject, _ id: ObjectID) -> Bool {
    let type = restorer.migrated(id).type
    return type.isEmpty || type == object.loggedType
  }
}

extension Engine {
  /// The object that is attached under a name.
  func root(_ name: String) -> (any RecordedObject)? { withLock { $0.playback.root(name) } }

  /// The object at the end of a path from an object of the session that stays within this object; nil if
  /// there is none.
  fileprivate func part(
    at components: [PathComponent], of object: any RecordedObject, _ attachment: Attachment
  ) -> (any RecordedObject)? {
    guard let steps = steps(of: components, in: attachment), case .name(let property)? = steps.first,
      let number = attachment.properties.firstIndex(where: { $0.name == property })
    else { return nil }
    let finder = PartFinder(steps.dropFirst())
    _ = object._$read(property: number, into: finder)
    guard let found = finder.found, found._$recorded.attachment?.engine === self else { return nil }
    return found
  }

  /// The steps along a path from an object of the session, with elements by index; nil if the path leaves the
  /// object.
  func steps(of components: [PathComponent], in attachment: Attachment) -> [NamedLocation.Step]? {
    withLock { state in
      if components.count > 1, case .property(let name) = components[0] {
        state.core.state.indexIdentities(of: attachment.id, property: name)
      }
      guard
        case .location(let location, _) = state.core.state.resolve(
          components[...], in: attachment.id, withCrossed: false),
        location.owner == .object(attachment.id)
      else { return nil }
      return location.steps
    }
  }
}

/// Finds the object at the end of steps from a property.
private final class PartFinder: RecordedPropertyReader {
  private let steps: ArraySlice<NamedLocation.Step>
  private(set) var found: (any RecordedObject)?

  init(_ steps: ArraySlice<NamedLocation.Step>) { self.steps = steps }

  func read<Member>(_ value: Member) { Frame.untracked { found = find(in: value, steps) } }

  private func find(in value: Any, _ steps: ArraySlice<NamedLocation.Step>) -> (any RecordedObject)? {
    guard let value = Sameness.unwrapped(value) else { return nil }
    guard let step = steps.first else { return value as? any RecordedObject }
    if let container = value as? any DrivenContainer {
      return container.drivenPart(at: step).flatMap { find(in: $0, steps.dropFirst()) }
    }
    // A field of a struct.
    guard case .name(let name) = step else { return nil }
    let field = Mirror(reflecting: value).children.first { $0.label == name }
    return field.flatMap { find(in: $0.value, steps.dropFirst()) }
  }
}
