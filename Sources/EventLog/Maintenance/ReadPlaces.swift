/// Which projections read what, by places in the state: who is concerned by a write to one of them.
///
/// Elements of arrays move, so an offset stands for any of them; only an id tells one from another. Memory: that of the
/// places which were read, each once, and of the names at each.
struct ReadPlaces {
  /// One step, as far as it tells places apart.
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

  /// Notes that a projection reads a place, as finely as it follows that.
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

  /// Adds those who read a place that was written, what it lies in, or what lies in it. Cost: the readers of these.
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
    // Count and order of a collection change with its elements, not with what is in these.
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
