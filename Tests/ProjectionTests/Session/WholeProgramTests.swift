import Foundation
import Projection
import Testing

struct Mail: Identifiable, Equatable {
  var id: Int
  var count = 0
  var isUnread = true
}

@Recorded final class Mailbox {
  var rows: RecordedArray<Mail> = []
  var isLoading = false
  @RecordedIgnored var scratch = Data()
  @Redacted var token = ""
}

/// Every feature of a session in one program, as a user would write it.
@Test func aWholeProgramIsRecordedAndReplayed() throws {
  let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
  defer { try? FileManager.default.removeItem(at: url) }
  var drawn: [Int] = []
  var changes: [Bool] = []
  var sets: [Bool] = []
  var appeared = 0

  let session = try Session(recordingTo: url)
  let store = Mailbox()
  session.attach(store, as: "store")
  store.rows = RecordedArray((40..<45).map { Mail(id: $0) })

  let list = session.projection("List") { scope in
    scope.onFirstAppear { appeared += 1 }
    for row in store.rows {
      scope.child("Row", id: row.id, input: row) { _ in drawn.append(row.id) }
    }
  }
  let unread = session.derived("unread") { store.rows.count(where: \.isUnread) }
  let a = session.onChange(of: \.isLoading, in: store) { _, new in changes.append(new) }
  let b = session.onReceive(of: \.isLoading, in: store) { value in sets.append(value) }

  session.transaction("refresh") {
    store.isLoading = true
    store.isLoading = false
  }
  session.mark("user tapped play")
  store.scratch = Data([1])
  store.token = "secret"
  drawn = []
  let report = session.measure { store.rows[id: 42].count += 1 }

  #expect(report.evaluations("Row") == 1)
  #expect(report.evaluations("List") == 1)
  #expect(drawn == [42])
  #expect(unread.value == 5)
  #expect(changes == [])
  #expect(sets == [true, false])
  #expect(appeared == 1)
  #expect(list.name == "List")
  #expect(a.name == "onChange(store.isLoading)")
  #expect(b.name == "onReceive(store.isLoading)")
  #expect(session.diagnostics == [])
  try session.close()
}
