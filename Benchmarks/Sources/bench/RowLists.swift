import Projection

/// A row that is an object.
@Recorded private final class Item: Identifiable {
  let id: Int
  var title: String
  var count: Int

  init(_ row: Row) { (id, title, count) = (row.id, row.title, row.count) }

  func update(from row: Row) { (title, count) = (row.title, row.count) }
}

@Recorded private final class ItemArray {
  var rows: RecordedArray<Item> = []
}

@Recorded private final class ItemDictionary {
  var rows: RecordedDictionary<Int, Item> = [:]
}

/// How a list can be rearranged.
enum RowOrder {
  case reversed, shuffled, sorted

  fileprivate func rearrange<Element: Identifiable>(
    _ rows: inout RecordedArray<Element>
  ) where Element.ID == Int {
    switch self {
    case .reversed: rows.reverse()
    case .sorted: rows.sort { $0.id < $1.id }
    case .shuffled:
      var dice = Dice()
      rows.shuffle(using: &dice)
    }
  }
}

/// The same random numbers each time.
struct Dice: RandomNumberGenerator {
  private var state: UInt64 = 1

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 32
  }
}

/// Rows in a recorded collection, with the operations on them. Rows are found by a number: their id, or their index if
/// the list is read by index.
protocol RowList: AnyObject {
  /// The object that holds the collection.
  var store: any RecordedObject { get }
  /// Reads the title and the count of a row, if it exists.
  func read(_ number: Int)
  func bump(_ number: Int)
  func retitle(_ number: Int)
  /// Inserts a row: at the front, or under its id.
  func insert(_ row: Row)
  /// Removes the row at an offset, or under a key.
  func remove(at place: Int)
  func rearrange(_ order: RowOrder)
  /// Makes a value in which some rows differ, and returns a closure that assigns it.
  func assigning(_ isChanged: @escaping (Int) -> Bool) -> () -> Void
  /// Returns a closure that merges a snapshot.
  func merging(_ snapshot: [Row]) -> () -> Void
}

/// Structs in an array.
final class StructArray: RowList {
  private let own = RecordedStore()
  private let isReadByIndex: Bool
  var store: any RecordedObject { own }

  init(_ rows: [Row], isReadByIndex: Bool) {
    self.isReadByIndex = isReadByIndex
    own.rows = RecordedArray(rows)
  }

  func read(_ number: Int) {
    guard let row = isReadByIndex ? own.rows[number] : own.rows[id: number] else { return }
    consume(row.title)
    consume(row.count)
  }

  func bump(_ number: Int) {
    if isReadByIndex { own.rows[number].count += 1 } else { own.rows[id: number].count += 1 }
  }

  func retitle(_ number: Int) {
    if isReadByIndex { own.rows[number].title = "New" } else { own.rows[id: number].title = "New" }
  }

  func insert(_ row: Row) { own.rows.insert(row, at: 0) }
  func remove(at place: Int) { own.rows.remove(at: place) }
  func rearrange(_ order: RowOrder) { order.rearrange(&own.rows) }

  func assigning(_ isChanged: @escaping (Int) -> Bool) -> () -> Void {
    let rows = RecordedArray(own.rows.elements.map { isChanged($0.id) ? $0.bumped : $0 })
    return { [own] in own.rows = rows }
  }

  func merging(_ snapshot: [Row]) -> () -> Void { { [own] in own.rows.merge(snapshot) } }
}

/// Objects in an array, read by id.
final class ObjectArray: RowList {
  private let own = ItemArray()
  var store: any RecordedObject { own }

  init(_ rows: [Row]) { own.rows = RecordedArray(rows.map(Item.init)) }

  func read(_ number: Int) {
    guard let row = own.rows[id: number] else { return }
    consume(row.title)
    consume(row.count)
  }

  func bump(_ number: Int) { own.rows[id: number].count += 1 }
  func retitle(_ number: Int) { own.rows[id: number].title = "New" }
  func insert(_ row: Row) { own.rows.insert(Item(row), at: 0) }
  func remove(at place: Int) { own.rows.remove(at: place) }
  func rearrange(_ order: RowOrder) { order.rearrange(&own.rows) }

  func assigning(_ isChanged: @escaping (Int) -> Bool) -> () -> Void {
    let rows = RecordedArray(own.rows.elements.map { isChanged($0.id) ? Item($0.row.bumped) : $0 })
    return { [own] in own.rows = rows }
  }

  func merging(_ snapshot: [Row]) -> () -> Void {
    { [own] in own.rows.merge(snapshot, update: { $0.update(from: $1) }, insert: { Item($0) }) }
  }
}

/// Objects in a dictionary, read by key.
final class ObjectDictionary: RowList {
  private let own = ItemDictionary()
  var store: any RecordedObject { own }

  init(_ rows: [Row]) {
    own.rows = RecordedDictionary(uniqueKeysWithValues: rows.map { ($0.id, Item($0)) })
  }

  func read(_ number: Int) {
    guard let row = own.rows[number] else { return }
    consume(row.title)
    consume(row.count)
  }

  func bump(_ number: Int) { own.rows[number]?.count += 1 }
  func retitle(_ number: Int) { own.rows[number]?.title = "New" }
  func insert(_ row: Row) { own.rows[row.id] = Item(row) }
  func remove(at place: Int) { own.rows[place] = nil }
  /// Is not called: only ordered lists are rearranged.
  func rearrange(_ order: RowOrder) { preconditionFailure("a dictionary has no order") }

  func assigning(_ isChanged: @escaping (Int) -> Bool) -> () -> Void {
    let rows = RecordedDictionary(own.rows.entries.mapValues { isChanged($0.id) ? Item($0.row.bumped) : $0 })
    return { [own] in own.rows = rows }
  }

  func merging(_ snapshot: [Row]) -> () -> Void {
    let rows = Dictionary(uniqueKeysWithValues: snapshot.map { ($0.id, $0) })
    return { [own] in own.rows.merge(rows, update: { $0.update(from: $1) }, insert: { Item($0) }) }
  }
}

extension Item {
  fileprivate var row: Row { Row(id: id, title: title, count: count) }
}

extension Row {
  var bumped: Row { Row(id: id, title: title, count: count + 1) }
}
