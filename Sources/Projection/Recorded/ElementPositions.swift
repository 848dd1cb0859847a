import EventLog
import Synchronization

/// The index of each id in a recorded array: `rows[id: 7]` need not look at all elements.
///
/// Filled when an id is looked up, from the first element on; what comes and goes later is noted. What is found is checked
/// against the element.
///
/// Copies of an array share the table until one of them changes; several threads may read them.
final class ElementPositions<Element>: @unchecked Sendable {
  private struct Table {
    var index = IdentityIndex<ID>()
    /// How many elements, from the first, the index covers.
    var known = 0
  }

  /// An id, which is sent to no other thread than those that send its element.
  private struct ID: Hashable, @unchecked Sendable {
    var id: AnyHashable
  }

  private let table = Mutex(Table())
  private let id: (Element) -> AnyHashable

  /// Arrays up to this count are scanned.
  static var scannedCount: Int { 32 }

  private init(id: @escaping (Element) -> AnyHashable) { self.id = id }

  /// An empty table; nil for elements that have no id.
  static func make() -> ElementPositions? {
    func id<Other: Identifiable>(of type: Other.Type) -> Any {
      { (element: Other) in AnyHashable(element.id) }
    }
    guard let type = Element.self as? any Identifiable.Type,
      let id = id(of: type) as? (Element) -> AnyHashable
    else { return nil }
    return ElementPositions(id: id)
  }

  /// An empty table for the same elements.
  func emptied() -> ElementPositions { ElementPositions(id: id) }

  /// Whether an id was looked up since the table was last empty.
  var isUsed: Bool { table.withLock { $0.known > 0 } }

  /// Forgets all.
  func forget() { table.withLock { $0 = Table() } }

  /// Notes that elements take the place of others.
  func splice(_ removed: ArraySlice<Element>, _ inserted: some Sequence<Element>) {
    let ids = Frame.untracked {
      (removed.map { ID(id: id($0)) as ID? }, inserted.map { ID(id: id($0)) as ID? })
    }
    table.withLock { table in
      guard removed.startIndex < table.known else { return }
      // What lies behind the part that is known is looked at when it is needed.
      let isWithin = removed.endIndex <= table.known
      let gone = ids.0.prefix(table.known - removed.startIndex)
      let new = isWithin ? ids.1 : []
      if table.index.splice(at: removed.startIndex, removed: gone, inserted: new, of: table.known) {
        table.known += new.count - gone.count
      } else {
        table = Table()
      }
    }
  }

  /// The index of the first element with an id. Cost: constant, and linear in the elements that are not known yet.
  func position(of id: Element.ID, in elements: [Element]) -> Int? where Element: Identifiable {
    let found = table.withLock { table in
      for index in min(table.known, elements.count)..<elements.count {
        _ = table.index.append(ID(id: elements[index].id), at: index)
      }
      table.known = max(table.known, elements.count)
      return table.index[ID(id: id)]
    }
    if let found, elements.indices.contains(found), elements[found].id == id { return found }
    // The id of an object changes without the array being told.
    return Element.self is AnyClass ? elements.firstIndex { $0.id == id } : nil
  }
}
