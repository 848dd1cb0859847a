import Invalidation

/// The callbacks that run after every set of a property (`onReceive`), also after a set to an equal value.
struct Receivers {
  private var byProperty: [SlotID: [Node.ID: Node]] = [:]

  @inline(__always)
  var isEmpty: Bool { mutating get { byProperty.isEmpty } }

  /// The receivers of a property, in no particular order; nil if it has none.
  func of(_ property: SlotID) -> Dictionary<Node.ID, Node>.Values? { byProperty[property]?.values }

  /// Whether a property has receivers.
  func exist(for property: SlotID) -> Bool { byProperty[property] != nil }

  /// Registers a node for exactly these properties.
  mutating func set(_ properties: Set<SlotID>, of node: Node) {
    if properties == node.receives { return }
    remove(node)
    node.receives = properties
    for property in properties { byProperty[property, default: [:]][node.id] = node }
  }

  /// Registers a node for further properties.
  mutating func add(_ properties: [SlotID], of node: Node) {
    node.receives.formUnion(properties)
    for property in properties { byProperty[property, default: [:]][node.id] = node }
  }

  /// Removes a node. The node keeps the list of its properties.
  mutating func remove(_ node: Node) {
    if node.receives.isEmpty { return }
    for property in node.receives {
      byProperty[property]?[node.id] = nil
      if byProperty[property]?.isEmpty == true { byProperty[property] = nil }
    }
  }

  /// Removes all receivers.
  mutating func removeAll() { byProperty = [:] }
}
