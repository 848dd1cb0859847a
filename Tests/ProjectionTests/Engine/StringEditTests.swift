import EventLog
import Foundation
import Projection
import Testing

@Recorded private final class Note {
  var text: String

  init(text: String) { self.text = text }
}

/// Edits in place of a long string add the edit to the log, never the string.
@Suite struct StringEditTests {
  private let long = String(repeating: "A line of text, with an é in it.\n", count: 1_000)

  @Test func anEditIsOneSpliceOfWhatItChanged() throws {
    let events = try record { note in
      note.text.insert("x", at: note.text.startIndex)
      note.text.append("y")
      note.text.removeLast(3)
      note.text.replaceSubrange(note.text.startIndex...note.text.startIndex, with: "\u{e9}")
    }
    #expect(
      events == [
        .splice(text, offset: 0, delete: 0, insert: "x", sameValue: false),
        .splice(text, offset: long.utf8.count + 1, delete: 0, insert: "y", sameValue: false),
        .splice(text, offset: long.utf8.count - 1, delete: 3, insert: "", sameValue: false),
        .splice(text, offset: 0, delete: 1, insert: "\u{e9}", sameValue: false),
      ])
  }

  @Test func anEditThatChangesNothingDoesNotRecordTheTextAgain() throws {
    let events = try record { note in
      note.text.append("")
      note.text.replaceSubrange(note.text.startIndex..., with: long)
    }
    let nothing = Event.Body.splice(text, offset: 0, delete: 0, insert: "", sameValue: true)
    #expect(events == [nothing, nothing])
  }

  /// Swift considers the two spellings equal; the log keeps the program's own bytes.
  @Test func anotherSpellingOfACharacterIsAnEdit() throws {
    let events = try record { note in
      note.text.append("\u{e9}")
      note.text.unicodeScalars.removeLast()
      note.text.append("e\u{301}")
    }
    #expect(events.count == 3)
    #expect(
      events.last == .splice(text, offset: long.utf8.count, delete: 0, insert: "e\u{301}", sameValue: false))
  }

  private let text = Path(root: .named("note"), components: [.property("text")])

  /// The mutations after the note was attached.
  private func record(_ edit: (Note) -> Void) throws -> [Event.Body] {
    let file = FileManager.default.temporaryDirectory.appending(path: "edits-\(UUID()).evlog")
    defer { try? FileManager.default.removeItem(at: file) }
    let session = try Session(recordingTo: file)
    let note = Note(text: long)
    session.attach(note, as: "note")
    edit(note)
    try closeAndCheck(session, file)
    var events: [Event.Body] = []
    try LogReader(path: file.path).forEachEvent { events.append($0.body) }
    return Array(events.dropFirst())
  }
}
