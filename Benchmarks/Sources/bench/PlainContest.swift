import BenchSupport
import Foundation
import Observation
import Projection

/// A row of a plain array or dictionary.
private protocol PlainRow: Equatable, Sendable {
  /// Creates the row that stands at an offset at first.
  init(number: Int)
  /// The offset at which the row was created.
  var number: Int { get }
  /// The field that is set, and by which rows are sorted; different in each row at first.
  var count: Int { get set }
}

extension Row: PlainRow {
  init(number: Int) { self.init(id: number, title: "Row \(number)", count: scrambled(number)) }
  var number: Int { id }
}

/// The fields of ``Row`` in a type that encodes itself.
private struct CodableRow: PlainRow, Identifiable, Codable {
  var id: Int
  var title: String
  var count: Int

  init(number: Int) { (id, title, count) = (number, "Row \(number)", scrambled(number)) }
  var number: Int { id }
}

/// A row of the types that real models have.
private struct RichRow: PlainRow, Identifiable {
  var id: UUID
  var created: Date
  var tags: [String]
  var note: String?
  var count: Int

  init(number: Int) {
    let (high, low) = (UInt8(number >> 8 & 255), UInt8(number & 255))
    id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number >> 16), high, low))
    created = Date(timeIntervalSince1970: Double(number))
    tags = ["tag \(number % 10)", "tag \(number % 7)"]
    note = number % 2 == 0 ? "Note \(number)" : nil
    count = scrambled(number)
  }

  var number: Int { Int(created.timeIntervalSince1970) }
}

/// A number far from that of the neighbouring row, and different for each row below 20,011, which is prime.
private func scrambled(_ number: Int) -> Int { number * 7_919 % 20_011 }

/// An object with a plain collection in a property.
private protocol PlainStore: AnyObject {
  associatedtype Rows
  var rows: Rows { get set }
}

@Observable private final class ObservablePlain<Rows: Equatable & Sendable>: PlainStore {
  var rows: Rows
  init(_ rows: Rows) { self.rows = rows }
}

@Recorded private final class RecordedPlain<Rows: Equatable & Sendable>: PlainStore {
  var rows: Rows
  init(_ rows: Rows) { self.rows = rows }
}

/// A plain collection, and the operations on it.
private struct PlainList<Rows: Equatable & Sendable> {
  enum Change {
    /// Mutates in place; the parameter is the number of the turn.
    case mutate((inout Rows, Int) -> Void)
    /// Assigns a value made from the present one.
    case assign((Rows, Int) -> Rows)
    /// Assigns an equal value with storage of its own.
    case assignEqual
  }

  let title: String
  let count: Int
  let make: () -> Rows
  let changes: [(name: String, change: Change)]

  var contests: [Contest] {
    changes.map { name, change in
      Contest(
        title: "plain \(title) of \(count): \(name)", operations: max(10, 40_000 / count), elements: count,
        contenders: [
          Contest.Contender(name: "@Observable, unrecorded") { work(ObservablePlain(make()), change, $0) },
          Contest.Contender(name: "@Recorded, in no session") { work(RecordedPlain(make()), change, $0) },
          Contest.Contender(name: "@Recorded, session that records nothing") { times in
            let session = Session()
            return attached(to: session, change, times) { consume(session) }
          },
          Contest.Contender(name: "@Recorded, recorded to a file") { times in
            let recording = try RecordingSession()
            return attached(to: recording.session, change, times) { consume(recording) }
          },
        ])
    }
  }

  private func attached(
    to session: Session, _ change: Change, _ times: Int, _ end: @escaping () -> Void
  ) -> () -> Void {
    let store = RecordedPlain(make())
    session.attach(store, as: "store")
    let work = work(store, change, times)
    return {
      work()
      end()
    }
  }

  private func work<Store: PlainStore>(
    _ store: Store, _ change: Change, _ times: Int
  ) -> () -> Void where Store.Rows == Rows {
    switch change {
    case .mutate(let body): return { for turn in 0..<times { body(&store.rows, turn) } }
    case .assign(let body): return { for turn in 0..<times { store.rows = body(store.rows, turn) } }
    case .assignEqual:
      let equal = [make(), make()]
      return { for turn in 0..<times { store.rows = equal[turn % 2] } }
    }
  }
}

extension PlainList {
  static func array<Element: PlainRow>(_ title: String, _ count: Int) -> Self where Rows == [Element] {
    PlainList(
      title: title, count: count, make: { (0..<count).map(Element.init(number:)) },
      changes: [
        ("set a field", .mutate { rows, turn in rows[turn * 7_919 % count].count += 1 }),
        ("append", .mutate { rows, turn in rows.append(Element(number: count + turn)) }),
        ("insert at 0", .mutate { rows, turn in rows.insert(Element(number: count + turn), at: 0) }),
        ("remove in the middle", .mutate { rows, _ in rows.remove(at: rows.count / 2) }),
        ("swap two", .mutate { rows, turn in rows.swapAt(turn, count - 1 - turn) }),
        ("sort", .mutate { rows, turn in rows.sort(by: order(turn)) }),
        ("assign an equal array", .assignEqual),
        ("assign a map that changes one", .assign { rows, turn in rows.map { changed($0, turn) } }),
      ])
  }

  static func dictionary<Key: Hashable & Sendable>(
    _ title: String, _ count: Int, _ key: @escaping (Int) -> Key
  ) -> Self where Rows == [Key: Row] {
    PlainList(
      title: title, count: count,
      make: { Dictionary(uniqueKeysWithValues: (0..<count).map { (key($0), Row(number: $0)) }) },
      changes: [
        ("set a field", .mutate { rows, turn in rows[key(turn * 7_919 % count)]?.count += 1 }),
        ("add", .mutate { rows, turn in rows[key(count + turn)] = Row(number: count + turn) }),
        ("remove", .mutate { rows, turn in rows[key(turn * 7_919 % count)] = nil }),
        ("assign an equal dictionary", .assignEqual),
        ("assign a map that changes one", .assign { rows, turn in rows.mapValues { changed($0, turn) } }),
      ])
  }
}

/// One of two orders in turn, each random relative to the other, so that every sort must do all its work.
private func order<Element: PlainRow>(_ turn: Int) -> (Element, Element) -> Bool {
  turn % 2 == 0 ? { $0.count < $1.count } : { $0.number < $1.number }
}

/// The row, or a changed copy if it is the one that changes in this turn.
private func changed<Element: PlainRow>(_ row: Element, _ turn: Int) -> Element {
  var row = row
  if row.number == turn { row.count += 1 }
  return row
}

extension Contest {
  /// Plain arrays and dictionaries in a property, changed by the same code in each kind of object.
  static var plain: [Contest] {
    [1_000, 20_000].flatMap { count in
      [
        PlainList<[Row]>.array("[Row]", count).contests,
        PlainList<[CodableRow]>.array("[Row], Codable", count).contests,
        PlainList<[RichRow]>.array("[Row] with a UUID, a Date, tags and a note", count).contests,
        PlainList<[Int: Row]>.dictionary("[Int: Row]", count) { $0 }.contests,
        PlainList<[String: Row]>.dictionary("[String: Row]", count) { "row \($0)" }.contests,
      ].flatMap { $0 }
    }
  }
}
