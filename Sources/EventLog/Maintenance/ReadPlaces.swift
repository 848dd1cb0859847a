/// The places in the state that projections read. Finds the projections that a write to a place concerns.
///
/// Elements of arrays move, so an element without an id stands for any element; only ids tell elements apart.
/// Memory: each place that was read, once, and the names of its readers.
struct ReadPlaces {
  /// One step of a place, reduced to what distinguishes places.
  private enum Step: Hashable {
    case name(ExactString)
    case element(id: Value)
    case anyElement
    case aspect

    init(_ step: Place.Step) {
      self =
        switch step {
        case .name(let name): .name(ExactString(name))
        case .element(_, let id?): .element(id: id)
        case .element(_, nil): .anyElement
        case .aspect: .aspect
        }
    }
  }

  private final class Node {
    var readers: Set<ExactString> = []
    var below: [Step: Node] = [:]
  }

  private var owners: [Place.Owner: Node] = [:]

  /// Notes that a projection reads a place, as precisely as its tracking.
  mutating func add(_ place: Place, of reader: ExactString, _ tracking: Tracking) {
    let node = owners[place.owner] ?? Node()
    owners[place.owner] = node
    let depth =
      switch tracking {
      case .object: 0
      case .property: 1
      case .element: Int.max
      }
    var last = node
    for step in place.steps.prefix(depth) {
      let step = Step(step)
      let next = last.below[step] ?? Node()
      last.below[step] = next
      last = next
    }
    last.readers.insert(reader)
  }

  /// Adds the readers of a written place, of the containers around it, and of the parts in it. Cost: linear
  /// in these readers.
  func addReaders(of place: Place, to names: inout Set<ExactString>) {
    if let node = owners[place.owner] { add(node, place.steps[...], &names) }
  }

  private func add(_ node: Node, _ steps: ArraySlice<Place.Step>, _ names: inout Set<ExactString>) {
    names.formUnion(node.readers)
    guard let step = steps.first.map({ Step($0) }) else {
      for next in node.below.values { add(next, [], &names) }
      return
    }
    let rest = steps.dropFirst()
    // Writes inside an element leave the collection's count and order unchanged.
    if rest.isEmpty, let aspects = node.below[.aspect] { add(aspects, [], &names) }
    if step == .anyElement {
      for (key, next) in node.below {
        if case .element = key { add(next, rest, &names) }
      }
    } else if case .element = step, let any = node.below[.anyElement] {
      add(any, rest, &names)
    }
    if let next = node.below[step] { add(next, rest, &names) }
  }
}
