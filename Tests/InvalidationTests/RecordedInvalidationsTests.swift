import EventLog
import LogGenerator
import Testing

/// Checks that the comparison of recorded with derived invalidations finds the errors that it exists to find.
@Suite struct RecordedInvalidationsTests {
  /// A transaction that invalidates two projections, one of them by two events.
  private static let session = """
    {"kind":"set","path":"app","value":{"$object":"App#1","a":0,"b":0}}
    {"kind":"projection","projection":"P"}
    {"kind":"reads","projection":"P","paths":["app.a"]}
    {"kind":"projection","projection":"Q"}
    {"kind":"reads","projection":"Q","paths":["app.a","app.b"]}
    {"kind":"begin"}
    {"kind":"set","path":"app.a","value":1}
    {"kind":"set","path":"app.b","value":-0.0}
    {"kind":"end"}
    """

  private static let recorded = [
    #"{"kind":"invalidate","projection":"P","causes":[7],"cause":9}"#,
    #"{"kind":"invalidate","projection":"Q","causes":[7,8],"cause":9}"#,
  ]

  @Test func aLogThatRecordedWhatFollowsIsRight() throws { try check(recorded: Self.recorded) }

  @Test(arguments: [
    [], [recorded[0]], [recorded[1], recorded[0]], recorded + [recorded[1]],
    [recorded[0], recorded[1].replacing("[7,8]", with: "[8]")],
    [recorded[0], recorded[1].replacing(#""cause":9"#, with: #""cause":8"#)],
  ])
  func aWrongRecordOfWhatWasInvalidatedIsFound(recorded: [String]) throws {
    #expect(throws: RecordedInvalidations.Difference.self) { try check(recorded: recorded) }
  }

  @Test func aLogThatDoesNotFitItselfIsAnError() throws {
    #expect(throws: StateError.self) {
      try check(recorded: [#"{"kind":"splice","path":"app.a","offset":0,"delete":0,"insert":"x"}"#])
    }
  }

  /// Checks a log of the session with more lines appended.
  private func check(recorded: [String]) throws {
    let workspace = try Workspace()
    let path = workspace.file("run.evlog")
    let writer = try LogWriter(creating: path)
    let lines = Self.session.split(separator: "\n").map(String.init) + recorded
    for (index, line) in lines.enumerated() {
      try writer.append(
        try ParsedEvent(parsing: line).event(seq: UInt64(index) + 1, time: 0, sameValue: false))
    }
    try writer.close()
    try RecordedInvalidations.check(log: path)
  }
}
