import EventLog
import Foundation
import LogGenerator
import ReplayAnalysis
import Testing

@testable import ReplayTool

/// `replay drive`, with foreign programs and one of this package.
@Suite struct DriveCommandTests {
  private static let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/"
  private static let wide = root + "SampleLogs/chat-wide.evlog"
  /// A program that copies the recording that it is given to its output.
  private static let copies = ["--", "sh", "-c", #"cp "$REPLAY_DRIVE" "$REPLAY_DRIVE_OUTPUT""#]

  @Test func aProgramThatDoesTheSameIsIdentical() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let run = ToolRun(["drive", log, "-o", workspace.file("new.evlog")] + Self.copies)
    #expect(run.status == .done, "\(run.errors)")
    #expect(run.output == "the runs are identical\n")
    #expect(run.errors == "replay: the new log is \(workspace.file("new.evlog"))\n")
    #expect(ToolRun("diff", log, workspace.file("new.evlog")).status == .done)
  }

  @Test func whatDiffersIsShownAndFound() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let other = try workspace.log(
      screen.replacing(#""label":"refresh""#, with: #""label":"reload""#)
        + #"{"kind":"mark","label":"drive: event 11, store.rows[0].count: nothing is there"}"# + "\n",
      "other.evlog")
    let program = ["--", "sh", "-c", #"cp "\#(other)" "$REPLAY_DRIVE_OUTPUT""#]
    let run = ToolRun(["drive", log, "-o", workspace.file("new.evlog")] + program)
    #expect(run.status == .found)
    #expect(run.output.contains("first divergence"))
    #expect(run.output.contains("not driven\n  event 11, store.rows[0].count: nothing is there\n"))
    let json = ToolRun(
      ["drive", log, "-o", workspace.file("new.evlog"), "--replace", "--format", "json"] + program)
    #expect(json.status == .found)
    #expect(json.output.contains(#""problems""#))
    let allowed = ToolRun(
      ["drive", log, "-o", workspace.file("new.evlog"), "--replace", "--fail-on", "more-evaluations"]
        + program)
    #expect(allowed.status == .done)
  }

  @Test func aProgramThatFailsOrDrivesNothingIsReported() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let output = workspace.file("new.evlog")
    let nothing = ToolRun("drive", log, "-o", output, "--", "true")
    #expect(nothing.status == .refused)
    #expect(nothing.errors.contains("true drove nothing: it is to call Session.driven()"))
    let failing = ToolRun(
      "drive", log, "-o", output, "--", "sh", "-c", #"cp "$REPLAY_DRIVE" "$REPLAY_DRIVE_OUTPUT"; exit 3"#)
    #expect(failing.status == .found)
    #expect(failing.errors.contains("sh ended with status 3"))
    #expect(ToolRun("drive", log).errors.contains("the program to run comes after --"))
  }

  @Test func noLogIsReplacedByMistake() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let there = try workspace.log(screen, "there.evlog")
    let before = try Data(contentsOf: URL(filePath: there))
    #expect(ToolRun(["drive", log, "-o", there] + Self.copies).status == .refused)
    #expect(ToolRun(["drive", log, "-o", log, "--replace"] + Self.copies).status == .refused)
    // Nor under another name of its folder.
    let link = workspace.file("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: workspace.path)
    let other = link + "/" + URL(filePath: log).lastPathComponent
    #expect(ToolRun(["drive", log, "-o", other, "--replace"] + Self.copies).status == .refused)
    #expect(FileManager.default.fileExists(atPath: log))
    #expect(try Data(contentsOf: URL(filePath: there)) == before)
  }

  @Test func aSessionInAFolderIsDrivenAndNotReplaced() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let session = SessionIdentity(try LogHeader(ofLogAt: log)).id
    let named = "\(workspace.path)#\(session)"
    let run = ToolRun(["drive", named, "-o", workspace.file("new.evlog")] + Self.copies)
    #expect(run.status == .done, "\(run.errors)")
    #expect(ToolRun("diff", log, workspace.file("new.evlog")).status == .done)
    try FileManager.default.removeItem(atPath: workspace.file("new.evlog"))
    let replacing = ToolRun(["drive", named, "-o", log, "--replace"] + Self.copies)
    #expect(replacing.status == .refused)
    #expect(replacing.errors.contains("the new file is made of this one"))
  }

  /// The sample apps as a separate process, from the folder where they were built beside the tests.
  private static let recordSample = builtTool?.deletingLastPathComponent().appending(path: "record-sample")
    .path

  @Test(.enabled(if: recordSample.map { FileManager.default.isExecutableFile(atPath: $0) } ?? false))
  func aRecordingIsDrivenThroughAProgramWithTheFix() throws {
    let workspace = try Workspace()
    let program = try #require(Self.recordSample)
    let run = ToolRun("drive", Self.wide, "-o", workspace.file("new.evlog"), "--", program, "chat-isolated")
    #expect(run.status == .found, "\(run.errors)")
    #expect(run.output.contains("MessageRow"))
    #expect(!run.output.contains("not driven"))
    let same = ToolRun("drive", Self.wide, "-o", workspace.file("same.evlog"), "--", program, "chat-wide")
    // Only the durations of runs are shown, and no difference.
    #expect(same.status == .done, "\(same.output)")
  }
}
