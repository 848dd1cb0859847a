import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample scopes, driven through the code as it is now. It runs as often as when it was recorded.
@Test func scopesRunsAsRecorded() throws {
  try withDrivenRecording("../../SampleLogs/scopes.evlog") { drive in
    _ = Scopes(in: drive.session)
    let report = try drive.run()
    report.expectEvaluations(
      [
        "ContentView": 4,
        "DetailView": 3,
        "LegacyDirectView": 4,
        "LegacyFeatureView": 1,
        "ObservableDirectView": 3,
        "ObservableFeatureView": 1,
        "ScopeView": 21,
        "onChange(legacyViewModel.count)": 2,
        "onChange(viewModel.count)": 2,
        "onReceive(legacyViewModel.count)": 2,
        "onReceive(viewModel.count)": 2,
      ],
      others: 0)
  }
}
