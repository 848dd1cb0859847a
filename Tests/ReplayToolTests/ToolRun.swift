import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// One run of the tool in this process: its output, and its exit status.
struct ToolRun {
  var status: ToolStatus
  var output = ""
  var errors = ""

  init(_ arguments: String..., width: Int? = nil) { self.init(arguments, width: width) }

  init(_ arguments: [String], width: Int? = nil) {
    final class Captured {
      var output: [UInt8] = []
      var errors: [UInt8] = []
    }
    let captured = Captured()
    let console = Console(
      width: width, style: Style(), output: { captured.output += $0 }, errors: { captured.errors += $0 })
    status = Tool.run(arguments, on: console)
    output = String(decoding: captured.output, as: UTF8.self)
    errors = String(decoding: captured.errors, as: UTF8.self)
  }

  var lines: [String] { output.split(separator: "\n").map(String.init) }
}

extension Workspace {
  /// Makes a log from lines and returns its path.
  func log(_ lines: String, _ name: String = "run.evlog") throws -> String {
    let run = ToolRun("import", try write(lines, to: name + ".jsonl"), "-o", file(name), "--replace")
    try #require(run.status == .done, "\(run.errors)")
    return file(name)
  }
}

/// A screen with a header and rows that run after it, one write in a transaction, one caused write.
let screen = """
  {"kind":"set","path":"store","value":{"$object":"Store","rows":[{"$object":"Row","id":7,"count":0},{"id":8,"count":0}],"isLoading":false,"token":{"$redacted":true}}}
  {"kind":"projection","projection":"List","tracking":"element"}
  {"kind":"projection","projection":"Row#7","parent":"List","tracking":"element"}
  {"kind":"projection","projection":"Spinner","tracking":"property"}
  {"kind":"reads","projection":"Row#7","paths":["store.rows[id: 7].count"]}
  {"kind":"evaluate","projection":"Row#7","duration_ns":100}
  {"kind":"reads","projection":"List","paths":["store.rows[#count]","store.rows[#order]"]}
  {"kind":"evaluate","projection":"List","duration_ns":1000}
  {"kind":"reads","projection":"Spinner","paths":["store.isLoading"]}
  {"kind":"evaluate","projection":"Spinner","duration_ns":10}
  {"time_ns":1000000,"kind":"set","path":"store.rows[0].count","value":1,"site":"Chat.swift:42"}
  {"kind":"evaluate","projection":"Row#7","duration_ns":100,"changed":true,"cause":11}
  {"time_ns":2000000,"kind":"begin","label":"refresh"}
  {"kind":"set","path":"store.isLoading","value":true}
  {"kind":"splice","path":"store.rows","offset":2,"delete":0,"insert":[{"id":9,"count":0}]}
  {"kind":"end"}
  {"kind":"evaluate","projection":"Row#7","duration_ns":50,"changed":false,"cause":16}
  {"kind":"evaluate","projection":"List","duration_ns":900,"changed":true,"cause":16}
  {"kind":"evaluate","projection":"Spinner","duration_ns":10,"changed":true,"cause":16}
  {"time_ns":3000000,"kind":"set","path":"store.isLoading","value":true}
  {"kind":"set","path":"store.isLoading","value":false,"cause":16}
  {"kind":"evaluate","projection":"Spinner","duration_ns":10,"changed":true,"cause":21}

  """
