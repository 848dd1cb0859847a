import EventLog

extension SlotGraph {
  /// The slots on the way to a place. An element read by offset and by id has two slots.
  struct Trail {
    /// Level by level, from the owner's down.
    fileprivate var slots: [SlotID] = []
    /// Where those of the last levels begin.
    fileprivate var (grandparentsStart, parentsStart, atStart) = (0, 0, 0)

    /// Those strictly above it, and its own.
    var all: [SlotID] { slots }
    /// Those strictly above it, from the owner down.
    var above: ArraySlice<SlotID> { slots[..<atStart] }
    /// Its container's.
    var parents: ArraySlice<SlotID> { slots[parentsStart..<atStart] }
    /// The container's container's.
    var grandparents: ArraySlice<SlotID> { slots[grandparentsStart..<parentsStart] }
    /// Its own.
    var at: ArraySlice<SlotID> { slots[atStart...] }
    /// Whether nothing was ever read there, or on the way.
    var isEmpty: Bool { slots.isEmpty }
  }

  /// Finds the slots on the way to a place, as far as there are any. Leaves out slots that name an element by its id if
  /// the event gave it another id.
  func trail(to place: Place, in state: State, changingIDs: Bool = false) -> Trail {
    var trail = Trail()
    guard let top = slot(ofKnown: place.owner), self[top].readersWithin > 0 else { return trail }
    let changed = changingIDs ? place.elementPosition : nil
    trail.slots.reserveCapacity(place.steps.count + 1)
    trail.slots.append(top)
    for (position, step) in place.steps.enumerated() {
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
            let array = Place(owner: place.owner, steps: Array(place.steps[..<position]))
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

extension Place {
  /// Whether a set here may give an element of an array another id.
  var isElementOrItsID: Bool { elementPosition != nil }

  /// The index of the step that leads to the element that a set here may give another id.
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
  /// The id of an element; the element may not be in the state yet.
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
