import EventLog
import Foundation
import Projection
import Testing

/// Reads of presence, and searches: which changes invalidate their readers.
@Suite struct PresenceTests {
  private let session = Session()
  private let shelf = Bookcase()

  init() {
    session.attach(shelf, as: "s")
    shelf.rows = RecordedArray((1...4).map { Item(id: $0) })
    shelf.books = RecordedArray((1...3).map { Book(id: $0, title: "t\($0)") })
    shelf.lines = ["a", "b", "c"]
    shelf.scores = ["a": 1, "b": 2]
    shelf.byName = ["a": Book(id: 1)]
    shelf.lists = ["a": [1]]
  }

  private func invalidated(by body: () -> Void) -> [String] {
    session.measure(body).evaluationsByInstance.keys.sorted()
  }

  @Test func anIDThatComesOrGoesInvalidatesReadersOfItsPresenceAndNoOthers() {
    session.projection("2") { _ in shelf.rows.contains(id: 2) }
    session.projection("9") { _ in shelf.rows.contains(id: 9) }
    session.projection("book 2") { _ in shelf.books.contains(id: 2) }
    #expect(invalidated { shelf.rows[1].count = 7 } == [])
    #expect(invalidated { shelf.rows[id: 2] = Item(id: 2, title: "new") } == [])
    #expect(invalidated { shelf.rows.reverse() } == [])
    #expect(invalidated { shelf.rows.append(Item(id: 8)) } == [])
    #expect(invalidated { shelf.rows.append(Item(id: 9)) } == ["9"])
    #expect(invalidated { shelf.rows[id: 2] = nil } == ["2"])
    #expect(invalidated { shelf.rows[0].id = 2 } == ["2"])
    #expect(invalidated { shelf.rows = [Item(id: 2)] } == ["9"])
    #expect(invalidated { shelf.books[id: 2]?.title = "x" } == [])
    #expect(invalidated { shelf.books[id: 2] = Book(id: 2) } == [])
    #expect(invalidated { shelf.books.remove(at: 1) } == ["book 2"])
    #expect(!shelf.books.contains(id: 2) && shelf.books.contains(id: 3))
    #expect(
      invalidated {
        session.transaction {
          shelf.rows = []
          shelf.rows = [Item(id: 2), Item(id: 9)]
        }
      } == ["9"])
  }

  @Test func aKeyThatComesOrGoesInvalidatesReadersOfItsPresenceAndNoOthers() {
    session.projection("a") { _ in shelf.scores.contains(key: "a") }
    session.projection("c") { _ in shelf.scores.contains(key: "c") }
    session.projection("book") { _ in shelf.byName.contains(key: "a") }
    session.projection("list") { _ in shelf.lists.contains(key: "a") }
    session.projection("list == nil") { _ in shelf.lists["a"] == nil }
    session.projection("a == nil") { _ in shelf.scores["a"] == nil }
    session.projection("keys") { _ in shelf.scores.keys.contains("a") }
    #expect(invalidated { shelf.scores["a"] = 5 } == ["a == nil"])
    #expect(invalidated { shelf.scores["b"] = nil } == ["keys"])
    #expect(invalidated { shelf.scores["c"] = 1 } == ["c", "keys"])
    #expect(invalidated { shelf.scores["a"] = nil } == ["a", "a == nil", "keys"])
    #expect(invalidated { shelf.byName["a"] = Book(id: 7) } == [])
    #expect(invalidated { shelf.byName["a"] = nil } == ["book"])
    #expect(invalidated { shelf.lists["a"] = [7, 8] } == [])
    #expect(invalidated { shelf.lists["a"] = nil } == ["list", "list == nil"])
    #expect(!shelf.lists.contains(key: "a") && shelf.scores.contains(key: "c"))
  }

  @Test func aSearchFollowsWhatItHasLookedAt() {
    session.projection("first") { _ in shelf.rows.first { $0.id == 2 }?.count }
    session.projection("index") { _ in shelf.rows.firstIndex { $0.id == 2 } }
    session.projection("contains") { _ in shelf.rows.contains { $0.id == 2 } }
    session.projection("all satisfy") { _ in shelf.rows.allSatisfy { $0.id != 2 } }
    session.projection("equal") { _ in shelf.lines.contains("b") }
    session.projection("index of equal") { _ in shelf.lines.firstIndex(of: "b") }
    session.projection("none") { _ in shelf.rows.contains { $0.count == 9 } }
    let four = ["all satisfy", "contains", "first", "index"]
    #expect(invalidated { shelf.rows[2].count = 1 } == ["none"])
    #expect(invalidated { shelf.rows.append(Item(id: 7)) } == ["none"])
    #expect(invalidated { shelf.rows[0].count = 1 } == four + ["none"])
    #expect(invalidated { shelf.rows[1].count = 1 } == four + ["none"])
    #expect(invalidated { shelf.rows.removeLast(3) } == ["none"])
    #expect(invalidated { shelf.rows.removeLast() } == four + ["none"])
    #expect(invalidated { shelf.rows.append(Item(id: 3)) } == four + ["none"])
    #expect(invalidated { shelf.lines[2] = "x" } == [])
    #expect(invalidated { shelf.lines[0] = "b" } == ["equal", "index of equal"])
    #expect(invalidated { shelf.lines[1] = "x" } == [])
    #expect(invalidated { shelf.lines = [] } == ["equal", "index of equal"])
    #expect(invalidated { shelf.lines = ["b"] } == ["equal", "index of equal"])
  }

  @Test func aSearchAmongObjectsFollowsWhichTheyAreAndWhatWasReadOfThem() {
    session.projection("title") { _ in shelf.books.first { $0.title == "t2" }?.id }
    #expect(invalidated { shelf.books[2].title = "x" } == [])
    #expect(invalidated { shelf.books[0].pages = 7 } == [])
    #expect(invalidated { shelf.books.swapAt(1, 2) } == ["title"])
    #expect(invalidated { shelf.books[1].title = "y" } == ["title"])
  }

  @Test func aPredicateThatThrowsHasLookedAtWhatItThrewAt() {
    struct Stop: Error {}
    session.projection("throws") { _ in
      try? shelf.lines.contains { if $0 == "b" { throw Stop() } else { false } }
    }
    #expect(invalidated { shelf.lines[2] = "x" } == [])
    #expect(invalidated { shelf.lines[1] = "c" } == ["throws"])
    #expect(invalidated { shelf.lines.append("y") } == ["throws"])
  }

  /// The dependencies of the parts of a dictionary's interface.
  @Test func aDictionaryFollowsTheEntryTheKeysTheCountOrAllOfIt() {
    session.projection("isEmpty") { _ in shelf.scores.isEmpty }
    session.projection("count") { _ in shelf.scores.count }
    session.projection("keys") { _ in shelf.scores.keys.count }
    session.projection("values") { _ in shelf.scores.values.reduce(0, +) }
    session.projection("for in") { _ in shelf.scores.reduce(0) { $0 + $1.value } }
    session.projection("filter") { _ in shelf.scores.filter { $0.value > 1 }.count }
    session.projection("min(by:)") { _ in shelf.scores.min { $0.value < $1.value }?.key }
    session.projection("contains(where:)") { _ in shelf.scores.contains { $0.value >= 0 } }
    session.projection("index(forKey:)") { _ in shelf.scores.index(forKey: "a") == nil }
    session.projection("b") { _ in shelf.scores["b", default: 0] }
    let whole = ["contains(where:)", "filter", "for in", "min(by:)", "values"]
    #expect(invalidated { shelf.scores["a"] = 3 } == whole)
    #expect(invalidated { shelf.scores["b"] = 3 } == ["b"] + whole)
    let keys = ["index(forKey:)", "isEmpty", "keys"]
    #expect(invalidated { shelf.scores["c"] = 3 } == (whole + keys + ["count"]).sorted())
    #expect(invalidated { shelf.scores["c"] = 3 } == [])
  }

  @Test func theFirstEntryAndARandomOneAreFollowedWithTheKeysOrTheCount() {
    shelf.scores = ["a": 1]
    session.projection("first") { _ in shelf.scores.first?.value }
    session.projection("random") { _ in shelf.scores.randomElement()?.value }
    #expect(invalidated { shelf.scores["a"] = 2 } == ["first", "random"])
    #expect(invalidated { shelf.scores["b"] = 2 } == ["first", "random"])
  }

  @Test func presenceHasAPathOfItsOwnInTheLog() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "presence-\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let shelf = Bookcase()
    session.attach(shelf, as: "s")
    session.projection("p") { _ in
      shelf.scores.contains(key: "a") || shelf.rows.contains(id: 1) || shelf.grid.first != nil
    }
    try session.close()
    var reads: [String] = []
    try LogReader(path: url.path).forEachEvent { event in
      if case .reads(_, let read) = event.body { reads += read.allPaths.map(\.description) }
    }
    #expect(reads == [#"s.scores["a"][#exists]"#, "s.rows[id: 1][#exists]", "s.grid[0][#exists]"])
  }
}
