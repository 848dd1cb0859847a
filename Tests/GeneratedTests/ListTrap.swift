import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample list-trap, driven through the code as it is now. It runs as often as when it was recorded.
@Test func listTrapRunsAsRecorded() throws {
  try withDrivenRecording("../../SampleLogs/list-trap.evlog") { drive in
    _ = ListTrap(in: drive.session)
    let report = try drive.run()
    report.expectEvaluations(["List": 4, "Row": 4000], others: 0)
  }
}
