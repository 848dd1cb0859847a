import LogGenerator

// Few ids, keys and steps, so that new objects often take the places of others.
extension ProgramGenerator {
  mutating func knotRead() -> Program.KnotRead {
    let leaf: Program.KnotRead.Leaf =
      switch random.upTo(13) {
      case 0: .there
      case 1: .count
      case 2: .ids
      case 3: .elements
      case 4: .keys
      case 5: .keyCount
      case 6: .hasID(random.upTo(3))
      case 7: .hasKey(random.upTo(1))
      case 8: .y
      default: .x
      }
    return Program.KnotRead(way: way(canBeHand: readsHands), leaf: leaf)
  }

  /// A way from the root, or from a hand.
  mutating func way(canBeHand: Bool = false) -> Program.Way {
    var way = Program.Way(hand: canBeHand && random.chance(50) ? random.upTo(Program.handCount - 1) : nil)
    while way.steps.count < 4, random.chance(way.steps.isEmpty ? 75 : 40) {
      switch random.upTo(5) {
      case 0, 1: way.steps.append(.next)
      case 2: way.steps.append(.index(random.upTo(2)))
      case 3, 4: way.steps.append(.id(random.upTo(3)))
      default: way.steps.append(.key(random.upTo(1)))
      }
    }
    return way
  }

  private mutating func knot() -> Program.Knot {
    random.chance(35) ? .new(id: random.upTo(3)) : .at(way(canBeHand: true))
  }

  mutating func knotEdit() -> Program.KnotEdit {
    let way = way(canBeHand: true)
    return switch random.upTo(21) {
    case 0, 1, 2: .x(way, random.upTo(2))
    case 3: .y(way, random.upTo(2))
    case 4, 5: .next(way, knot())
    case 6: .next(way, nil)
    case 7, 8, 9: .insert(way, knot(), at: random.upTo(3))
    case 10, 11: .remove(way, at: random.upTo(2))
    case 12: .put(way, knot(), at: random.upTo(2))
    case 13: .swap(way, 0, 1 + random.upTo(1))
    case 14: .move(way, from: random.upTo(2), to: random.upTo(2))
    case 15: .sort(way)
    case 16: .replace(way, (0..<random.upTo(3)).map { _ in knot() })
    case 17: .key(way, random.upTo(1), knot())
    case 18: .key(way, random.upTo(1), nil)
    case 19: .hold(random.upTo(Program.handCount - 1), nil)
    default: .hold(random.upTo(Program.handCount - 1), knot())
    }
  }
}
