/// The objects that refer to each other in the brute-force model: all objects ever created, by number; 0 is
/// the root.
struct ModelKnots {
  struct Knot {
    let id: Int
    var x = 0
    var y = 0
    var next: Int?
    var list: [Int] = []
    var table: [Int: Int] = [:]
    /// Whether the session records the object. That begins when a recorded object refers to it, and never
    /// ends.
    var isAttached = false
  }

  /// A place within an object that a node can depend on.
  enum Place: Hashable {
    case x
    case y
    case next
    case list
    case count
    case ids
    case index(Int)
    case id(Int)
    case hasID(Int)
    case table
    case keys
    case keyCount
    case key(Int)
    case hasKey(Int)

    /// The property that contains the place.
    var property: Place {
      switch self {
      case .count, .ids, .index, .id, .hasID: .list
      case .keys, .keyCount, .key, .hasKey: .table
      default: self
      }
    }
  }

  private(set) var knots = [Knot(id: -1, isAttached: true)]
  private(set) var hands = [Int?](repeating: nil, count: Program.handCount)

  func isAttached(_ knot: Int) -> Bool { knots[knot].isAttached }

  /// The value at a place; objects are their numbers. Empty where there is none.
  func value(_ place: Place, of number: Int) -> [Int] {
    let knot = knots[number]
    return switch place {
    case .x: [knot.x]
    case .y: [knot.y]
    case .next: knot.next.map { [$0] } ?? []
    case .list: knot.list
    case .count: [knot.list.count]
    case .ids: knot.list.map { knots[$0].id }
    case .index(let index): index < knot.list.count ? [knot.list[index]] : []
    case .id(let id): element(id, of: knot).map { [$0] } ?? []
    case .hasID(let id): [element(id, of: knot) == nil ? 0 : 1]
    case .table: knot.table.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    case .keys: knot.table.keys.sorted()
    case .keyCount: [knot.table.count]
    case .key(let key): knot.table[key].map { [$0] } ?? []
    case .hasKey(let key): [knot.table[key] == nil ? 0 : 1]
    }
  }

  private func element(_ id: Int, of knot: Knot) -> Int? { knot.list.first { knots[$0].id == id } }

  /// The object that a way leads to now.
  func knot(_ way: Program.Way) -> Int? {
    var number = way.hand.map { hands[$0] } ?? 0
    for step in way.steps {
      guard let known = number else { return nil }
      number =
        switch step {
        case .next: value(.next, of: known).first
        case .index(let index): value(.index(index), of: known).first
        case .id(let id): value(.id(id), of: known).first
        case .key(let key): value(.key(key), of: known).first
        }
    }
    return number
  }

  private mutating func knot(_ knot: Program.Knot) -> Int? {
    switch knot {
    case .new(let id):
      knots.append(Knot(id: id))
      return knots.count - 1
    case .at(let way): return self.knot(way)
    }
  }

  /// Applies an edit, and returns the object and the property that was set; nil if nothing was set.
  mutating func apply(_ edit: Program.KnotEdit) -> (knot: Int, property: Place)? {
    if case .hold(let hand, let knot) = edit {
      hands[hand] = knot.flatMap { self.knot($0) }
      return nil
    }
    guard let way = edit.way, let number = knot(way), let property = change(number, edit) else { return nil }
    if knots[number].isAttached { attach(number) }
    return (number, property)
  }

  private mutating func change(_ number: Int, _ edit: Program.KnotEdit) -> Place? {
    let list = knots[number].list
    switch edit {
    case .x(_, let x):
      knots[number].x = x
      return .x
    case .y(_, let y):
      knots[number].y = y
      return .y
    case .next(_, let knot):
      if let knot {
        guard let next = self.knot(knot) else { return nil }
        knots[number].next = next
      } else {
        knots[number].next = nil
      }
      return .next
    case .insert(_, let knot, let index):
      guard let new = self.knot(knot), !holds(list, knots[new].id) else { return nil }
      knots[number].list.insert(new, at: min(index, list.count))
    case .remove(_, let index):
      if index >= list.count { return nil }
      knots[number].list.remove(at: index)
    case .put(_, let knot, let index):
      guard index < list.count, let new = self.knot(knot) else { return nil }
      var others = list
      others.remove(at: index)
      if holds(others, knots[new].id) { return nil }
      knots[number].list[index] = new
    case .swap(_, let a, let b):
      if max(a, b) >= list.count || a == b { return nil }
      knots[number].list.swapAt(a, b)
    case .move(_, let from, let to):
      if max(from, to) >= list.count || from == to { return nil }
      knots[number].list.insert(knots[number].list.remove(at: from), at: to)
    case .sort:
      let sorted = list.sorted { (knots[$0].x, knots[$0].id) < (knots[$1].x, knots[$1].id) }
      if sorted == list { return nil }
      knots[number].list = sorted
    case .replace(_, let new):
      var elements: [Int] = []
      for knot in new {
        if let element = self.knot(knot), !holds(elements, knots[element].id) { elements.append(element) }
      }
      knots[number].list = elements
    case .key(_, let key, let knot):
      if let knot {
        guard let new = self.knot(knot) else { return nil }
        knots[number].table[key] = new
      } else {
        if knots[number].table[key] == nil { return nil }
        knots[number].table[key] = nil
      }
      return .table
    case .hold: return nil
    }
    return .list
  }

  private func holds(_ list: [Int], _ id: Int) -> Bool { list.contains { knots[$0].id == id } }

  /// Attaches all objects that an attached object leads to.
  private mutating func attach(_ number: Int) {
    knots[number].isAttached = true
    let knot = knots[number]
    for other in [knot.next].compactMap({ $0 }) + knot.list + knot.table.values where !knots[other].isAttached
    {
      attach(other)
    }
  }

  /// The objects that have become attached.
  func attached(since before: ModelKnots) -> Set<Int> {
    Set(knots.indices.filter { knots[$0].isAttached && !($0 < before.knots.count && before.isAttached($0)) })
  }
}
