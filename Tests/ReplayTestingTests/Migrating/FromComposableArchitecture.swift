import Projection
import ReplayTesting
import Testing

// The snippets of MIGRATING.md, "From `@ObservableState`", in their order.

enum Counter {
  struct State: Equatable {
    var count = 0
    var fact: String?
  }

  enum Action {
    case incremented
    case factLoaded(String)
  }

  static func reduce(_ state: inout State, _ action: Action) {
    switch action {
    case .incremented: state.count += 1
    case .factLoaded(let fact): state.fact = fact
    }
  }
}

@Recorded final class CounterStore {
  private(set) var state = Counter.State()

  func send(_ action: Counter.Action, in session: Session) {
    session.transaction("\(action)") { Counter.reduce(&state, action) }
  }
}

@Recorded final class CounterModel {
  private(set) var count = 0
  private(set) var fact: String?

  func increment() { count += 1 }

  func loadFact(by fetch: (Int) async -> String, in session: Session) async {
    let loaded = await fetch(count)
    session.transaction("factLoaded") { fact = loaded }
  }
}

@Test func aFactRunsNoCount() async throws {
  try await withRecordedSession { session in
    let model = CounterModel()
    session.attach(model, as: "counter")
    session.projection("Count") { _ in "\(model.count)" }
    session.projection("Fact") { _ in model.fact ?? "" }
    session.expectEvaluations(["Count": 1], others: 0) { model.increment() }
    await session.expectEvaluations(["Fact": 1], others: 0) {
      await model.loadFact(by: { "\($0) is odd" }, in: session)
    }
  }
}

// The statements in the text of the guide.

@Suite struct FromComposableArchitecture {
  /// A struct in one property is one dependency: readers of different fields are not distinguished.
  @Test func aStoreOfOneStructWakesEveryReaderOfIt() {
    let session = Session()
    let store = CounterStore()
    session.attach(store, as: "counter")
    session.projection("Count") { _ in "\(store.state.count)" }
    session.projection("Fact") { _ in store.state.fact ?? "" }
    session.expectEvaluations(["Count": 1, "Fact": 1]) { store.send(.factLoaded("odd"), in: session) }
    #expect(store.state == Counter.State(count: 0, fact: "odd"))
  }
}
