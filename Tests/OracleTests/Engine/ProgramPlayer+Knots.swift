import Projection

@Recorded final class ProgramKnot: Identifiable {
  let id: Int
  var x = 0
  var y = 0
  var next: ProgramKnot?
  var list: RecordedArray<ProgramKnot> = []
  var table: RecordedDictionary<String, ProgramKnot> = [:]

  init(id: Int) { self.id = id }
}

/// The objects of a program that refer to each other. Only the root and the objects in the app's hands are
/// kept alive: an edit retains none of the objects that it replaces, so an object may die before the
/// projections that have read it run.
final class ProgramKnots {
  private struct Weak { weak var knot: ProgramKnot? }

  let root = ProgramKnot(id: -1)
  private var hands = [ProgramKnot?](repeating: nil, count: Program.handCount)
  private var made: [Weak] = []

  /// How many of the created objects are still alive.
  var livingCount: Int { made.count { $0.knot != nil } }

  /// Releases all objects, cycles too.
  func release() {
    hands = []
    for knot in [root] + made.compactMap(\.knot) { (knot.next, knot.list, knot.table) = (nil, [], [:]) }
  }

  /// The object that a way leads to now.
  func knot(_ way: Program.Way) -> ProgramKnot? {
    var knot = way.hand.map { hands[$0] } ?? root
    for step in way.steps {
      guard let known = knot else { return nil }
      knot =
        switch step {
        case .next: known.next
        case .index(let index): index < known.list.count ? known.list[index] : nil
        case .id(let id): known.list[id: id]
        case .key(let key): known.table["k\(key)"]
        }
    }
    return knot
  }

  func value(_ read: Program.KnotRead) -> Int {
    guard let knot = knot(read.way) else { return -1 }
    switch read.leaf {
    case .there: return 1
    case .x: return knot.x
    case .y: return knot.y
    case .count: return knot.list.count
    case .ids: return Self.digest(knot.list.ids)
    case .elements: return Self.digest(knot.list.elements.map(\.x))
    case .keys: return Self.digest(knot.table.keys.sorted().map { Int($0.dropFirst()) ?? 0 })
    case .keyCount: return knot.table.count
    case .hasID(let id): return knot.list.contains(id: id) ? 1 : 0
    case .hasKey(let key): return knot.table.contains(key: "k\(key)") ? 1 : 0
    }
  }

  /// One number for several.
  static func digest(_ numbers: [Int]) -> Int { numbers.reduce(3) { ($0 * 31 + $1) % 1_009 } }

  private func knot(_ knot: Program.Knot) -> ProgramKnot? {
    switch knot {
    case .new(let id):
      let new = ProgramKnot(id: id)
      made.append(Weak(knot: new))
      return new
    case .at(let way): return self.knot(way)
    }
  }

  /// Performs an edit. Finding the object registers no read.
  func perform(_ edit: Program.KnotEdit) {
    if case .hold(let hand, let knot) = edit {
      let knot = untracked { knot.flatMap { self.knot($0) } }
      hands[hand] = knot
      return
    }
    guard let way = edit.way, let target = untracked({ knot(way) }) else { return }
    let ids = untracked { target.list.ids }
    switch edit {
    case .x(_, let x): target.x = x
    case .y(_, let y): target.y = y
    case .next(_, let knot):
      let next = untracked { knot.flatMap { self.knot($0) } }
      if knot == nil || next != nil { target.next = next }
    case .insert(_, let knot, let index):
      guard let new = untracked({ self.knot(knot) }), !ids.contains(new.id) else { return }
      target.list.insert(new, at: min(index, ids.count))
    case .remove(_, let index): if index < ids.count { target.list.remove(at: index) }
    case .put(_, let knot, let index):
      guard index < ids.count, let new = untracked({ self.knot(knot) }) else { return }
      if !(ids[..<index] + ids[(index + 1)...]).contains(new.id) { target.list[index] = new }
    case .swap(_, let a, let b): if max(a, b) < ids.count, a != b { target.list.swapAt(a, b) }
    case .move(_, let from, let to):
      if max(from, to) >= ids.count || from == to { return }
      var moved = untracked { target.list.elements }
      moved.insert(moved.remove(at: from), at: to)
      target.list = RecordedArray(moved)
    case .sort:
      func isBefore(_ a: ProgramKnot, _ b: ProgramKnot) -> Bool { (a.x, a.id) < (b.x, b.id) }
      untracked {
        let sorted = target.list.elements.sorted(by: isBefore)
        if !sorted.elementsEqual(target.list.elements, by: ===) { target.list.sort(by: isBefore) }
      }
    case .replace(_, let new):
      var elements: [ProgramKnot] = []
      for knot in new {
        guard let element = untracked({ self.knot(knot) }), !elements.contains(where: { $0.id == element.id })
        else { continue }
        elements.append(element)
      }
      target.list = RecordedArray(elements)
    case .key(_, let key, let knot):
      if let knot {
        guard let new = untracked({ self.knot(knot) }) else { return }
        target.table["k\(key)"] = new
      } else if untracked({ target.table.contains(key: "k\(key)") }) {
        target.table["k\(key)"] = nil
      }
    case .hold: break
    }
  }
}
