import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// The manual pages, and whether `man` accepts them.
@Suite struct ManualTests {
  @Test func theManualHasAPageForEveryCommand() throws {
    let workspace = try Workspace()
    #expect(ToolRun("manual", "--into", workspace.file("man")).status == .done)
    let pages = try FileManager.default.contentsOfDirectory(atPath: workspace.file("man"))
    for name in Replay.commandNames where name != "help" && name != "manual" {
      #expect(pages.contains("replay-\(name).1"))
    }
    let page = try String(contentsOfFile: workspace.file("man/replay-hot.1"), encoding: .utf8)
    #expect(page.hasPrefix(#".TH "REPLAY-HOT" "1""#))
    for part in [
      ".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".B \\-\\-limit <count>", ".SH EXAMPLES", ".SH SEE ALSO",
    ] {
      #expect(page.contains(part), "\(part)")
    }
  }

  @Test func whatBelongsTogetherIsSetSo() throws {
    let pages = try Dictionary(uniqueKeysWithValues: ManualPage.all().map { ($0.name, $0.text) })
    // A term and its indented meaning.
    #expect(pages["replay-lint"]?.contains(".SH DESCRIPTION\nhot\\-parent\n  A parent reads") == true)
    #expect(pages["replay-lint"]?.contains("\n.PP\nmixed\\-reads\n  A projection reads") == true)
    // An option with its names, values and default.
    let format = "text for people, json for programs. (values: text, json; default: text)"
    #expect(pages["replay-hot"]?.contains(".TP\n.B \\-\\-format <format>\n\(format)") == true)
    #expect(pages["replay-hot"]?.contains(".TP\n.B \\-h, \\-\\-help\n") == true)
    // An example can be copied, and no example is left in the description.
    #expect(pages["replay-info"]?.contains(".nf\nreplay info SampleLogs/chat\\-wide.evlog\n.fi") == true)
    #expect(pages["replay-why"]?.contains(" 'Row#42' \\e\n  \\-\\-at 'mark:bump row 7'\n") == true)
    #expect(pages["replay-check"]?.contains("\n  total: ") == true)
    #expect(pages["replay-check"]?.contains("\n      fan_out: 1\n") == true)
    for text in pages.values { #expect(!text.contains("Example: ")) }
    // The tool's own page has the groups of help.
    #expect(pages["replay"]?.contains(".SH LOOK SUBCOMMANDS\n.TP\n.B info\nShows what is in a log") == true)
  }

  @Test(.enabled(if: isInstalled("mandoc"), "needs mandoc")) func mandocHasNothingToWarnOf() throws {
    let workspace = try Workspace()
    #expect(ToolRun("manual", "--into", workspace.path).status == .done)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["mandoc", "-Tlint", "-Wwarning"] + workspace.files.map(workspace.file)
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let said = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    // Pages have no date: the same source makes the same pages.
    let warnings = said.split(separator: "\n").filter { !$0.contains("missing date") }
    #expect(warnings.isEmpty)
  }
}
