/// What keeps the order of events that depend on each other, while others may be in any order.
///
/// Events of one lane, a path or a projection, keep theirs. An event that may move other places of its property about
/// keeps its order to all writes there.
struct DiffOrder {
  private typealias Pair = (a: Int, b: Int)
  private struct Property {
    var leaf: Pair = (-1, -1)
    var structural: Pair = (-1, -1)
  }

  /// The last partners of a lane.
  private var lanes: [UInt64: Pair] = [:]
  private var properties: [UInt64: Property] = [:]
  private static let lanesMax = 1 << 18

  /// The last partners that events like this one must come behind.
  func last(_ signature: EventSignature) -> (a: Int, b: Int) {
    var last: Pair = lanes[signature.lane] ?? (-1, -1)
    guard signature.property != 0, let property = properties[signature.property] else { return last }
    last = (max(last.a, property.structural.a), max(last.b, property.structural.b))
    if signature.isStructural { last = (max(last.a, property.leaf.a), max(last.b, property.leaf.b)) }
    return last
  }

  mutating func note(_ a: Int, _ b: Int, _ signature: EventSignature) {
    lanes[signature.lane] = (a, b)
    guard signature.property != 0 else { return }
    if signature.isStructural {
      properties[signature.property, default: Property()].structural = (a, b)
    } else {
      let leaf: Pair = properties[signature.property]?.leaf ?? (-1, -1)
      properties[signature.property, default: Property()].leaf = (max(leaf.a, a), max(leaf.b, b))
    }
  }

  /// Forgets what lies before two places, once there is much of it.
  mutating func forget(before a: Int, _ b: Int) {
    guard lanes.count > Self.lanesMax else { return }
    lanes = lanes.filter { $0.value.a >= a || $0.value.b >= b }
    properties = properties.filter {
      $0.value.leaf.a >= a || $0.value.leaf.b >= b || $0.value.structural.a >= a || $0.value.structural.b >= b
    }
  }
}
