/// The parts of programs with objects that refer to each other: in cycles, in arrays and dictionaries, and
/// held by the app alone. The objects are created, released while projections that have read them wait, and
/// put back.
extension Program {
  /// A path to an object, from the root or from an object in one of the app's own variables, its hands.
  struct Way: Hashable, Sendable {
    enum Step: Hashable, Sendable {
      case next
      case index(Int)
      case id(Int)
      case key(Int)
    }

    /// Nil for the root. An object in a hand is not recorded.
    var hand: Int?
    var steps: [Step] = []
  }

  /// A number read from an object; -1 if the way leads nowhere.
  struct KnotRead: Hashable, Sendable {
    enum Leaf: Hashable, Sendable {
      /// Whether there is an object.
      case there
      case x
      case y
      case count
      /// The ids of the elements, in order.
      case ids
      /// The elements, and a number of each.
      case elements
      case keys
      case keyCount
      /// Whether there is an element with an id, or an entry for a key.
      case hasID(Int)
      case hasKey(Int)
    }

    var way: Way
    var leaf: Leaf
  }

  /// An object to store somewhere: a new one, or one that is stored somewhere already.
  enum Knot: Sendable {
    case new(id: Int)
    case at(Way)
  }

  /// An edit of the object that a way leads to; no effect if it leads nowhere. No array gets two elements
  /// with the same id.
  enum KnotEdit: Sendable {
    case x(Way, Int)
    case y(Way, Int)
    case next(Way, Knot?)
    case insert(Way, Knot, at: Int)
    case remove(Way, at: Int)
    case put(Way, Knot, at: Int)
    case swap(Way, Int, Int)
    case move(Way, from: Int, to: Int)
    case sort(Way)
    case replace(Way, [Knot])
    case key(Way, Int, Knot?)
    /// Puts an object into a hand of the app, or releases the one that is there.
    case hold(Int, Knot?)
  }

  static let handCount = 3
}

extension Program.Way {
  func appending(_ step: Step) -> Self { Self(hand: hand, steps: steps + [step]) }
}

extension Program.Child {
  /// The child of an element of the object to which a way leads.
  func reading(_ way: Program.Way, id: Int) -> Self {
    var child = self
    child.ops.append(.read(.knot(Program.KnotRead(way: way.appending(.id(id)), leaf: .y))))
    return child
  }
}

extension Program.KnotEdit {
  /// The way to the object that is edited.
  var way: Program.Way? {
    switch self {
    case .x(let way, _), .y(let way, _), .next(let way, _), .insert(let way, _, _), .remove(let way, _),
      .put(let way, _, _), .swap(let way, _, _), .move(let way, _, _), .sort(let way), .replace(let way, _),
      .key(let way, _, _):
      way
    case .hold: nil
    }
  }
}
