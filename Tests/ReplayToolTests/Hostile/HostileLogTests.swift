import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// Every command on a log whose names and values attack the person or program that reads the output.
@Suite struct HostileLogTests {
  /// Moves the cursor, colours, sets the title, breaks lines, reverses text, and is not JSON.
  private static let harm = #"\u001b[31m\u001b]0;x\u0007\n\r\u202eevil\u2066\u009b\u200f\"}{]\\"#
  /// A value may have any length, a name may not.
  private static let long = String(repeating: "long ", count: 200_000)
  private static let longName = String(repeating: "long ", count: 12_000)

  private static let lines = """
    {"kind":"set","path":"a","value":{"$object":"T\(harm)","x":"\(harm)","y":"","z":[],"\(harm)":1}}
    {"kind":"projection","projection":"P\(harm)","site":"\(harm).swift:1"}
    {"kind":"projection","projection":"Q#\(harm)","parent":"P\(harm)"}
    {"kind":"reads","projection":"P\(harm)","paths":["a.x","a.y"]}
    {"kind":"reads","projection":"Q#\(harm)","paths":["a.y"]}
    {"kind":"evaluate","projection":"P\(harm)","duration_ns":18446744073709551615}
    {"kind":"projection","projection":"\(longName)"}
    {"kind":"reads","projection":"\(longName)","paths":["a.x"]}
    {"kind":"mark","label":"\(harm)"}
    {"kind":"mark","label":"\(longName)"}
    {"time_ns":200000000,"kind":"begin","label":"\(harm)\(longName)"}
    {"kind":"set","path":"a.x","value":"\(long)","site":"\(harm)\(longName)"}
    {"kind":"splice","path":"a.y","offset":0,"delete":0,"insert":"\(harm)\(long)"}
    {"kind":"set","path":"a.z","value":["\(harm)",{"id":"\(harm)","v":1}]}
    {"kind":"end"}
    {"kind":"evaluate","projection":"Q#\(harm)","duration_ns":1,"changed":false,"cause":15}
    {"kind":"evaluate","projection":"P\(harm)","duration_ns":1,"changed":false,"cause":15}
    {"kind":"evaluate","projection":"\(longName)","duration_ns":1,"changed":true,"cause":15}
    {"kind":"set","path":"a.z[id: \\"\(harm.replacing("\\", with: "\\\\").replacing("\\\\\"", with: "\\\\\\\""))\\"].v","value":2}
    {"kind":"dispose","projection":"\(longName)"}
    {"kind":"action","label":"\(harm)","site":"\(harm)\(longName)"}
    {"kind":"action","label":"\(longName)","cause":21}
    {"kind":"set","path":"a.y","value":"new","cause":22}
    {"kind":"evaluate","projection":"P\(harm)","duration_ns":1,"changed":true,"cause":23}
    {"kind":"action","label":"\(harm)"}
    {"kind":"set","path":"a.x","value":"\(harm)\(long)","cause":25}
    {"kind":"set","path":"a.x","value":"\(long)\(harm)","cause":21,"site":"\(harm)\(longName)"}
    {"kind":"finish","outcome":"threw","cause":21}

    """

  /// The arguments to run, by command; LOG is the log, OTHER one that differs, and WORK a folder.
  static let runs: [[String]] =
    [
      ["info", "LOG"], ["timeline", "LOG"], ["timeline", "LOG", "--projection", "*evil*"], ["state", "LOG"],
      ["cascades", "LOG"], ["cascades", "LOG", "--by", "time"], ["why", "LOG", "P*"], ["why", "LOG", "Q*"],
      ["why", "LOG", "long*"], ["hot", "LOG"], ["diff", "LOG", "OTHER"], ["verify", "LOG"],
      ["what-if", "LOG", "--tracking", "object"], ["lint", "LOG"], ["overview", "LOG"],
      ["finding", "LOG", "1"], ["recordings", "WORK"], ["state", "LOG", "--since", "1"],
      ["hot", "LOG", "--by", "action"], ["hot", "LOG", "--by", "transaction"],
      ["hot", "LOG", "--by", "mark"],
    ].flatMap { [$0, $0 + ["--format", "json"]] }
    + [
      ["diff", "LOG", "OTHER", "--events"], ["verify", "LOG", "--blocks"], ["tail", "LOG", "--from", "1"],
      ["export", "LOG", "--format", "jsonl"], ["compact", "LOG", "-o", "WORK/small.evlog"],
      ["cut", "LOG", "-o", "WORK/part.evlog", "--from", "12"],
      ["merge", "LOG", "OTHER", "-o", "WORK/both.evlog", "--prefix", "a_", "--prefix", "b_"],
      ["recover", "LOG", "-o", "WORK/saved.evlog"], ["import", "LINES", "-o", "WORK/again.evlog"],
      ["why", "LOG", "\u{1B}[31m"], ["state", "LOG", "a.\u{1B}x"],
      ["timeline", "LOG", "--from", "mark:\u{1B}"],
      // The messages of the argument parser repeat the arguments, too.
      ["info", "--\u{1B}[31m"], ["--\u{1B}[31m"], ["info", "LOG", "\u{1B}[31m"], ["help", "\u{9B}31m"],
      ["hot", "LOG", "--limit", "\u{1B}[31m"], ["timeline", "LOG", "--from", "\u{202E}"],
      ["export", "LOG", "--format", "\u{1B}[31m"], ["state", "LOG", "--format", "\u{9B}31m"],
      ["diff", "LOG", "LOG", "--fail-on", "\u{1B}[31m"], ["lint", "LOG", "--threshold", "\u{1B}[31m"],
      ["what-if", "LOG", "--isolate", "\u{1B}[31m"], ["what-if", "LOG", "--throttle", "\u{1B}[31m"],
      ["cut", "LOG", "-o", "WORK/x", "--path", "\u{1B}[31m"], ["import", "\u{1B}[31m", "-o", "WORK/x"],
      ["export", "LOG", "-o", "/none/\u{1B}[31m"], ["compact", "LOG", "-o", "/none/\u{1B}[31m"],
      ["check", "LOG", "--budget", "\u{1B}[31m"],
      ["manual", "--into", "/dev/null/\u{1B}[31m"], ["merge", "\u{1B}[31m", "-o", "WORK/x"],
      ["recover", "\u{1B}[31m"], ["tail", "/none/\u{1B}[31m"], ["verify", "\u{1B}[31m"],
      ["report", "LOG", "-o", "WORK/page.html", "--replace"], ["report", "LOG", "-o", "/none/\u{1B}[31m"],
      ["serve", "\u{1B}[31m"], ["serve", "LOG", "--port", "\u{1B}[31m"],
      ["why-not", "LOG", "P*"], ["why-not", "LOG", "P*", "--format", "json"],
      ["why-not", "LOG", "\u{1B}[31m"],
      ["why-not", "LOG", "P*", "--write", "\u{1B}[31m"], ["reads", "LOG", "P*"],
      ["reads", "LOG", "P*", "--format", "json"], ["reads", "LOG", "\u{1B}[31m"],
      ["hot", "LOG", "--action", "\u{1B}[31m"], ["timeline", "LOG", "--action", "*evil*"],
      ["cascades", "LOG", "--action", "*evil*"], ["events", "LOG", "--action", "*evil*", "--limit", "0"],
      ["events", "LOG", "--limit", "0"],
      ["events", "LOG", "--limit", "0", "--format", "json"], ["events", "LOG", "--kind", "\u{1B}[31m"],
      ["drive", "LOG", "--", "/none/\u{1B}[31m"], ["drive", "\u{1B}[31m", "--", "true"],
      ["summarize", "LOG", "\u{1B}[31m", "-o", "WORK/tables"],
      ["summarize", "LOG", "-o", "/none/\u{1B}[31m"],
      ["overview", "\u{1B}[31m"], ["finding", "LOG", "\u{1B}[31m"], ["finding", "LOG", "1000"],
      ["test", "LOG"], ["test", "LOG", "--finding", "1"], ["test", "\u{1B}[31m"],
      ["test", "LOG", "--mount", "\u{1B}[31m"], ["test", "LOG", "--view", "\u{1B}[31m"],
      ["bisect", "--good", "\u{1B}[31m", "--bad", "HEAD", "LOG", "--", "true"],
      ["bisect", "--good", "HEAD", "--bad", "HEAD", "\u{1B}[31m", "--", "true"],
      ["diff", "LOG", "OTHER", "LOG"], ["fleet", "report", "\u{1B}[31m", "-o", "WORK/fleet.html"],
      ["recordings", "\u{1B}[31m"], ["mcp", "--root", "\u{1B}[31m"],
      ["skill", "--into", "/dev/null/\u{1B}[31m"],
      ["timeline", "LOG", "--projection", "Pevil"], ["\u{1B}[31m"], ["info", "\u{1B}[31m.evlog"],
    ]

  @Test func nothingOfItReachesTheTerminal() throws {
    let workspace = try Workspace()
    let log = try workspace.log(Self.lines, "hostile.evlog")
    let other = try workspace.log(Self.lines.replacing("evil", with: "good"), "other.evlog")
    for arguments in Self.runs {
      let arguments = arguments.map {
        $0.replacing("LOG", with: log).replacing("OTHER", with: other).replacing("WORK", with: workspace.path)
          .replacing("LINES", with: log + ".jsonl")
      }
      for width in [nil, 80] {
        var run = ToolRun(arguments, width: width)
        // The names of the tool's own files are printed in full.
        run.output = run.output.replacing(workspace.path, with: "")
        check(run, arguments, width)
        for output in ["small", "part", "both", "saved", "again"] {
          try? FileManager.default.removeItem(atPath: workspace.file(output + ".evlog"))
        }
      }
    }
  }

  private func check(_ run: ToolRun, _ arguments: [String], _ width: Int?) {
    let what = Comment(rawValue: arguments.joined(separator: " ").debugDescription)
    for text in [run.output, run.errors] {
      #expect(!text.unicodeScalars.contains { $0 != "\n" && Self.isHostile($0) }, what)
    }
    #expect(run.errors.utf8.count < 10_000, what)
    let isLines = ["tail", "export"].contains(arguments.first)
    if isLines || arguments.last == "json" {
      for line in run.lines { #expect(Self.isJSON(line), what) }
      return
    }
    // A test names what is in the log in full, however long that is.
    for line in run.lines where arguments.first != "test" {
      #expect(line.unicodeScalars.count < 2000, what)
      if let width { #expect(line.columns <= width, "\(what): \(line)") }
    }
    #expect(run.output.utf8.count < 100_000, what)
  }

  private static func isHostile(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F: true
    default: false
    }
  }

  private static func isJSON(_ text: String) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
  }

  @Test func everyCommandIsRun() {
    let run = Set(Self.runs.compactMap(\.first))
    let others: Set = ["help", "manual", "check", "fleet"]
    #expect(Set(Replay.commandNames).subtracting(others).isSubset(of: run))
  }
}
