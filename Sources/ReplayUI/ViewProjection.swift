#if canImport(SwiftUI)
  import enum EventLog.Tracking
  import Projection
  import SwiftUI

  #if canImport(Combine)
    import Combine
  #else
    import OpenCombine
  #endif

  /// The projection of one view, which SwiftUI keeps as the view's state object: as long as the view has its identity.
  ///
  /// A view that moves in its list, or leaves the screen and comes back, keeps it. It ends when the state object releases it,
  /// which SwiftUI keeps until the view has disappeared for good; a view with another `id(_:)` has another.
  @MainActor final class ViewProjection: ObservableObject {
    /// Nil where views are not recorded.
    private(set) var projection: HostedProjection?
    private var settled: Settled?
    private var input: Any?

    /// What a view's projection is called, and where the app made it.
    struct Title {
      var name: String
      var id: AnyHashable?
      var fileID: String
      var line: Int
    }

    /// Whose projection it is: another title, recording or parent means another projection.
    private struct Settled {
      let title: Title
      let recording: Recording?
      let parent: HostedProjection?
    }

    nonisolated init() {}

    /// Runs a view's body, as a run of its projection where views are recorded.
    ///
    /// - Parameter input: The value whose fields are what the view was given; nil if that is not known.
    func run<Output>(
      _ title: Title, in surrounding: Surrounding, tracking: Tracking, input: Any? = nil,
      _ body: () -> Output
    ) -> Output {
      settle(title, surrounding, tracking)
      guard let projection else { return body() }
      surrounding.recording?.noteRun()
      let last = self.input
      self.input = input
      return projection.run(inputsDiffer: areDifferent(last, input), body)
    }

    private func settle(_ title: Title, _ surrounding: Surrounding, _ tracking: Tracking) {
      let (recording, parent) = (surrounding.recording, surrounding.projection)
      if let settled, settled.recording === recording, settled.parent === parent,
        settled.title.name == title.name, settled.title.id == title.id
      {
        return
      }
      projection?.dispose()
      settled = Settled(title: title, recording: recording, parent: parent)
      projection = recording?.session.hosted(
        title.name, id: title.id, parent: parent, tracking: tracking, fileID: title.fileID, line: title.line)
    }
  }

  extension ViewProjection.Title {
    /// The title of a view that the app gave no name: its kind, the type it is about, and the call site.
    init(_ kind: String, of type: Any.Type, _ name: String? = nil, fileID: String, line: Int) {
      let file = fileID.split(separator: "/").last?.split(separator: ".").first ?? ""
      let place = "\(kind)(\(type))@\(file):\(line)"
      self.init(name: name ?? place, id: nil, fileID: fileID, line: line)
    }
  }

  /// What the environment says of the place that a view is in.
  struct Surrounding {
    /// The recording of the views; nil if they are not recorded.
    var recording: Recording?
    /// The projection of the nearest view above that is recorded.
    var projection: HostedProjection?

    /// Runs an action of a view: what it writes has the cause of the last run of the view's projection.
    func perform(_ action: () -> Void) {
      if let projection { projection.perform(action) } else { action() }
    }
  }

  /// The part of a view that makes it a projection.
  @MainActor struct Hosted: DynamicProperty {
    @Environment(\.recording) private var recording
    @Environment(\.surroundingProjection) private var parent
    @StateObject private var own = ViewProjection()

    /// The place of the views below, once the view has run.
    var below: Surrounding { Surrounding(recording: recording, projection: own.projection ?? parent) }

    /// Runs the view's body, as a run of its projection where views are recorded.
    func run<Output>(
      _ title: ViewProjection.Title, tracking: Tracking, input: Any? = nil, _ body: () -> Output
    ) -> Output {
      let surrounding = Surrounding(recording: recording, projection: parent)
      return own.run(title, in: surrounding, tracking: tracking, input: input, body)
    }

    /// Runs the body of a view that follows an object.
    func run<Output>(
      _ title: ViewProjection.Title, following source: some ScopeSource, _ body: () -> Output
    ) -> Output {
      run(title, tracking: type(of: source).tracking) {
        if let recording, let announcer = source.announcer { recording.noteRead(of: announcer) }
        return body()
      }
    }
  }

  /// Whether two values of a view differ in a field; nil if that cannot be known, because fields are closures, say.
  ///
  /// What SwiftUI itself puts into a view, such as its state, is not handed in. Objects are compared by identity: what their
  /// own `==` reads, SwiftUI would take for read by the body.
  ///
  /// Cost: that of reflection, so it is for views that are recorded.
  func areDifferent(_ last: Any?, _ new: Any?) -> Bool? {
    guard let last, let new else { return nil }
    var isKnown = true
    for (field, other) in zip(Mirror(reflecting: last).children, Mirror(reflecting: new).children) {
      if field.value is any DynamicProperty { continue }
      switch isSame(field.value, other.value) {
      case false?: return true
      case nil: isKnown = false
      case true?: break
      }
    }
    return isKnown ? false : nil
  }

  /// Whether two values are equal, or one object; nil if they cannot be compared.
  private func isSame(_ value: Any, _ other: Any) -> Bool? {
    let (shape, otherShape) = (Mirror(reflecting: value), Mirror(reflecting: other))
    if shape.displayStyle == .optional {
      switch (shape.children.first?.value, otherShape.children.first?.value) {
      case (nil, nil): return true
      case (let value?, let other?): return isSame(value, other)
      default: return false
      }
    }
    if type(of: value) is AnyClass { return value as AnyObject === other as AnyObject }
    guard let value = value as? any Equatable else { return nil }
    return isEqual(value, other)
  }

  private func isEqual<Value: Equatable>(_ value: Value, _ other: Any) -> Bool { (other as? Value) == value }
#endif
