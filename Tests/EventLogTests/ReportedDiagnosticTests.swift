import Testing

@testable import EventLog

/// A reader of a log understands the diagnostics that a session wrote into it.
@Suite struct ReportedDiagnosticTests {
  @Test func theLabelOfAMarkSaysWhatWasReported() {
    for (child, type) in [("Row", "Style"), ("Row of it's own", "Array<() -> ()>"), ("", "")] {
      let reported = ReportedDiagnostic(incomparableInputOf: child, type: type)
      let read = ReportedDiagnostic(label: reported.label)
      #expect(read == reported)
      #expect(read?.incomparableChild == child)
    }
    let other = ReportedDiagnostic("Forgotten reads a Meter that is not attached")
    #expect(ReportedDiagnostic(label: other.label) == other)
    #expect(other.incomparableChild == nil)
  }

  @Test func otherMarksReportNothing() {
    for label in ["", "diagnostic", "Diagnostic: x", "a diagnostic: x"] {
      #expect(ReportedDiagnostic(label: label) == nil)
    }
  }

  /// The form in logs that were recorded before diagnostics were defined in one place.
  @Test func theWordsOfFormerLogsAreUnderstood() {
    let former = ReportedDiagnostic(
      label:
        "diagnostic: Row's input of type Style cannot be compared, so Row runs each time that its parent does; "
        + "hand in a type that is Equatable, or has no closures and other parts that cannot be recorded")
    #expect(former?.incomparableChild == "Row")
    #expect(former == ReportedDiagnostic(incomparableInputOf: "Row", type: "Style"))
    // With other advice it is the same diagnostic.
    let advised = ReportedDiagnostic(label: "diagnostic: Row's input of type Style cannot be compared, alas")
    #expect(advised?.incomparableChild == "Row")
  }
}

/// A mark's label says who wrote it.
@Suite struct MarkLabelTests {
  @Test(arguments: [
    ("begin", MarkLabel.own("begin"), true), ("log in", .own("log in"), true),
    ("log info:", .own("log info:"), true),
    ("log info store: refreshed", .logLine(level: "info", text: "store: refreshed"), true),
    ("diagnostic: a mistake", .diagnostic(ReportedDiagnostic("a mistake")), false),
    ("not run, same input: Row#3", .skipped(projection: "Row#3"), false),
    ("drive: nothing to set", .driveProblem("nothing to set"), false),
  ])
  func itsTextIsReadBack(text: String, label: MarkLabel, isOfApp: Bool) {
    #expect(MarkLabel(text) == label)
    #expect(label.text == text)
    #expect(label.isOfApp == isOfApp)
  }
}
