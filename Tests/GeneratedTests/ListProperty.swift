import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample list-property, driven through the code as it is now. It runs as often as when it was recorded.
@Test func listPropertyRunsAsRecorded() throws {
  try withDrivenRecording("../../SampleLogs/list-property.evlog") { drive in
    _ = ListProperty(in: drive.session)
    let report = try drive.run()
    report.expectEvaluations(["List": 4, "Row": 1003], others: 0)
  }
}
