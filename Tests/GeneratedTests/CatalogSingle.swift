import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample catalog-single, driven through the code as it is now. It runs as often as when it was recorded.
@Test func catalogSingleRunsAsRecorded() throws {
  try withDrivenRecording("../../SampleLogs/catalog-single.evlog") { drive in
    _ = CatalogSingle(in: drive.session)
    let report = try drive.run()
    report.expectEvaluations(["CatalogView": 27, "ProductList": 27, "ProductRow": 1080], others: 0)
  }
}
