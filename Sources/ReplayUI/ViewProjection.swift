#if canImport(SwiftUI)
  import enum EventLog.Tracking
  import Projection
  import SwiftUI

  #if canImport(Combine)
    import Combine
  #else
    import OpenCombine
  #endif

  /// The projection of one view, which SwiftUI keeps as the view's state object as long as the view has its
  /// identity.
  ///
  /// A view that moves in its list, or leaves the screen and comes back, keeps its projection. The projection
  /// ends when SwiftUI releases the state object, after the view has disappeared for good. A view with
  /// another `id(_:)` has another projection.
  @MainActor final class ViewProjection: ObservableObject {
    /// The projection; nil if views are not recorded.
    private(set) var projection: HostedProjection?
    private var settled: Settled?
    /// The input of the last recorded run.
    private var handedIn: HandedIn?

    /// The name of a view's projection, and the location at which the app made the view.
    struct Title {
      var name: String
      var id: AnyHashable?
      var fileID: String
      var line: Int
    }

    /// The identity of a projection: with another title, recording or parent the view needs a new projection.
    private struct Settled {
      let title: Title
      let recording: Recording?
      let parent: HostedProjection?
    }

    nonisolated init() {}

    /// Runs a view's body; if views are recorded, as a run of its projection.
    func run<Output>(
      _ title: Title, in surrounding: Surrounding, tracking: Tracking, handedIn: HandedIn?,
      _ body: () -> Output
    ) -> Output {
      settle(title, surrounding, tracking)
      guard let projection else { return body() }
      surrounding.recording?.countRun()
      let inputChanged = handedIn?.differs(from: self.handedIn)
      self.handedIn = handedIn
      return projection.run(inputChanged: inputChanged, body)
    }

    private func settle(_ title: Title, _ surrounding: Surrounding, _ tracking: Tracking) {
      let (recording, parent) = (surrounding.recording, surrounding.projection)
      if let settled, settled.recording === recording, settled.parent === parent,
        settled.title.name == title.name, settled.title.id == title.id
      {
        return
      }
      projection?.dispose()
      handedIn = nil
      settled = Settled(title: title, recording: recording, parent: parent)
      projection = recording?.session.hosted(
        title.name, id: title.id, parent: parent, tracking: tracking, fileID: title.fileID, line: title.line)
    }
  }

  extension ViewProjection.Title {
    /// The title of a view without a name from the app: its kind, its model's type, and the call site.
    init(_ kind: String, of type: Any.Type, _ name: String? = nil, fileID: String, line: Int) {
      let file = fileID.split(separator: "/").last?.split(separator: ".").first ?? ""
      let ownName = "\(kind)(\(type))@\(file):\(line)"
      self.init(name: name ?? ownName, id: nil, fileID: fileID, line: line)
    }
  }

  /// The position of a view in the tree, from its environment.
  struct Surrounding {
    /// The recording of the views; nil if they are not recorded.
    var recording: Recording?
    /// The projection of the nearest enclosing view that is recorded.
    var projection: HostedProjection?

    /// Runs an action of a view. Its writes have the cause of the last run of the view's projection.
    func perform(_ action: () -> Void) {
      if let projection { projection.perform(action) } else { action() }
    }
  }

  /// The part of a view that makes the view a projection.
  @MainActor struct Hosted: DynamicProperty {
    @Environment(\.recording) private var recording
    @Environment(\.surroundingProjection) private var parent
    @StateObject private var own = ViewProjection()

    /// The surroundings of the views within this one, once this view has run.
    var below: Surrounding { Surrounding(recording: recording, projection: own.projection ?? parent) }

    /// Runs the view's body; if views are recorded, as a run of its projection.
    func run<Output>(
      _ title: ViewProjection.Title, tracking: Tracking, handedIn: HandedIn? = nil, _ body: () -> Output
    ) -> Output {
      let surrounding = Surrounding(recording: recording, projection: parent)
      return own.run(title, in: surrounding, tracking: tracking, handedIn: handedIn, body)
    }

    /// Runs the body of a view that uses an object.
    func run<Output>(
      _ title: ViewProjection.Title, following source: some ScopeSource, handedIn: HandedIn? = nil,
      _ body: () -> Output
    ) -> Output {
      run(title, tracking: type(of: source).tracking, handedIn: handedIn) {
        if let recording, let announcer = source.announcer { recording.registerRead(of: announcer) }
        return body()
      }
    }
  }
#endif
