import Projection

struct Post: Identifiable, Equatable, Codable {
  let id: Int
  var title: String
}

@Recorded final class FeedStore {
  var query = ""
  var posts: [Post] = []
  var isRefreshing = false
  var failure: String?
}

/// A feed that is refreshed, searched and paged at the same time, over a network that takes its time.
actor FeedApp {
  nonisolated let network = FakeNetwork()
  nonisolated var unownedExecutor: UnownedSerialExecutor { network.asUnownedSerialExecutor() }

  private let store = FeedStore()
  private let session: Session
  private let keepsLatest: Bool
  private var searching: Task<Void, Never>?
  private static let titles = [
    "A cat on a mat", "How to cook rice", "Cars of 1960", "Why cats purr", "The calm sea", "Carpets, woven",
  ]

  /// - Parameter keepsLatest: Whether a search ends the one before it.
  init(in session: Session, keepsLatest: Bool) {
    self.session = session
    self.keepsLatest = keepsLatest
  }

  /// Draws the first frame.
  func show() {
    session.attach(store, as: "feed")
    session.projection("SearchField") { [store] _ in store.query }
    session.projection("Spinner") { [store] _ in store.isRefreshing }
    session.projection("FeedList") { [store] list in
      for post in store.posts { list.child("FeedRow", id: post.id, input: post) { _ in post.title } }
      return "\(store.posts.count) posts"
    }
    session.projection("Footer") { [store] _ in store.failure ?? "" }
  }

  private func refresh() async {
    try? await session.action("Refresh") {
      store.isRefreshing = true
      defer { store.isRefreshing = false }
      try await network.request(taking: 200, on: self)
      store.posts = posts(matching: store.query)
    }
  }

  private func search(for query: String, taking milliseconds: Int) async {
    try? await session.action("Search") {
      store.query = query
      try await network.request(taking: milliseconds, on: self)
      store.posts = posts(matching: query)
    }
  }

  private func loadMore(fails: Bool) async {
    do {
      try await session.action("Load more") {
        try await network.request(taking: 100, fails: fails, on: self)
        store.posts += posts(matching: store.query, from: (store.posts.last?.id ?? -1) + 1)
      }
    } catch {
      store.failure = "no connection"
    }
  }

  private func posts(matching query: String, from first: Int = 0) -> [Post] {
    (first..<first + 12).map { Post(id: $0, title: Self.titles[$0 % Self.titles.count]) }
      .filter { query.isEmpty || $0.title.lowercased().contains(query) }
  }
}

// What a person does.
extension FeedApp {
  private func pull() { start { await $0.refresh() } }

  private func scrollToEnd(fails: Bool) { start { await $0.loadMore(fails: fails) } }

  private func type(_ query: String, taking milliseconds: Int) {
    if keepsLatest { searching?.cancel() }
    searching = start { await $0.search(for: query, taking: milliseconds) }
  }

  @discardableResult private func start(
    _ body: @escaping @Sendable (isolated FeedApp) async -> Void
  ) -> Task<Void, Never> {
    Task(executorPreference: network) { await body(self) }
  }

  nonisolated var steps: [Step] {
    func pass(_ milliseconds: Int, _ ticker: Ticker) {
      ticker.tick(milliseconds / 20, perSecond: 50) { _ in network.pass(milliseconds: 20) }
    }
    return [
      Step("pull") { ticker in
        self.assumeIsolated { $0.pull() }
        pass(300, ticker)
      },
      Step("type") { ticker in
        // The answer to "ca" takes longest, and comes last.
        for (query, milliseconds) in [("c", 260), ("ca", 600), ("cat", 200)] {
          self.assumeIsolated { $0.type(query, taking: milliseconds) }
          pass(100, ticker)
        }
        pass(700, ticker)
      },
      Step("scroll to the end, and pull meanwhile") { ticker in
        self.assumeIsolated {
          $0.pull()
          $0.scrollToEnd(fails: true)
        }
        pass(300, ticker)
        self.assumeIsolated { $0.scrollToEnd(fails: false) }
        pass(200, ticker)
      },
    ]
  }
}
