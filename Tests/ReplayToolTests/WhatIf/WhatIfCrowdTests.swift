import LogGenerator
import Testing

@testable import ReplayTool

/// Predictions in which one write would invalidate many projections at once.
@Suite struct WhatIfCrowdTests {
  /// A list of rows, each of which reads its count. Then the count of one row is set again and again, a given
  /// number of times to the value that it has already, and that row runs.
  private func log(rows: Int, sets: Int, repeats: Int = 0) throws -> (Workspace, String) {
    let elements = (0..<rows).map { #"{"id":\#($0),"count":0}"# }.joined(separator: ",")
    var lines = [
      #"{"kind":"set","path":"store","value":{"$object":"Store","title":"a","rows":[\#(elements)]}}"#,
      #"{"kind":"projection","projection":"List"}"#,
      #"{"kind":"reads","projection":"List","paths":["store.title"]}"#,
      #"{"kind":"evaluate","projection":"List","duration_ns":1}"#,
    ]
    for row in 0..<rows {
      lines.append(#"{"kind":"projection","projection":"Row#\#(row)","parent":"List"}"#)
      lines.append(#"{"kind":"reads","projection":"Row#\#(row)","paths":["store.rows[\#(row)].count"]}"#)
      lines.append(#"{"kind":"evaluate","projection":"Row#\#(row)","duration_ns":1}"#)
    }
    for value in 1...sets {
      lines.append(#"{"kind":"set","path":"store.rows[7].count","value":\#(value)}"#)
      let seq = lines.count
      lines.append(#"{"kind":"invalidate","projection":"Row#7","causes":[\#(seq)],"cause":\#(seq)}"#)
      lines.append(
        #"{"kind":"evaluate","projection":"Row#7","duration_ns":1,"changed":true,"cause":\#(seq)}"#)
      for _ in 0..<repeats {
        lines.append(#"{"kind":"set","path":"store.rows[7].count","value":\#(value)}"#)
      }
    }
    let workspace = try Workspace()
    return (workspace, try workspace.log(lines.joined(separator: "\n") + "\n"))
  }

  @Test(arguments: [8, 31, 32, 33, 64, 200], [0, 3])
  func byObjectEveryRowRunsForEveryWriteEvenOfAnEqualValue(rows: Int, repeats: Int) throws {
    let (workspace, log) = try log(rows: rows, sets: 20, repeats: repeats)
    let predicted = try withExtendedLifetime(workspace) { try Predicted(log, "--tracking", "object") }
    let writes = 20 * (1 + repeats)
    #expect(predicted.before == ["List": 1, "Row": rows + 20])
    #expect(predicted.after == ["List": 1 + writes, "Row": rows + rows * writes])
  }

  @Test(arguments: [8, 200])
  func amongRowsByPropertyOneByObjectHearsEqualValues(rows: Int) throws {
    let (workspace, log) = try log(rows: rows, sets: 20, repeats: 2)
    let predicted = try withExtendedLifetime(workspace) {
      try Predicted(log, "--tracking", "property", "--tracking", "Row#3:object")
    }
    // Only that row is notified of writes of an equal value.
    #expect(predicted.after == ["List": 1, "Row": rows + rows * 20 + 40])
  }

  @Test(arguments: [8, 31, 32, 33, 64, 200], [0, 3])
  func everyRowRunsForEveryWrite(rows: Int, repeats: Int) throws {
    let (workspace, log) = try log(rows: rows, sets: 20, repeats: repeats)
    let run = withExtendedLifetime(workspace) {
      ToolRun("what-if", log, "--tracking", "property", "--format", "json")
    }
    #expect(run.status == .done)
    let halves = run.output.split(separator: #""before":"#)
    try #require(halves.count == 2, "\(run.output)")
    let (after, before) = (halves[0], halves[1])
    #expect(before.contains(#""Row":{"evaluations":\#(rows + 20),"#), "\(run.output)")
    #expect(after.contains(#""Row":{"evaluations":\#(rows + 20 * rows),"#), "\(run.output)")
    #expect(after.contains(#""List":{"evaluations":1,"#), "\(run.output)")
  }
}
