import EventLog

extension InvalidationCore {
  /// What is cached of the array in a property: the readers that are concerned when a part of one of its elements
  /// changes that holds no object and is no id. Valid as long as a ``Plan`` is, see ``plansVersion``.
  package struct ElementsPlan {
    package let object: ObjectID
    package let property: String
    /// Whether each element has an id that no other has.
    package let hasUniqueIDs: Bool
    /// The array's node, if something within the array is read.
    fileprivate let node: DependencyGraph.NodeID?
    /// The readers of the array and of what holds it.
    fileprivate let readers: Set<ProjectionID>
  }

  /// The plan of the array in a property, for use outside a transaction; nil if a change of a part of an element may
  /// concern more than its readers.
  package mutating func elementsPlan(of object: ObjectID, property: String) -> ElementsPlan? {
    guard graph.objectReaders[object] == nil, case .array? = state.objects[object]?.fields[property]
    else { return nil }
    state.indexIdentities(of: object, property: property)
    let above = graph.node(ofKnown: .object(object))
    let node = above.flatMap { graph.child(.name(property), of: $0) }
    let readers = [above, node].compactMap(\.self).map { graph.nodes[$0].readers }
    return ElementsPlan(
      object: object, property: property,
      hasUniqueIDs: state.hasUniqueIDs(in: object, property: property),
      node: node.flatMap { graph.nodes[$0].readersWithin > graph.nodes[$0].readers.count ? $0 : nil },
      readers: readers.reduce([]) { $0.union($1) })
  }

  /// The projections that a change of a field of an element concerns, in order of creation; nil if one reads within
  /// the field.
  ///
  /// - Parameter id: The element's id, if it is the first with it.
  package mutating func readers(
    of field: String, ofElementAt index: Int, id: Value?, _ plan: ElementsPlan
  ) -> [ProjectionID]? {
    var readers: [ProjectionID] = []
    if let array = plan.node {
      if graph.nodes[array].hasIndexChildren, let element = graph.child(.index(index), of: array),
        !graph.collectReaders(of: field, below: element, into: &readers)
      {
        return nil
      }
      if graph.nodes[array].hasIDChildren, let id, let element = graph.child(.id(id), of: array),
        !graph.collectReaders(of: field, below: element, into: &readers)
      {
        return nil
      }
    }
    readers += plan.readers
    if readers.count > 1 { readers = Set(readers).sorted() }
    for reader in readers { reconnect(reader) }
    return readers
  }

  /// Replaces a scalar that is a field of an element by another.
  package mutating func put(_ value: Value, at position: Int, ofElementAt index: Int, _ plan: ElementsPlan) {
    state.replaceScalar(at: position, ofElementAt: index, of: plan.object, property: plan.property, by: value)
  }
}

extension DependencyGraph {
  /// Adds the readers of an element and of a field of it; returns false if one reads within the field.
  fileprivate func collectReaders(
    of field: String, below element: NodeID, into readers: inout [ProjectionID]
  ) -> Bool {
    readers += nodes[element].readers
    guard let part = child(.name(field), of: element) else { return true }
    readers += nodes[part].readers
    return nodes[part].readersWithin == nodes[part].readers.count
  }
}
