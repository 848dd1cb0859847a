import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample list-object, driven through the code as it is now. It runs as often as when it was recorded.
@Test func listObjectRunsAsRecorded() throws {
  try withDrivenRecording("../../SampleLogs/list-object.evlog") { drive in
    _ = ListObject(in: drive.session)
    let report = try drive.run()
    report.expectEvaluations(["List": 4, "Row": 4000], others: 0)
  }
}
