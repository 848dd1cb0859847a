import Foundation
import Projection
import Testing

/// A mutation of a recorded array adds the edit to the log, and no more.
@Suite struct ArrayEditTests {
  private func shelf(_ rows: Int = 5) -> Bookcase {
    let shelf = Bookcase()
    shelf.rows = RecordedArray((0..<rows).map { Item(id: $0) })
    shelf.lines = ["a", "b", "c", "d", "e"]
    shelf.grid = [[1, 2], [3, 4]]
    return shelf
  }

  @Test func anElementIsSetByItsID() throws {
    let shelf = shelf()
    let edits = try recordedEdits(of: shelf) { _ in
      shelf.rows[3].count += 1
      shelf.rows[id: 2]?.title = "x"
      shelf.rows[id: 1].count = 4
      shelf.rows[id: 1]?.count = 4
      shelf.rows[0] = Item(id: 9)
      shelf.rows[id: 7]?.count = 1
      shelf.rows[id: 4] = nil
      shelf.rows[id: 5] = Item(id: 5)
    }
    #expect(
      edits == [
        "set s.rows[id: 3].count 1", #"set s.rows[id: 2].title "x""#, "set s.rows[id: 1].count 4",
        #"set s.rows[id: 1] {"id":1,"title":"","count":4} ="#, #"set s.rows[id: 0].id 9"#,
        "splice s.rows 0 0 [] =", "splice s.rows 4 1 []",
        #"splice s.rows 4 0 [{"id":5,"title":"","count":0}]"#,
      ])
    #expect(shelf.rows.map(\.id) == [9, 1, 2, 3, 5])
  }

  @Test func anElementCanBeRemovedThroughItsOptional() throws {
    let shelf = shelf()
    func drop(_ item: inout Item?) { item = nil }
    let edits = try recordedEdits(of: shelf) { _ in drop(&shelf.rows[id: 1]) }
    #expect(edits == ["splice s.rows 1 1 []"])
    #expect(shelf.rows.map(\.id) == [0, 2, 3, 4])
  }

  @Test func insertionsAndRemovalsAreSplices() throws {
    let shelf = shelf()
    let edits = try recordedEdits(of: shelf) { _ in
      shelf.lines.append("f")
      shelf.lines += ["g", "h"]
      shelf.lines.insert("0", at: 0)
      shelf.lines.insert(contentsOf: ["1", "2"], at: 1)
      shelf.lines.remove(at: 1)
      shelf.lines.removeFirst()
      shelf.lines.removeFirst(2)
      shelf.lines.removeLast()
      _ = shelf.lines.popLast()
      shelf.lines.removeSubrange(1..<3)
      shelf.lines.replaceSubrange(0..<1, with: ["x", "y"])
      shelf.lines.removeAll()
      _ = shelf.lines.popLast()
    }
    #expect(
      edits == [
        #"splice s.lines 5 0 ["f"]"#, #"splice s.lines 6 0 ["g","h"]"#, #"splice s.lines 0 0 ["0"]"#,
        #"splice s.lines 1 0 ["1","2"]"#, "splice s.lines 1 1 []", "splice s.lines 0 1 []",
        "splice s.lines 0 2 []", "splice s.lines 6 1 []", "splice s.lines 5 1 []",
        "splice s.lines 1 2 []", #"splice s.lines 0 1 ["x","y"]"#, "splice s.lines 0 4 []",
        "splice s.lines 0 0 [] =",
      ])
  }

  @Test func aMoveIsOneElementTakenOutAndPutIn() throws {
    let shelf = shelf()
    let edits = try recordedEdits(of: shelf) { _ in
      shelf.lines.move(fromOffsets: [0], toOffset: 4)
      shelf.lines.move(fromOffsets: IndexSet([3, 4]), toOffset: 1)
      shelf.lines.move(fromOffsets: [2], toOffset: 2)
    }
    #expect(
      edits == [
        "begin", "splice s.lines 0 1 []", #"splice s.lines 3 0 ["a"]"#, "end",
        "begin", "splice s.lines 3 2 []", #"splice s.lines 1 0 ["a","e"]"#, "end",
        "splice s.lines 0 0 [] =",
      ])
    #expect(shelf.lines == ["b", "a", "e", "c", "d"])
  }

  @Test func aSortLogsWhatMoves() throws {
    let shelf = shelf()
    shelf.lines = RecordedArray((0..<1_000).map { "line \($0 + 1_000)" })
    let edits = try recordedEdits(of: shelf) { _ in
      shelf.lines.sort()
      shelf.lines[700] = "line 0"
      shelf.lines.sort()
      shelf.lines.sort(by: >)
    }
    #expect(
      edits.prefix(6) == [
        "splice s.lines 0 0 [] =", #"splice s.lines[700] 5 3 """#, "begin", "splice s.lines 700 1 []",
        #"splice s.lines 0 0 ["line 0"]"#, "end",
      ])
    #expect(edits.count == 7, "all turned around is one splice")
  }

  @Test func elementsThatDifferInASliceAreSet() throws {
    let shelf = shelf()
    let edits = try recordedEdits(of: shelf) { _ in
      shelf.lines[1..<4] = ["b", "x", "d"]
      shelf.lines[1..<2] = []
      shelf.lines.swapAt(0, 3)
    }
    #expect(
      edits == [
        #"set s.lines[2] "x""#, "splice s.lines 1 1 []", "begin", #"set s.lines[0] "e""#,
        #"set s.lines[3] "a""#, "end",
      ])
  }

  @Test func elementsRemovedInPlaceAreRuns() throws {
    let shelf = shelf(8)
    let edits = try recordedEdits(of: shelf) { _ in
      shelf.rows.removeAll { [1, 2, 5].contains($0.id) }
      shelf.rows.remove(atOffsets: [0])
      shelf.rows.removeAll { _ in false }
    }
    #expect(
      edits == [
        "begin", "splice s.rows 5 1 []", "splice s.rows 1 2 []", "end", "splice s.rows 0 1 []",
        "splice s.rows 0 0 [] =",
      ])
  }

  @Test func anUntouchedArrayIsASameValueOfNoLength() throws {
    let shelf = shelf()
    struct Stop: Error {}
    func leave<T>(_ value: inout T) {}
    func fail<T>(_ value: inout T) throws { throw Stop() }
    let edits = try recordedEdits(of: shelf) { _ in
      leave(&shelf.rows)
      leave(&shelf.grid[1])
      try? fail(&shelf.rows)
      leave(&shelf.scores)
      shelf.rows.reserveCapacity(100)
      shelf.rows.append(contentsOf: [])
    }
    let nothing = "splice s.rows 0 0 [] ="
    let others = ["splice s.grid 0 0 [] =", "set s.scores {} ="]
    #expect(edits == [nothing] + others + [nothing, "splice s.rows 5 0 [] ="])
  }

  @Test func writesBeforeAThrowAreRecordedOnce() throws {
    let shelf = shelf()
    struct Stop: Error {}
    func fail(_ rows: inout RecordedArray<Item>) throws {
      rows[1].count = 5
      throw Stop()
    }
    let edits = try recordedEdits(of: shelf) { _ in
      #expect(throws: Stop.self) { try fail(&shelf.rows) }
    }
    #expect(edits == ["set s.rows[id: 1].count 5"])
  }

  @Test func anArrayInAnArrayIsEditedWhereItStands() throws {
    let shelf = shelf()
    let edits = try recordedEdits(of: shelf) { _ in
      shelf.grid[1][0] = 7
      shelf.grid[0].append(3)
      shelf.grid[0] = [1, 2, 3, 4]
      shelf.grid.append([])
      shelf.grid[2].append(1)
      shelf.lists["a"] = [1]
      shelf.lists["a"]?.append(2)
      shelf.lists["b", default: []].append(5)
      shelf.lists["b", default: []].append(6)
      shelf.lists["b"] = nil
    }
    #expect(
      edits == [
        "set s.grid[1][0] 7", "splice s.grid[0] 2 0 [3]", "splice s.grid[0] 3 0 [4]",
        "splice s.grid 2 0 [[]]", "splice s.grid[2] 0 0 [1]", #"set s.lists["a"] [1]"#,
        #"splice s.lists["a"] 1 0 [2]"#, #"set s.lists["b"] [5]"#, #"splice s.lists["b"] 1 0 [6]"#,
        #"remove s.lists["b"]"#,
      ])
  }

  @Test func anotherArrayPutInPlaceIsRecordedAsWhatDiffers() throws {
    let shelf = shelf()
    let other = self.shelf()
    other.lines = ["a", "b", "x", "d", "e"]
    let edits = try recordedEdits(of: shelf) { session in
      session.attach(other, as: "o")
      swap(&shelf.lines, &other.lines)
      shelf.lines.append("z")
      other.lines.append("y")
    }
    #expect(
      edits.dropFirst().sorted() == [
        #"set o.lines[2] "c""#, #"set s.lines[2] "x""#, #"splice o.lines 5 0 ["y"]"#,
        #"splice s.lines 5 0 ["z"]"#,
      ])
  }

  @Test func aCopyMadeDuringAMutationIsAPlainArray() throws {
    let shelf = shelf()
    var kept: RecordedArray<String> = []
    let edits = try recordedEdits(of: shelf) { _ in
      func keep(_ lines: inout RecordedArray<String>) {
        lines.append("f")
        kept = lines
        kept.append("g")
      }
      keep(&shelf.lines)
      kept.append("h")
    }
    #expect(edits == [#"splice s.lines 5 0 ["f"]"#])
    #expect(kept.count == 8)
  }

  @Test func anObjectPutInAndThenChangedIsRecordedAsItIsInTheEnd() throws {
    let shelf = shelf()
    let edits = try recordedEdits(of: shelf) { _ in
      func add(_ books: inout RecordedArray<Book>) {
        let book = Book(id: 1)
        books.append(book)
        book.title = "x"
      }
      add(&shelf.books)
      shelf.books[0].title = "y"
    }
    #expect(
      edits == [
        #"splice s.books 0 0 [{"$object":"Book#2","id":1,"title":"x","pages":0}]"#,
        #"set s.books[id: 1].title "y""#,
      ])
  }

  @Test func aCopyThatIsChangedDuringAMutationIsNotRecorded() throws {
    let shelf = shelf()
    let edits = try recordedEdits(of: shelf) { _ in
      func change(_ lines: inout RecordedArray<String>) {
        var copy = lines
        copy.append("f")
        lines[0] += "x"
        copy[1] = "y"
        #expect(copy.elements == ["a", "y", "c", "d", "e", "f"])
      }
      change(&shelf.lines)
    }
    #expect(edits == [#"splice s.lines[0] 1 0 "x""#] || edits == [#"set s.lines[0] "ax""#])
  }

  @Test func anElementThatMovesAfterItsMutationIsRecordedWhereItWas() throws {
    let shelf = shelf()
    let edits = try recordedEdits(of: shelf) { _ in
      func change(_ rows: inout RecordedArray<Item>) {
        rows[3].count += 1
        rows.remove(at: 0)
        rows[2].count += 1
      }
      change(&shelf.rows)
    }
    #expect(
      edits == [
        "begin", "set s.rows[id: 3].count 1", "splice s.rows 0 1 []", "set s.rows[id: 3].count 2", "end",
      ])
  }
}
