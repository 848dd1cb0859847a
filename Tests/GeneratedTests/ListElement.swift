import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample list-element, driven through the code as it is now. It runs as often as when it was recorded.
@Test func listElementRunsAsRecorded() throws {
  try withDrivenRecording("../../SampleLogs/list-element.evlog") { drive in
    _ = ListElement(in: drive.session)
    let report = try drive.run()
    report.expectEvaluations(["List": 1, "Row": 1003], others: 0)
  }
}
