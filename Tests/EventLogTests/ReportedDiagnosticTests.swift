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

  @Test func anUnfollowedReadIsThatOfItsReaderAlsoWhereItMayBeOfOneWithin() {
    for isAlone in [true, false] {
      let reported = ReportedDiagnostic(
        reader: "List", isAlone: isAlone, ofUnfollowed: "Meter", runsAgain: false)
      #expect(ReportedDiagnostic(label: reported.label)?.isUnfollowedRead(by: "List") == true)
      #expect(!reported.isUnfollowedRead(by: "Li") && !reported.isUnfollowedRead(by: "Row"))
    }
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
