import EventLog
import LogGenerator
import PythonReader
import Testing

@testable import ReplayTool

/// Logs with a state, in all variants of logs, printed by the Python reader exactly as by `export`.
@Suite(.enabled(if: PythonReader.isAvailable, "\(PythonReader.isMissing)"))
struct PythonReaderExportTests {
  private enum Shape: CaseIterable { case plain, segments, files, cut, ring }

  @Test func fourHundredSessionsReadAsExportPrintsThem() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var paths: [String] = []
    for number in 0..<400 {
      let shape = Shape.allCases[number % Shape.allCases.count]
      paths.append(try Self.record(shape, number, &random, in: workspace))
    }
    let answer = try PythonReader.read(paths)
    #expect(answer.status == 0, "seed \(seed): \(answer.errors)")
    #expect(answer.lines.count == 400)
    var (events, sameValues, later, files, checkpoints) = (0, [0, 0], 0, 0, 0)
    for (number, (path, lines)) in zip(paths, answer.lines).enumerated() {
      let run = ToolRun("export", path, "--format", "jsonl")
      #expect(run.status == .done, "seed \(seed), log \(number): \(run.errors)")
      let exported = run.output.utf8.split(separator: 0x0A).map { String($0) ?? "" }
      #expect(lines.count == exported.count, "seed \(seed), log \(number)")
      let difference = zip(lines, exported).first { !$0.utf8.elementsEqual($1.utf8) }
      #expect(difference == nil, "seed \(seed), log \(number)")
      events += lines.count
      sameValues[0] += exported.count { $0.contains("\"same_value\":false") }
      sameValues[1] += exported.count { $0.contains("\"same_value\":true") }
      let log = try LogReader(path: path)
      if log.firstSeq > 1 { later += 1 }
      if log.checkpoints.count > 0 { checkpoints += 1 }
      if workspace.files.contains(where: { $0.hasPrefix("\(number).0") }) { files += 1 }
    }
    // All variants occurred: a generator of simple logs only would prove nothing.
    #expect(events > 10_000 && sameValues[0] > 100 && sameValues[1] > 100, "seed \(seed)")
    #expect(
      later > 50 && files > 30 && checkpoints > 60, "seed \(seed): \(later), \(files), \(checkpoints)")
  }

  /// Records a session and returns the path of its log.
  private static func record(
    _ shape: Shape, _ number: Int, _ random: inout SplitMix64, in workspace: Workspace
  ) throws -> String {
    var session = ValidSession(seed: random.next())
    let path = workspace.file("\(number).evlog")
    let count = Int.random(in: 0...90, using: &random)
    var options = LogOptions()
    options.blockEvents = Int.random(in: 1...20, using: &random)
    options.flushInterval = .seconds(3600)
    options.checkpointEvents = Int.random(in: 10...100, using: &random)
    if shape == .files || shape == .ring { options.segmentBytes = Int.random(in: 300...2500, using: &random) }
    if shape == .ring { options.keepSegments = 2 }
    var writer = try LogWriter(creating: path, options: options)
    for event in session.events(count) { try writer.append(event) }
    try writer.close()
    switch shape {
    case .plain, .files: return path
    case .ring:
      // A segment that a long transaction made too large begins without a state, so the lines after it cannot
      // be printed.
      let log = try LogReader(path: path)
      let hasState = (try? log.state(at: log.firstSeq - 1)) != nil
      return hasState ? path : try record(shape, number + 1000, &random, in: workspace)
    case .segments:
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        writer = try LogWriter(appendingTo: path, options: options)
        for event in session.events(Int.random(in: 0...30, using: &random)) { try writer.append(event) }
        try writer.close()
      }
      return path
    case .cut:
      if count < 2 { return path }
      var cut = LogCut()
      cut.from = .seq(UInt64.random(in: 2...UInt64(count), using: &random))
      let output = workspace.file("\(number).cut.evlog")
      _ = try cut.run(path, to: output)
      return output
    }
  }
}
