import EventLog

/// Merges the cascade trees of two runs into one. Below each root are the projections that it invalidated in
/// either run, each with the work that it caused in both.
struct CascadeUnion {
  struct Work: Encodable, EffectCounts {
    /// How many cascades began with this node; roots only.
    var count: Int?
    var invalidations = 0
    var superseded = 0
    var evaluations = 0
    var wasted = 0
    var time: UInt64 = 0
    /// The page does not show it.
    var wastedTime: UInt64 = 0

    enum CodingKeys: String, CodingKey {
      case count, invalidations, superseded, evaluations, wasted
      case time = "time_ns"
    }
  }

  /// A node, as the page reads it.
  struct Node: Encodable {
    var name: String
    var kind: CascadeTree.Kind
    var a: Work
    var b: Work
    var children: [Node]
  }

  private struct Draft {
    var name: String
    var kind: CascadeTree.Kind
    var work = [Work(), Work()]
    var children: [Int] = []
    /// The sum of ``ownSize`` over this node and all below it.
    var size = 0

    /// The evaluations of this node, in the run that had more. The 1 counts a node that nothing ran for.
    var ownSize: Int { 1 + max(work[0].evaluations, work[1].evaluations) }
  }

  private struct Key: Hashable {
    var parent: Int
    var kind: CascadeTree.Kind
    var name: ExactString
  }

  private var drafts: [Draft] = []
  private var roots: [Int] = []
  private var known: [Key: Int] = [:]

  /// - Parameter reports: The reports of the two runs. Names are compared without the ids that a program
  ///   generates anew in each run.
  init(_ a: CascadeReport, _ b: CascadeReport) {
    for (side, report) in [a, b].enumerated() {
      for line in report.lines {
        let root = node(line.root, .root, below: -1)
        drafts[root].work[side].count = (drafts[root].work[side].count ?? 0) + line.count
        for tree in line.tree { add(tree, side, below: root) }
      }
    }
    // Children come after their parents, so in reverse order the size of each child is known.
    for index in drafts.indices.reversed() {
      drafts[index].size = drafts[index].children.reduce(drafts[index].ownSize) { $0 + drafts[$1].size }
    }
  }

  private mutating func add(_ tree: CascadeTree, _ side: Int, below parent: Int) {
    let node = node(tree.name, tree.kind, below: parent)
    drafts[node].work[side].add(tree)
    for child in tree.children { add(child, side, below: node) }
  }

  private mutating func node(_ name: String, _ kind: CascadeTree.Kind, below parent: Int) -> Int {
    let name = FreshIDs.withoutIDs(name)
    let key = Key(parent: parent, kind: kind, name: ExactString(name))
    if let known = known[key] { return known }
    let index = drafts.count
    drafts.append(Draft(name: name, kind: kind))
    known[key] = index
    if parent < 0 { roots.append(index) } else { drafts[parent].children.append(index) }
    return index
  }

  var count: Int { drafts.count }

  /// Returns the largest nodes, at most `most`, as trees. Siblings are sorted by size, largest first.
  func nodes(most: Int, _ names: ReportNames) -> [Node] {
    // A node is smaller than its parent, so the parent of each kept node is kept too.
    var kept = [Bool](repeating: false, count: drafts.count)
    let ranked = drafts.indices.sorted { (drafts[$1].size, $0) < (drafts[$0].size, $1) }
    for index in ranked.prefix(most) { kept[index] = true }
    return nodes(roots, kept, names)
  }

  private func nodes(_ indices: [Int], _ kept: [Bool], _ names: ReportNames) -> [Node] {
    indices.filter { kept[$0] }.sorted { (drafts[$1].size, $0) < (drafts[$0].size, $1) }.map { index in
      let draft = drafts[index]
      return Node(
        name: draft.kind == .projection ? names.projection(draft.name) : names.title(draft.name),
        kind: draft.kind, a: draft.work[0], b: draft.work[1], children: nodes(draft.children, kept, names))
    }
  }
}
