import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// Tests of the lines around the places that a log names.
@Suite struct SourceFolderTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    let files = [
      "Chat/Sources/Chat/Row.swift", "Chat/Sources/Shop/Row.swift", "Chat/Sources/Chat/Views/Header.swift",
      "Chat/.build/checkouts/Header.swift", "Chat/Pods/Other/Badge.swift", "Chat/Sources/Shop/Cart.swift",
      "Chat/Sources/Old/Cart.swift", "Chat/Notes.txt", "Chat/Sources/mail-app/Inbox.swift",
      "Chat/Sources/web-app/Inbox.swift",
    ]
    for file in files {
      let url = URL(filePath: workspace.file(file))
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      let lines = (1...40).map { "\(file) line \($0)" }
      try Data(lines.joined(separator: "\n").utf8).write(to: url)
    }
  }

  private func folder(_ editor: Editor? = nil) throws -> SourceFolder {
    try SourceFolder(workspace.file("Chat"), editor: editor)
  }

  @Test func theFileIsTheOneOfThatNameOfWhichMostOfTheWayAgrees() throws {
    let folder = try folder()
    let header = try #require(folder.excerpt(at: "Chat/Header.swift:12"))
    #expect(header.first == 6 && header.lines.count == 13 && header.path == nil)
    #expect(header.lines[header.line - header.first] == "Chat/Sources/Chat/Views/Header.swift line 12")
    // Two files have the name; the module tells which.
    #expect(folder.excerpt(at: "Shop/Row.swift:1")?.lines[0] == "Chat/Sources/Shop/Row.swift line 1")
    #expect(folder.excerpt(at: "Chat/Row.swift:1")?.lines[0] == "Chat/Sources/Chat/Row.swift line 1")
    #expect(
      folder.excerpt(at: "/build/Old/Cart.swift:40")?.lines.last == "Chat/Sources/Old/Cart.swift line 40")
    // The module of a target whose name has a dash.
    #expect(
      folder.excerpt(at: "mail_app/Inbox.swift:1")?.lines[0] == "Chat/Sources/mail-app/Inbox.swift line 1")
  }

  @Test(arguments: [
    "Cart.swift:3", "Chat/Header.swift:41", "Chat/Header.swift:0", "Chat/Header.swift:-1",
    "Chat/Header.swift",
    "Nothing.swift:1", "../../../etc/passwd:1", "Notes.txt:1", "Other/Badge.swift:1", "", ":", ":9", "/:1",
    "Chat/Header.swift:99999999999999999999",
  ])
  func whatIsNotOrMayBeSeveralHasNoLines(site: String) throws {
    #expect(try folder().excerpt(at: site) == nil)
  }

  @Test func pathsAreThereOnlyForAnEditor() throws {
    #expect(
      try folder(.vscode).excerpt(at: "Chat/Header.swift:3")?.path?.hasSuffix("Views/Header.swift") == true)
    #expect(throws: ToolError.self) { try SourceFolder(workspace.file("none"), editor: nil) }
    let log = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../SampleLogs/scopes.evlog").standardized.path
    let alone = ToolRun("report", log, "-o", workspace.file("page.html"), "--open-with", "vscode")
    #expect(alone.status == .refused && alone.errors.contains("--open-with needs --source"))
    let nameless = ToolRun(
      "report", log, "-o", workspace.file("page.html"), "--source", workspace.path, "--redact", "paths")
    #expect(nameless.status == .refused && nameless.errors.contains("contradict"))
  }
}
