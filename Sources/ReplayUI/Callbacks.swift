#if canImport(SwiftUI)
  import Projection
  import SwiftUI

  #if canImport(Combine)
    import Combine
  #else
    import OpenCombine
  #endif

  extension View {
    /// Calls an action when a property of an object in the environment has changed. This view does not run
    /// because of it.
    ///
    ///     .onChange(of: \.count, in: Inbox.self) { old, new in print("\(old) -> \(new)") }
    ///
    /// The action is called once per frame, after the views have run. Its writes have the cause of the change
    /// in the log.
    ///
    /// - Parameters:
    ///   - keyPath: The property. A set to an equal value is not a change.
    ///   - type: The type of an observable object, `@Observable` or `@Recorded`.
    public func onChange<Root: AnyObject & Observable, Value: Equatable>(
      of keyPath: KeyPath<Root, Value>, in type: Root.Type, fileID: String = #fileID, line: Int = #line,
      perform action: @escaping @MainActor (_ old: Value, _ new: Value) -> Void
    ) -> some View {
      background {
        ChangeObserver<ObservableSource<Root>, Value>(
          title: ViewProjection.Title("onChange", of: type, fileID: fileID, line: line), keyPath: keyPath,
          action: action)
      }
    }

    /// Calls an action when a property of an `ObservableObject` in the environment has changed. This view
    /// does not run because of it, but a hidden view runs at every `objectWillChange`.
    @_disfavoredOverload public func onChange<Root: ObservableObject, Value: Equatable>(
      of keyPath: KeyPath<Root, Value>, in type: Root.Type, fileID: String = #fileID, line: Int = #line,
      perform action: @escaping @MainActor (_ old: Value, _ new: Value) -> Void
    ) -> some View {
      background {
        ChangeObserver<ObservableObjectSource<Root>, Value>(
          title: ViewProjection.Title("onChange", of: type, fileID: fileID, line: line), keyPath: keyPath,
          action: action)
      }
    }

    /// Calls an action with the value of each set of a `@Published` property, including sets to an equal
    /// value.
    ///
    ///     .onReceive(of: \.$count, in: Inbox.self) { count in print(count) }
    ///
    /// The action gets the value that was set. At the time of the call the property may or may not hold that
    /// value yet. The action is not called for the value that the property has when the view appears.
    public func onReceive<Root: ObservableObject, Value>(
      of keyPath: KeyPath<Root, Published<Value>.Publisher>, in type: Root.Type, fileID: String = #fileID,
      line: Int = #line, perform action: @escaping @MainActor (_ value: Value) -> Void
    ) -> some View {
      background {
        PublishedReceiver(
          title: ViewProjection.Title("onReceive", of: type, fileID: fileID, line: line), keyPath: keyPath,
          action: action)
      }
    }

    /// Calls an action with the value of each set of a property of a recorded object in the environment,
    /// including sets to an equal value. For sets within a transaction it is called at the end of the
    /// transaction.
    ///
    ///     .onReceive(of: \.count, in: Inbox.self) { count in print(count) }
    ///
    /// Only the session sees sets to equal values. So the action is not called for an object that is attached
    /// to no session, or if no ``recorded(by:)`` is around the view.
    public func onReceive<Root: RecordedObject, Value>(
      of keyPath: KeyPath<Root, Value>, in type: Root.Type, fileID: String = #fileID, line: Int = #line,
      perform action: @escaping @MainActor (_ value: Value) -> Void
    ) -> some View {
      background { SetReceiver(keyPath: keyPath, fileID: fileID, line: line, action: action) }
    }

    /// Calls an action when this view appears for the first time, but not when it appears again, for example
    /// after coming back to the screen. A view with a new `id(_:)` is another view.
    ///
    ///     .onFirstAppear { inbox.load() }
    public func onFirstAppear(perform action: @escaping @MainActor () -> Void) -> some View {
      modifier(FirstAppearance(action: action))
    }
  }

  /// A hidden view that reads a property, so that the view in front of it need not read it.
  private struct ChangeObserver<Source: ScopeSource, Value: Equatable>: View {
    let title: ViewProjection.Title
    let keyPath: KeyPath<Source.Root, Value>
    let action: @MainActor (Value, Value) -> Void
    private var source = Source()
    private var hosted = Hosted()

    init(
      title: ViewProjection.Title, keyPath: KeyPath<Source.Root, Value>,
      action: @escaping @MainActor (Value, Value) -> Void
    ) {
      (self.title, self.keyPath, self.action) = (title, keyPath, action)
    }

    var body: some View {
      let root = source.root
      let value = hosted.run(title, following: source) { root[keyPath: keyPath] }
      let below = hosted.below
      Color.clear.onChange(of: value) { old, new in below.perform { action(old, new) } }
    }
  }

  /// A hidden view that subscribes to a published property, which first publishes its current value.
  private struct PublishedReceiver<Root: ObservableObject, Value>: View {
    let title: ViewProjection.Title
    let keyPath: KeyPath<Root, Published<Value>.Publisher>
    let action: @MainActor (Value) -> Void
    private var source = ObservableObjectSource<Root>()
    private var hosted = Hosted()

    init(
      title: ViewProjection.Title, keyPath: KeyPath<Root, Published<Value>.Publisher>,
      action: @escaping @MainActor (Value) -> Void
    ) {
      (self.title, self.keyPath, self.action) = (title, keyPath, action)
    }

    var body: some View {
      let root = source.root
      let publisher = hosted.run(title, following: source) { root[keyPath: keyPath] }
      // A published property may be set on any thread.
      Color.clear.onReceive(publisher.dropFirst()) { @Sendable [action] value in
        nonisolated(unsafe) let value = value
        onMain { action(value) }
      }
    }
  }

  /// A hidden view with a callback of the session.
  private struct SetReceiver<Root: RecordedObject, Value>: View {
    let keyPath: KeyPath<Root, Value>
    let fileID: String
    let line: Int
    let action: @MainActor (Value) -> Void
    @Environment(Root.self) private var root
    @Environment(\.recording) private var recording
    @StateObject private var callback = SetCallback<Root, Value>()

    init(
      keyPath: KeyPath<Root, Value>, fileID: String, line: Int, action: @escaping @MainActor (Value) -> Void
    ) {
      (self.keyPath, self.fileID, self.line, self.action) = (keyPath, fileID, line, action)
    }

    var body: some View {
      callback.settle(keyPath, root, recording?.session, fileID, line, action)
      return Color.clear
    }
  }

  /// A callback of the session, which ends with its view.
  @MainActor private final class SetCallback<Root: RecordedObject, Value>: ObservableObject {
    private var action: (@MainActor (Value) -> Void)?
    private weak var root: Root?
    private weak var session: Session?
    /// Used only by the main actor and by `deinit`, when there is no other user.
    private nonisolated(unsafe) var subscription: ProjectionHandle?

    nonisolated init() {}

    deinit { subscription?.cancel() }

    func settle(
      _ keyPath: KeyPath<Root, Value>, _ root: Root, _ session: Session?, _ fileID: String, _ line: Int,
      _ action: @escaping @MainActor (Value) -> Void
    ) {
      self.action = action
      if self.root === root, self.session === session { return }
      subscription?.cancel()
      (self.root, self.session) = (root, session)
      subscription = session?.onReceive(of: keyPath, in: root, fileID: fileID, line: line) {
        @Sendable [weak self] value in
        nonisolated(unsafe) let value = value
        onMain { self?.action?(value) }
      }
    }
  }

  private struct FirstAppearance: ViewModifier {
    let action: @MainActor () -> Void
    @Environment(\.surroundingProjection) private var projection
    @State private var hasAppeared = false

    init(action: @escaping @MainActor () -> Void) { self.action = action }

    func body(content: Content) -> some View {
      content.onAppear {
        if hasAppeared { return }
        hasAppeared = true
        Surrounding(projection: projection).perform { action() }
      }
    }
  }
#endif
