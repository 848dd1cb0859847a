import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// Lines that are not written by accident.
struct HostileLine: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let line: [UInt8]
  /// The text of the refusal; nil if the line is valid.
  let reason: String?

  init(_ what: String, _ line: String, _ reason: String?) {
    (testDescription, self.line, self.reason) = (what, Array(line.utf8), reason)
  }

  init(_ what: String, _ line: [UInt8], _ reason: String?) {
    (testDescription, self.line, self.reason) = (what, line, reason)
  }

  private static func value(_ what: String, _ value: String, _ reason: String?) -> HostileLine {
    HostileLine(what, #"{"kind":"set","path":"a.x","value":\#(value)}"#, reason)
  }

  private static func nested(_ open: String, _ close: String, _ count: Int) -> String {
    String(repeating: open, count: count) + "1" + String(repeating: close, count: count)
  }

  static let all: [HostileLine] = [
    value("a text of 1 MB", "\"" + String(repeating: "x", count: 1_000_000) + "\"", nil),
    value("a name of 1 MB", "{\"" + String(repeating: "n", count: 1_000_000) + "\":1}", nil),
    value("lists that nest without end", nested("[", "]", 100_000), "deep"),
    value("lists that only open", String(repeating: "[", count: 1_000_000), "deep"),
    value("objects that nest without end", nested("{\"a\":", "}", 100_000), "deep"),
    value("an integer over 64 bits", "18446744073709551616", "64 bits"),
    value("an integer of 100,000 digits", String(repeating: "9", count: 100_000), "64 bits"),
    value("a huge exponent", "1e400", "too large"),
    value("an exponent of 100,000 digits", "1e" + String(repeating: "9", count: 100_000), "too large"),
    value("a tiny exponent", "1e-400", nil),
    value("half of a surrogate pair", #""\ud800""#, "surrogate"),
    HostileLine("a seq over 64 bits", #"{"seq":99999999999999999999,"kind":"end"}"#, "64 bits"),
    HostileLine("a negative time", #"{"time_ns":-1,"kind":"mark","label":"x"}"#, "from 0 up"),
    HostileLine(
      "text that is not UTF-8", Array(#"{"kind":"mark","label":""#.utf8) + [0xC3, 0x28, 0x22, 0x7D], "UTF-8"),
    HostileLine("zero bytes", [UInt8](repeating: 0, count: 1000), "expected an event"),
    HostileLine(
      "a path without end", #"{"kind":"remove","path":"a\#(String(repeating: ".b", count: 100_000))"}"#,
      "deep"),
  ]
}

@Suite struct HostileLinesTests {
  @Test(arguments: HostileLine.all) func aHostileLineIsTakenOrRefusedAtItsPlace(hostile: HostileLine) throws {
    let workspace = try Workspace()
    let file = workspace.file("run.jsonl")
    let first = Array("{\"kind\":\"set\",\"path\":\"a.x\",\"value\":1}\n".utf8)
    try Data(first + hostile.line + [0x0A]).write(to: URL(filePath: file))
    let run = ToolRun("import", file, "-o", workspace.file("out.evlog"))
    guard let reason = hostile.reason else {
      #expect(run.status == .done, "\(run.errors.prefix(300))")
      return
    }
    #expect(run.status == .refused)
    #expect(run.errors.hasPrefix("\(file):2:"), "\(run.errors.prefix(300))")
    #expect(run.errors.contains(reason), "\(run.errors.prefix(300))")
    #expect(run.errors.utf8.count < 1000, "the message repeats what it refuses")
    #expect(workspace.files == ["run.jsonl"])
  }
}
