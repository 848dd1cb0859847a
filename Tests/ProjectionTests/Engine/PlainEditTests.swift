import Projection
import Testing

/// The events that a mutation in place of a plain collection or a string adds to the log.
@Suite struct PlainEditTests {
  private let shelf = Bookcase()

  init() {
    shelf.plain = Array(0..<1_000)
    shelf.plainByName = Dictionary(uniqueKeysWithValues: (0..<100).map { ("k\($0)", $0) })
    shelf.note = String(repeating: "x", count: 1_000)
  }

  @Test func anEditIsLoggedAsTheEdit() throws {
    let edits = try recordedEdits(of: shelf) { _ in
      shelf.plain[7] = 70
      shelf.plain.append(1_000)
      shelf.plain.remove(at: 3)
      shelf.plainByName["k1"] = 5
      shelf.plainByName["k2"] = nil
      shelf.plainByName["new"] = 1
      shelf.note.insert("y", at: shelf.note.startIndex)
    }
    #expect(
      edits == [
        "set s.plain[7] 70", "splice s.plain 1000 0 [1000]", "splice s.plain 3 1 []",
        #"set s.plainByName["k1"] 5"#, #"remove s.plainByName["k2"]"#, #"set s.plainByName["new"] 1"#,
        #"splice s.note 0 0 "y""#,
      ])
  }

  @Test func aMutationThatChangesNothingIsNotLoggedAsTheWholeValue() throws {
    func leave<T>(_ value: inout T) {}
    let edits = try recordedEdits(of: shelf) { _ in
      shelf.plain[7] += 0
      leave(&shelf.plain)
      leave(&shelf.plainByName)
      shelf.plainByName["nobody"] = nil
      leave(&shelf.note)
    }
    let untouched = #"remove s.plainByName[""] ="#
    #expect(
      edits == [
        "splice s.plain 0 0 [] =", "splice s.plain 0 0 [] =", untouched, untouched,
        #"splice s.note 0 0 "" ="#,
      ])
  }
}
