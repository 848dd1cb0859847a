import LogGenerator
import EventLog
import Foundation
import Invalidation
import Testing

@testable import Projection

/// Repeated changes of a field of an element take a shortcut, which must have the same effect as any other mutation.
@Suite struct QuickElementTests {
  fileprivate struct Row: Identifiable, Equatable {
    var id: Int
    var count = 0
    var isOn = false
    var share = 0.0
    var title = "short"

    var value: Value {
      .map([
        "id": .int(Int64(id)), "count": .int(Int64(count)), "isOn": .bool(isOn), "share": .double(share),
        "title": .string(title),
      ])
    }
  }

  @Recorded fileprivate final class Table {
    fileprivate var rows: RecordedArray<Row> = []
  }

  /// Every reader: its name, its read, and the same read of a plain array.
  private static func looks(_ count: Int) -> [(
    name: String, read: (Table) -> String, rule: ([Row]) -> String
  )] {
    var looks: [(name: String, read: (Table) -> String, rule: ([Row]) -> String)] = []
    func text<T>(_ value: T?) -> String { value.map { "\($0)" } ?? "-" }
    for index in stride(from: 0, to: count, by: 2) {
      looks.append(
        (
          "[\(index)]", { text($0.rows.count > index ? $0.rows[index] : nil) + "/\($0.rows.count)" },
          { text($0.count > index ? $0[index] : nil) + "/\($0.count)" }
        ))
    }
    for id in stride(from: 0, to: count, by: 3) {
      looks.append(("id \(id)", { text($0.rows[id: id]) }, { rows in text(rows.first { $0.id == id }) }))
    }
    looks.append(("ids", { "\($0.rows.ids)" }, { "\($0.map(\.id))" }))
    looks.append(("all", { "\($0.rows.elements)" }, { "\($0)" }))
    return looks
  }

  @Test(arguments: 0..<12) func randomMutationsOfElementsAreSeenAsTheyAre(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let count = seed % 2 == 0 ? 8 : 40
    let url = FileManager.default.temporaryDirectory.appending(path: "elements-\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let table = Table()
    var rows = (0..<count).map { Row(id: $0) }
    table.rows = RecordedArray(rows)
    session.attach(table, as: "table")
    var invalidated: Set<String> = []
    let looks = Self.looks(count)
    for look in looks {
      session.projection(look.name) { _ in
        invalidated.insert(look.name)
        return look.read(table)
      }
    }
    for step in 0..<400 {
      let before = rows
      invalidated = []
      Self.change(&rows, table, session, &random)
      let expected = Set(looks.filter { $0.rule(before) != $0.rule(rows) }.map(\.name))
      try #require(invalidated == expected, "seed \(seed), step \(step)")
      let recorded = session.engine.coreState.value(
        at: Path(root: .named("table"), components: [.property("rows")]))
      try #require(recorded == .array(rows.map(\.value)), "seed \(seed), step \(step)")
    }
    #expect(session.diagnostics.isEmpty)
    #if !canImport(Darwin)
      #expect(table._$recorded.attachment?.setters?[0].write.location != nil, "none took the quick way")
    #endif
    try closeAndCheck(session, url)
    var timeline = Timeline()
    var derived: [String] = []
    var logged: [String] = []
    try LogReader(path: url.path).forEachEvent { event in
      derived += try timeline.apply(event).map { "\($0.seq) \($0.projection) \($0.causes)" }
      if case .invalidate(let name, let causes) = event.body {
        logged.append("\(event.cause ?? 0) \(name) \(causes)")
      }
    }
    #expect(derived == logged, "seed \(seed)")
    #expect(
      timeline.state.value(at: try Path(parsing: "table.rows")) == .array(rows.map(\.value)), "seed \(seed)")
  }

  private static func change(
    _ rows: inout [Row], _ table: Table, _ session: Session, _ random: inout SplitMix64
  ) {
    let index = Int.random(in: rows.indices, using: &random)
    let amount = Int.random(in: 0...3, using: &random)
    func both(_ body: (inout Row) -> Void) {
      body(&rows[index])
      if amount == 0, let first = rows.firstIndex(where: { $0.id == rows[index].id }), first == index {
        body(&table.rows[id: rows[index].id])
      } else {
        body(&table.rows[index])
      }
    }
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<16: both { $0.count += amount }
    case 16..<20: both { $0.isOn.toggle() }
    case 20..<24: both { $0.share += Double(amount) - 1 }
    case 24..<28: both { $0.title = "t\(amount)" }
    case 28..<30: both { $0.title += String(repeating: "long ", count: amount) }
    case 30..<32:
      both {
        $0.count += amount
        $0.isOn.toggle()
      }
    case 32:
      let other = Int.random(in: rows.indices, using: &random)
      rows.swapAt(index, other)
      table.rows.swapAt(index, other)
    case 33:
      rows.append(rows.remove(at: index))
      table.rows.move(fromOffsets: [index], toOffset: rows.count)
    case 34:
      // A new id, and then an id that was there before.
      let id =
        rows[index].id >= 1_000
        ? (0..<1_000).first { id in !rows.contains { $0.id == id } } ?? 0 : 1_000 + index
      if !rows.contains(where: { $0.id == id }) {
        rows[index].id = id
        table.rows[index].id = id
      }
    case 35:
      session.transaction {
        both { $0.count += 1 }
        both { $0.count -= 1 }
      }
    case 36:
      session.transaction { both { $0.count += amount } }
    default:
      rows[index] = Row(id: rows[index].id, count: amount)
      table.rows[index] = Row(id: rows[index].id, count: amount)
    }
  }

  @Test func aFieldThatIsChangedAgainIsOneOfTheElementThatIsThereNow() throws {
    let shelf = Bookcase()
    shelf.rows = RecordedArray((0..<3).map { Item(id: $0) })
    var seen: [Int] = []
    let edits = try recordedEdits(of: shelf) { session in
      for _ in 0..<2 { shelf.rows[1].count += 1 }
      session.projection("One") { _ in seen.append(shelf.rows[1].count) }
      shelf.rows[1].count += 1
      shelf.rows.insert(Item(id: 7), at: 0)
      for _ in 0..<2 { shelf.rows[1].count += 1 }
      shelf.rows.swapAt(1, 2)
      for _ in 0..<2 { shelf.rows[1].count += 1 }
    }
    #expect(
      edits.filter { $0.contains("].count ") } == [
        "set s.rows[id: 1].count 1", "set s.rows[id: 1].count 2", "set s.rows[id: 1].count 3",
        "set s.rows[id: 0].count 1", "set s.rows[id: 0].count 2", "set s.rows[id: 1].count 4",
        "set s.rows[id: 1].count 5",
      ])
    #expect(seen == [2, 3, 0, 1, 2, 3, 4, 5])
  }

  @Test func aFieldThatIsChangedAgainIsOneSetOfIt() throws {
    let shelf = Bookcase()
    shelf.rows = RecordedArray((0..<3).map { Item(id: $0) })
    let edits = try recordedEdits(of: shelf) { _ in
      for _ in 0..<4 { shelf.rows[1].count += 1 }
      shelf.rows[1].title = "t"
      shelf.rows[1].count += 0
    }
    #expect(
      edits == [
        "set s.rows[id: 1].count 1", "set s.rows[id: 1].count 2", "set s.rows[id: 1].count 3",
        "set s.rows[id: 1].count 4", #"set s.rows[id: 1].title "t""#,
        #"set s.rows[id: 1] {"id":1,"title":"t","count":4} ="#,
      ])
  }
}
