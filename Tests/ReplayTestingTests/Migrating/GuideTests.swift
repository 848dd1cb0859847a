import Foundation
import Testing

/// Every snippet of MIGRATING.md is part of a file in this folder, byte for byte except for the indentation
/// of a namespace, unless the guide marks it as not compiled here.
@Suite struct GuideTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  private static let top = folder.deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func guide() throws -> String {
    try String(contentsOf: Self.top.appending(path: "MIGRATING.md"), encoding: .utf8)
  }

  /// The content of the guide's code blocks that begin with this line.
  private func blocks(beginning opening: String) throws -> [String] {
    try guide().components(separatedBy: "\n\(opening)\n").dropFirst().map { rest in
      try String(rest[..<#require(rest.range(of: "```")).lowerBound])
    }
  }

  private func sources() throws -> [String] {
    let files = try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
    let texts = try files.filter { $0.lastPathComponent.hasPrefix("From") }.map {
      try String(contentsOf: $0, encoding: .utf8)
    }
    let outdented = texts.map { text in
      text.components(separatedBy: "\n").map { $0.hasPrefix("  ") ? String($0.dropFirst(2)) : $0 }
        .joined(separator: "\n")
    }
    return texts + outdented
  }

  @Test func everySnippetIsCompiled() throws {
    let snippets = try blocks(beginning: "```swift")
    #expect(snippets.count == 14)
    let sources = try sources()
    for snippet in snippets {
      #expect(sources.contains { $0.contains("\n\(snippet)") }, "\(snippet)")
    }
  }

  /// Snippets that need SwiftUI, Combine or another library are marked.
  @Test func whatIsNotCompiledSaysSo() throws {
    let shown = try blocks(beginning: "```swift (not compiled here)")
    #expect(shown.count == 5)
    let snippets = try blocks(beginning: "```swift").count
    let fences = try guide().components(separatedBy: "\n```swift").count - 1
    #expect(fences == snippets + shown.count)
  }

  /// The costs in the guide are measured figures: if a figure is measured again, it must change in the guide,
  /// too.
  @Test func everyFigureIsInTheNotesOfTheBenchmarks() throws {
    func figures(_ text: some StringProtocol) -> Set<Substring> {
      Set(Substring(text).matches(of: /[0-9]+(,[0-9]{3})*(\.[0-9]+)?/).map(\.output.0))
    }
    let notes = try String(contentsOf: Self.top.appending(path: "Benchmarks/NOTES.md"), encoding: .utf8)
    let guide = try guide()
    let costs = try figures(guide[#require(guide.range(of: "## What it costs")).upperBound...])
    #expect(costs.count > 40)
    #expect(costs.subtracting(figures(notes)) == [])
  }
}
