import Testing

@testable import EventLog

/// What a session says of itself in its log is understood by who reads that.
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

  /// As logs have it that were recorded before the words had a place of their own.
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
