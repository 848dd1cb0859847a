/// A location in the state, within one object: its steps never cross from one object to another.
///
/// A ``Path`` is the name of a value, and several paths can lead to one location: two paths that reach the same
/// object in different ways resolve to the same location.
package struct NamedLocation: Hashable, Sendable {
  /// The start of the steps.
  package enum Owner: Hashable, Sendable {
    /// The table of roots; the first step is the name of a root.
    case roots
    case object(ObjectID)
  }

  package var owner: Owner
  package var steps: [Step]

  package init(owner: Owner, steps: [Step]) {
    self.owner = owner
    self.steps = steps
  }

  /// One step within an object.
  package enum Step: Sendable {
    /// A property, a field, or an entry of a dictionary.
    case name(String)
    /// An element of an array: its index, and its id if the path named it by id.
    case element(index: Int, id: Value?)
    case aspect(PathComponent)
  }
}

extension NamedLocation.Step: Hashable {
  package static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.name(let a), .name(let b)): a.hasSameBytes(as: b)
    case (.element(let a, let x), .element(let b, let y)): a == b && x == y
    case (.aspect(let a), .aspect(let b)): a == b
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .name(let name): hasher.combine(bytesOf: name)
    case .element(let index, let id):
      hasher.combine(index)
      hasher.combine(id)
    case .aspect(let aspect): hasher.combine(aspect)
    }
  }
}

extension NamedLocation {
  /// The location one step further down.
  func below(_ step: Step) -> NamedLocation { NamedLocation(owner: owner, steps: steps + [step]) }
}

/// The result of following a path in some state.
package enum Resolution: Sendable {
  /// The location exists or its container does; `crossed` are the locations of the references on the way.
  case location(NamedLocation, crossed: [NamedLocation])
  /// The path leads nowhere: `container` is the last location reached, and `rest` are the remaining steps.
  case missing(container: NamedLocation, crossed: [NamedLocation], rest: ArraySlice<PathComponent>)
}
