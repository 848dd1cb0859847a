import Projection

/// Episodes are objects that keep their identity: a refresh updates them in place.
struct EpisodesIdentity: SampleApp {
  static let name = "episodes-identity"
  static let summary = "The fix of episodes-struct: objects merged in place, progress 4 times a second."

  @Recorded final class Episode: Identifiable {
    let id: String
    var title: String
    var duration: Double
    var playbackPosition: Double
    var isDownloaded: Bool

    init(from snapshot: EpisodeSnapshot) {
      id = snapshot.id
      title = snapshot.title
      duration = snapshot.duration
      playbackPosition = snapshot.playbackPosition
      isDownloaded = snapshot.isDownloaded
    }

    func update(from snapshot: EpisodeSnapshot) {
      update(\.title, snapshot.title)
      update(\.duration, snapshot.duration)
      update(\.playbackPosition, snapshot.playbackPosition)
      update(\.isDownloaded, snapshot.isDownloaded)
    }

    /// Sets a property only if the value differs: a set to an equal value invalidates nothing, but is still an event.
    private func update<Value: Equatable>(
      _ property: ReferenceWritableKeyPath<Episode, Value>, _ value: Value
    ) {
      if self[keyPath: property] != value { self[keyPath: property] = value }
    }
  }

  @Recorded final class AppState {
    var episodes: RecordedDictionary<String, Episode> = [:]

    func mergeEpisodes(_ incoming: [EpisodeSnapshot]) {
      let incomingIDs = Set(incoming.map(\.id))
      for id in episodes.keys.sorted() where !incomingIDs.contains(id) {
        episodes.removeValue(forKey: id)
      }
      for snapshot in incoming {
        if let existing = episodes[snapshot.id] {
          existing.update(from: snapshot)
        } else {
          episodes[snapshot.id] = Episode(from: snapshot)
        }
      }
    }
  }

  private let app = AppState()
  private let session: Session

  init(in session: Session) {
    self.session = session
    app.mergeEpisodes(EpisodeFeed.first)
    session.attach(app, as: "app")
    session.projection("EpisodeList") { [app] list in
      for id in app.episodes.keys.sorted() {
        guard let episode = app.episodes[id] else { continue }
        list.child("EpisodeRow", id: id, input: episode) { row in
          row.child("PlaybackProgress", input: episode) { _ in
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
      Step("refresh") { refresh() },
      Step("refresh finds nothing new") { refresh() },
      Step("play") { ticker in
        AudioPlayer(interval: .milliseconds(250)).play(seconds: 2, ticker) { position in
          app.episodes["e5"]?.playbackPosition = position
        }
      },
    ]
  }

  private func refresh() {
    session.transaction("refresh") { app.mergeEpisodes(EpisodeFeed.second) }
  }
}
