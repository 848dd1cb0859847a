import EventLog

extension SlotGraph {
  /// The slots on the way to a location. An element that is read both by index and by id has two slots.
  struct Trail {
    /// Level by level, from the owner's slot down.
    fileprivate var slots: [SlotID] = []
    /// Where the slots of each of the last three levels begin.
    fileprivate var (grandparentsStart, parentsStart, atStart) = (0, 0, 0)

    /// All of these slots.
    var all: [SlotID] { slots }
    /// The slots strictly above the location, from the owner's slot down.
    var above: ArraySlice<SlotID> { slots[..<atStart] }
    /// The slots of the location's container.
    var parents: ArraySlice<SlotID> { slots[parentsStart..<atStart] }
    /// The slots of the container's container.
    var grandparents: ArraySlice<SlotID> { slots[grandparentsStart..<parentsStart] }
    /// The slots of the location itself.
    var at: ArraySlice<SlotID> { slots[atStart...] }
    /// Whether there are no slots at all: nothing of the owner is read.
    var isEmpty: Bool { slots.isEmpty }
  }

  /// Finds the slots that exist on the way to a location.
  ///
  /// - Parameter changingIDs: Whether the event may have changed the id of the element at the location. Slots
  ///   that name this element by id are left out then.
  func trail(to location: NamedLocation, in state: State, changingIDs: Bool = false) -> Trail {
    var trail = Trail()
    guard let top = slot(ofKnown: location.owner), self[top].readersWithin > 0 else { return trail }
    let changed = changingIDs ? location.elementPosition : nil
    trail.slots.reserveCapacity(location.steps.count + 1)
    trail.slots.append(top)
    for (position, step) in location.steps.enumerated() {
      (trail.grandparentsStart, trail.parentsStart, trail.atStart) =
        (trail.parentsStart, trail.atStart, trail.slots.count)
      for index in trail.parentsStart..<trail.atStart {
        let parent = trail.slots[index]
        switch step {
        case .name(let name): trail.add(child(.name(name), of: parent))
        case .aspect: break
        case .element(let index, let id):
          if self[parent].hasIndexChildren { trail.add(child(.index(index), of: parent)) }
          if self[parent].hasIDChildren, position != changed {
            let array = NamedLocation(owner: location.owner, steps: Array(location.steps[..<position]))
            if let id = id ?? state.firstID(of: index, in: array) { trail.add(child(.id(id), of: parent)) }
          }
        }
      }
    }
    return trail
  }
}

extension SlotGraph.Trail {
  fileprivate mutating func add(_ slot: SlotID?) {
    if let slot { slots.append(slot) }
  }
}

extension NamedLocation {
  /// Whether a set here may give an element of an array another id.
  var isElementOrItsID: Bool { elementPosition != nil }

  /// The index of the step that leads to an element whose id a set here may change.
  fileprivate var elementPosition: Int? {
    if case .element? = steps.last { return steps.count - 1 }
    guard steps.count >= 2, case .element = steps[steps.count - 2], isID else { return nil }
    return steps.count - 2
  }
}

extension Value? {
  var isReference: Bool {
    if case .reference? = self { true } else { false }
  }
}

extension State {
  /// The id that a new element will have; the state need not contain the element yet.
  func newID(of element: Value) -> Value? {
    if case .object(let definition) = element { return id(of: .map(definition.fields)) }
    return id(of: element)
  }

  /// The first element with each id, if the value is an array.
  func elementsByID(_ value: Value?) -> [Value: Value] {
    guard case .array(let elements)? = value else { return [:] }
    var byID: [Value: Value] = [:]
    for element in elements {
      if let id = id(of: element), byID[id] == nil { byID[id] = element }
    }
    return byID
  }
}
