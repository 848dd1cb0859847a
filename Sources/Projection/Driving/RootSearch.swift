import EventLog

/// Looks for the event that makes a root.
final class RootSearch {
  private let name: String
  /// The paths of the present block that lead to the root, or below it.
  private var isBelow: [Bool] = []
  /// The roots that were met.
  private(set) var roots: Set<String> = []

  init(_ name: String) { self.name = name }

  /// Whether a block has paths of the root.
  func look(at tables: BlockTables) -> Bool {
    isBelow = Array(repeating: false, count: tables.steps.count)
    for (number, step) in tables.steps.enumerated() {
      if let parent = step.parent {
        isBelow[number] = isBelow[parent.index]
      } else if case .named(let root) = tables.path(BlockPathID(index: number)).root {
        isBelow[number] = root.hasSameBytes(as: name)
        if root != Engine.derivedRoot { roots.insert(root) }
      }
    }
    return isBelow.contains(true)
  }

  /// Whether a row makes the root: a set of it, or the first of something below it.
  func isFound(in row: Row) -> Bool { row.kind == .set && row.path.map { isBelow[$0.index] } ?? false }
}
