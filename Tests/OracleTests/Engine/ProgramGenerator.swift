import LogGenerator
import EventLog

/// Makes a program from a seed.
struct ProgramGenerator {
  /// What programs are mostly about.
  enum Shape {
    /// Few nodes of all kinds, which read two cells.
    case cells
    /// Objects that come and go, in cycles and collections.
    case knots
    /// Derived values that read each other, some only at times.
    case derived
  }

  var random: SplitMix64
  private var derivedCount = 0
  private var nodeCount = 0
  private var childCount = 0
  private var isInDerived = false
  private var attachesLate = false
  /// Whether nodes read objects in the app's hands.
  private(set) var readsHands = false
  private let shape: Shape
  private let isTimed: Bool
  private let isUnruly: Bool

  private init(seed: UInt64, _ shape: Shape, isTimed: Bool, isUnruly: Bool) {
    random = SplitMix64(seed: seed)
    self.shape = shape
    self.isTimed = isTimed
    self.isUnruly = isUnruly
  }

  /// - Parameters:
  ///   - isTimed: Whether time passes, and callbacks wait.
  ///   - isUnruly: Whether bodies write and derived values throw.
  static func program(
    seed: UInt64, _ shape: Shape = .cells, isTimed: Bool = false, isUnruly: Bool = false
  ) -> Program {
    var generator = ProgramGenerator(seed: seed, shape, isTimed: isTimed, isUnruly: isUnruly)
    return generator.program()
  }

  private mutating func program() -> Program {
    var program = Program()
    if random.chance(30) { program.delivery = .manual }
    if isTimed, random.chance(60) { program.delivery = .every(2) }
    program.attachesLate = random.chance(30)
    attachesLate = program.attachesLate
    derivedCount = shape == .derived ? 5 + random.upTo(5) : random.upTo(3)
    if shape == .knots {
      readsHands = random.chance(40)
      program.forgetsSoon = !readsHands
    }
    nodeCount = derivedCount + 2 + random.upTo(4)
    for index in 0..<nodeCount { program.nodes.append(index < derivedCount ? derived(index) : node()) }
    var waiting = Array(0..<nodeCount).shuffled(using: &random)
    for _ in 0..<random.upTo(shape == .knots ? 12 : 4) { program.steps.append(.edit(edit())) }
    for _ in 0..<((shape == .cells ? 10 : 20) + random.upTo(14)) {
      if let next = waiting.last, random.chance(60) {
        waiting.removeLast()
        program.steps.append(.subscribe(next))
      } else {
        program.steps.append(step())
      }
    }
    return program
  }

  private mutating func step() -> Program.Action {
    switch random.upTo(99) {
    case ..<20: return .transaction((0...random.upTo(4)).map { _ in action(depth: 1) })
    case ..<30: return .flush
    case ..<60 where isTimed: return .advance(1 + random.upTo(4))
    default: return action(depth: 0)
    }
  }

  private mutating func action(depth: Int) -> Program.Action {
    switch random.upTo(99) {
    case ..<6: return .cancel(random.upTo(nodeCount - 1))
    case ..<12: return .subscribe(random.upTo(nodeCount - 1))
    case ..<20 where derivedCount > 0: return .pull(random.upTo(derivedCount - 1))
    case ..<23 where attachesLate: return .attach
    case ..<28 where depth < 3:
      return .transaction((0...random.upTo(2)).map { _ in action(depth: depth + 1) })
    default: return .edit(edit())
    }
  }

  private mutating func effects() -> [Program.Action] {
    random.chance(40) ? (0...random.upTo(1)).map { _ in action(depth: 2) } : []
  }

  private mutating func edit() -> Program.Edit {
    if shape == .knots, random.chance(85) { return .knot(knotEdit()) }
    return switch random.upTo(13) {
    case 0: .append(item())
    case 1: .remove(random.upTo(2))
    case 2: .setElement(random.upTo(2), random.upTo(2))
    case 3: .setByID(random.upTo(3), random.upTo(2))
    case 4: .swap(0, 1 + random.upTo(1))
    case 5: .replace(items())
    case 6: .point(random.pick([nil, 0, 1]))
    case 7, 8: .set(random.upTo(1), .flag, random.upTo(1))
    case 9, 10: .set(random.upTo(1), .y, random.upTo(2))
    default: .set(random.upTo(1), .x, random.upTo(2))
    }
  }

  private mutating func item() -> Program.Item { .init(id: random.upTo(3), n: random.upTo(2)) }

  private mutating func items() -> [Program.Item] {
    (0..<3).filter { _ in random.chance(60) }.map { Program.Item(id: $0, n: random.upTo(1)) }
  }

  private mutating func field() -> Program.Source {
    .field(random.upTo(1), random.pick([.x, .x, .y, .flag]))
  }

  private mutating func source(derived: Int) -> Program.Source {
    if shape == .knots, random.chance(70) { return .knot(knotRead()) }
    if shape == .derived, derived > 0, random.chance(60) {
      // Mostly one of the few values before it, so that chains of derived values are long.
      return .derived(max(0, derived - 1 - random.upTo(3)))
    }
    return switch random.upTo(11) {
    case 0: .count
    case 1: .element(random.upTo(2))
    case 2: .byID(random.upTo(3))
    case 3: .rows
    case 4: .next
    case 5, 6, 7: derived > 0 ? .derived(random.upTo(derived - 1)) : field()
    default: field()
    }
  }

  private mutating func derived(_ index: Int) -> Program.Node {
    isInDerived = true
    defer { isInDerived = false }
    return .derived((0...random.upTo(2)).map { _ in op(derived: index, depth: 3) })
  }

  private mutating func node() -> Program.Node {
    switch random.upTo(9) {
    case 0...2:
      return .change(random.chance(30) ? random.pick([.count, .next]) : field(), pace(), effects())
    case 3, 4: return .receive(random.chance(25) ? .next : field(), effects())
    default:
      let tracking: Tracking = random.chance(70) ? .element : random.pick(Tracking.allCases)
      let derived = tracking == .object ? 0 : derivedCount
      return .projection(tracking, (0...random.upTo(2)).map { _ in op(derived: derived, depth: 0) })
    }
  }

  private mutating func pace() -> Program.Pace {
    isTimed && random.chance(70) ? random.pick([.throttled(3), .throttled(5), .debounced(2)]) : .none
  }

  private mutating func op(derived: Int, depth: Int) -> Program.Op {
    if isUnruly, random.chance(15) {
      if isInDerived { return .fail(source(derived: derived)) }
      return shape != .cells && random.chance(30) ? .end(random.upTo(nodeCount - 1)) : .write(edit())
    }
    if shape == .knots, depth < 2, random.chance(15) { return .eachKnot(way(), child(derived, depth)) }
    switch random.upTo(10) {
    case 10: return .untracked(source(derived: derived))
    case 0, 1:
      let condition = source(derived: derived)
      return .when(condition, (0...random.upTo(1)).map { _ in op(derived: derived, depth: depth + 1) })
    case 2 where depth < 2: return .child(child(derived, depth))
    case 3 where depth < 2: return .child(child(derived, depth))
    case 4 where depth < 2: return .each(child(derived, depth))
    default: return .read(source(derived: derived))
    }
  }

  private mutating func child(_ derived: Int, _ depth: Int) -> Program.Child {
    childCount += 1
    return Program.Child(
      name: childCount, input: random.chance(60) ? source(derived: derived) : nil,
      tracking: random.chance(15) ? .property : nil,
      ops: (0...random.upTo(1)).map { _ in op(derived: derived, depth: depth + 1) },
      appear: random.chance(25) ? [action(depth: 2)] : [])
  }
}
