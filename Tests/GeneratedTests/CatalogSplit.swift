import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample catalog-split, driven through the code as it is now. It runs as often as when it was recorded.
@Test func catalogSplitRunsAsRecorded() throws {
  try withDrivenRecording("../../SampleLogs/catalog-split.evlog") { drive in
    _ = CatalogSplit(in: drive.session)
    let report = try drive.run()
    report.expectEvaluations(
      [
        "CatalogSearchBar": 6,
        "CatalogView": 1,
        "LoadingIndicator": 21,
        "ProductList": 2,
        "ProductRow": 41,
      ],
      others: 0)
  }
}
