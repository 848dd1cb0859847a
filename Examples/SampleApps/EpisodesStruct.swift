import Projection

/// Episodes are structs in an array: the array is one unit of change.
struct EpisodesStruct: SampleApp {
  static let name = "episodes-struct"
  static let summary = "An array replaced as a whole, and progress 60 times a second: every row runs."

  @Recorded final class AppState {
    var episodes: [EpisodeSnapshot] = []
  }

  private let app = AppState()

  /// The least time between two progress reports; the sample has no such limit.
  var interval = Duration.zero

  init(in session: Session) {
    app.episodes = EpisodeFeed.first
    session.attach(app, as: "app")
    session.projection("EpisodeList", tracking: .property) { [app] list in
      for episode in app.episodes {
        list.child("EpisodeRow", id: episode.id) { row in
          row.child("PlaybackProgress") { _ in
            EpisodeViews.progress(episode.playbackPosition, of: episode.duration)
          }
          return episode.title
        }
      }
      return "\(app.episodes.count) episodes"
    }
  }

  var steps: [Step] {
    [
      Step("refresh") { app.episodes = EpisodeFeed.second },
      Step("refresh finds nothing new") { app.episodes = EpisodeFeed.second },
      Step("play") { ticker in
        AudioPlayer(interval: interval).play(seconds: 2, ticker) { position in
          app.episodes[3].playbackPosition = position
        }
      },
    ]
  }
}
