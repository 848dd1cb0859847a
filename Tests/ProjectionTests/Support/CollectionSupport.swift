import EventLog
import Foundation
import Projection

@Recorded final class Bookcase {
  var rows: RecordedArray<Item> = []
  var lines: RecordedArray<String> = []
  var books: RecordedArray<Book> = []
  var grid: RecordedArray<RecordedArray<Int>> = []
  var scores: RecordedDictionary<String, Int> = [:]
  var lists: RecordedDictionary<String, RecordedArray<Int>> = [:]
  var byName: RecordedDictionary<String, Book> = [:]
  var plain: [Int] = []
  var plainByName: [String: Int] = [:]
  var note = ""
}

@Recorded final class Book: Identifiable {
  let id: Int
  var title: String
  var pages = 0

  init(id: Int, title: String = "") {
    self.id = id
    self.title = title
  }
}

/// A snapshot of a book.
struct BookSnapshot: Identifiable {
  var id: Int
  var title: String
}

/// The mutations of a shelf that a session recorded after it was attached, as text.
func recordedEdits(
  of shelf: Bookcase = Bookcase(), diagnostics: [String] = [], _ body: (Session) throws -> Void
) throws -> [String] {
  let url = FileManager.default.temporaryDirectory.appending(path: "shelf-\(UUID().uuidString).evlog")
  defer { try? FileManager.default.removeItem(at: url) }
  let session = try Session(recordingTo: url)
  session.attach(shelf, as: "s")
  try body(session)
  let messages = session.diagnostics.map(\.message)
  try closeAndCheck(session, url)
  var lines: [String] = []
  try LogReader(path: url.path).forEachEvent { event in
    if let text = event.body.text { lines.append(text) }
  }
  return Array(lines.dropFirst()) + messages.filter { !diagnostics.contains($0) }
}

extension Event.Body {
  /// `set s.rows[id: 1].count 5`, with `=` if it changes nothing; nil for an event that is not a mutation.
  fileprivate var text: String? {
    switch self {
    case .set(let path, let value, let same): "set \(path) \(value.json)\(same ? " =" : "")"
    case .splice(let path, let offset, let delete, let insert, let same):
      "splice \(path) \(offset) \(delete) \(insert.json)\(same ? " =" : "")"
    case .remove(let path, let same): "remove \(path)\(same ? " =" : "")"
    case .begin(let label): "begin\(label.map { " " + $0 } ?? "")"
    case .end: "end"
    case .projection, .reads, .invalidate, .evaluate, .dispose, .mark, .action, .finish: nil
    }
  }
}
