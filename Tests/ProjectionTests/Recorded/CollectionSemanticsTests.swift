import Projection
import Testing

/// The decided edge cases of recorded collections, a test for each.
@Suite struct CollectionSemanticsTests {
  private let session = Session()
  private let shelf = Bookcase()

  init() {
    session.attach(shelf, as: "s")
    shelf.rows = RecordedArray((1...5).map { Item(id: $0) })
    shelf.books = RecordedArray((1...3).map { Book(id: $0, title: "t\($0)") })
    shelf.scores = ["a": 1, "b": 2]
  }

  private func invalidated(by body: () -> Void) -> [String] {
    session.measure(body).evaluationsByInstance.keys.sorted()
  }

  @Test func elementKeyPresenceCountAndOrderAreKeptApart() {
    session.projection("[1]") { _ in shelf.rows[1].count }
    session.projection("[id: 2]") { _ in shelf.rows[id: 2]?.count }
    session.projection("count") { _ in shelf.rows.count }
    session.projection("ids") { _ in shelf.rows.ids }
    session.projection("sum") { _ in shelf.rows.reduce(0) { $0 + $1.count } }
    #expect(invalidated { shelf.rows[1].count = 1 } == ["[1]", "[id: 2]", "sum"])
    #expect(invalidated { shelf.rows.append(Item(id: 6)) } == ["count", "ids", "sum"])
    #expect(invalidated { shelf.rows.insert(Item(id: 0), at: 0) } == ["[1]", "count", "ids", "sum"])
    #expect(invalidated { shelf.rows[0] = Item(id: 9) } == ["ids", "sum"])

    session.projection("a") { _ in shelf.scores["a"] }
    session.projection("has b") { _ in shelf.scores.keys.contains("b") }
    session.projection("size") { _ in shelf.scores.count }
    #expect(invalidated { shelf.scores["a"] = 5 } == ["a"])
    #expect(invalidated { shelf.scores["c"] = 5 } == ["has b", "size"])
    #expect(session.diagnostics == [])
  }

  @Test func aMoveInvalidatesReadersOfTheOrderAndOfMovedIndicesAndNoReaderByID() {
    session.projection("ids") { _ in shelf.rows.ids }
    for index in 0..<5 { session.projection("[\(index)]") { _ in shelf.rows[index].id } }
    session.projection("[id: 3].count") { _ in shelf.rows[id: 3]?.count }
    session.projection("book 3") { _ in shelf.books[id: 3]?.title }
    session.projection("count") { _ in shelf.rows.count }
    #expect(invalidated { shelf.rows.move(fromOffsets: [2], toOffset: 1) } == ["[1]", "[2]", "ids"])
    #expect(invalidated { shelf.rows.swapAt(0, 4) } == ["[0]", "[4]", "ids"])
    #expect(invalidated { shelf.rows.reverse() } == ["[0]", "[1]", "[3]", "[4]", "ids"])
    #expect(invalidated { shelf.books.reverse() } == [])
    #expect(invalidated { shelf.books[id: 3]?.title = "x" } == ["book 3"])
  }

  @Test func aReaderOfARemovedKeySeesNilAndIsInvalidatedWhenTheKeyIsThereAgain() {
    var seen: [Int?] = []
    var titles: [String?] = []
    session.projection("b") { _ in seen.append(shelf.scores["b"]) }
    session.projection("book") { _ in titles.append(shelf.books[id: 2]?.title) }
    shelf.scores["b"] = nil
    shelf.scores["a"] = nil
    shelf.scores["b"] = 7
    #expect(seen == [2, nil, 7])
    let book = shelf.books.remove(at: 1)
    book.title = "unseen"
    shelf.books.append(book)
    #expect(titles == ["t2", nil, "unseen"])
  }

  @Test func ofDuplicateIDsTheFirstWinsAndADiagnosticReportsIt() {
    var seen: [Int?] = []
    session.projection("2") { _ in seen.append(shelf.rows[id: 2]?.count) }
    shelf.rows.append(Item(id: 2, count: 9))
    #expect(
      session.diagnostics.map(\.message) == [
        "s.rows has more than one element with the id 2; the first one counts"
      ])
    shelf.rows[5].count = 8
    shelf.rows.remove(at: 1)
    #expect(seen == [0, 8])
    shelf.rows.append(Item(id: 2, count: 10))
    #expect(session.diagnostics.count == 1, "it is said once")
    shelf.rows = RecordedArray((0..<100).map { Item(id: $0 % 99) })
    #expect(session.diagnostics.last?.message.contains("id 0;") == true)
    shelf.books[2] = Book(id: 1)
    #expect(session.diagnostics.count == 3)
  }

  @Test func anIDThatIsThereTwiceOnlyWhileElementsAreSwappedIsNoDuplicate() {
    session.projection("ids") { _ in "\(shelf.rows.ids)" }
    shelf.rows.swapAt(0, 3)
    session.transaction {
      let first = shelf.rows[0]
      shelf.rows[0] = shelf.rows[1]
      shelf.rows[1] = first
    }
    shelf.books.swapAt(0, 1)
    let rows = shelf.rows
    shelf.rows = RecordedArray((0..<100).map { Item(id: $0) })
    shelf.rows.swapAt(2, 98)
    shelf.rows = rows
    #expect(session.diagnostics.isEmpty)
    session.transaction { shelf.rows[0].id = shelf.rows[1].id }
    #expect(session.diagnostics.count == 1, "at its end the id is there twice")
  }

  @Test func duplicateIDsThatAreThereWhenAnObjectIsAttachedAreReported() {
    let other = Bookcase()
    other.rows = RecordedArray((0..<100).map { Item(id: $0 / 2 + $0 % 2 * 100) })
    other.rows[7].id = 1
    session.attach(other, as: "o")
    #expect(
      session.diagnostics.map(\.message) == [
        "o.rows has more than one element with the id 1; the first one counts"
      ])
  }

  @Test func anElementWrittenWithItsOwnValueInvalidatesNothing() throws {
    session.projection("all") { _ in "\(shelf.rows)\(shelf.scores)\(shelf.plain)" }
    #expect(invalidated { shelf.rows[0] = Item(id: 1) } == [])
    #expect(invalidated { shelf.rows[0].title += "" } == [])
    #expect(invalidated { shelf.scores["a"]? += 0 } == [])
    #expect(invalidated { shelf.scores["none"] = nil } == [])
    #expect(invalidated { shelf.rows.move(fromOffsets: [2], toOffset: 2) } == [])
    #expect(invalidated { shelf.rows.sort { $0.id < $1.id } } == [])
    #expect(invalidated { shelf.rows.swapAt(1, 1) } == [])
    shelf.lines = ["a", "b", "a"]
    session.projection("lines") { _ in shelf.lines.joined() }
    #expect(invalidated { shelf.lines.reverse() } == [])
    #expect(invalidated { shelf.lines.swapAt(0, 2) } == [])
  }

  @Test func aWholeAssignmentIsRecordedAsWhatDiffers() throws {
    let shelf = Bookcase()
    shelf.rows = RecordedArray((0..<50).map { Item(id: $0) })
    let edits = try recordedEdits(of: shelf) { _ in
      var rows = shelf.rows.elements
      rows[7].count = 1
      rows.remove(at: 40)
      shelf.rows = RecordedArray(rows)
      shelf.rows = RecordedArray(rows.prefix(1))
      shelf.rows = RecordedArray(rows.prefix(1))
      shelf.lines = ["a", "b", "c"]
      shelf.lines = ["a", "x", "c"]
      shelf.scores = ["a": 1, "b": 2]
      shelf.scores = ["b": 3, "a": 1]
    }
    #expect(
      edits == [
        "begin", "set s.rows[id: 7].count 1", "splice s.rows 40 1 []", "end", "splice s.rows 1 48 []",
        "splice s.rows 0 0 [] =", #"splice s.lines 0 0 ["a","b","c"]"#,
        #"set s.lines[1] "x""#, "begin", #"set s.scores["a"] 1"#, #"set s.scores["b"] 2"#, "end",
        #"set s.scores["b"] 3"#,
      ])
  }

  /// If recording kept a copy, every mutation would copy the buffer.
  @Test func aMutationInPlaceStaysInPlace() {
    shelf.lists = ["a": RecordedArray(0..<100)]
    shelf.grid = [RecordedArray(0..<100)]
    shelf.rows = RecordedArray((0..<100).map { Item(id: $0) })
    func address<T>(_ array: RecordedArray<T>) -> Int {
      array.withContiguousStorageIfAvailable { Int(bitPattern: $0.baseAddress) } ?? 0
    }
    let rows = address(shelf.rows)
    let inner = address(shelf.grid[0])
    let list = shelf.lists["a"].map(address)
    for index in 0..<100 {
      shelf.rows[index].count += 1
      shelf.rows[id: index]?.title = "x"
      shelf.grid[0][index] += 1
      shelf.lists["a"]?[index] += 1
      shelf.lists["a", default: []][index] += 1
    }
    shelf.rows.swapAt(0, 1)
    #expect(address(shelf.rows) == rows)
    #expect(address(shelf.grid[0]) == inner)
    #expect(shelf.lists["a"].map(address) == list)
  }

  /// The parts of an element are mutated in place too.
  @Test func partsOfAnElementAreMutatedInPlace() {
    let hall = Hall()
    session.attach(hall, as: "h")
    hall.boxes = [Hall.Box(id: 1, parts: Array(0..<100))]
    func address() -> Int { hall.boxes[0].parts.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) } }
    let parts = address()
    for index in 0..<100 {
      hall.boxes[0].parts[index] += 1
      hall.boxes[id: 1]?.parts[index] += 1
      hall.byName["a", default: [1, 2, 3]][0] += 1
    }
    #expect(address() == parts)
    #expect(hall.boxes[0].parts[5] == 7 && hall.byName["a"]?[0] == 101)
  }

  @Test func aCollectionTakenAsAWholeIsFollowedAsAWhole() {
    var changes = 0
    session.onChange(of: \.rows, in: shelf) { _, _ in changes += 1 }
    session.projection("rows") { _ in shelf.rows }
    #expect(invalidated { shelf.rows[3].count = 1 } == ["onChange(s.rows)", "rows"])
    #expect(changes == 1)
  }

  @Test func elementsAreFoundByIDInALargeArrayHoweverItChanges() {
    shelf.rows = RecordedArray((0..<200).map { Item(id: $0) })
    func offsets() -> [Int?] { [0, 50, 199, 300].map { shelf.rows.firstIndex(id: $0) } }
    #expect(offsets() == [0, 50, 199, nil])
    shelf.rows.remove(at: 20)
    shelf.rows.append(Item(id: 300))
    #expect(offsets() == [0, 49, 198, 199])
    shelf.rows[10].id = 1_000
    shelf.rows[3] = Item(id: 50)
    #expect(offsets() == [0, 3, 198, 199])
    var copy = shelf.rows
    copy.reverse()
    #expect(copy.firstIndex(id: 1_000) == 189 && shelf.rows.firstIndex(id: 1_000) == 10)
    shelf.rows.sort { $0.id > $1.id }
    #expect(shelf.rows.firstIndex(id: 1_000) == 0)
    #expect(shelf.rows[id: 300]?.id == 300)
  }
}

@Recorded private final class Hall {
  struct Box: Identifiable {
    var id: Int
    var parts: [Int]
  }

  var boxes: RecordedArray<Box> = []
  var byName: RecordedDictionary<String, [Int]> = [:]
}
