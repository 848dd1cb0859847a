@testable import EventLog
@testable import LogGenerator

/// Random structural events over a few objects: they are stored in places, moved, shared, put into cycles,
/// removed, named before they are defined, and released. Some events do not fit; these must leave all counts
/// correct.
struct ObjectProgram: CustomStringConvertible {
  var events: [Event.Body]

  var description: String { events.map { "\($0)" }.joined(separator: "\n") }

  init(seed: UInt64) {
    var maker = Maker(random: SplitMix64(seed: seed))
    events = (0..<80).map { _ in maker.event() }
  }

  /// The first error when the events are applied, by comparison with a walk of the whole state after each
  /// event.
  func fault(seed: UInt64) -> String? {
    var judge = Judge(random: SplitMix64(seed: seed &+ 1))
    for (position, event) in events.enumerated() {
      if let fault = judge.fault(applying: event) { return "event \(position), \(event): \(fault)" }
    }
    return nil
  }

  /// A small program that still fails.
  func shrunk(seed: UInt64) -> ObjectProgram { shrunk { $0.fault(seed: seed) != nil } }

  /// A small program that still fails by a given check.
  func shrunk(_ isWrong: (ObjectProgram) -> Bool) -> ObjectProgram {
    var best = self
    var size = events.count / 2
    while size > 0 {
      var start = 0
      while start < best.events.count {
        var candidate = best
        candidate.events.removeSubrange(start..<min(start + size, best.events.count))
        if isWrong(candidate) { best = candidate } else { start += size }
      }
      size /= 2
    }
    return best
  }
}

/// Makes events that mostly fit the state so far.
private struct Maker {
  var random: SplitMix64
  var state = State()

  mutating func event() -> Event.Body {
    let event = candidate()
    _ = try? state.apply(event)
    return event
  }

  private mutating func candidate() -> Event.Body {
    switch random.pick(20) {
    case 0: return .set(root(), random.oneIn(3) ? .map(fields()) : objectOrReference(), sameValue: false)
    case 1: return .remove(root(), sameValue: false)
    case 2...8: return .set(place(), value(depth: 0), sameValue: false)
    case 9: return .remove(place(), sameValue: false)
    case 10...13: return splice()
    case 14:
      // Large enough to have an index.
      let elements = (0..<18).map { index -> Value in
        random.oneIn(3)
          ? objectOrReference() : .map(["id": .int(Int64(index)), "of": objectOrReference()])
      }
      return .set(place(), .array(elements), sameValue: false)
    case 15: return definition()
    case 16:
      let id = anyObject() ?? ObjectID(1)
      return .set(
        Path(root: .object(id), components: [.property("id")]), .int(Int64(random.pick(20))), sameValue: false
      )
    default:
      let free = state.objects.keys.filter { !state.isHeld($0) }.sorted()
      let id = random.oneIn(4) ? anyObject() : free.isEmpty ? nil : free[random.pick(free.count)]
      return .remove(Path(root: .object(id ?? ObjectID(UInt64(random.pick(40) + 1)))), sameValue: false)
    }
  }

  private mutating func root() -> Path { Path(root: .named(["app", "store", "late"][random.pick(3)])) }

  private mutating func anyObject() -> ObjectID? {
    let ids = state.objects.keys.sorted()
    return ids.isEmpty ? nil : ids[random.pick(ids.count)]
  }

  private mutating func place() -> Path {
    var path = random.oneIn(3) ? root() : anyObject().map { Path(root: .object($0)) } ?? root()
    path.components.append(.property(name()))
    while path.components.count < 4, random.oneIn(2) {
      switch state.value(at: path) {
      case .array(let elements)? where !elements.isEmpty:
        let index = random.pick(elements.count)
        let id = state.id(of: elements[index])
        path.components.append(random.oneIn(2) ? id.map { .id($0) } ?? .index(index) : .index(index))
      case .map?: path.components.append(.key(name()))
      case .reference?: path.components.append(.property(name()))
      default: return path
      }
    }
    return path
  }

  private mutating func name() -> String { ["a", "b", "rows", "of"][random.pick(4)] }

  private mutating func splice() -> Event.Body {
    for _ in 0..<10 {
      let path = place()
      guard case .array(let elements)? = state.value(at: path) else { continue }
      let offset = random.oneIn(3) ? elements.count : random.pick(elements.count + 1)
      let delete = random.pick(min(3, elements.count - offset) + 1)
      let insert = (0..<random.pick(3)).map { _ in value(depth: 1) }
      return .splice(path, offset: offset, delete: delete, insert: .array(insert), sameValue: false)
    }
    return .set(place(), .array((0..<4).map { _ in value(depth: 1) }), sameValue: false)
  }

  private mutating func definition() -> Event.Body {
    let id = state.freeObjectID
    var fields = fields()
    fields["a"] = .reference(random.oneIn(2) ? id.next : id)
    // Now and then an object that is defined, or was defined before it was removed.
    let known =
      switch random.pick(6) {
      case 0, 1: anyObject() ?? id
      case 2: ObjectID(UInt64(random.pick(20) + 1))
      default: id
      }
    return .set(
      Path(root: .object(known)), .object(ObjectDefinition(id: known, type: "Node", fields: fields)),
      sameValue: false)
  }

  private mutating func objectOrReference() -> Value {
    if let id = anyObject(), state.objects.count > 14 || random.oneIn(2) { return .reference(id) }
    return .object(ObjectDefinition(id: state.freeObjectID, type: "Node", fields: fields()))
  }

  private mutating func fields() -> NamedValues<Value> {
    var fields: NamedValues<Value> = random.oneIn(2) ? ["id": .int(Int64(random.pick(20)))] : [:]
    if random.oneIn(2), let id = anyObject() { fields[name()] = .reference(id) }
    if random.oneIn(3) { fields[name()] = .array([.reference(anyObject() ?? ObjectID(1)), 3]) }
    return fields
  }

  private mutating func value(depth: Int) -> Value {
    switch random.pick(depth > 1 ? 5 : 8) {
    case 0: return .int(Int64(random.pick(20)))
    case 1: return .null
    case 2...4: return objectOrReference()
    case 5: return .map(["id": .int(Int64(random.pick(20))), "of": value(depth: depth + 1)])
    default: return .array((0..<random.pick(4)).map { _ in value(depth: depth + 1) })
    }
  }
}

/// Applies events, and compares the state's record of its references with a walk of the whole state.
private struct Judge {
  var random: SplitMix64
  var state = State()
  /// The names that the state returned, each with its version then, and the shape version of the state for
  /// which they are valid.
  var names: [ObjectID: (path: Path, version: State.NameVersion)] = [:]
  var namesVersion: UInt64 = 0

  mutating func fault(applying event: Event.Body) -> String? {
    let before = state
    let walked = Walk(state)
    var error: StateError?
    do throws(StateError) { try state.apply(event) } catch let thrown { error = thrown }
    if case .remove(let path, _) = event, path.components.isEmpty, case .object(let id) = path.root {
      let fits = before.objects[id] != nil && walked.holders[id] == nil
      if fits != (error == nil) { return "refused: \(error.map { "\($0)" } ?? "no")" }
      if fits, state.objects[id] != nil { return "the object is still there" }
    }
    return countFault() ?? indexFault() ?? versionFault(since: before) ?? nameFault() ?? checkpointFault()
  }

  private func countFault() -> String? {
    let walk = Walk(state)
    for (id, object) in state.objects where object.holders != walk.holders[id] ?? Holders() {
      return "\(id) is held by \(object.holders), but by \(walk.holders[id] ?? Holders())"
    }
    return state.heldInside == walk.inside ? nil : "inside are \(state.heldInside), but \(walk.inside)"
  }

  private func indexFault() -> String? {
    for (key, index) in state.identityIndexes {
      guard case .array(let elements)? = state.objects[key.object]?.fields[key.property.string] else {
        return "an index of \(key.object).\(key.property.string), which is no array"
      }
      for id in Set(elements.compactMap { state.id(of: $0) }) {
        let first = elements.firstIndex { state.id(of: $0) == id }
        if index[id] != first { return "\(id) is at \(first ?? -1), but \(index[id] ?? -1) by the index" }
      }
    }
    return nil
  }

  /// As long as the version of a name is the same, the name leads to its object, and is not the number of an
  /// object that has been stored in a place since.
  private mutating func versionFault(since before: State) -> String? {
    guard state.shapeVersion == namesVersion else { return nil }
    for (id, (path, version)) in names where state.nameVersion(of: id) == version {
      if !Self.leads(path, to: id, in: state) { return "\(path) is no longer \(id), in one version" }
      if before.objects[id] != nil, !before.isHeld(id), state.isHeld(id) {
        return "\(id) has come into a place, in one version"
      }
    }
    return nil
  }

  private mutating func nameFault() -> String? {
    if state.shapeVersion != namesVersion { names = [:] }
    namesVersion = state.shapeVersion
    let reached = Walk(state).reached
    var asked = state
    for id in state.objects.keys.sorted() {
      // Only some objects are asked for their names, as in a session.
      let isAsked = random.oneIn(4)
      let expected = Self.nameOfHomes(id, in: isAsked ? state : asked)
      let path = isAsked ? state.path(of: id) : asked.path(of: id)
      if !Self.leads(path, to: id, in: state) { return "\(path) is not \(id)" }
      if let expected, path != expected { return "\(id) is at home at \(expected), but named \(path)" }
      if case .object = path.root, reached.contains(id) { return "\(id) is named by its number" }
      if isAsked { names[id] = (path, state.nameVersion(of: id)) }
    }
    if state.shapeVersion != namesVersion { return "asking for a name changed the version" }
    return nil
  }

  private static func leads(_ path: Path, to id: ObjectID, in state: State) -> Bool {
    switch path.root {
    case .object(let object): object == id && path.components.isEmpty
    case .named(let name) where path.components.isEmpty: state.roots[name] == id
    case .named: state.value(at: path) == .reference(id)
    }
  }

  /// The name that an object has by the homes of its holders, if all objects on the way exist.
  private static func nameOfHomes(_ id: ObjectID, in state: State) -> Path? {
    var components: [PathComponent] = []
    var id = id
    while components.count < 40, let home = state.objects[id]?.home, state.value(at: home) == .reference(id) {
      for position in home.steps.indices.reversed() {
        switch home.steps[position] {
        case .name(let name):
          if home.owner == .roots { return Path(root: .named(name), components: components.reversed()) }
          components.append(position == 0 ? .property(name) : .key(name))
        case .element(let index, _):
          let array = NamedLocation(owner: home.owner, steps: Array(home.steps[..<position]))
          guard case .array(let elements)? = state.value(at: array) else { return nil }
          let id = state.id(of: elements[index])
          let isFirst = id != nil && elements.firstIndex { state.id(of: $0) == id } == index
          components.append(isFirst ? .id(id ?? .null) : .index(index))
        case .aspect: return nil
        }
      }
      guard case .object(let owner) = home.owner else { return nil }
      id = owner
    }
    return nil
  }

  private mutating func checkpointFault() -> String? {
    guard random.oneIn(4) else { return nil }
    var written = state
    var read = State()
    for event in written.asEvents() {
      do throws(StateError) { try read.apply(event) } catch { return "the checkpoint does not fit: \(error)" }
    }
    if random.oneIn(4) { state = written }
    if Array(read.roots.keys) != Array(written.roots.keys) || read.roots != written.roots {
      return "other roots"
    }
    if read.freeObjectID != written.freeObjectID { return "\(read.freeObjectID) is free" }
    if read.heldInside != written.heldInside { return "other references inside" }
    if read.objects.keys.sorted() != written.objects.keys.sorted() { return "other objects" }
    for id in written.objects.keys.sorted() {
      let (a, b) = (written.objects[id], read.objects[id])
      if a?.fields != b?.fields || a?.type != b?.type { return "\(id) has other fields" }
      if a?.holders != b?.holders { return "\(id) has other holders" }
      let (name, other) = (written.path(of: id), read.path(of: id))
      if name != other { return "\(id) is \(name), but \(other) by the checkpoint" }
    }
    return nil
  }
}

extension State {
  /// How many references the state counts within each property that has references in an array or a map.
  fileprivate var heldInside: [ObjectProperty: Int] {
    known { $0.heldCount > 0 ? $0.heldCount : nil }
  }

  /// The indexes of arrays.
  fileprivate var identityIndexes: [ObjectProperty: IdentityIndex<Value>] { known(\.ids) }

  private func known<T>(_ part: (Container) -> T?) -> [ObjectProperty: T] {
    var found: [ObjectProperty: T] = [:]
    for (id, object) in objects {
      for position in object.fields.indices {
        guard let known = object.container(at: position).flatMap(part) else { continue }
        found[ObjectProperty(object: id, property: object.fields[position].key)] = known
      }
    }
    return found
  }
}

/// All references of a state, found by a walk.
private struct Walk {
  var holders: [ObjectID: Holders] = [:]
  var inside: [ObjectProperty: Int] = [:]
  var reached: Set<ObjectID> = []

  init(_ state: State) {
    for (_, id) in state.roots { holders[id, default: Holders()].add(.roots) }
    for (id, object) in state.objects {
      for (name, value) in object.fields {
        var found: [ObjectID] = []
        Self.references(in: value, &found)
        for held in found { holders[held, default: Holders()].add(.object(id)) }
        if case .reference = value { continue }
        if !found.isEmpty { inside[ObjectProperty(object: id, property: name)] = found.count }
      }
    }
    var open = Array(state.roots.values)
    while let id = open.popLast() {
      guard reached.insert(id).inserted else { continue }
      for (_, value) in state.objects[id]?.fields ?? [:] { Self.references(in: value, &open) }
    }
  }

  private static func references(in value: Value, _ found: inout [ObjectID]) {
    switch value {
    case .reference(let id): found.append(id)
    case .array(let elements): for element in elements { references(in: element, &found) }
    case .map(let fields): for (_, field) in fields { references(in: field, &found) }
    default: break
    }
  }
}
