import Projection

/// A search ends the one before it.
struct FeedLatest: SampleApp {
  static let name = "feed-latest"
  static let summary = "The fix of feed-stale: a search cancels the one before it."

  private let feed: FeedApp

  init(in session: Session) {
    feed = FeedApp(in: session, keepsLatest: true)
    feed.assumeIsolated { $0.show() }
  }

  var steps: [Step] { feed.steps }
}
