import EventLog
import Foundation
import Invalidation
import Testing

@testable import Projection

@Recorded final class Library {
  var scores: RecordedDictionary<String, Int> = [:]
  var lists: RecordedDictionary<String, RecordedArray<Int>> = [:]
  var rows: RecordedArray<LibraryRow> = []
  var plain: [String: Int] = [:]
  var title = ""
}

struct LibraryRow: Identifiable, Equatable {
  var id: String
  var count = 0
}

/// An app may treat two spellings of a text as equal; the log has the bytes of the stored text.
@Suite struct SpellingTests {
  private static let one = "\u{E9}"
  private static let other = "e\u{301}"

  /// The recorded events of a session, its state at the end, and whether the derived invalidations equal the
  /// recorded ones.
  private func played(
    _ library: Library = Library(), _ play: (Session) throws -> Void
  ) throws -> (lines: [String], state: State, agrees: Bool) {
    let url = FileManager.default.temporaryDirectory.appending(path: "spelling-\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    session.attach(library, as: "s")
    try play(session)
    #expect(session.diagnostics.isEmpty)
    try closeAndCheck(session, url)
    var timeline = Timeline()
    var (lines, derived, recorded): ([String], [String], [String]) = ([], [], [])
    try LogReader(path: url.path).forEachEvent { event in
      derived += try timeline.apply(event).map { "\($0.seq) \($0.projection) \($0.causes)" }
      if case .invalidate(let name, let causes) = event.body {
        recorded.append("\(event.cause ?? 0) \(name) \(causes)")
      }
      if event.body.writtenPath != nil, event.seq > 1 { lines.append(event.json()) }
    }
    return (lines, timeline.state, derived == recorded)
  }

  private func keys(_ state: State, _ path: String) throws -> [[UInt8]] {
    guard case .map(let fields)? = state.value(at: try Path(parsing: path)) else { return [] }
    return fields.keys.map { Array($0.utf8) }
  }

  @Test func anEntryKeepsTheSpellingWithWhichItCame() throws {
    let (one, other) = (Self.one, Self.other)
    let library = Library()
    let (lines, state, agrees) = try played(library) { _ in
      library.scores[one] = 1
      library.scores[other] = 2
      library.scores[other]? += 1
      library.scores[other, default: 0] += 1
      library.scores.merge([other: 1]) { $0 + $1 }
      library.lists[one] = [1]
      library.lists[other]?.append(2)
      library.lists[other, default: []].append(3)
    }
    #expect(agrees)
    #expect(library.scores[one] == 5)
    #expect(try keys(state, "s.scores") == [Array(one.utf8)])
    #expect(state.value(at: try Path(parsing: "s.scores[\"\(one)\"]")) == .int(5))
    #expect(state.value(at: try Path(parsing: "s.lists[\"\(one)\"]")) == [1, 2, 3])
    #expect(!lines.contains { $0.unicodeScalars.contains { $0.value == 0x301 } })
  }

  @Test func anEntryThatIsRemovedByAnotherSpellingIsGone() throws {
    let (one, other) = (Self.one, Self.other)
    let library = Library()
    let (_, state, agrees) = try played(library) { _ in
      library.scores[one] = 1
      library.scores[other] = nil
      library.scores[other] = 2
      library.lists[one] = [1]
      library.lists.removeValue(forKey: other)
    }
    #expect(agrees)
    #expect(try keys(state, "s.scores") == [Array(other.utf8)])
    #expect(try keys(state, "s.lists").isEmpty)
  }

  @Test func aReaderByAnotherSpellingIsInvalidated() throws {
    let (one, other) = (Self.one, Self.other)
    let library = Library()
    library.scores = [one: 1]
    library.rows = [LibraryRow(id: one)]
    var seen: [Int?] = []
    let (_, _, agrees) = try played(library) { session in
      session.projection("score") { _ in seen.append(library.scores[other]) }
      session.projection("row") { _ in seen.append(library.rows[id: other]?.count) }
      seen = []
      library.scores[one] = 7
      library.rows[id: one]?.count = 8
      library.rows[0].count = 9
    }
    #expect(agrees)
    #expect(seen == [7, 8, 9])
  }

  @Test func anEntryInsertedUnderAnotherSpellingInvalidatesReadersOfItsAbsence() throws {
    let (one, other) = (Self.one, Self.other)
    let library = Library()
    var seen: [Int?] = []
    let (_, _, agrees) = try played(library) { session in
      session.projection("score") { _ in seen.append(library.scores[other]) }
      session.projection("list") { _ in seen.append(library.lists[other]?.count) }
      session.projection("row") { _ in seen.append(library.rows[id: other]?.count) }
      seen = []
      library.scores[one] = 7
      library.lists[one] = [1]
      library.rows.append(LibraryRow(id: one, count: 3))
    }
    #expect(agrees)
    #expect(seen == [7, 1, 3])
  }

  @Test func aTextThatIsSetToAnotherSpellingHasItsBytes() throws {
    let (one, other) = (Self.one, Self.other)
    let library = Library()
    library.title = one
    library.plain = [one: 1]
    let (lines, state, agrees) = try played(library) { session in
      session.projection("title") { _ in library.title }
      // The shortcut is taken from the third set on.
      for _ in 0..<4 {
        library.title = one
        library.title = other
      }
      library.plain = [other: 1]
    }
    #expect(agrees)
    guard case .string(let title)? = state.value(at: try Path(parsing: "s.title")) else {
      Issue.record("there is no title")
      return
    }
    #expect(Array(title.utf8) == Array(other.utf8))
    #expect(try keys(state, "s.plain") == [Array(other.utf8)])
    #expect(
      lines.count == 9 && lines.allSatisfy { $0.contains(#""same_value":true"#) || $0.contains("plain") })
  }

  @Test func projectionsOfBothSpellingsAreTwo() throws {
    let (one, other) = (Self.one, Self.other)
    let library = Library()
    var names: [[UInt8]] = []
    let (_, _, agrees) = try played(library) { session in
      for name in [one, other, one] {
        names.append(Array(session.projection(name) { _ in library.title }.name.utf8))
      }
      library.title = "b"
    }
    #expect(agrees)
    #expect(names == [Array(one.utf8), Array(other.utf8), Array("\(one)#2".utf8)])
  }
}
