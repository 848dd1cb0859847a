import EventLog

/// Which objects of the session stand for those of the recording that drives it, and the recording's state.
///
/// Objects are paired by root, then by where they are: at the same place of paired objects, or with the same id in an array.
/// Those that the session has no object for are made by their initializers when a write that is driven refers to them. All are
/// retained until the recording says that they are gone, as the recorded app may hold what its state does not.
final class DrivenObjects {
  private unowned let engine: Engine
  let restorer: ObjectRestorer
  /// The objects that the recorded app's own reactions made, until they are looked for.
  @exclusivity(unchecked) private var unpaired: [ObjectID] = []
  /// The objects that the present event defines, if it is driven: the session has nothing that stands for them.
  private var defined: Set<ObjectID> = []
  /// Objects that are being looked for, so that a circle ends.
  private var underway: Set<ObjectID> = []
  private static let depthMax = 64

  init(engine: Engine, _ state: State, _ rules: RestoringRules) {
    self.engine = engine
    restorer = ObjectRestorer(state, rules)
    restorer.find = { [unowned self] in defined.contains($0) ? nil : paired($0) }
  }

  /// Takes in an event of the recording.
  ///
  /// - Parameter isDriven: Whether the session does the same; else it may make objects of its own for those of the event.
  func apply(_ body: Event.Body, isDriven: Bool) throws(StateError) {
    restorer.noteChange()
    try restorer.state.apply(body)
    let new = restorer.state.newObjects
    if !isDriven { unpaired += new }
    if !defined.isEmpty || isDriven && !new.isEmpty { defined = isDriven ? Set(new) : [] }
  }

  /// Grows whenever an object of the recording may have another name.
  @inline(__always)
  var shapeVersion: UInt64 { restorer.state.shapeVersion }

  /// Whether the recording has a value in a cell.
  @inline(__always)
  func holds(_ value: Value, in cell: Cell) -> Bool { restorer.state.value(in: cell) == value }

  /// Takes in a set of a scalar to another; false, with nothing done, where there is none.
  @inline(__always)
  func put(_ value: Value, in cell: Cell) -> Bool {
    restorer.noteChange()
    return restorer.state.putScalar(value, in: cell)
  }

  /// The same in a part of the value that is there.
  func put(_ value: Value, in cell: Cell, at place: Place) -> Bool {
    restorer.noteChange()
    return restorer.state.replaceScalar(in: cell, at: place, by: value) != nil
  }

  /// The session's object for one of the recording; nil if there is none.
  func object(_ id: ObjectID) -> (any RecordedObject)? { restorer.objects[id] ?? paired(id) }

  /// Pairs the object at a root, and all below it that is there on both sides.
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

  /// Whether there are objects to look for; see ``pairNew()``.
  @inline(__always)
  var hasNew: Bool { !unpaired.isEmpty }

  /// Looks for the objects that reactions of the recorded app made: the session's own reactions have made theirs by now.
  func pairNew() {
    if unpaired.isEmpty { return }
    let ids = unpaired
    unpaired = []
    for id in ids { _ = object(id) }
  }

  /// Looks for the objects in a part of the recorded state before a write takes them away.
  func pair(in value: Value?) {
    guard let value, value.mayHoldObjects else { return }
    for id in value.references { _ = object(id) }
  }

  /// Looks for an object at the place where the recording has it.
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
    guard case .place(let place, _) = restorer.state.resolve(path, withCrossed: false),
      case .object(let owner) = place.owner, let holder = object(owner),
      let attachment = holder._$recorded.attachment, attachment.engine === engine,
      let here = engine.part(at: Array(path.components.suffix(place.steps.count)), of: holder, attachment),
      restorer.id(of: here) == nil, hasType(here, id)
    else { return nil }
    restorer.use(here, for: id)
    return here
  }

  private func hasType(_ object: any RecordedObject, _ id: ObjectID) -> Bool {
    let type = restorer.migrated(id).type
    return type.isEmpty || type == "\(Swift.type(of: object))"
  }
}

extension Engine {
  /// The object that is attached under a name.
  func root(_ name: String) -> (any RecordedObject)? { withLock { $0.playback.root(name) } }

  /// The object at steps from an object of the session, within it; nil if there is none.
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

  /// The steps by position that a path from an object of the session leads along, if it stays within the object.
  func steps(of components: [PathComponent], in attachment: Attachment) -> [Place.Step]? {
    withLock { state in
      if components.count > 1, case .property(let name) = components[0] {
        state.core.state.indexIdentities(of: attachment.id, property: name)
      }
      guard
        case .place(let place, _) = state.core.state.resolve(
          components[...], in: attachment.id, withCrossed: false),
        place.owner == .object(attachment.id)
      else { return nil }
      return place.steps
    }
  }
}

/// Finds the object at steps from a property.
private final class PartFinder: RecordedPropertyReader {
  private let steps: ArraySlice<Place.Step>
  private(set) var found: (any RecordedObject)?

  init(_ steps: ArraySlice<Place.Step>) { self.steps = steps }

  func read<Member>(_ value: Member) { Frame.untracked { found = find(in: value, steps) } }

  private func find(in value: Any, _ steps: ArraySlice<Place.Step>) -> (any RecordedObject)? {
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
