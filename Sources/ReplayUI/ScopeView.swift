#if canImport(SwiftUI)
  import enum EventLog.Tracking
  import Projection
  import SwiftUI

  #if canImport(Combine)
    import Combine
  #else
    import OpenCombine
  #endif

  /// A view with its own observation scope: when what its content has read changes, it runs again, and the
  /// enclosing view does not.
  ///
  ///     ScopeView(Inbox.self) { inbox, _ in
  ///       Button("\(inbox.count)") { inbox.count += 1 }
  ///     }
  ///     ScopeView(Inbox.self) { _, projected in
  ///       TextField("Text", text: projected.text)
  ///     }
  ///
  /// The model comes from the environment: from `.environment(inbox)` for an observable class, recorded or
  /// not, and from `.environmentObject(inbox)` for an `ObservableObject`, for which the scope runs at every
  /// `objectWillChange`. Within ``SwiftUI/View/recorded(by:)`` the scope is a projection in the log.
  public struct ScopeView<Source: ScopeSource, Content: View>: View {
    private let title: ViewProjection.Title
    private let content: (Source.Root, Source.Projected) -> Content
    private var source = Source()
    private var hosted = Hosted()

    /// The content as it was given. It is wrapped in a struct, because a bare closure would be wrapped anew
    /// each time it is passed on.
    private struct Given {
      let content: (Source.Root, Source.Projected) -> Content
    }

    private init(
      _ title: ViewProjection.Title, _ content: @escaping (Source.Root, Source.Projected) -> Content
    ) {
      (self.title, self.content) = (title, content)
    }

    /// The content, evaluated in a run of the scope's projection.
    public var body: some View {
      let (root, projected) = (source.root, source.projected)
      let handedIn = HandedIn(Given(content: content))
      let shown = hosted.run(title, following: source, handedIn: handedIn) { content(root, projected) }
      shown.environment(\.surroundingProjection, hosted.below.projection)
    }
  }

  extension ScopeView {
    /// Creates a scope for an observable object, `@Observable` or `@Recorded`, in the environment.
    ///
    /// - Parameters:
    ///   - type: The type of the object.
    ///   - name: The scope's name in the log; by default its kind, type and call site:
    ///     `ScopeView(Inbox)@Header:12`.
    ///   - content: The content, given the object and bindings to its properties.
    public init<Root: AnyObject & Observable>(
      _ type: Root.Type, name: String? = nil, fileID: String = #fileID, line: Int = #line,
      @ViewBuilder content: @escaping @MainActor (_ root: Root, _ projected: Bindable<Root>) -> Content
    ) where Source == ObservableSource<Root> {
      self.init(ViewProjection.Title("ScopeView", of: type, name, fileID: fileID, line: line), content)
    }

    /// Creates a scope for an `ObservableObject` in the environment. For an object that is also `Observable`,
    /// the other initializer applies.
    ///
    /// - Parameters:
    ///   - type: The type of the object.
    ///   - name: The scope's name in the log; by default its kind, type and call site:
    ///     `ScopeView(Inbox)@Header:12`.
    ///   - content: The content, given the object and bindings to its properties.
    @_disfavoredOverload public init<Root: ObservableObject>(
      _ type: Root.Type, name: String? = nil, fileID: String = #fileID, line: Int = #line,
      @ViewBuilder content:
        @escaping @MainActor (_ root: Root, _ projected: EnvironmentObject<Root>.Wrapper) -> Content
    ) where Source == ObservableObjectSource<Root> {
      self.init(ViewProjection.Title("ScopeView", of: type, name, fileID: fileID, line: line), content)
    }
  }

  /// The source of a ``ScopeView``'s object: one of the types of this module.
  @MainActor public protocol ScopeSource: DynamicProperty {
    /// The type of the object.
    associatedtype Root: AnyObject
    /// The type that makes bindings to the object's properties.
    associatedtype Projected

    /// Creates a source. It has its object when SwiftUI evaluates the view.
    init()
    /// The object.
    var root: Root { get }
    /// Makes bindings to the object's properties.
    var projected: Projected { get }
    /// The changes that invalidate a view that has read a part of the object.
    static var tracking: Tracking { get }
    /// The object, if SwiftUI runs a view whenever the object announces a change and the log contains no
    /// other reason.
    var announcer: (any ObservableObject)? { get }
  }

  /// An observable object in the environment.
  public struct ObservableSource<Root: AnyObject & Observable>: ScopeSource {
    /// The object.
    @Environment(Root.self) public var root
    /// The object with bindings to its properties.
    public var projected: Bindable<Root> { Bindable(root) }
    /// By property, as with observation.
    public static var tracking: Tracking { .property }
    /// Nil, because only the reads of a view make it run.
    public var announcer: (any ObservableObject)? { nil }
    /// Creates a source for an object in the environment.
    public init() {}
  }

  /// An `ObservableObject` in the environment.
  public struct ObservableObjectSource<Root: ObservableObject>: ScopeSource {
    /// The object.
    @EnvironmentObject public var root: Root
    /// The wrapper of the environment's object.
    public var projected: EnvironmentObject<Root>.Wrapper { $root }
    /// By object, because each change of the object is announced to all views.
    public static var tracking: Tracking { .object }
    /// Nil if the class is recorded, because the log then contains the sets themselves.
    public var announcer: (any ObservableObject)? { root is any RecordedObject ? nil : root }
    /// Creates a source for an object in the environment.
    public init() {}
  }
#endif
