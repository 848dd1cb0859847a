import EventLog
import Synchronization

/// The index of each id in a recorded array, so that `rows[id: 7]` need not search all elements.
///
/// It is filled from the first element on when an id is looked up, and updated when elements are inserted or
/// removed. Each result is checked against the element.
///
/// Copies of an array share the table until one of them changes; several threads may read them.
final class ElementPositions<Element>: @unchecked Sendable {
  private typealias ID = PositionTable.ID

  /// A `Mutex`, because the package's own lock takes some 350 bytes.
  private let table = Mutex(PositionTable())
  private let id: (Element) -> AnyHashable

  /// Arrays up to this count are scanned.
  static var scannedCount: Int { 32 }

  private init(id: @escaping (Element) -> AnyHashable) { self.id = id }

  /// Creates an empty table; nil if the elements have no ids.
  static func make() -> ElementPositions? {
    func id<Other: Identifiable>(of type: Other.Type) -> Any {
      { (element: Other) in AnyHashable(element.id) }
    }
    guard let type = Element.self as? any Identifiable.Type,
      let id = id(of: type) as? (Element) -> AnyHashable
    else { return nil }
    return ElementPositions(id: id)
  }

  /// Creates an empty table for the same kind of elements.
  func emptied() -> ElementPositions { ElementPositions(id: id) }

  /// Whether an id was looked up since the table was last empty.
  var isUsed: Bool { table.withLock { $0.known > 0 } }

  /// Empties the table.
  func forget() { table.withLock { $0 = PositionTable() } }

  /// Updates the table for elements that replace others from an index on.
  func splice(at offset: Int, removed: ArraySlice<Element>, inserted: some Sequence<Element>) {
    let ids = Frame.untracked {
      (removed.map { ID(id: id($0)) as ID? }, inserted.map { ID(id: id($0)) as ID? })
    }
    table.withLock { table in
      guard offset < table.known else { return }
      // Elements after the covered part are added when they are needed.
      let isWithin = offset + removed.count <= table.known
      let gone = ids.0.prefix(table.known - offset)
      let new = isWithin ? ids.1 : []
      if table.index.splice(at: offset, removed: gone, inserted: new, of: table.known) {
        table.known += new.count - gone.count
      } else {
        table = PositionTable()
      }
    }
  }

  /// The index of the first element with an id. Cost: constant, plus linear in the elements that are not
  /// covered yet.
  func position(of id: Element.ID, in elements: [Element]) -> Int? where Element: Identifiable {
    let found = table.withLock { table in
      for index in min(table.known, elements.count)..<elements.count {
        _ = table.index.append(ID(id: elements[index].id), at: index)
      }
      table.known = max(table.known, elements.count)
      return table.index[ID(id: id)]
    }
    if let found, elements.indices.contains(found), elements[found].id == id { return found }
    // The array is not notified when the id of an object changes, so objects are searched for.
    return Element.self is AnyClass ? elements.firstIndex { $0.id == id } : nil
  }
}

/// The data of the positions. It is not generic, because a generic type would be looked up at each use.
private struct PositionTable {
  /// An id; marked sendable because it is used only where its element is.
  struct ID: Hashable, @unchecked Sendable {
    var id: AnyHashable
  }

  var index = IdentityIndex<ID>()
  /// The number of elements that the table covers, from the first on.
  var known = 0
}
