#if canImport(SwiftUI)
  import Dispatch
  import enum EventLog.Tracking
  import Projection
  import SwiftUI

  #if canImport(Combine)
    import Combine
  #else
    import OpenCombine
  #endif

  extension View {
    /// Records the views within this one in a session: each ``ScopeView``, and each view whose body uses
    /// ``SwiftUI/View/recorded(_:id:tracking:fileID:line:content:)``.
    ///
    ///     ContentView().recorded(by: session)
    ///
    /// Every run of such a body is in the log, with its enclosing recorded view, its cause, its duration, and
    /// whether its input differed. The views themselves work with or without a session. Sheets and popovers
    /// inherit the environment of the view that presents them. Windows and scenes do not, so put this on the
    /// root view of each window or scene, too.
    ///
    /// - Parameter session: The session; nil records nothing.
    public func recorded(by session: Session?) -> some View { modifier(SessionGiver(session: session)) }

    /// Makes the body of a view a projection of the session that records the view.
    ///
    ///     struct Row: View {
    ///       let item: Item
    ///       var body: some View {
    ///         recorded(id: item.id) { Text(item.title) }
    ///       }
    ///     }
    ///
    /// The content is evaluated in a separate view, which is invalidated by what the content reads, and which
    /// runs again when this view does.
    ///
    /// - Parameters:
    ///   - name: Its name in the log; by default the type of this view.
    ///   - id: Distinguishes it from other views with that name: the log has `Row#7`.
    ///   - tracking: What invalidates it in the log. SwiftUI itself tracks properties, and views that use an
    ///     `ObservableObject` run at each of its announcements.
    public func recorded<Content: View>(
      _ name: String? = nil, id: AnyHashable? = nil, tracking: Tracking = .property, fileID: String = #fileID,
      line: Int = #line, @ViewBuilder content: @escaping () -> Content
    ) -> some View {
      let name = name ?? String("\(Self.self)".prefix { $0 != "<" })
      return RecordedBody(
        title: ViewProjection.Title(name: name, id: id, fileID: fileID, line: line), tracking: tracking,
        handedIn: HandedIn(self), content: content)
    }
  }

  struct RecordedBody<Content: View>: View {
    let title: ViewProjection.Title
    let tracking: Tracking
    /// The input of the view with this body.
    let handedIn: HandedIn
    let content: () -> Content
    private var hosted = Hosted()

    init(
      title: ViewProjection.Title, tracking: Tracking, handedIn: HandedIn, content: @escaping () -> Content
    ) {
      (self.title, self.tracking, self.handedIn, self.content) = (title, tracking, handedIn, content)
    }

    var body: some View {
      let shown = hosted.run(title, tracking: tracking, handedIn: handedIn, content)
      shown.environment(\.surroundingProjection, hosted.below.projection)
    }
  }

  /// Puts a session into the environment.
  private struct SessionGiver: ViewModifier {
    let session: Session?
    @StateObject private var kept = KeptRecording()

    func body(content: Content) -> some View {
      content.environment(\.recording, kept.recording(in: session))
    }
  }

  /// Keeps the recording of a session from one run of a body to the next.
  @MainActor private final class KeptRecording: ObservableObject {
    private var recording: Recording?

    nonisolated init() {}

    func recording(in session: Session?) -> Recording? {
      if recording?.session !== session { recording = session.map { Recording.of($0) } }
      return recording
    }
  }

  /// A session that records views, and its data about the observable objects that these views use.
  @MainActor final class Recording {
    /// The existing recordings by the identities of their sessions. A recording retains its session, so the
    /// identity stays unique.
    private static var all: [ObjectIdentifier: Weak] = [:]

    private struct Weak {
      weak var recording: Recording?
    }

    let session: Session
    private var announcements: [ObjectIdentifier: Announcements] = [:]
    private var names: [String: Int] = [:]
    private var isInTurn = false

    private init(_ session: Session) { self.session = session }

    /// The recording of a session. All windows of the session share it, because each recording would name
    /// objects anew.
    static func of(_ session: Session) -> Recording {
      if let known = all[ObjectIdentifier(session)]?.recording { return known }
      let made = Recording(session)
      all = all.filter { $0.value.recording != nil }
      all[ObjectIdentifier(session)] = Weak(recording: made)
      return made
    }

    /// Records that SwiftUI is running bodies. All bodies that it runs before the main queue continues belong
    /// to one turn.
    func countRun() {
      if isInTurn { return }
      isInTurn = true
      DispatchQueue.main.async { [self] in
        isInTurn = false
        session.endHostTurn()
      }
    }

    /// Makes the current run depend on the announcements of an object, which are recorded from now on.
    func registerRead<Object: ObservableObject>(of object: Object) {
      _ = announcements(of: object).objectWillChange
    }

    private func announcements<Object: ObservableObject>(of object: Object) -> Announcements {
      if let known = announcements[ObjectIdentifier(object)], known.object === object { return known }
      let made = Announcements(of: object)
      announcements = announcements.filter { $0.value.object != nil }
      announcements[ObjectIdentifier(object)] = made
      // The name has a prefix, because the app may have attached a root with the name of the class.
      let name = "announced_\(Object.self)"
      let count = names[name, default: 0] + 1
      names[name] = count
      session.attach(made, as: count == 1 ? name : "\(name)_\(count)")
      return made
    }
  }

  /// The number of changes that an object has announced, which is what the log holds of an object whose class
  /// is not recorded.
  ///
  /// A view that uses an `ObservableObject` depends on this number, which is set just before the object
  /// changes. So the log shows why the view runs, and the origin of the set is the line that changes the
  /// object.
  @Recorded @MainActor final class Announcements {
    private(set) var objectWillChange = 0
    @RecordedIgnored private(set) weak var object: AnyObject?
    @RecordedIgnored private var subscription: AnyCancellable?

    init<Object: ObservableObject>(of object: Object) {
      self.object = object
      subscription = object.objectWillChange.sink { @Sendable [weak self] _ in
        onMain { self?.objectWillChange += 1 }
      }
    }
  }

  /// Runs an action on the main actor: at once on the main queue, otherwise by dispatching it there.
  func onMain(_ action: @escaping @MainActor () -> Void) {
    MainQueue.isMarked
    if DispatchQueue.getSpecific(key: MainQueue.mark) == nil {
      DispatchQueue.main.async { action() }
    } else {
      MainActor.assumeIsolated { action() }
    }
  }

  private enum MainQueue {
    static let mark = DispatchSpecificKey<Void>()
    static let isMarked: Void = DispatchQueue.main.setSpecific(key: mark, value: ())
  }

  private struct RecordingKey: EnvironmentKey {
    static var defaultValue: Recording? { nil }
  }

  private struct SurroundingProjectionKey: EnvironmentKey {
    static var defaultValue: HostedProjection? { nil }
  }

  extension EnvironmentValues {
    /// The recording of the views; nil if they are not recorded.
    var recording: Recording? {
      get { self[RecordingKey.self] }
      set { self[RecordingKey.self] = newValue }
    }

    /// The projection of the nearest enclosing view that is recorded.
    var surroundingProjection: HostedProjection? {
      get { self[SurroundingProjectionKey.self] }
      set { self[SurroundingProjectionKey.self] = newValue }
    }
  }
#endif
