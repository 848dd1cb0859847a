import EventLog

/// Searches for the event that makes a root.
final class RootSearch {
  private let name: String
  /// For each path of the current block, whether it is the root's path or below it.
  private var isBelow: [Bool] = []
  /// The names of the roots that the search has seen.
  private(set) var roots: Set<String> = []

  init(_ name: String) { self.name = name }

  /// Reads the paths of a block; returns whether any of them is the root's or below it.
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

  /// Whether a row makes the root: it is a set of the root, or a set of something below it.
  func isFound(in row: Row) -> Bool { row.kind == .set && row.path.map { isBelow[$0.index] } ?? false }
}
