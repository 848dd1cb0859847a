import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// The complete output of every command on the samples. `make golden` writes the files again.
@Suite struct GoldenTests {
  @Test(arguments: GoldenCase.cases) func printsWhatIsKept(golden: GoldenCase) throws {
    let workspace = try Workspace()
    _ = try workspace.write(screen, to: "lines.jsonl")
    // Samples are named as users name them, because the length of their path must not decide where a line is
    // cut.
    try #require(isInRoot)
    let arguments = golden.arguments.map { $0.replacing("WORK/", with: workspace.path + "/") }
    var run = ToolRun(arguments, width: golden.width)
    run.output = run.output.replacing(workspace.path, with: "WORK")
    run.errors = run.errors.replacing(workspace.path, with: "WORK")
    var text = golden.isJSON ? run.output : shown(run, golden)
    if golden.hidesSizes { text = text.replacing(/[0-9.,]+ (B|KiB|MiB)\b/, with: "N B") }
    let file = files + golden.file
    if isUpdating {
      try text.write(toFile: file, atomically: true, encoding: .utf8)
    }
    let kept = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text == kept, "make golden, and look at the change")
    if let width = golden.width {
      // A command that is printed for copying is printed in full.
      for line in run.lines where !line.contains("try: replay ") {
        #expect(line.columns <= width, "\(line)")
      }
    }
  }

  @Test func noFileIsKeptForNothing() throws {
    let kept = try FileManager.default.contentsOfDirectory(atPath: files).filter { !$0.hasPrefix(".") }
    let stale = Set(kept).subtracting(GoldenCase.cases.map(\.file))
    if isUpdating { for file in stale { try FileManager.default.removeItem(atPath: files + file) } }
    #expect(isUpdating || stale.isEmpty)
  }

  /// The command, its output, its errors and its status.
  private func shown(_ run: ToolRun, _ golden: GoldenCase) -> String {
    let command = (["replay"] + golden.arguments).map { $0.contains(" ") ? "'\($0)'" : $0 }
    var text = "$ " + command.joined(separator: " ") + "\n" + run.output
    if !run.errors.isEmpty { text += "[errors]\n" + run.errors }
    return text + "[status \(run.status.rawValue)]\n"
  }
}

/// Whether the files are written instead of compared.
private let isUpdating = ProcessInfo.processInfo.environment["GOLDEN"] == "update"
private let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined() + "/"
private let isInRoot = FileManager.default.changeCurrentDirectoryPath(root)
private let files = root + "Tests/ReplayToolTests/Golden/Files/"
