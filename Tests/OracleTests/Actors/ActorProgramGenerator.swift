import LogGenerator
import Projection

/// Makes random programs, larger ones for larger sizes.
struct ActorProgramGenerator {
  private var random: SplitMix64
  private let size: Int
  private var places: [ActorPlace] = []
  /// How many steps and acts may still be made, so that trees end.
  private var budget = 0

  static func program(seed: UInt64, size: Int) -> ActorProgram {
    var generator = ActorProgramGenerator(random: SplitMix64(seed: seed), size: size)
    return generator.program()
  }

  private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  private mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
  private mutating func list<T>(_ counts: ClosedRange<Int>, _ make: (inout Self) -> T) -> [T] {
    let count = Int.random(in: counts, using: &random)
    return (0..<count).map { _ in make(&self) }
  }

  private mutating func program() -> ActorProgram {
    let count = Int.random(in: 2...min(4, 2 + size), using: &random)
    places = Array(ActorPlace.allCases.shuffled(using: &random).prefix(count)).sorted {
      $0.rawValue < $1.rawValue
    }
    let delivery: Delivery =
      switch below(5) {
      case 0, 1: .immediate
      case 2, 3: .manual
      default: .every(.milliseconds(1 + below(3)))
      }
    var desks: [ActorPlace: DeskPlan] = [:]
    for place in places { desks[place] = desk() }
    let home = oneIn(3) ? nil : place()
    let roots = list(1...min(4, 1 + size)) { generator in
      generator.budget = 6 + 10 * generator.size
      let place = generator.place()
      return ActorProgram.Root(place: place, steps: generator.steps(at: place, depth: 0))
    }
    return ActorProgram(
      delivery: delivery, places: places, home: home, desks: desks, roots: roots, endsEarly: oneIn(6))
  }

  private mutating func place() -> ActorPlace { places[below(places.count)] }

  // MARK: What actors have made

  private mutating func desk() -> DeskPlan {
    var plan = DeskPlan()
    plan.derived = list(0...1) { $0.properties(1...2) }
    plan.views = list(1...2) { $0.view(depth: 0) }
    plan.callbacks = list(1...(1 + size)) { $0.callback() }
    if oneIn(2) { plan.changes = ChangesPlan(milliseconds: oneIn(3) ? 1 : nil) }
    return plan
  }

  private mutating func properties(_ counts: ClosedRange<Int>) -> [DeskProperty] {
    let count = Int.random(in: counts, using: &random)
    return Array(DeskProperty.allCases.shuffled(using: &random).prefix(count))
  }

  private mutating func view(depth: Int) -> ViewPlan {
    ViewPlan(
      reads: properties(1...2), derived: oneIn(3) ? [below(2)] : [],
      children: depth < 2 && oneIn(3) ? list(1...2) { $0.view(depth: depth + 1) } : [])
  }

  private mutating func callback() -> CallbackPlan {
    let property: DeskProperty = [.a, .a, .b, .c, .d][below(5)]
    let kind: CallbackPlan.Kind =
      switch below(6) {
      case 0: .throttled(milliseconds: 1 + below(3))
      case 1: .debounced(milliseconds: 1 + below(3))
      case 2, 3: .receive
      default: .change
      }
    return CallbackPlan(kind: kind, property: property, effects: list(0...2) { $0.effect(of: property) })
  }

  private mutating func effect(of property: DeskProperty) -> ActorEffect {
    let later = DeskProperty.allCases.filter { $0.rawValue > max(1, property.rawValue) }
    func some(_ generator: inout Self) -> DeskProperty { later[generator.below(later.count)] }
    func row(_ generator: inout Self) -> DeskProperty { DeskProperty.rows[generator.below(3)] }
    switch below(8) {
    case 0: return .transaction(list(1...2) { some(&$0) })
    case 1: return .action(list(1...2) { some(&$0) })
    case 2: return .mark
    case 3, 4: return .task(place(), row(&self))
    case 5: return .dispatched(row(&self), isCarried: !oneIn(3))
    default: return .write(some(&self))
    }
  }

  // MARK: What tasks do

  private mutating func steps(at place: ActorPlace, depth: Int) -> [ActorStep] {
    list(1...(2 + size / 2)) { $0.step(at: place, depth: depth) }
  }

  private mutating func step(at place: ActorPlace, depth: Int) -> ActorStep {
    budget -= 1
    let isLeaf = depth > 2 || budget < 0
    switch below(isLeaf ? 5 : 16) {
    case 0: return .yield
    case 1: return .sleep
    case 2...4: return .acts(acts(at: place, depth: depth, kind: .any))
    case 5, 6: return .action(steps(at: place, depth: depth + 1))
    case 7: return .throwingAction(steps(at: place, depth: depth + 1))
    case 8: return .cancelledAction(steps(at: place, depth: depth + 1))
    case 9, 10:
      let other = self.place()
      return .hop(other, steps(at: other, depth: depth + 1))
    case 11: return .task(steps(at: place, depth: depth + 1), isAwaited: oneIn(2))
    case 12: return .group(list(1...3) { $0.steps(at: place, depth: depth + 1) })
    case 13: return .detached(steps(at: place, depth: depth + 1))
    case 14: return .carried(steps(at: place, depth: depth + 1))
    default: return .withoutCause(steps(at: place, depth: depth + 1))
    }
  }

  /// Where acts are.
  private enum Kind {
    /// Outside of transactions.
    case any
    /// In a transaction, which may wait for others.
    case transaction
    /// Where others may wait for this code, so it waits for none.
    case hasty(isTransaction: Bool)

    var isTransaction: Bool {
      switch self {
      case .any: false
      case .transaction: true
      case .hasty(let isTransaction): isTransaction
      }
    }

    /// Where a transaction is within these.
    var inner: Kind {
      switch self {
      case .any, .transaction: .transaction
      case .hasty: .hasty(isTransaction: true)
      }
    }

    var mayWait: Bool {
      switch self {
      case .any, .transaction: true
      case .hasty: false
      }
    }
  }

  private mutating func acts(at place: ActorPlace, depth: Int, kind: Kind) -> [ActorAct] {
    list(1...(2 + size / 2)) { $0.act(at: place, depth: depth, kind: kind) }
  }

  private mutating func property() -> DeskProperty {
    DeskProperty.allCases[below(DeskProperty.allCases.count)]
  }

  private mutating func act(at place: ActorPlace, depth: Int, kind: Kind) -> ActorAct {
    budget -= 1
    let isLeaf = depth > 3 || budget < 0
    func inner(_ generator: inout Self) -> [ActorAct] {
      generator.acts(at: place, depth: depth + 1, kind: kind.inner)
    }
    func same(_ generator: inout Self) -> [ActorAct] {
      generator.acts(at: place, depth: depth + 1, kind: kind)
    }
    switch below(isLeaf ? 8 : 32) {
    case 0...4: return .write(property())
    case 5: return .writeSame([.a, .b, .c, .d][below(4)])
    case 6: return .mark
    case 7: return kind.isTransaction ? .write(.a) : .flush
    case 8...10: return .transaction(inner(&self))
    case 11: return .throwingTransaction(inner(&self))
    case 12, 13: return .undoneTransaction(properties(1...2), inner(&self))
    case 14, 15: return .action(same(&self))
    case 16: return .throwingAction(same(&self))
    case 17: return .withoutCause(same(&self))
    case 18: return .withCause(same(&self))
    case 19:
      let other = self.place()
      return .task(other, steps(at: other, depth: depth + 1), isDetached: oneIn(3))
    case 20:
      // It runs later, and so outside of the transaction that hands it over.
      return .dispatched(
        acts(at: place, depth: depth + 1, kind: .hasty(isTransaction: false)), isCarried: !oneIn(3))
    case 21: return .makeView(view(depth: 1))
    case 22: return .makeCallback(callback())
    case 23: return .cancel(below(4))
    case 24:
      return .makeHosted(Array([DeskProperty.a, .b, .c, .d].shuffled(using: &random).prefix(1 + below(2))))
    case 25: return .runHosted(below(4))
    default:
      let others = places.filter { $0.hasQueue && $0.rawValue > place.rawValue }
      guard kind.mayWait, let other = others.randomElement(using: &random) else {
        return .transaction(inner(&self))
      }
      func hasty(_ place: ActorPlace, _ isTransaction: Bool, _ generator: inout Self) -> [ActorAct] {
        generator.acts(at: place, depth: depth + 1, kind: .hasty(isTransaction: isTransaction))
      }
      if kind.isTransaction || oneIn(2) {
        let meanwhile = ActorAct.meanwhile(other, hasty(other, false, &self))
        if kind.isTransaction { return meanwhile }
        return .transaction([.write(property()), meanwhile] + hasty(place, true, &self))
      }
      return .overlapping(
        other,
        .init(
          inside: hasty(place, true, &self), after: hasty(place, false, &self),
          otherBegins: hasty(other, true, &self), otherEnds: hasty(other, true, &self)))
    }
  }
}
