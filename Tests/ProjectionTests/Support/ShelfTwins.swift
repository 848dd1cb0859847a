import Projection

/// A shelf of recorded collections, and plain collections that get the same changes.
struct Twins {
  let shelf = Bookcase()
  var rows: [Item] = []
  var lines: [String] = []
  var books: [Book] = []
  var grid: [[Int]] = []
  var scores: [String: Int] = [:]
  var lists: [String: [Int]] = [:]
  /// Objects to insert.
  let pool = (0..<5).map { Book(id: $0) }

  static var numbers: Elements<Int> {
    Elements(make: { $0 % 5 }, rank: { $0 }, change: { $0 += $1 % 3 })
  }
  private static var items: Elements<Item> {
    Elements(
      make: { Item(id: $0 % 3 == 0 ? $0 % 40 : $0 % 7, count: $0 % 2) }, rank: { $0.count * 10 + $0.id },
      change: { item, number in
        item.count += number % 2
        if number % 11 == 0 { item.id = number % 7 }
      })
  }
  private static var texts: Elements<String> {
    Elements(
      make: { "line \($0 % 6)" }, rank: { $0.count * 7 + ($0.last?.wholeNumberValue ?? 0) },
      change: { $0 += $1 % 2 == 0 ? "" : "x" })
  }
  private var objects: Elements<Book> {
    let pool = pool
    return Elements(make: { pool[$0 % 5] }, rank: { $0.id }, change: { $0.pages += $1 % 2 })
  }
  private static var lists: Elements<RecordedArray<Int>> {
    Elements(
      make: { RecordedArray((0..<$0 % 4).map { $0 % 3 }) }, rank: { $0.elements.reduce(0, +) },
      change: { $0.apply($1) })
  }
  private static var plainLists: Elements<[Int]> {
    Elements(
      make: { (0..<$0 % 4).map { $0 % 3 } }, rank: { $0.reduce(0, +) }, change: { $0.apply($1) })
  }

  /// Applies the same step to both.
  mutating func apply(_ operation: Operation) {
    let (a, b) = (operation.a, operation.b)
    switch operation.property {
    case 0 where operation.kind >= 24:
      let id = a % 8
      switch operation.kind {
      case 24:
        shelf.rows[id: id]?.count += b % 2
        if let index = rows.firstIndex(where: { $0.id == id }) { rows[index].count += b % 2 }
      case 25:
        shelf.rows[id: id] = nil
        if let index = rows.firstIndex(where: { $0.id == id }) { rows.remove(at: index) }
      case 26:
        let item = Item(id: id, count: b % 3)
        shelf.rows[id: id] = item
        if let index = rows.firstIndex(where: { $0.id == id }) {
          rows[index] = item
        } else {
          rows.append(item)
        }
      case 27:
        var seen: Set<Int> = []
        let fresh = (0..<b % 6).map { Item(id: (a + 3 * $0) % 7, count: $0 % 2) }
        shelf.rows.merge(fresh)
        rows = fresh.filter { seen.insert($0.id).inserted }
      default:
        shelf.rows.apply(operation, Self.items)
        rows.apply(operation, Self.items)
      }
    case 0:
      shelf.rows.apply(operation, Self.items)
      rows.apply(operation, Self.items)
    case 1:
      shelf.lines.apply(operation, Self.texts)
      lines.apply(operation, Self.texts)
    case 2:
      shelf.books.apply(operation, objects)
      // Both shelves hold the same books, so each book is changed once.
      if ![24, 25, 26, 31].contains(operation.kind) { books.apply(operation, objects) }
    case 3 where operation.kind >= 15 && !grid.isEmpty:
      shelf.grid[a % grid.count].apply(operation, Self.numbers)
      grid[a % grid.count].apply(operation, Self.numbers)
    case 3:
      shelf.grid.apply(operation, Self.lists)
      grid.apply(operation, Self.plainLists)
    case 4:
      applyToScores(operation)
    case 5:
      let key = "k\(a % 4)"
      switch operation.kind % 5 {
      case 0:
        shelf.lists[key] = b % 3 == 0 ? nil : RecordedArray(0..<b % 3)
        lists[key] = b % 3 == 0 ? nil : Array(0..<b % 3)
      case 1:
        shelf.lists[key]?.apply(operation, Self.numbers)
        lists[key]?.apply(operation, Self.numbers)
      default:
        shelf.lists[key, default: []].apply(operation, Self.numbers)
        lists[key, default: []].apply(operation, Self.numbers)
      }
    default:
      pool[a % 5].title = "t\(b % 3)"
    }
  }

  private mutating func applyToScores(_ operation: Operation) {
    let (key, b) = ("k\(operation.a % 5)", operation.b)
    switch operation.kind % 9 {
    case 0: both({ $0[key] = nil }, { $0[key] = nil })
    case 1: both({ $0[key]? += b % 2 }, { $0[key]? += b % 2 })
    case 2: both({ $0[key, default: 3] += b % 2 }, { $0[key, default: 3] += b % 2 })
    case 3: both({ $0.removeAll { $0.value % 2 == b % 2 } }, { $0 = $0.filter { $0.value % 2 != b % 2 } })
    case 4:
      let other = ["k\(b % 5)": 2].merging([key: 1]) { $1 }
      both({ $0.merge(other) { $0 + $1 } }, { $0.merge(other) { $0 + $1 } })
    case 5:
      let other = ["k\(b % 5)": 2].merging([key: b % 3]) { $1 }
      both({ $0.merge(other) }, { $0 = other })
    case 6 where b % 5 == 0: both({ $0.removeAll() }, { $0.removeAll() })
    case 7: both({ $0 = [key: b % 2] }, { $0 = [key: b % 2] })
    default: both({ $0.updateValue(b % 3, forKey: key) }, { $0.updateValue(b % 3, forKey: key) })
    }
  }

  private mutating func both(
    _ recorded: (inout RecordedDictionary<String, Int>) -> Void, _ plain: (inout [String: Int]) -> Void
  ) {
    recorded(&shelf.scores)
    plain(&scores)
  }

  /// The first difference between the two.
  var difference: String? {
    if shelf.rows.elements != rows { return "rows \(shelf.rows) for \(rows)" }
    if shelf.lines.elements != lines { return "lines \(shelf.lines) for \(lines)" }
    if shelf.books.map(ObjectIdentifier.init) != books.map(ObjectIdentifier.init) { return "books" }
    if shelf.grid.map(\.elements) != grid { return "grid \(shelf.grid) for \(grid)" }
    if shelf.scores.entries != scores { return "scores \(shelf.scores) for \(scores)" }
    if shelf.lists.entries.mapValues(\.elements) != lists { return "lists \(shelf.lists) for \(lists)" }
    return nil
  }
}

extension ArrayLike where Element == Int {
  /// A change of an array within another.
  mutating func apply(_ number: Int) {
    switch number % 4 {
    case 0: append(number % 3)
    case 1: if !isEmpty { self[number % count] += 1 }
    case 2: if !isEmpty { remove(at: number % count) }
    default: break
    }
  }
}
