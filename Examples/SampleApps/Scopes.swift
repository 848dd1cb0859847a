import Projection

/// ScopeKit's tools without a screen: scopes that run by themselves, changes, sets and first appearances,
/// for a model followed by property and for one followed as a whole object.
struct Scopes: SampleApp {
  static let name = "scopes"
  static let summary = "Isolated scopes, onChange, onReceive and onFirstAppear, by property and by object."

  @Recorded final class ViewModel {
    var text = ""
    var count = 0
  }

  @Recorded final class LegacyViewModel {
    var text = ""
    var count = 0
  }

  @Recorded final class Navigation {
    var isShowingDetail = true
    var detailID = 1
    /// How often a detail has loaded its data.
    var loads = 0
  }

  private let viewModel = ViewModel()
  private let legacy = LegacyViewModel()
  private let navigation = Navigation()

  init(in session: Session) {
    session.attach(viewModel, as: "viewModel")
    session.attach(legacy, as: "legacyViewModel")
    session.attach(navigation, as: "navigation")
    showFeatures(in: session)
    showDirectReaders(in: session)
    observe(in: session)
    showDetail(in: session)
  }

  /// The parents read nothing: each scope runs alone.
  private func showFeatures(in session: Session) {
    session.projection("ObservableFeatureView", tracking: .property) { [viewModel] view in
      view.child("ScopeView", id: "text") { _ in "name: \(viewModel.text)" }
      view.child("ScopeView", id: "count") { _ in "taps: \(viewModel.count)" }
      return "feature"
    }
    session.projection("LegacyFeatureView", tracking: .object) { [legacy] view in
      view.child("ScopeView", id: "legacy text") { _ in "name: \(legacy.text)" }
      view.child("ScopeView", id: "legacy count") { _ in "taps: \(legacy.count)" }
      return "feature"
    }
  }

  /// The parents read too: their scopes run with them, unless their input is equal.
  private func showDirectReaders(in session: Session) {
    session.projection("ObservableDirectView", tracking: .property) { [viewModel] view in
      view.child("ScopeView", id: "follows") { _ in "title" }
      view.child("ScopeView", id: "equal input", input: "title") { _ in "title" }
      return "\(viewModel.text): \(viewModel.count)"
    }
    session.projection("LegacyDirectView", tracking: .object) { [legacy] view in
      view.child("ScopeView", id: "legacy follows") { _ in "title" }
      view.child("ScopeView", id: "legacy equal input", input: "title") { _ in "title" }
      return "\(legacy.text): \(legacy.count)"
    }
  }

  private func observe(in session: Session) {
    session.onChange(of: \.count, in: viewModel) { _, _ in }
    session.onChange(of: \.count, in: legacy) { _, _ in }
    session.onReceive(of: \.count, in: viewModel) { _ in }
    session.onReceive(of: \.count, in: legacy) { _ in }
  }

  /// Loads a detail's data when it first appears, and again only when another detail is shown.
  private func showDetail(in session: Session) {
    session.projection("ContentView") { [navigation] view in
      guard navigation.isShowingDetail else { return "nothing" }
      view.child("DetailView", id: navigation.detailID) { detail in
        detail.onFirstAppear { navigation.loads += 1 }
        return "detail"
      }
      return "detail \(navigation.detailID)"
    }
  }

  var steps: [Step] {
    [
      Step("count changes") { viewModel.count += 1 },
      Step("text changes") { viewModel.text = "Mario" },
      Step("count is set to what it is") { viewModel.count = 1 },
      Step("legacy count changes") { legacy.count += 1 },
      Step("legacy text changes") { legacy.text = "Mario" },
      Step("legacy count is set to what it is") { legacy.count = 1 },
      Step("the detail disappears and appears again") {
        navigation.isShowingDetail = false
        navigation.isShowingDetail = true
      },
      Step("another detail appears") { navigation.detailID = 2 },
    ]
  }
}
