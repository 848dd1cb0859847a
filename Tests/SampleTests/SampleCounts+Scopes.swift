extension SampleCounts {
  /// ScopeKit's table, in both tracking styles.
  static let scopes = [
    SampleCounts(
      name: "scopes", isByInstance: true,
      steps: [
        ("first frame", firstFrame),
        // By property, a scope runs when a property that it reads changes; a parent that reads nothing never
        // runs.
        (
          "count changes",
          [
            "ScopeView#count": 1, "ObservableDirectView": 1, "ScopeView#follows": 1,
            "onChange(viewModel.count)": 1, "onReceive(viewModel.count)": 1,
          ]
        ),
        ("text changes", ["ScopeView#text": 1, "ObservableDirectView": 1, "ScopeView#follows": 1]),
        ("count is set to what it is", ["onReceive(viewModel.count)": 1]),
        // By object, every reader of any property runs at each set.
        (
          "legacy count changes",
          legacySet.merging(["onChange(legacyViewModel.count)": 1, "onReceive(legacyViewModel.count)": 1]) {
            $1
          }
        ),
        ("legacy text changes", legacySet),
        (
          "legacy count is set to what it is",
          legacySet.merging(["onReceive(legacyViewModel.count)": 1]) { $1 }
        ),
        ("the detail disappears and appears again", ["ContentView": 2, "DetailView#1": 1]),
        ("another detail appears", ["ContentView": 1, "DetailView#2": 1]),
      ])
  ]

  private static let legacySet = [
    "ScopeView#legacy text": 1, "ScopeView#legacy count": 1, "LegacyDirectView": 1,
    "ScopeView#legacy follows": 1,
  ]

  private static let firstFrame = [
    "ObservableFeatureView": 1, "ScopeView#text": 1, "ScopeView#count": 1,
    "LegacyFeatureView": 1, "ScopeView#legacy text": 1, "ScopeView#legacy count": 1,
    "ObservableDirectView": 1, "ScopeView#follows": 1, "ScopeView#equal input": 1,
    "LegacyDirectView": 1, "ScopeView#legacy follows": 1, "ScopeView#legacy equal input": 1,
    // A change needs an old value to compare with.
    "onChange(viewModel.count)": 1, "onChange(legacyViewModel.count)": 1,
    "ContentView": 1, "DetailView#1": 1,
  ]
}
