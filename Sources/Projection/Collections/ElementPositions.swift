import Synchronization

/// Where each id is in a recorded array: `rows[id: 7]` need not look at all elements.
///
/// Filled when somebody asks, as far as the elements have not changed since: whatever may change an id says from
/// where on to look again. What is found is checked against the element.
///
/// Copies of an array share the table until one of them changes; several threads may read them.
final class ElementPositions: @unchecked Sendable {
  private let lock = Mutex(())
  private var positions: [AnyHashable: Int] = [:]
  /// How many elements, from the first, the table knows.
  private var known = 0

  /// Arrays up to this count are looked through.
  static let scannedCount = 32

  /// Whether anybody has asked since it was last empty.
  var isUsed: Bool { lock.withLock { _ in known > 0 } }

  /// Forgets what stands at an offset and behind it.
  func forget(from offset: Int) {
    lock.withLock { _ in
      if offset == 0 { positions.removeAll(keepingCapacity: true) }
      known = min(known, offset)
    }
  }

  /// The first element with an id. Cost: constant, and linear in the elements that are not known yet.
  func position<Element: Identifiable>(of id: Element.ID, in elements: [Element]) -> Int? {
    let found = lock.withLock { _ in
      for offset in min(known, elements.count)..<elements.count {
        let other = elements[offset].id
        let first = positions[other].map { $0 < offset && elements[$0].id == other } ?? false
        if !first { positions[other] = offset }
      }
      known = max(known, elements.count)
      return positions[id]
    }
    if let found, found < elements.count, elements[found].id == id { return found }
    // The id of an object changes without the array being told.
    return Element.self is AnyClass ? elements.firstIndex { $0.id == id } : nil
  }
}
