import Testing

@testable import EventLog

/// A mark's label says who wrote it.
@Suite struct MarkLabelTests {
  @Test(arguments: [
    ("begin", MarkLabel.own("begin"), true), ("log in", .own("log in"), true),
    ("log info:", .own("log info:"), true),
    ("log info store: refreshed", .logLine(level: "info", text: "store: refreshed"), true),
    ("diagnostic: a mistake", .diagnostic(ReportedDiagnostic("a mistake")), false),
    ("not run, same input: Row#3", .skipped(projection: "Row#3"), false),
    (
      "compared by parts: Group<Int> as the input of Row",
      .comparedByParts(child: "Row", type: "Group<Int>"), false
    ),
    ("drive: nothing to set", .driveProblem("nothing to set"), false),
  ])
  func itsTextIsReadBack(text: String, label: MarkLabel, isOfApp: Bool) {
    #expect(MarkLabel(text) == label)
    #expect(label.text == text)
    #expect(label.isOfApp == isOfApp)
  }
}
