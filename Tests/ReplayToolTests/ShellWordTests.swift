import Foundation
import Testing

@testable import ReplayAnalysis

/// Words of commands, as a shell parses them.
@Suite struct ShellWordTests {
  private static let bash = ["/bin/bash", "/usr/bin/bash"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(
    .enabled(if: ShellWordTests.bash != nil),
    arguments: [
      "plain", "two words", "it's", "", "a\u{3}b", "\u{202E}evil'\\\u{2066}", "\n0", "tab\there",
      "\u{E0041}x",
      "Ä\u{9B}$x`y`", "a\u{200B}b", "\u{7F}\u{1}1",
    ])
  func aShellGetsTheWordAndATerminalNothingElse(word: String) throws {
    let quoted = word.quotedForShell
    #expect(quoted == quoted.shown(most: .max), "\(quoted)")
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.bash))
    process.arguments = ["-c", "printf %s " + quoted]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(Array(output) == Array(word.utf8))
  }
}
