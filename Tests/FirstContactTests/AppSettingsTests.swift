import Foundation
import Projection
import ReplayTesting
import Testing

// This target is compiled as Xcode compiles a new app: with `MemberImportVisibility`, by which a member can
// be used only in files that import its module, and isolated to the main actor by default. Its code must
// compile with no import except those in the README, above all the code that the macro generates.

struct Message: Identifiable, Equatable {
  let id: Int
  var text: String
  var isRead = false
}

@Recorded final class Inbox {
  var messages = RecordedArray((0..<1_000).map { Message(id: $0, text: "Message \($0)") })
}

/// A class with every feature that the macro handles specially.
@Recorded class Account {
  let id = UUID()
  var name: String { didSet { renamings += 1 } }
  var renamings = 0
  var inboxes: RecordedDictionary<String, Inbox> = [:]
  var drafts: [Message]? = nil
  @Redacted(.hashed) var token = ""
  @Compared(by: { (a: URL, b: URL) in a.host() == b.host() }) var server = URL(filePath: "/")
  @RecordedIgnored var cache: [Int] = []

  init(name: String) { self.name = name }
}

@Recorded final class PaidAccount: Account {
  var price: Double = 0
}

/// A class that is isolated to no actor, like classes that several threads use.
@Recorded nonisolated final class Counter {
  var count = 0
}

@Suite struct AppSettingsTests {
  @Test func theReadmesProgramNeedsNoOtherImport() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    let inbox = Inbox()
    let session = try Session(recordingTo: folder.appending(path: "run.evlog"), options: .replacingExisting)
    session.attach(inbox, as: "inbox")

    let unread = session.derived("unread") { inbox.messages.count { !$0.isRead } }
    session.projection("Badge") { _ in "\(unread.value) unread" }
    session.projection("List") { list in
      for index in inbox.messages.indices {
        list.child("Row", id: index, input: index) { _ in
          let message = inbox.messages[index]
          return (message.isRead ? "  " : "* ") + message.text
        }
      }
    }

    let report = session.measure { inbox.messages[42].isRead = true }
    let names = report.evaluationsByInstance.keys.sorted().joined(separator: ", ")
    #expect(names == "Badge, Row#42, unread")
    #expect(report.totalEvaluations == 3)
    try session.close()
  }

  @Test func optionsOfALogAreSetByTheImportOfProjection() throws {
    var options = LogOptions()
    options.metadata["commit"] = "abc"
    options.flushInterval = .milliseconds(10)
    let recorder = try FlightRecorder(keeping: .seconds(60), options: options)
    let session = Session(recordingInto: recorder)
    session.projection("Object", tracking: Tracking.object) { _ in 0 }
    try session.close()
  }

  @Test func errorsOfALogAreNamedByTheImportOfProjection() {
    #expect(throws: LogError.self) {
      try Session(recordingTo: URL(filePath: "/nowhere/run.evlog"))
    }
  }

  @Test func callbacksAndHistoryCompile() throws {
    try withRecordedSession { session in
      let account = PaidAccount(name: "a")
      session.attach(account, as: "account")
      var seen: [String] = []
      session.onChange(of: \.name, in: account) { _, new in seen.append(new) }
      session.onReceive(of: \.renamings, in: account) { seen.append("\($0)") }
      session.expectEvaluations([:], others: nil) { account.name = "b" }
      account.token = "secret"
      account.price += 1
      #expect(Set(seen) == ["b", "1"])
    }
  }

  @Test func aBodyThatNeedsNoScopeTakesNone() {
    let session = Session()
    let counter = Counter()
    session.attach(counter, as: "counter")
    session.projection("Text") { "\(counter.count)" }
    session.projection("Nothing") {
      guard counter.count > 0 else { return }
      print("", terminator: "")
    }
    session.projection("List") { list in
      list.child("Row") { counter.count }
      list.child("Row", id: 1, input: 1) { counter.count }
      return list.child("Row", id: 2) { row in row.child("Label") { 0 } }
    }
    let report = session.measure { counter.count += 1 }
    #expect(
      report.evaluationsByInstance == ["Text": 1, "Nothing": 1, "Row": 1, "Row#1": 1])
  }

  @Test func anObjectOfNoActorIsRecorded() {
    let session = Session()
    let counter = Counter()
    session.attach(counter, as: "counter")
    session.projection("Count") { _ in counter.count }
    #expect(session.measure { counter.count += 1 }.totalEvaluations == 1)
  }
}
