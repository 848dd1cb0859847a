import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// What `why` says does not depend on the block of the log with which it begins to read.
@Suite struct WhySubjectTests {
  private func log(_ lines: String, blockEvents: Int, in workspace: Workspace) throws -> LogSource {
    var importer = LogImporter()
    var options = LogOptions()
    options.blockEvents = blockEvents
    let path = workspace.file("\(blockEvents).evlog")
    let writer = try LogWriter(creating: path, options: options)
    for line in lines.split(separator: "\n") {
      if let event = try importer.event(from: Array(line.utf8)) { try writer.append(event) }
    }
    try writer.close()
    return try LogSource(path: path)
  }

  /// Events 6 and 7 came after the cause of the run at 8, and led to the one at 9.
  @Test(arguments: [1, 2, 100]) func whatCameWhileAProjectionRanIsACauseOfItsNextRun(blockEvents: Int) throws
  {
    let workspace = try Workspace()
    let log = try log(
      """
      {"kind":"set","path":"store","value":{"$object":"S","x":1,"y":1}}
      {"kind":"projection","projection":"P","tracking":"element"}
      {"kind":"reads","projection":"P","paths":["store.x","store.y"]}
      {"kind":"evaluate","projection":"P","duration_ns":5}
      {"kind":"set","path":"store.x","value":2}
      {"kind":"set","path":"store.x","value":3}
      {"kind":"set","path":"store.y","value":2}
      {"kind":"evaluate","projection":"P","duration_ns":5,"cause":5,"changed":true}
      {"kind":"evaluate","projection":"P","duration_ns":5,"cause":7,"changed":true}
      """, blockEvents: blockEvents, in: workspace)
    let chain = try WhyChain(of: "P", at: .seq(9), in: log)
    #expect(chain.steps.map(\.seq) == [9, 7, 7])
    #expect(chain.steps[1].others?.map(\.seq) == [6])
  }

  /// What an earlier write led to later, here event 10, begins a flush: the run of Q behind it is no reason for that of P.
  @Test(arguments: [1, 2, 100]) func aFlushEndsBeforeWhatAnEarlierOneLedTo(blockEvents: Int) throws {
    let workspace = try Workspace()
    let log = try log(
      """
      {"kind":"set","path":"store","value":{"$object":"S","x":1,"y":1}}
      {"kind":"projection","projection":"Q","tracking":"element"}
      {"kind":"projection","projection":"P","parent":"Q","tracking":"element"}
      {"kind":"reads","projection":"P","paths":["store.x"]}
      {"kind":"evaluate","projection":"Q","duration_ns":5}
      {"kind":"evaluate","projection":"P","duration_ns":5}
      {"kind":"set","path":"store.y","value":2}
      {"kind":"set","path":"store.y","value":3}
      {"kind":"evaluate","projection":"P","duration_ns":5,"cause":8,"changed":true}
      {"kind":"set","path":"store.y","value":4,"cause":7}
      {"kind":"evaluate","projection":"Q","duration_ns":5,"cause":8,"changed":true}
      """, blockEvents: blockEvents, in: workspace)
    let chain = try WhyChain(of: "P", at: .seq(9), in: log)
    #expect(chain.steps.map(\.kind) == [.evaluation, .write])
  }
}
