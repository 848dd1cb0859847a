// As of d547314, on the state of b942364. An oracle: not to be mended.

import EventLog

extension DependencyGraph {
  /// The nodes on the way to a slot. An element read by offset and by id has two nodes.
  struct Trail {
    /// Those strictly above the slot, from the owner down.
    var above: [NodeID] = []
    /// The slot's container.
    var parents: [NodeID] = []
    /// The container's container.
    var grandparents: [NodeID] = []
    /// The slot itself.
    var at: [NodeID] = []
  }

  /// Finds the nodes on the way to a slot, as far as there are any. Leaves out nodes that name an element by its id if
  /// the event gave it another id.
  func trail(to place: Place, in state: State, changingIDs: Bool = false) -> Trail {
    let changed = changingIDs ? place.elementPosition : nil
    var trail = Trail()
    guard let top = node(ofKnown: place.owner), nodes[top].readersWithin > 0 else { return trail }
    trail.at = [top]
    for (position, step) in place.steps.enumerated() {
      trail.above += trail.at
      trail.grandparents = trail.parents
      trail.parents = trail.at
      trail.at = []
      for parent in trail.parents {
        let node = nodes[parent]
        switch step {
        case .name(let name): trail.add(child(.name(name), of: parent))
        case .aspect: break
        case .element(let index, let id):
          if node.hasIndexChildren { trail.add(child(.index(index), of: parent)) }
          if node.hasIDChildren, position != changed {
            let array = Place(owner: place.owner, steps: Array(place.steps[..<position]))
            if let id = id ?? state.firstID(of: index, in: array) { trail.add(child(.id(id), of: parent)) }
          }
        }
      }
    }
    return trail
  }
}

extension DependencyGraph.Trail {
  fileprivate mutating func add(_ node: DependencyGraph.NodeID?) {
    if let node { at.append(node) }
  }
}

extension Place {
  /// Whether a set here may give an element of an array another id.
  var isElementOrItsID: Bool { elementPosition != nil }

  /// The index of the step that leads to the element that a set here may give another id.
  fileprivate var elementPosition: Int? {
    if case .element? = steps.last { return steps.count - 1 }
    guard steps.count >= 2, steps.last == .name("id"), case .element = steps[steps.count - 2] else {
      return nil
    }
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
