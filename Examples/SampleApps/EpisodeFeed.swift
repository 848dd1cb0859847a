/// An episode as the server describes it.
struct EpisodeSnapshot: Identifiable, Equatable, Codable {
  let id: String
  var title: String
  /// Seconds.
  var duration = 1_800.0
  /// Seconds.
  var playbackPosition = 0.0
  var isDownloaded = false
}

/// The server's episodes, at first and after a while.
enum EpisodeFeed {
  static let first = (1...100).map(episode)

  /// Two titles are corrected, the oldest episode is removed, and one is new.
  static let second: [EpisodeSnapshot] = {
    var episodes = first.dropFirst() + [episode(101)]
    for index in [10, 20] { episodes[index].title += " (corrected)" }
    return Array(episodes)
  }()

  private static func episode(_ number: Int) -> EpisodeSnapshot {
    EpisodeSnapshot(id: "e\(number)", title: "Episode \(number)")
  }
}

/// The views of an episode.
enum EpisodeViews {
  /// `1:05 [#         ]`; a tenth of a second is one step of the clock.
  static func progress(_ position: Double, of duration: Double) -> String {
    let filled = Int(10 * position / duration)
    let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: 10 - filled)
    return "\(Double(Int(position * 10)) / 10) s [\(bar)]"
  }
}
