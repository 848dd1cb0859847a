/// A place in the state, within one object: its steps never cross from one object to another.
///
/// A ``Path`` is the name of a value, and several paths can lead to one place: two paths that reach the same
/// object in different ways resolve to the same place.
package struct Place: Hashable, Sendable {
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

extension Place.Step: Hashable {
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

extension Place {
  /// The place one step further down.
  func below(_ step: Step) -> Place { Place(owner: owner, steps: steps + [step]) }
}

/// The result of following a path in some state.
package enum Resolution: Sendable {
  /// The place exists or its container does; `crossed` are the places of the references on the way.
  case place(Place, crossed: [Place])
  /// The path leads nowhere: `container` is the last place reached, and `rest` are the remaining steps.
  case missing(container: Place, crossed: [Place], rest: ArraySlice<PathComponent>)
}
