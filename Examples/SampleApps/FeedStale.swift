import Projection

/// Each search runs to its end, so that the answer to an older one may come last, and stay.
struct FeedStale: SampleApp {
  static let name = "feed-stale"
  static let summary = "A feed, searched as one types: the answer to \"ca\" comes after that to \"cat\"."

  private let feed: FeedApp

  init(in session: Session) {
    feed = FeedApp(in: session, keepsLatest: false)
    feed.assumeIsolated { $0.show() }
  }

  var steps: [Step] { feed.steps }
}
