import Foundation
import Testing

/// Every snippet of MIGRATING.md that does not say that it is not compiled here is part of a file of this folder, byte for
/// byte but for the indentation of a namespace.
@Suite struct GuideTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  private static let top = folder.deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func guide() throws -> String {
    try String(contentsOf: Self.top.appending(path: "MIGRATING.md"), encoding: .utf8)
  }

  /// What stands in the blocks of the guide that begin with a line.
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
    #expect(snippets.count == 13)
    let sources = try sources()
    for snippet in snippets {
      #expect(sources.contains { $0.contains("\n\(snippet)") }, "\(snippet)")
    }
  }

  /// What needs SwiftUI, Combine or another library is shown as such.
  @Test func whatIsNotCompiledSaysSo() throws {
    let shown = try blocks(beginning: "```swift (not compiled here)")
    #expect(shown.count == 4)
    let snippets = try blocks(beginning: "```swift").count
    let fences = try guide().components(separatedBy: "\n```swift").count - 1
    #expect(fences == snippets + shown.count)
  }

  /// What it costs is what was measured: a figure that is measured anew is to be changed in the guide, too.
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
