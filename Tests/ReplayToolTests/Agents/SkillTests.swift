import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// The skill that agents read.
@Suite struct SkillTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  private func write() -> ToolRun { ToolRun("skill", "--into", workspace.file("skills")) }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: workspace.file("skills/replay/\(name)"), encoding: .utf8)
  }

  @Test func itIsWrittenWithAllThatItRefersTo() throws {
    let run = write()
    #expect(
      run.status == .done && run.output == "\(workspace.file("skills"))/replay: 4 files\n", "\(run.errors)")
    let skill = try text("SKILL.md")
    #expect(skill.hasPrefix("---\nname: replay\ndescription: "))
    let description = try #require(skill.split(separator: "\n").first { $0.hasPrefix("description: ") })
    #expect(description.utf8.count <= 1024)
    for name in try FileManager.default.contentsOfDirectory(
      atPath: workspace.file("skills/replay/references"))
    {
      #expect(skill.contains("`references/\(name)`"))
    }
    for reference in skill.matches(of: /references\/\w+\.md/) { _ = try text(String(reference.output)) }
  }

  @Test func writtenAgainItIsTheSame() throws {
    #expect(write().status == .done)
    let before = try text("SKILL.md")
    #expect(write().status == .done)
    #expect(try text("SKILL.md") == before)
  }

  @Test(arguments: ["SKILL.md", "references/proving.md"]) func whatIsOfAnotherIsLeft(name: String) throws {
    #expect(write().status == .done)
    for change in ["changed\n" + (try text(name)), try text(name) + "more\n", "of another\n", ""] {
      let path = workspace.file("skills/replay/\(name)")
      try change.write(toFile: path, atomically: false, encoding: .utf8)
      // An older one of ours would be updated, and is not if another file is not ours.
      try FileManager.default.removeItem(atPath: workspace.file("skills/replay/references/questions.md"))
      let run = write()
      #expect(run.status == .refused)
      #expect(run.errors.contains(path) && run.errors.contains("give another --into"), "\(run.errors)")
      #expect(try text(name) == change)
      #expect(
        !FileManager.default.fileExists(atPath: workspace.file("skills/replay/references/questions.md")))
      try FileManager.default.removeItem(atPath: path)
      #expect(write().status == .done)
    }
  }

  @Test func aLinkIsNotWrittenThrough() throws {
    try FileManager.default.createDirectory(
      atPath: workspace.file("skills/replay"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: workspace.file("skills/replay/SKILL.md"), withDestinationPath: workspace.file("elsewhere"))
    #expect(write().status == .refused)
    #expect(workspace.files == ["skills"])
  }

  /// The commands of the `sh` blocks of a text.
  private static func commands(_ text: String) -> [String] {
    text.matches(of: /```sh\n((?:.*\n)*?)```/).flatMap { $0.1.split(separator: "\n").map(String.init) }
  }

  @Test func everyCommandInItWorks() throws {
    for (name, log) in [("before", "chat-wide"), ("after", "chat-isolated")] {
      try FileManager.default.copyItem(atPath: sample(log), toPath: workspace.file("\(name).evlog"))
    }
    var count = 0
    for file in SkillFile.all {
      for command in Self.commands(file.text) {
        count += 1
        var words = Self.words(command)
        try #require(words.removeFirst() == "replay", "\(command)")
        words = words.map { word in
          let isFile = [".evlog", ".yaml", ".html"].contains { word.hasSuffix($0) }
          return isFile || word == "." ? workspace.file(word == "." ? "" : word) : word
        }
        if let end = words.firstIndex(of: "--") {
          // In place of a test that drives.
          words[(end + 1)...] = ["sh", "-c", #"cp "$REPLAY_DRIVE" "$REPLAY_DRIVE_OUTPUT""#]
          words.insert("--replace", at: end)
          // What is driven here is no better, so it is not kept.
          words = words.map { $0.hasSuffix("after.evlog") ? workspace.file("driven.evlog") : $0 }
        }
        let isUpdate = words.contains("--update")
        if isUpdate { try? FileManager.default.removeItem(atPath: workspace.file("budget.yaml")) }
        let run = ToolRun(words)
        #expect(run.status == .done || run.status == .found, "\(command): \(run.errors)")
        #expect(!run.output.isEmpty, "\(command)")
      }
    }
    #expect(count > 20)
    // So have the commands that the text speaks of the options that it names.
    for file in SkillFile.all {
      for mention in file.text.matches(of: /`([a-z-]+) (--[a-z-]+)/) {
        let help = ToolRun(String(mention.1), "--help")
        #expect(help.status == .done && help.output.contains(mention.2), "\(mention.0)")
      }
    }
  }

  /// Splits a line like a shell, as far as it is needed.
  private static func words(_ line: String) -> [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, piece in
      index % 2 == 1 ? [String(piece)] : piece.split(separator: " ").map(String.init)
    }
  }
}
