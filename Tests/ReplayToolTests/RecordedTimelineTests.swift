import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// The timeline of the projections that some paths invalidated, read by the index, compared with the one that is
/// derived from every event.
struct RecordedTimelineTests {
  let workspace: Workspace
  private let samples = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../SampleLogs").standardized.path

  init() throws { workspace = try Workspace() }

  @Test(arguments: ["scopes", "chat-isolated", "catalog-single", "episodes-struct"])
  func aTimelineReadByTheIndexIsTheOneThatIsDerived(name: String) throws {
    let indexed = try inSmallBlocks("\(samples)/\(name).evlog", as: "indexed.evlog")
    let derived = try withoutIndex(indexed, as: "derived.evlog")
    var shorter = 0
    for path in try writtenPaths(indexed).prefix(12) {
      let a = ToolRun("timeline", indexed, "--path", path, "--format", "json", "--verbose")
      let b = ToolRun("timeline", derived, "--path", path, "--format", "json", "--verbose")
      #expect(a.output == b.output, "\(path)")
      if blocksRead(a) < blocksRead(b) { shorter += 1 }
    }
    #expect(shorter > 0, "no path of \(name) is rare enough to spare reading a block")
  }

  @Test func consequencesOfATransactionAreFoundWhereverItEnds() throws {
    var lines = """
      {"kind":"set","path":"store","value":{"$object":"Store","a":0,"b":0}}
      {"kind":"projection","projection":"P"}
      {"kind":"reads","projection":"P","paths":["store.a"]}
      {"kind":"begin","label":"long"}
      {"kind":"set","path":"store.a","value":1}

      """
    for value in 1...200 { lines += #"{"kind":"set","path":"store.b","value":\#(value)}"# + "\n" }
    lines += """
      {"kind":"end"}
      {"kind":"invalidate","projection":"P","causes":[5],"cause":206}
      {"kind":"set","path":"store.b","value":0}

      """
    for value in 1...400 { lines += #"{"kind":"set","path":"store.b","value":\#(value)}"# + "\n" }
    let log = try inSmallBlocks(workspace.log(lines), as: "long.evlog")
    let run = ToolRun("timeline", log, "--path", "store.a", "--format", "json", "--verbose")
    #expect(
      run.output == """
        {"seq":206,"time_ns":0,"projection":"P","causes":[5],"cascade":206,"depth":0}

        """)
    #expect(blocksRead(run) < 40, "\(run.errors)")
  }

  private func inSmallBlocks(_ log: String, as name: String) throws -> String {
    var options = EventLog.LogOptions()
    options.blockEvents = 8
    options.flushInterval = .seconds(60)
    let writer = try LogWriter(creating: workspace.file(name), options: options)
    try LogReader(path: log).forEachEvent { try writer.append($0) }
    try writer.close()
    return workspace.file(name)
  }

  /// A copy that ends before its index, like the log of a killed program.
  private func withoutIndex(_ log: String, as name: String) throws -> String {
    let end = try #require(try LogReader(path: log).blocks.last?.offset)
    let bytes = try Data(contentsOf: URL(filePath: log))
    try bytes.prefix(Int(end)).write(to: URL(filePath: workspace.file(name)))
    return workspace.file(name)
  }

  private func writtenPaths(_ log: String) throws -> [String] {
    var paths: Set<String> = []
    try LogReader(path: log).forEachEvent { event in
      if let path = event.body.writtenPath { paths.insert(path.description) }
    }
    return paths.sorted()
  }

  private func blocksRead(_ run: ToolRun) -> Int {
    let words = run.errors.split(separator: " ")
    return words.firstIndex(of: "of").flatMap { Int(words[$0 - 1].replacing(",", with: "")) } ?? .max
  }
}
