/// How often each group of projections runs in each step of a sample.
struct SampleCounts: CustomStringConvertible {
  var name: String
  var steps: [(label: String, evaluations: [String: Int])]

  var description: String { name }
}

extension SampleCounts {
  /// What each sample must show.
  static let all = [
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
}
