import Projection

/// The kind of rows, their collection, and how their readers find them.
enum ListShape: String, CaseIterable {
  case structsByID = "structs in a RecordedArray read by id"
  case structsByIndex = "structs in a RecordedArray read by index"
  case objectsByID = "objects in a RecordedArray read by id"
  case objectsByKey = "objects in a RecordedDictionary read by key"

  func make(_ rows: [Row]) -> any RowList {
    switch self {
    case .structsByID: StructArray(rows, isReadByIndex: false)
    case .structsByIndex: StructArray(rows, isReadByIndex: true)
    case .objectsByID: ObjectArray(rows)
    case .objectsByKey: ObjectDictionary(rows)
    }
  }

  /// All operations on rows of this shape.
  var operations: [ListOperation] {
    // After these operations every reader by index reads another row; other readers are not affected.
    let shift: ListOperation.Unit = self == .structsByIndex ? .row : .operation(ReadList.spare)
    let isOrdered = self != .objectsByKey
    return ListOperation.common
      + ListOperation.insertions(isOrdered ? "insert at 0" : "put in", shift)
      + [ListOperation.removal(isOrdered ? "remove from the middle" : "remove", shift)]
      + (isOrdered ? ListOperation.rearrangements : [ListOperation.churn])
  }
}

/// An operation on a list with readers.
struct ListOperation {
  /// The unit that the time is divided by: the work should be proportional to it.
  enum Unit {
    /// A row: the work visits all rows, or invalidates all readers.
    case row
    /// One operation, done this many times: the work should not depend on the number of rows.
    case operation(Int)
  }

  /// The part of the setup that is made before the operation, outside the measurement.
  enum Start { case made, attached, read }

  let name: String
  let unit: Unit
  var start = Start.read
  /// The rows that the list is made of.
  var rows: (_ count: Int) -> [Row] = { Row.seed($0) }
  /// Sets up, outside the measurement, and returns the work.
  let prepare: (ReadList) -> () -> Void
}

extension ListOperation {
  /// The operations on any list.
  static var common: [ListOperation] {
    [
      ListOperation(name: "attach", unit: .row, start: .made) { list in list.attach },
      ListOperation(name: "first run of each reader", unit: .row, start: .attached) { list in list.readAll },
      ListOperation(name: "bump one", unit: .operation(1_000)) { list in
        // The first bump of a row defines its path in the log.
        for number in 0..<list.count { list.rows.bump(number) }
        // Far apart, so that with many rows every bump accesses cold memory.
        return { for turn in 0..<1_000 { list.rows.bump(turn * 7_919 % list.count) } }
      },
      ListOperation(name: "all titles in one transaction", unit: .row) { list in
        { list.session.transaction { for number in 0..<list.count { list.rows.retitle(number) } } }
      },
      ListOperation(name: "assign an equal value", unit: .row) { list in list.rows.assigning { _ in false } },
      ListOperation(name: "assign a value with one row changed", unit: .row) { list in
        list.rows.assigning { $0 == list.count / 2 }
      },
      ListOperation(name: "assign a value with each row changed", unit: .row) { list in
        list.rows.assigning { _ in true }
      },
      ListOperation(name: "merge an equal snapshot", unit: .row) { list in list.rows.merging(list.seed) },
      ListOperation(name: "merge: 1 in 10 changed, 1 in 100 another", unit: .row) { list in
        list.rows.merging(
          list.seed.map { row in
            if row.id % 100 == 50 { return Row(id: list.seed.count + row.id, title: "New") }
            return row.id % 10 == 0 ? row.bumped : row
          })
      },
      ListOperation(name: "cancel each reader", unit: .row) { list in list.cancelAll },
    ]
  }

  /// The operations on an ordered list.
  static var rearrangements: [ListOperation] {
    [
      ListOperation(name: "reverse", unit: .row) { list in { list.rows.rearrange(.reversed) } },
      ListOperation(name: "shuffle", unit: .row) { list in { list.rows.rearrange(.shuffled) } },
      ListOperation(name: "sort what is shuffled", unit: .row) { count in
        var dice = Dice()
        return Row.seed(count).shuffled(using: &dice)
      } prepare: { list in
        { list.rows.rearrange(.sorted) }
      },
    ]
  }

  /// Insertions of rows, while other rows have readers.
  static func insertions(_ name: String, _ unit: Unit) -> [ListOperation] {
    [
      ListOperation(name: name, unit: unit) { list in
        { for turn in 0..<unit.times { list.rows.insert(Row(id: list.seed.count + turn, title: "New")) } }
      },
      ListOperation(name: "\(name), then bump one", unit: unit) { list in
        for number in 0..<list.count { list.rows.bump(number) }
        return {
          for turn in 0..<unit.times {
            list.rows.insert(Row(id: list.seed.count + turn, title: "New"))
            list.rows.bump(list.count / 2)
          }
        }
      },
    ]
  }

  /// Removals of rows that have readers.
  static func removal(_ name: String, _ unit: Unit) -> ListOperation {
    ListOperation(name: name, unit: unit) { list in
      { for turn in 0..<unit.times { list.rows.remove(at: list.count / 2 + turn) } }
    }
  }

  /// Insertions and removals of as many objects as other lists have rows.
  static var churn: ListOperation {
    ListOperation(
      name: "put in, read, bump, cancel, remove, 100 alive", unit: .row, start: .attached, rows: { _ in [] }
    ) { list in
      for number in 0..<100 { list.come(number) }
      return {
        for number in 100..<(list.count + 100) {
          list.come(number)
          list.rows.bump(number)
          list.go(number - 100)
        }
      }
    }
  }
}

extension ListOperation.Unit {
  /// How often the operation is done.
  var times: Int { if case .operation(let times) = self { times } else { 1 } }
  var text: String { if case .row = self { "a row" } else { "an operation" } }
}

/// A list with a reader for each row, in a session.
final class ReadList {
  /// The number of rows without a reader, so that a reader by index still finds a row after some are removed.
  static let spare = 10

  let rows: any RowList
  /// The rows that the list was made of.
  let seed: [Row]
  /// How many readers there are.
  let count: Int
  let session: Session
  /// How often readers ran.
  private(set) var runs = 0
  private let recording: RecordingSession?
  private var readers: [Int: ProjectionHandle] = [:]

  init(_ shape: ListShape, _ rows: [Row], readers count: Int, isRecorded: Bool) throws {
    seed = rows
    self.count = count
    self.rows = shape.make(rows)
    recording = isRecorded ? try RecordingSession() : nil
    session = recording?.session ?? Session()
  }

  func attach() { session.attach(rows.store, as: "store") }

  func readAll() { for number in 0..<count { read(number) } }

  func cancelAll() { for number in 0..<count { readers[number]?.cancel() } }

  /// Inserts a row with a reader.
  func come(_ number: Int) {
    rows.insert(Row(id: number, title: "Row"))
    read(number)
  }

  /// Removes a row and its reader.
  func go(_ number: Int) {
    readers.removeValue(forKey: number)?.cancel()
    rows.remove(at: number)
  }

  private func read(_ number: Int) {
    readers[number] = session.projection("Row#\(number)") { [unowned self] _ in
      rows.read(number)
      runs += 1
    }
  }
}
