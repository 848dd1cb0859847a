import Foundation
import Testing

/// The README shows a program that this package builds: it must be the same, byte for byte.
@Test func theProgramInTheReadmeIsTheOneThatIsBuilt() throws {
  let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  let readme = try String(contentsOf: top.appending(path: "README.md"), encoding: .utf8)
  let program = try String(contentsOf: top.appending(path: "Examples/Quickstart/main.swift"), encoding: .utf8)
  let section = try #require(readme.range(of: "## A whole program\n")).upperBound
  let start = try #require(readme.range(of: "```swift\n", range: section..<readme.endIndex)).upperBound
  let end = try #require(readme.range(of: "```", range: start..<readme.endIndex)).lowerBound
  #expect(readme[start..<end] == program)
}
