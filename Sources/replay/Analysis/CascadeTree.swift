import OrderedCollections

/// What one event led to, with alike branches laid on top of each other.
final class CascadeTree {
  enum Kind: String { case root, write, projection }

  let name: String
  let kind: Kind
  private let depth: Int
  var invalidations = 0
  var evaluations = 0
  var wasted = 0
  var time: UInt64 = 0
  private(set) var children: OrderedDictionary<String, CascadeTree> = [:]

  init(name: String, kind: Kind, depth: Int = 0) {
    self.name = name
    self.kind = kind
    self.depth = depth
  }

  /// Levels deeper than this are laid together: nobody reads them, and a hostile log could nest without end.
  private static let maximumDepth = 200

  /// The branch of this name, new if need be.
  func child(_ name: String, _ kind: Kind) -> CascadeTree {
    if let child = children[name] { return child }
    if depth == Self.maximumDepth { return self }
    let child = CascadeTree(name: name, kind: kind, depth: depth + 1)
    children[name] = child
    return child
  }

  func add(_ evaluation: Cascade.Evaluation) {
    evaluations += 1
    time &+= evaluation.duration
    if evaluation.changed == false { wasted += 1 }
  }

  func visit(_ body: (CascadeTree) -> Void) {
    body(self)
    for child in children.values { child.visit(body) }
  }

  /// How many levels of projections lie below.
  var levels: Int {
    let below = children.values.map(\.levels).max() ?? 0
    return below + (kind == .projection ? 1 : 0)
  }

  /// Equal for trees of the same branches with the same numbers of runs.
  var shape: String {
    "\(name)\u{0}\(evaluations)/\(invalidations)(" + children.values.map(\.shape).joined(separator: ",") + ")"
  }

  var json: JSON {
    [
      "name": .text(name), "kind": .text(kind.rawValue), "invalidations": .int(invalidations),
      "evaluations": .int(evaluations), "wasted": .int(wasted), "time_ns": .number(time),
      "children": .array(children.values.map(\.json)),
    ]
  }
}
