/// How often projections run in each step of a sample.
struct SampleCounts: CustomStringConvertible {
  var name: String
  /// Whether instances (`Row#42`) are counted separately, instead of under their group (`Row`).
  var isByInstance = false
  var steps: [(label: String, evaluations: [String: Int])]

  var description: String { name }

  static let all = chat + scopes + list + episodes + catalog + game + stream + feed + mailbox
}

extension SampleCounts {
  private static let chat = [
    SampleCounts(
      name: "chat-wide",
      steps: [
        ("first frame", ["ChatView": 1, "MessageRow": 50, "MarkdownText": 50]),
        // 30 updates a second for 10 seconds, each of which runs everything.
        ("nami speaks", ["ChatView": 300, "MessageRow": 300 * 50, "MarkdownText": 300 * 50]),
      ]),
    SampleCounts(
      name: "chat-isolated",
      steps: [
        ("first frame", ["ChatView": 1, "ChatHeader": 1, "MessageRow": 50, "MarkdownText": 50]),
        ("nami speaks", ["ChatHeader": 300]),
      ]),
  ]

  private static let feed = [
    feed("feed-stale", type: ["SearchField": 3, "FeedList": 2, "FeedRow": 6], last: ["FeedList": 2]),
    feed("feed-latest", type: ["SearchField": 3, "FeedList": 1], last: ["FeedList": 1]),
  ]

  private static func feed(_ name: String, type: [String: Int], last: [String: Int]) -> SampleCounts {
    SampleCounts(
      name: name,
      steps: [
        ("first frame", ["SearchField": 1, "Spinner": 1, "FeedList": 1, "Footer": 1]),
        ("pull", ["Spinner": 2, "FeedRow": 12, "FeedList": 1]),
        ("type", type),
        (
          "scroll to the end, and pull meanwhile",
          last.merging(["Spinner": 2, "Footer": 1, "FeedRow": 4]) { a, _ in a }
        ),
      ])
  }

  private static let list = [
    bumping("list-object", runs: ["List": 1, "Row": 1_000]),
    bumping("list-property", runs: ["List": 1, "Row": 1]),
    bumping("list-trap", runs: ["List": 1, "Row": 1_000]),
    bumping("list-element", runs: ["Row": 1]),
  ]

  private static func bumping(_ name: String, runs: [String: Int]) -> SampleCounts {
    SampleCounts(
      name: name,
      steps: [
        ("first frame", ["List": 1, "Row": 1_000]),
        ("bump row 42", runs), ("bump row 7", runs), ("bump row 999", runs),
      ])
  }

  private static let episodes = [
    SampleCounts(
      name: "episodes-struct",
      steps: [
        ("first frame", ["EpisodeList": 1, "EpisodeRow": 100, "PlaybackProgress": 100]),
        ("refresh", ["EpisodeList": 1, "EpisodeRow": 100, "PlaybackProgress": 100]),
        ("refresh finds nothing new", [:]),
        // 60 callbacks a second for 2 seconds, each of which runs everything.
        ("play", ["EpisodeList": 120, "EpisodeRow": 120 * 100, "PlaybackProgress": 120 * 100]),
      ]),
    SampleCounts(
      name: "episodes-identity",
      steps: [
        ("first frame", ["EpisodeList": 1, "EpisodeRow": 100, "PlaybackProgress": 100]),
        // Two corrected titles, and a new episode.
        ("refresh", ["EpisodeList": 1, "EpisodeRow": 3, "PlaybackProgress": 1]),
        ("refresh finds nothing new", [:]),
        // 4 updates a second for 2 seconds.
        ("play", ["PlaybackProgress": 8]),
      ]),
  ]

  private static let catalog = [
    SampleCounts(
      name: "catalog-single",
      steps: [
        ("first frame", ["CatalogView": 1, "ProductList": 1, "ProductRow": 40]),
        ("load ten times", ["CatalogView": 20, "ProductList": 20, "ProductRow": 20 * 40]),
        ("type a query", ["CatalogView": 5, "ProductList": 5, "ProductRow": 5 * 40]),
        ("choose a category nobody shows", [:]),
        ("a price changes", ["CatalogView": 1, "ProductList": 1, "ProductRow": 40]),
      ]),
    SampleCounts(
      name: "catalog-split",
      steps: [
        (
          "first frame",
          [
            "CatalogView": 1, "LoadingIndicator": 1, "CatalogSearchBar": 1, "ProductList": 1,
            "ProductRow": 40,
          ]
        ),
        ("load ten times", ["LoadingIndicator": 20]),
        ("type a query", ["CatalogSearchBar": 5]),
        ("choose a category nobody shows", [:]),
        ("a price changes", ["ProductList": 1, "ProductRow": 1]),
      ]),
  ]
  private static let game = [
    SampleCounts(
      name: "game-mixed",
      steps: [
        (
          "first frame",
          [
            "HUD": 1, "FrameCounter": 1, "Board": 1, "EntityView": 50, "Nameplate": 50, "HealthBar": 50,
          ]
        ),
        // 60 frames, in each of which x and y of 50 entities are set; the child views run with their parent.
        (
          "play",
          [
            "FrameCounter": 60, "EntityView": 60 * 50 * 2, "Nameplate": 60 * 50 * 2, "HealthBar": 60 * 50 * 2,
          ]
        ),
        ("an entity is hit", ["HealthBar": 1]),
        ("a crate is opened", ["HUD": 1]),
      ]),
    SampleCounts(
      name: "game-split",
      steps: [
        (
          "first frame",
          [
            "HUD": 1, "FrameCounter": 1, "Board": 1, "EntityView": 50, "Position": 50, "Nameplate": 50,
            "HealthBar": 50,
          ]
        ),
        ("play", ["FrameCounter": 60, "Position": 60 * 50 * 2]),
        ("an entity is hit", ["HealthBar": 1]),
        ("a crate is opened", ["HUD": 1]),
      ]),
  ]

  private static let stream = [
    SampleCounts(
      name: "stream-wide",
      steps: [
        ("first frame", ["ChatView": 1, "MarkdownRow": 49, "ScrollView": 1, "scrollToBottom": 1]),
        ("an answer begins", ["ChatView": 1, "MarkdownRow": 50, "ScrollView": 1, "scrollToBottom": 1]),
        // 30 tokens a second for 5 seconds, of which four begin another line.
        (
          "tokens arrive",
          ["ChatView": 150, "MarkdownRow": 150 * 50, "ScrollView": 4, "scrollToBottom": 150]
        ),
      ]),
    SampleCounts(
      name: "stream-input",
      steps: [
        ("first frame", ["ChatView": 1, "MarkdownRow": 49, "ScrollView": 1, "scrollToBottom": 1]),
        ("an answer begins", ["ChatView": 1, "MarkdownRow": 1, "ScrollView": 1, "scrollToBottom": 1]),
        ("tokens arrive", ["ChatView": 150, "MarkdownRow": 150, "ScrollView": 4, "scrollToBottom": 150]),
      ]),
  ]
}
