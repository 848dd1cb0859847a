import EventLog
import Foundation
import Observation
import Projection
import ReplayTesting
import Synchronization
import Testing

// The snippets of MIGRATING.md, "From `@Observable`", in their order.

struct Book: Identifiable, Equatable {
  let id: Int
  var title: String
  var isRead = false
}

enum WithObservable {
  @Observable final class Library {
    var books: [Book] = []
    var query = ""
    @ObservationIgnored var cache: [String: Int] = [:]

    var found: [Book] { query.isEmpty ? books : books.filter { $0.title.contains(query) } }
  }
}

enum WithTheMacroAlone {
  @Recorded final class Library {
    var books: [Book] = []
    var query = ""
    @ObservationIgnored var cache: [String: Int] = [:]

    var found: [Book] { query.isEmpty ? books : books.filter { $0.title.contains(query) } }
  }
}

@Recorded final class Library {
  var books: RecordedArray<Book> = []
  var query = ""
  @Redacted var token = ""
  @RecordedIgnored var cache: [String: Int] = [:]

  var found: [Book] { books.filter { query.isEmpty || $0.title.contains(query) } }
}

func record(_ library: Library, to file: URL) throws -> Session {
  let session = try Session(recordingTo: file)
  session.attach(library, as: "library")
  return session
}

@Test func readingABookRunsItsRowAlone() throws {
  try withRecordedSession { session in
    let library = Library()
    library.books = RecordedArray((1...100).map { Book(id: $0, title: "Volume \($0)") })
    session.attach(library, as: "library")
    session.projection("List") { list in
      for index in library.books.indices {
        list.child("Row", id: index, input: index) { _ in library.books[index].title }
      }
    }
    session.expectEvaluations(["Row": 1], others: 0) { library.books[41].isRead = true }
  }
}

// The statements in the text of the guide.

private final class Flag: Sendable {
  let isUp = Mutex(false)
}

@Suite struct FromObservable {
  /// Observers of the standard library are notified of the same changes, whether or not the object is
  /// attached to a session.
  @Test func theMacroAloneChangesNothingForObservers() {
    func heard(_ read: @escaping () -> Void, _ write: () -> Void) -> Bool {
      let flag = Flag()
      withObservationTracking(read) { flag.isUp.withLock { $0 = true } }
      write()
      return flag.isUp.withLock { $0 }
    }
    let (before, after, attached) = (
      WithObservable.Library(), WithTheMacroAlone.Library(), WithTheMacroAlone.Library()
    )
    let session = Session()
    session.attach(attached, as: "library")
    #expect(heard({ _ = before.found }, { before.query = "Emma" }))
    #expect(heard({ _ = after.found }, { after.query = "Emma" }))
    #expect(heard({ _ = attached.found }, { attached.query = "Emma" }))
    #expect(!heard({ _ = before.books }, { before.query = "Sense" }))
    #expect(!heard({ _ = after.books }, { after.query = "Sense" }))
    #expect(!heard({ _ = attached.books }, { attached.query = "Sense" }))
    #expect(!heard({ _ = before.cache }, { before.cache["a"] = 1 }))
    #expect(!heard({ _ = after.cache }, { after.cache["a"] = 1 }))
    #expect(!heard({ _ = attached.cache }, { attached.cache["a"] = 1 }))
  }

  @Test func theLogHasTheBooksAndNotTheToken() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).evlog")
    defer { try? FileManager.default.removeItem(at: file) }
    let library = Library()
    let session = try record(library, to: file)
    library.token = "hunter2"
    library.books.append(Book(id: 1, title: "Emma"))
    try session.close()
    var text = ""
    try LogReader(path: file.path).forEachEvent { text += $0.json() }
    #expect(text.contains("Emma"))
    #expect(text.contains("library.token"))
    #expect(!text.contains("hunter2"))
    #expect(!text.contains("cache"))
  }
}
