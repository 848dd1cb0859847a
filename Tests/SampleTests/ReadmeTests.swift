import Foundation
import Testing

/// The README shows a program and a test that this package builds: they must be the same, byte for byte.
@Test(arguments: [
  ("## A whole program\n", "Examples/Quickstart/main.swift"),
  ("## New code on a recorded session\n", "Tests/SampleTests/DrivenChatTests.swift"),
])
func theProgramInTheReadmeIsTheOneThatIsBuilt(heading: String, file: String) throws {
  let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  let readme = try String(contentsOf: top.appending(path: "README.md"), encoding: .utf8)
  let program = try String(contentsOf: top.appending(path: file), encoding: .utf8)
  let section = try #require(readme.range(of: heading)).upperBound
  let start = try #require(readme.range(of: "```swift\n", range: section..<readme.endIndex)).upperBound
  let end = try #require(readme.range(of: "```", range: start..<readme.endIndex)).lowerBound
  #expect(readme[start..<end] == program)
}
