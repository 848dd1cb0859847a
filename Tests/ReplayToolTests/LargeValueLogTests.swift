import EventLog
import Foundation
import LogGenerator
import Projection
import Testing

@testable import ReplayTool

/// Logs with values that do not fit an event can be read by every command, and all but the values that are too
/// large is in them.
@Suite struct LargeValueLogTests {
  @Recorded final class Journal {
    var title = "first"
    var blob = Data()
    var numbers: [Int] = []
    var cover: Cover?
    var pages: RecordedArray<Cover> = []
  }

  @Recorded final class Cover {
    var name = "cover"
    var image = Data()
  }

  /// Over what an event can hold.
  private static let tooLarge = 17 << 20

  private let workspace: Workspace
  private let journal = Journal()

  init() throws { workspace = try Workspace() }

  /// Records what the body does, and checks that all commands can read the log.
  private func record(_ body: (Session) -> Void) throws -> (log: String, diagnostics: [String]) {
    let log = workspace.file("run.evlog")
    let session = try Session(recordingTo: URL(filePath: log))
    body(session)
    session.mark("end")
    try session.close()
    for arguments in [
      ["verify", log], ["info", log], ["state", log], ["timeline", log], ["hot", log], ["cascades", log],
      ["export", log, "-o", workspace.file("run.jsonl"), "--replace"],
      ["compact", log, "-o", workspace.file("compact.evlog"), "--replace"],
      ["cut", log, "--from", "2", "-o", workspace.file("cut.evlog"), "--replace"],
      [
        "merge", log, try workspace.log(screen, "other.evlog"), "-o", workspace.file("merged.evlog"),
        "--replace",
      ],
      ["recover", log, "-o", workspace.file("recovered.evlog"), "--replace"],
      ["import", workspace.file("run.jsonl"), "-o", workspace.file("again.evlog"), "--replace"],
    ] {
      let run = ToolRun(arguments)
      #expect(run.status == .done, "\(arguments[0]): \(run.errors)")
    }
    for copy in ["compact", "cut", "merged", "recovered", "again"] {
      let run = ToolRun("verify", workspace.file(copy + ".evlog"))
      #expect(run.status == .done, "verify \(copy): \(run.output)\(run.errors)")
    }
    return (log, session.diagnostics.map(\.message))
  }

  /// The text of a value at the end of a log.
  private func value(_ path: String, in log: String) -> String {
    let run = ToolRun("state", log, path)
    return run.output + run.errors
  }

  /// The diagnostics in a log.
  private func marks(in log: String) throws -> [String] {
    var marks: [String] = []
    try LogReader(path: log).forEachEvent { event in
      if case .mark(let label) = event.body, label.hasPrefix("diagnostic: ") { marks.append(label) }
    }
    return marks
  }

  @Test func dataOfNineMegabytesIsRecordedAsBytes() throws {
    journal.blob = Data(count: 9_000_000)
    let (log, diagnostics) = try record { $0.attach(journal, as: "journal") }
    #expect(diagnostics == [])
    #expect(value("journal.title", in: log).contains("first"))
    let state = try LogReader(path: log).state(at: 1)
    guard case .bytes(let bytes)? = state.value(at: try Path(parsing: "journal.blob")) else {
      Issue.record("\(value("journal.blob", in: log).prefix(200))")
      return
    }
    #expect(bytes.count == 9_000_000)
  }

  @Test func anArrayOfManyNumbersIsRecorded() throws {
    journal.numbers = Array(0..<600_000)
    let (log, diagnostics) = try record { $0.attach(journal, as: "journal") }
    #expect(diagnostics == [])
    #expect(value("journal.numbers[599999]", in: log).contains("599999"))
  }

  @Test func onlyThePartThatIsTooLargeIsMissing() throws {
    journal.blob = Data(count: Self.tooLarge)
    journal.cover = Cover()
    let (log, diagnostics) = try record { session in
      session.attach(journal, as: "journal")
      journal.title = "second"
      journal.cover?.name = "other"
    }
    #expect(value("journal.title", in: log).contains("second"))
    #expect(value("journal.cover.name", in: log).contains("other"))
    #expect(value("journal.blob", in: log).contains("too large: "))
    #expect(diagnostics.count == 1 && diagnostics[0].hasPrefix("journal.blob "), "\(diagnostics)")
    #expect(try marks(in: log) == diagnostics.map { "diagnostic: " + $0 })
  }

  @Test func anObjectWithALargePartThatIsAssignedLaterLeavesTheRestReadable() throws {
    let (log, diagnostics) = try record { session in
      session.attach(journal, as: "journal")
      journal.title = "second"
      let cover = Cover()
      cover.image = Data(count: Self.tooLarge)
      journal.cover = cover
      journal.pages.append(cover)
      cover.name = "third"
      for size in 1...3 { cover.image = Data(count: Self.tooLarge + size) }
      journal.title = "last"
    }
    #expect(value("journal.title", in: log).contains("last"))
    #expect(value("journal.cover.name", in: log).contains("third"))
    #expect(diagnostics.count == 1 && diagnostics[0].hasPrefix("journal.cover.image "), "\(diagnostics)")
    #expect(try marks(in: log).count == 1)
  }
}
