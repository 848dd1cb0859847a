import LogGenerator
import Projection
import Testing

/// Merging a snapshot changes what differs and nothing else.
@Suite struct MergeTests {
  private let shelf = Bookcase()

  init() {
    shelf.rows = RecordedArray((0..<6).map { Item(id: $0) })
    shelf.books = RecordedArray((0..<4).map { Book(id: $0, title: "t\($0)") })
    for book in shelf.books { shelf.byName["b\(book.id)"] = book }
  }

  @Test func valuesAreReplacedWhereTheyDiffer() throws {
    shelf.rows = RecordedArray((0..<26).map { Item(id: $0) })
    var snapshot = shelf.rows.elements
    snapshot[4].count = 9
    snapshot.remove(at: 1)
    snapshot.insert(Item(id: 70), at: 0)
    snapshot.swapAt(1, 25)
    var report = MergeReport<Int>()
    let edits = try recordedEdits(of: shelf) { _ in
      report = shelf.rows.merge(snapshot)
      #expect(shelf.rows.elements == snapshot)
      #expect(shelf.rows.merge(snapshot).isEmpty)
    }
    #expect(report.description == "1 inserted, 1 removed, 2 moved, 1 updated, 22 unchanged")
    #expect(report.inserted == [70] && report.removed == [1] && report.updated == [4])
    #expect(
      edits == [
        "begin merge", "begin", "set s.rows[id: 4].count 9", "splice s.rows 25 1 []", "splice s.rows 0 2 []",
        #"splice s.rows 0 0 [{"id":70,"title":"","count":0},{"id":25,"title":"","count":0}]"#,
        #"splice s.rows 25 0 [{"id":0,"title":"","count":0}]"#, "end", "end",
        "begin merge", "splice s.rows 0 0 [] =", "end",
      ])
  }

  @Test func aMergeKeepsTheIdentityOfObjects() throws {
    let before = shelf.books.elements
    let snapshot = [(3, "t3"), (0, "new"), (9, "t9"), (1, "t1")].map { BookSnapshot(id: $0, title: $1) }
    var report = MergeReport<Int>()
    let edits = try recordedEdits(of: shelf) { _ in
      report = shelf.books.merge(snapshot) { book, new in
        if book.title != new.title { book.title = new.title }
      } insert: {
        Book(id: $0.id, title: $0.title)
      }
    }
    #expect(shelf.books.map(\.id) == [3, 0, 9, 1])
    #expect(shelf.books[0] === before[3] && shelf.books[1] === before[0] && shelf.books[3] === before[1])
    #expect(report.inserted == [9] && report.removed == [2] && report.moved == [3] && report.updated == [0])
    #expect(report.unchangedCount == 1)
    #expect(
      edits == [
        "begin merge", #"set s.books[id: 0].title "new""#,
        ##"splice s.books 0 4 [{"$ref":"#5"},{"$ref":"#2"},{"$object":"Book#6","id":9,"title":"t9","pages":0},"##
          + ##"{"$ref":"#3"}]"##,
        "end",
      ])
  }

  @Test func onlyReadersOfDifferencesAreInvalidated() {
    let session = Session()
    session.attach(shelf, as: "s")
    session.projection("Order") { _ in shelf.rows.ids }
    session.projection("Count") { _ in shelf.rows.count }
    for id in 0..<6 { session.projection("Row\(id)") { _ in shelf.rows[id: id]?.count } }
    var snapshot = shelf.rows.elements
    snapshot[2].count = 1
    let update = session.measure { shelf.rows.merge(snapshot) }
    #expect(update.evaluationsByInstance == ["Row2": 1])
    snapshot.swapAt(0, 5)
    let move = session.measure { shelf.rows.merge(snapshot) }
    #expect(move.evaluationsByInstance == ["Order": 1])
    snapshot.remove(at: 3)
    let removal = session.measure { shelf.rows.merge(snapshot) }
    #expect(removal.evaluationsByInstance == ["Order": 1, "Count": 1, "Row3": 1])
    #expect(session.measure { shelf.rows.merge(snapshot) }.totalEvaluations == 0)
    #expect(session.diagnostics == [])
  }

  /// A projection that ran between the two would read the array in the middle of the merge.
  @Test func noProjectionRunsBeforeTheMergeIsOver() {
    let session = Session()
    session.attach(shelf, as: "s")
    var seen: [String] = []
    session.projection("Titles") { _ in seen.append(shelf.books.map(\.title).joined()) }
    shelf.books.merge([BookSnapshot(id: 1, title: "x"), BookSnapshot(id: 0, title: "y")]) { book, new in
      book.title = new.title
    } insert: {
      Book(id: $0.id, title: $0.title)
    }
    #expect(seen == ["t0t1t2t3", "xy"])
    #expect(session.diagnostics == [])
  }

  @Test func aDictionaryTakesOverByKey() throws {
    shelf.scores = ["a": 1, "b": 2, "c": 3]
    let kept = shelf.byName["b1"]
    var scores = MergeReport<String>()
    var books = MergeReport<String>()
    let edits = try recordedEdits(of: shelf) { _ in
      scores = shelf.scores.merge(["a": 1, "b": 5, "d": 4])
      let snapshot = ["b1": BookSnapshot(id: 1, title: "x"), "b7": BookSnapshot(id: 7, title: "t7")]
      books = shelf.byName.merge(snapshot) {
        $0.title = $1.title
      } insert: {
        Book(id: $0.id, title: $0.title)
      }
    }
    #expect(scores.description == "1 inserted, 1 removed, 0 moved, 1 updated, 1 unchanged")
    #expect(shelf.byName["b1"] === kept && kept?.title == "x")
    #expect(books.inserted == ["b7"] && books.removed == ["b0", "b2", "b3"] && books.updated == ["b1"])
    #expect(
      edits == [
        "begin merge", "begin", #"set s.scores["b"] 5"#, #"set s.scores["d"] 4"#, #"remove s.scores["c"]"#,
        "end", "end", "begin merge", #"set s.books[id: 1].title "x""#, "begin",
        #"set s.byName["b7"] {"$object":"Book#6","id":7,"title":"t7","pages":0}"#,
        #"remove s.byName["b0"]"#, #"remove s.byName["b2"]"#, #"remove s.byName["b3"]"#, "end", "end",
      ])
  }

  @Test func aMergeThatThrowsMovesNothing() throws {
    struct Stop: Error {}
    let edits = try recordedEdits(of: shelf) { _ in
      #expect(throws: Stop.self) {
        try shelf.books.merge([BookSnapshot(id: 2, title: "x"), BookSnapshot(id: 0, title: "")]) {
          book, new in
          if new.title.isEmpty { throw Stop() }
          book.title = new.title
        } insert: { _ in
          throw Stop()
        }
      }
      shelf.note = "goes on"
    }
    #expect(shelf.books.map(\.id) == [0, 1, 2, 3])
    #expect(
      edits == ["begin merge", #"set s.books[id: 2].title "x""#, "end", #"set s.note "goes on""#])
  }

  @Test func ofSeveralElementsWithOneIDTheFirstCounts() {
    var rows: RecordedArray = [Item(id: 1), Item(id: 1, count: 1), Item(id: 2)]
    let report = rows.merge([Item(id: 2), Item(id: 1, count: 5), Item(id: 2, count: 9)])
    #expect(rows.elements == [Item(id: 2), Item(id: 1, count: 5)])
    #expect(report.removed == [1] && report.moved.count == 1)
  }

  /// Looking up an id makes the array keep an index of its ids, which each merge must update.
  @Test func mergesOfArraysWhoseElementsAreLookedUpMakeTheSnapshot() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for trial in 0..<20 {
      shelf.rows = RecordedArray((0..<Int.random(in: 0..<80, using: &random)).map { Item(id: $0) })
      _ = try recordedEdits(of: shelf) { _ in
        for step in 0..<8 {
          for _ in 0..<Int.random(in: 0..<3, using: &random) {
            _ = shelf.rows[id: Int.random(in: 0..<120, using: &random)]
          }
          var snapshot = shelf.rows.elements.filter { _ in Int.random(in: 0..<6, using: &random) > 0 }
          for _ in 0..<Int.random(in: 0..<5, using: &random) where !snapshot.isEmpty {
            let moved = snapshot.remove(at: Int.random(in: snapshot.indices, using: &random))
            snapshot.insert(moved, at: Int.random(in: 0...snapshot.count, using: &random))
          }
          for new in 0..<Int.random(in: 0..<12, using: &random) {
            let item = Item(id: 1000 * (step + 1) + new, count: trial)
            snapshot.insert(item, at: Int.random(in: 0...snapshot.count, using: &random))
          }
          shelf.rows.merge(snapshot)
          #expect(shelf.rows.elements == snapshot, "seed \(seed), trial \(trial), step \(step)")
          for item in snapshot {
            #expect(shelf.rows[id: item.id] == item, "seed \(seed), trial \(trial), step \(step)")
          }
        }
      }
    }
  }
}
