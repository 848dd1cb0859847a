// As of d547314, on the state of b942364. An oracle: not to be mended.

import EventLog

/// Bound paths, each once, in the order in which they were added.
struct BoundReads: Sendable {
  private var numbers: [Slot: UInt64] = [:]
  private var nextNumber: UInt64 = 0

  /// A bound path. `.a` and `["a"]` are one step, since they lead to one slot.
  private struct Slot: Hashable {
    let path: Path

    static func == (a: Slot, b: Slot) -> Bool {
      a.path.root == b.path.root
        && a.path.components.elementsEqual(b.path.components) { x, y in
          if let name = x.name, let other = y.name { name.hasSameBytes(as: other) } else { x == y }
        }
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(path.root)
      for component in path.components {
        if let name = component.name { hasher.combine(bytesOf: name) } else { hasher.combine(component) }
      }
    }
  }

  init(_ paths: [Path]) {
    for path in paths { insert(path) }
  }

  /// Whether there is none.
  var isEmpty: Bool { numbers.isEmpty }

  /// The paths for which something is true, in order. Cost: sorts them.
  func filter(_ isIncluded: (Path) -> Bool) -> [Path] {
    numbers.filter { isIncluded($0.key.path) }.sorted { $0.value < $1.value }.map(\.key.path)
  }

  /// Calls a function with each path, in no order.
  func forEach(_ body: (Path) -> Void) {
    for slot in numbers.keys { body(slot.path) }
  }

  /// Whether a path is there.
  func contains(_ path: Path) -> Bool { numbers[Slot(path: path)] != nil }

  /// Adds a path, if it is not there already.
  mutating func insert(_ path: Path) {
    if numbers[Slot(path: path)] != nil { return }
    numbers[Slot(path: path)] = nextNumber
    nextNumber += 1
  }

  /// Removes a path, if it is there.
  mutating func remove(_ path: Path) { numbers[Slot(path: path)] = nil }
}
