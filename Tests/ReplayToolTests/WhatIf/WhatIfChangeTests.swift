import Foundation
import LogGenerator
import Projection
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

/// Programs without and with a change of the app: the prediction from the first log equals the second.
@Suite struct WhatIfChangeTests {
  @Recorded final class Board {
    var selection = 0
    var first = "a"
    var full = ""
    var style = Style()
    var compared = ComparedStyle()
    var rows = RecordedArray((0..<12).map { Row(id: $0) })
    var clock = 0
  }

  struct Style { var words = ["a"] }
  struct ComparedStyle: Equatable { var words = ["a"] }

  struct Row: Identifiable, Equatable {
    let id: Int
    var text = "row"
  }

  struct RowAtTime: Equatable {
    var row: Row
    var clock: Int
  }

  private func compare(
    _ changes: [String], of views: Set<String>, _ program: (Session, Board, _ isChanged: Bool) -> Void
  ) throws {
    let workspace = try Workspace()
    func record(_ name: String, _ isChanged: Bool) throws -> RecordedProgram {
      try RecordedProgram(in: workspace, name) { session in
        let board = Board()
        session.attach(board, as: "board")
        program(session, board, isChanged)
      }
    }
    let (plain, changed) = (try record("plain", false), try record("changed", true))
    let predicted = try Predicted(plain.log, changes)
    func some(_ counts: [String: Int]) -> [String: Int] { counts.filter { views.contains($0.key) } }
    #expect(some(predicted.before) == some(plain.evaluations))
    #expect(some(predicted.after) == some(changed.evaluations), "\(changes)")
    #expect(some(plain.evaluations) != some(changed.evaluations), "the change changes nothing")
  }

  @Test func aDerivedValueOfWhatEachShowsIsPredictedExactly() throws {
    try compare(["--derived", "Cell:board.selection"], of: ["Cell"]) { session, board, isChanged in
      for cell in 0..<12 {
        let isSelected = session.derived("isSelected#\(cell)") { board.selection == cell }
        session.projection("Cell#\(cell)") { isChanged ? isSelected.value : board.selection == cell }
      }
      for step in 0..<30 { board.selection = step % 12 }
    }
  }

  @Test func aDerivedValueInPlaceOfWhatACallbackSetsIsPredictedExactly() throws {
    try compare(["--derived", "onChange(board.first)"], of: ["Card", "Line"]) { session, board, isChanged in
      let full = session.derived("full") { board.first + "!" }
      session.projection("Card") { card in
        let (first, shown) = (board.first, isChanged ? full.value : board.full)
        for line in 0..<4 { card.child("Line", id: line) { "\(line) \(first)" } }
        return "\(first) \(shown)"
      }
      if !isChanged { session.onChange(of: \.first, in: board) { _, new in board.full = new + "!" } }
      for step in 0..<30 { board.first = "a\(step)" }
    }
  }

  @Test func derivedValuesInPlaceOfHandedOnesArePredictedExactly() throws {
    try compare(
      ["--isolate", "Table:board.clock", "--derived", "Line"], of: ["Line", "Table"]
    ) { session, board, isChanged in
      session.projection("Table") { table in
        let clock = isChanged ? 0 : board.clock
        for row in board.rows {
          let age = session.derived("age#\(row.id)") { (board.clock + row.id) / 5 }
          table.child("Line", id: row.id, input: RowAtTime(row: row, clock: clock)) {
            isChanged ? age.value : (clock + row.id) / 5
          }
        }
      }
      for step in 1...20 { board.clock = step }
    }
  }

  /// Rows that were handed what their parent no longer reads would read it themselves.
  @Test func whatChildrenWereHandedIsNotSavedByIsolatingIt() throws {
    try compare(["--isolate", "Table:board.clock"], of: ["Table"]) { session, board, isChanged in
      session.projection("Table") { table in
        let clock = isChanged ? 0 : board.clock
        for row in board.rows {
          table.child("Line", id: row.id, input: RowAtTime(row: row, clock: clock)) {
            isChanged ? board.clock : clock
          }
        }
      }
      for step in 1...20 { board.clock = step }
    }
    let workspace = try Workspace()
    let recorded = try RecordedProgram(in: workspace, "handed") { session in
      let board = Board()
      session.attach(board, as: "board")
      session.projection("Table") { table in
        let clock = board.clock
        for row in board.rows {
          table.child("Line", id: row.id, input: RowAtTime(row: row, clock: clock)) { clock }
        }
      }
      for step in 1...20 { board.clock = step }
    }
    let predicted = try Predicted(recorded.log, "--isolate", "Table:board.clock")
    #expect(predicted.after["Line"] == predicted.before["Line"])
  }

  @Test func whatCallbacksFollowUpWithIsOneUnitAsPredicted() throws {
    try compare(["--transaction", "cascade"], of: ["Card"]) { session, board, isChanged in
      let full = session.derived("full") { board.first + "!" }
      session.projection("Card") { "\(board.first) \(isChanged ? full.value : board.full)" }
      if !isChanged { session.onChange(of: \.first, in: board) { _, new in board.full = new + "!" } }
      for step in 0..<20 { board.first = "name \(step)" }
    }
  }

  @Test func aTypeThatComparesIsPredictedExactly() throws {
    try compare(["--equatable", "board.*"], of: ["Styled"]) { session, board, isChanged in
      session.projection("Styled") { isChanged ? board.compared.words.count : board.style.words.count }
      for step in 0..<30 {
        let words = (0...(step / 10)).map { "\($0)" }
        if isChanged {
          board.compared = ComparedStyle(words: words)
        } else {
          board.style = Style(words: words)
        }
      }
    }
  }

  @Test func rowsThatAreKnownByIdArePredictedExactly() throws {
    try compare(["--identity", "Line:board.rows"], of: ["Line"]) { session, board, isChanged in
      session.projection("Table") { table in
        for (place, row) in board.rows.enumerated() {
          table.child("Line", id: isChanged ? row.id : place, input: row) { row.text }
        }
      }
      for step in 0..<10 { board.rows.insert(Row(id: 100 + step, text: "new \(step)"), at: step % 3) }
      board.rows[4].text = "changed"
    }
  }

  // MARK: Times

  /// A log of sets of `app.x` and `app.y` at these milliseconds, each of which runs a view for 10 microseconds.
  private func log(_ workspace: Workspace, _ writes: [(at: Int, path: String, json: String)]) throws -> String
  {
    var lines = [
      #""time_ns":0,"kind":"set","path":"app","value":{"$object":"App#1","x":0,"y":0,"text":"abc"}"#,
      #""time_ns":0,"kind":"projection","projection":"View","tracking":"property""#,
      #""time_ns":0,"kind":"reads","projection":"View","added":["app.x","app.y","app.text"]"#,
      #""time_ns":0,"kind":"evaluate","projection":"View","duration_ns":10000,"changed":true"#,
    ]
    for write in writes {
      let time = #""time_ns":\#(write.at * 1_000_000)"#
      lines.append(#"\#(time),\#(write.json.replacing("PATH", with: "app.\(write.path)"))"#)
      let seq = lines.count
      lines.append(#"\#(time),"kind":"invalidate","projection":"View","causes":[\#(seq)],"cause":\#(seq)"#)
      lines.append(
        #"\#(time),"kind":"evaluate","projection":"View","duration_ns":10000,"changed":true,"cause":\#(seq)"#)
    }
    let text = lines.enumerated().map { #"{"seq":\#($0 + 1),\#($1)}"# }.joined(separator: "\n")
    let log = workspace.file("\(UUID().uuidString).evlog")
    let imported = ToolRun("import", try workspace.write(text, to: "\(UUID().uuidString).jsonl"), "-o", log)
    try #require(imported.status == .done, "\(imported.errors)")
    return log
  }

  private static func set(_ value: Int) -> String { #""kind":"set","path":"PATH","value":\#(value)"# }

  @Test func writesWithinTheGapAreOneRun() throws {
    let workspace = try Workspace()
    var writes: [(at: Int, path: String, json: String)] = []
    for burst in 1...10 {
      for step in 0..<5 {
        writes.append((100 * burst + 2 * step, step % 2 == 0 ? "x" : "y", Self.set(10 * burst + step)))
      }
    }
    let log = try log(workspace, writes)
    #expect(try Predicted(log, "--transaction", "3ms").after == ["View": 11])
    #expect(try Predicted(log, "--transaction", "1ms").after == ["View": 51])
    #expect(try Predicted(log, "--transaction", "1s").after == ["View": 2])
  }

  /// A unit that ends as it began invalidates nobody.
  @Test func whatAGapTakesBackIsNoRun() throws {
    let workspace = try Workspace()
    var writes: [(at: Int, path: String, json: String)] = []
    for step in 1...10 {
      writes.append((100 * step, "x", Self.set(step)))
      writes.append((100 * step + 1, "x", Self.set(0)))
    }
    let log = try log(workspace, writes)
    #expect(try Predicted(log, "--transaction", "3ms").after == ["View": 1])
  }

  @Test func aDebouncedPathIsSetOnceItRests() throws {
    let workspace = try Workspace()
    // Three groups of ten sets, 10 ms apart, with pauses of half a second.
    var writes: [(at: Int, path: String, json: String)] = []
    for group in 0..<3 {
      for step in 0..<10 {
        writes.append((1000 * (group + 1) + 10 * step, "x", Self.set(10 * group + step + 1)))
      }
    }
    let log = try log(workspace, writes)
    #expect(try Predicted(log, "--debounce", "app.x=100ms").after == ["View": 4])
    #expect(try Predicted(log, "--debounce", "app.x=5ms").after == ["View": 31])
  }

  @Test func eachPathWaitsForItself() throws {
    let workspace = try Workspace()
    let log = try log(
      workspace,
      [
        (1000, "x", Self.set(1)), (1010, "x", Self.set(2)), (1050, "y", Self.set(1)),
        (1060, "x", Self.set(3)),
      ])
    // Of x only the last set, at 1160 ms, and that of y at 1150.
    #expect(try Predicted(log, "--debounce", "app.*=100ms").after == ["View": 3])
    // At 1000 and 1010 ms x is set within the gap of 10 ms, and at 1060 it waits anew.
    #expect(try Predicted(log, "--debounce", "app.x=20ms", "--debounce", "app.y=1s").after == ["View": 4])
  }

  /// Typed text is edits, each of which needs the text before; a pace may leave them out all the same.
  @Test func editsOfATextAreLeftOut() throws {
    let workspace = try Workspace()
    var writes: [(at: Int, path: String, json: String)] = []
    for step in 0..<20 {
      let edit = #""kind":"splice","path":"PATH","offset":\#(3 + step),"delete":0,"insert":"x""#
      writes.append((1000 + 20 * step, "text", edit))
    }
    writes.append((3000, "y", Self.set(1)))
    let log = try log(workspace, writes)
    #expect(try Predicted(log, "--debounce", "app.text=100ms").after == ["View": 3])
    // At 1000, 1200 and so on ms: the first passes, then one in each 100 ms.
    #expect(try Predicted(log, "--throttle", "app.text=100ms").after == ["View": 1 + 4 + 1])
  }

  /// What is written because of a write may run nothing, and something else runs later.
  @Test func writesThatRunNothingAreNotTakenForThoseOfLaterRuns() throws {
    let workspace = try Workspace()
    let lines = [
      #"{"kind":"set","path":"app","value":{"a":0,"c":0}}"#,
      #"{"kind":"projection","projection":"View"}"#,
      #"{"kind":"reads","projection":"View","paths":["app.a"]}"#,
      #"{"kind":"evaluate","projection":"View","duration_ns":1000}"#,
      #"{"kind":"set","path":"app.c","value":1}"#,
      #"{"kind":"set","path":"app.c","value":2,"cause":5}"#,
      #"{"kind":"set","path":"app.c","value":3,"cause":6}"#,
      #"{"kind":"set","path":"app.a","value":1}"#,
      #"{"kind":"evaluate","projection":"View","duration_ns":1000,"changed":true,"cause":8}"#,
      #"{"kind":"set","path":"app.a","value":2}"#,
      #"{"kind":"evaluate","projection":"View","duration_ns":1000,"changed":true,"cause":10}"#,
    ]
    let log = try workspace.log(lines.joined(separator: "\n") + "\n")
    #expect(try Predicted(log, "--derived", "View").before == ["View": 3])
  }

  @Test func aChangeThatTheLogKnowsNothingOfIsRefused() throws {
    let workspace = try Workspace()
    let log = try log(workspace, [(1, "x", Self.set(1))])
    for (change, argument, text) in [
      ("--derived", "Row", "there is no projection Row"), ("--equatable", "app.z", "no event writes app.z"),
      ("--identity", "View:app.z", "no event writes app.z"),
      ("--debounce", "app.z=1s", "no event writes app.z"),
      ("--transaction", "soon", "the longest time between two writes"),
    ] {
      let run = ToolRun("what-if", log, change, argument)
      #expect(run.status == .refused && run.errors.contains(text), "\(run.errors)")
    }
  }
}
