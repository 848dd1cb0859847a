import Projection
import Testing

/// The events that a mutation of a recorded dictionary adds to the log.
@Suite struct DictionaryEditTests {
  @Test func anEntryIsSetOrRemovedByItsKey() throws {
    let shelf = Bookcase()
    shelf.scores = ["a": 1, "b": 2]
    let edits = try recordedEdits(of: shelf) { _ in
      shelf.scores["a"] = 5
      shelf.scores["a"] = 5
      shelf.scores["c"] = 3
      shelf.scores["c"]? += 1
      shelf.scores["d", default: 10] += 1
      shelf.scores.updateValue(7, forKey: "d")
      shelf.scores["b"] = nil
      shelf.scores.removeValue(forKey: "b")
      shelf.scores["x"]? += 1
      shelf.scores.merge(["a": 1, "e": 1]) { $0 + $1 }
      shelf.scores.removeAll { $0.value == 6 }
      shelf.scores.removeAll()
      shelf.scores.removeAll()
    }
    #expect(
      edits == [
        #"set s.scores["a"] 5"#, #"set s.scores["a"] 5 ="#, #"set s.scores["c"] 3"#, #"set s.scores["c"] 4"#,
        #"set s.scores["d"] 11"#, #"set s.scores["d"] 7"#, #"remove s.scores["b"]"#,
        #"remove s.scores["b"] ="#, #"remove s.scores["x"] ="#,
        "begin", #"set s.scores["a"] 6"#, #"set s.scores["e"] 1"#, "end", #"remove s.scores["a"]"#,
        "set s.scores {}", "set s.scores {} =",
      ])
  }

  @Test func anUntouchedDictionaryIsNotRecordedAgain() throws {
    let shelf = Bookcase()
    shelf.scores = ["": 1, "-": 2]
    func leave<T>(_ value: inout T) {}
    let edits = try recordedEdits(of: shelf) { _ in
      leave(&shelf.scores)
      #expect(shelf.scores.count == 2)
    }
    #expect(edits == [#"remove s.scores["--"] ="#])
  }

  @Test func aValueMutatedAgainAndAgainIsRecordedOnce() throws {
    let shelf = Bookcase()
    let edits = try recordedEdits(of: shelf) { _ in
      func group(_ lists: inout RecordedDictionary<String, RecordedArray<Int>>) {
        for number in 0..<6 { lists[number % 2 == 0 ? "even" : "odd", default: []].append(number) }
      }
      group(&shelf.lists)
    }
    #expect(edits.first == "begin")
    #expect(
      edits.contains(#"splice s.lists["even"] 1 0 [4]"#) || edits.contains(#"set s.lists["even"] [0,2,4]"#))
    #expect(shelf.lists["odd"] == [1, 3, 5])
  }

  @Test func aValueThatGoesAndComesAgainIsRecordedAsItIsAtTheEnd() throws {
    let shelf = Bookcase()
    let edits = try recordedEdits(of: shelf) { _ in
      func change(_ lists: inout RecordedDictionary<String, RecordedArray<Int>>) {
        lists["a", default: []].append(1)
        lists["a"] = nil
        lists["a", default: []].append(2)
        lists["a", default: []].append(3)
      }
      change(&shelf.lists)
    }
    #expect(edits.suffix(2) == [#"set s.lists["a"] [2,3]"#, "end"])
  }

  @Test func aCopyThatIsChangedDuringAMutationIsNotRecorded() throws {
    let shelf = Bookcase()
    shelf.scores = ["a": 1]
    let edits = try recordedEdits(of: shelf) { _ in
      func change(_ scores: inout RecordedDictionary<String, Int>) {
        var copy = scores
        copy["b"] = 2
        scores["a"] = 5
        copy["c"] = 3
        #expect(copy.entries == ["a": 1, "b": 2, "c": 3])
      }
      change(&shelf.scores)
    }
    #expect(edits == [#"set s.scores["a"] 5"#])
  }

  @Test func aCopyThatIsPutBackIsRecordedWithItsChanges() throws {
    let shelf = Bookcase()
    shelf.scores = ["a": 1]
    let edits = try recordedEdits(of: shelf) { _ in
      func change(_ scores: inout RecordedDictionary<String, Int>) {
        var copy = scores
        copy["b"] = 2
        scores["a"] = 5
        scores = copy
      }
      change(&shelf.scores)
    }
    #expect(edits == [#"set s.scores["b"] 2"#])
  }
}
