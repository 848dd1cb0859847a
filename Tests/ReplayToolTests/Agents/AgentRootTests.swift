import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// A server reads and writes nothing outside of its root.
@Suite struct AgentRootTests {
  private let workspace: Workspace
  private let root: String
  private let outside: String

  init() throws {
    workspace = try Workspace()
    (root, outside) = (workspace.file("root"), workspace.file("outside"))
    for folder in [root, outside, root + "/sub"] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    for folder in [root, outside] {
      try FileManager.default.copyItem(atPath: sample("scopes"), toPath: folder + "/run.evlog")
    }
    for (link, target) in [
      ("file.evlog", outside + "/run.evlog"), ("folder", outside), ("up", ".."),
      ("nowhere", outside + "/new.yaml"),
      ("sub/inside.evlog", "../run.evlog"), ("sub/turn", "../folder"),
    ] {
      try FileManager.default.createSymbolicLink(atPath: "\(root)/\(link)", withDestinationPath: target)
    }
  }

  private var before: [String] {
    (try? FileManager.default.subpathsOfDirectory(atPath: workspace.path).sorted()) ?? []
  }

  @Test func onlyPathsWithinTheRootAreAnswered() throws {
    let client = try AgentClient(root)
    let known = before
    for path in ["run.evlog", "./run.evlog", "sub/../run.evlog", "sub/inside.evlog", "\(root)/run.evlog"] {
      #expect(try !client.call("overview", ["log": .string(path)]).isError, "\(path)")
    }
    for path in [
      "../outside/run.evlog", "\(outside)/run.evlog", "/etc/passwd", "file.evlog", "folder/run.evlog",
      "up/outside/run.evlog", "sub/../../outside/run.evlog", "sub/turn/run.evlog", "../none.evlog", "/none",
      "folder/none.evlog", "nowhere", "", "..", "/", "up", "a\u{0}b", "~/run.evlog/..",
    ] {
      let answer = try client.call("overview", ["log": .string(path)])
      #expect(answer.isError, "\(path)")
      #expect(!answer.texts.joined().contains("record-sample"), "\(path)")
    }
    // What is there and what is not there are told apart within the root alone.
    let answers = try ["../outside/run.evlog", "../outside/none.evlog"].map { path in
      try client.call("overview", ["log": .string(path)]).texts[0].replacing(path, with: "")
    }
    #expect(Set(answers).count == 1)
    #expect(before == known)
  }

  @Test func nothingIsWrittenOutside() throws {
    let client = try AgentClient(root, allowsRuns: true)
    let known = before
    let copies: JSON = ["sh", "-c", #"cp "$REPLAY_DRIVE" "$REPLAY_DRIVE_OUTPUT""#]
    for path in [
      "../new", "\(outside)/new", "folder/new", "up/new", "nowhere", "none/new", "sub/turn/new", "", ".",
      "..", "sub/..",
      "folder/\u{301}new", "sub/\u{301}../../new",
    ] {
      let budget = try client.call("check", ["log": "run.evlog", "budget": .string(path), "update": true])
      #expect(budget.isError, "\(path)")
      let driven = try client.call("drive", ["log": "run.evlog", "output": .string(path), "program": copies])
      #expect(driven.isError, "\(path)")
    }
    #expect(before == known)
    #expect(
      try !client.call("check", ["log": "run.evlog", "budget": "sub/new.yaml", "update": true]).isError)
    let driven = try client.call("drive", ["log": "run.evlog", "output": "sub/new.evlog", "program": copies])
    #expect(!driven.isError && driven.printed == "the runs are identical\n", "\(driven.texts)")
    #expect(Set(before).subtracting(known) == ["root/sub/new.evlog", "root/sub/new.yaml"])
    // A log is not replaced.
    #expect(try client.call("drive", ["log": "run.evlog", "output": "run.evlog", "program": copies]).isError)
  }

  @Test func aProgramRunsOnlyIfThatIsAllowedAndInTheRoot() throws {
    let known = before
    let writes: JSON = ["sh", "-c", "touch ran; cp \"$REPLAY_DRIVE\" \"$REPLAY_DRIVE_OUTPUT\""]
    let refused = try AgentClient(root).call(
      "drive", ["log": "run.evlog", "output": "new.evlog", "program": writes])
    #expect(refused.isError && refused.texts[0].contains("replay mcp --allow-run"))
    #expect(before == known)
    let client = try AgentClient(root, allowsRuns: true)
    for program: JSON in [
      [], [""], ["/bin/sh"], ["../outside/run"], ["folder/run"], ["-S", "sh"], ["A=b", "sh"], ["none/x"],
    ] {
      let answer = try client.call("drive", ["log": "run.evlog", "output": "new.evlog", "program": program])
      #expect(answer.isError, "\(program)")
    }
    #expect(before == known)
    #expect(
      try !client.call("drive", ["log": "run.evlog", "output": "new.evlog", "program": writes]).isError)
    #expect(Set(before).subtracting(known) == ["root/new.evlog", "root/ran"])
  }

  @Test func aRootThatIsNoneIsRefused() {
    for folder in [workspace.file("none"), root + "/run.evlog", ""] {
      let run = ToolRun("mcp", "--root", folder)
      #expect(run.status == .refused && run.errors.contains("there is no such folder"), "\(folder)")
    }
  }
}
