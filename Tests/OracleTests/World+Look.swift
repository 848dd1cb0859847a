/// The result of reading a place within one object.
enum Seen: Equatable {
  case missing
  case value(Plain)
  /// The place lies within another object now; this number of steps is left in it.
  case elsewhere(Int, stepsLeft: Int)
}

/// A place within one object, or a name in the table of roots (where `owner` is nil): what a read consists of.
struct Spot: Hashable {
  var owner: Int?
  var steps: [Step]
  /// Whether only the object that is crossed matters, and not the value.
  var isWay: Bool
  private var text: String

  init(owner: Int?, steps: [Step], isWay: Bool = false) {
    self.owner = owner
    self.isWay = isWay
    // The two spellings of a member's name are one step.
    self.steps = steps.map { step in step.name.map { .key($0) } ?? step }
    text = Route(root: owner.map { "#\($0)" } ?? "", steps: self.steps).text + (isWay ? "/" : "")
  }

  static func == (a: Spot, b: Spot) -> Bool { a.text == b.text }
  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// How a route leads to its end: the spots that hold the objects crossed, and the end itself.
struct Trace {
  var holders: [Spot] = []
  /// The objects crossed, with the number of steps that lead to each.
  var crossed: [Int: Int] = [:]
  /// The last object crossed.
  var owner: Int?
  var end: Spot?
}

extension Trace {
  /// The end of a bound route, in any state.
  init(bound route: Route) {
    if let number = route.number {
      owner = number
      end = Spot(owner: number, steps: route.steps)
    } else if route.steps == [.exists] {
      end = Spot(owner: nil, steps: [.key(route.root), .exists])
    } else {
      holders = [Spot(owner: nil, steps: [.key(route.root)])]
    }
  }
}

extension World {
  /// The part of a route from the last object that it crosses into. A route that begins with a number is
  /// already bound, and a route from a root that does not exist ends at that root.
  func bound(_ route: Route) -> Route {
    if route.number != nil || route.steps.isEmpty || route.steps == [.exists] { return route }
    let trace = trace(route)
    guard let owner = trace.owner else { return Route(root: route.root, steps: []) }
    let crossed = trace.crossed.keys.max() ?? 0
    return Route(root: "#\(owner)", steps: Array(route.steps[crossed...]))
  }

  /// Follows a route as far as it leads.
  func trace(_ route: Route) -> Trace {
    let root = Spot(owner: nil, steps: [.key(route.root)])
    if route.steps == [.exists] { return Trace(end: Spot(owner: nil, steps: [.key(route.root), .exists])) }
    var trace = Trace(holders: [root])
    guard var object = start(of: route) else {
      if !route.steps.isEmpty {
        trace.holders = [Spot(owner: nil, steps: root.steps + route.steps, isWay: true)]
      }
      return trace
    }
    trace.crossed = [0: object]
    var steps: [Step] = []
    var value: Plain?
    for (position, step) in route.steps.enumerated() {
      if case .reference(let next)? = value, step != .exists {
        trace.holders.append(Spot(owner: object, steps: steps))
        trace.crossed[position] = next
        object = next
        steps = []
      }
      value = below(steps.isEmpty ? .map(objects[object] ?? Fields()) : value, step)
      steps.append(step)
    }
    trace.owner = object
    trace.end = Spot(owner: object, steps: steps)
    return trace
  }

  /// The value that a reader at a spot sees.
  func look(_ spot: Spot) -> Seen {
    var steps = spot.steps[...]
    var value: Plain?
    if let owner = spot.owner {
      value = objects[owner].map { .map($0) }
    } else if let name = steps.popFirst()?.name {
      value = start(of: Route(root: name, steps: [])).map { .reference($0) }
    }
    for (position, step) in steps.enumerated() {
      if case .reference(let object)? = value, step != .exists {
        return .elsewhere(object, stepsLeft: steps.count - position)
      }
      value = below(value, step)
    }
    if spot.isWay { return .missing }
    return value.map { .value($0) } ?? .missing
  }

  /// Everything that a reader of a route depends on, by the rule itself: the objects crossed, and the value
  /// at the end.
  func sight(_ route: Route) -> ([Int: Int], Seen) {
    let trace = trace(route)
    return (trace.crossed, trace.end.map { look($0) } ?? .missing)
  }
}
