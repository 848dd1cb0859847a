/// Determines which pairs would reorder events that depend on each other. Other events may be paired in any
/// order.
///
/// Events of one lane (a path or a projection) keep their order. An event that may move or remove other slots
/// of its property keeps its order relative to all writes to that property.
struct DiffOrder {
  private typealias Pair = (a: Int, b: Int)
  private struct Property {
    var leaf: Pair = (-1, -1)
    var structural: Pair = (-1, -1)
  }

  /// The last pair of each lane.
  private var lanes: [UInt64: Pair] = [:]
  private var properties: [UInt64: Property] = [:]
  private static let lanesMax = 1 << 18

  /// The last positions in either run that a pair with this signature must come after.
  func last(_ signature: EventSignature) -> (a: Int, b: Int) {
    var last: Pair = lanes[signature.lane] ?? (-1, -1)
    guard signature.property != 0, let property = properties[signature.property] else { return last }
    last = (max(last.a, property.structural.a), max(last.b, property.structural.b))
    if signature.isStructural { last = (max(last.a, property.leaf.a), max(last.b, property.leaf.b)) }
    return last
  }

  mutating func append(_ a: Int, _ b: Int, _ signature: EventSignature) {
    lanes[signature.lane] = (a, b)
    guard signature.property != 0 else { return }
    if signature.isStructural {
      properties[signature.property, default: Property()].structural = (a, b)
    } else {
      let leaf: Pair = properties[signature.property]?.leaf ?? (-1, -1)
      properties[signature.property, default: Property()].leaf = (max(leaf.a, a), max(leaf.b, b))
    }
  }

  /// Forgets the pairs before these two positions, once the table is large.
  mutating func forget(before a: Int, _ b: Int) {
    guard lanes.count > Self.lanesMax else { return }
    lanes = lanes.filter { $0.value.a >= a || $0.value.b >= b }
    properties = properties.filter {
      $0.value.leaf.a >= a || $0.value.leaf.b >= b || $0.value.structural.a >= a || $0.value.structural.b >= b
    }
  }
}
