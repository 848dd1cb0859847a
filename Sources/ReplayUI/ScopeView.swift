#if canImport(SwiftUI)
  import enum EventLog.Tracking
  import Projection
  import SwiftUI

  #if canImport(Combine)
    import Combine
  #else
    import OpenCombine
  #endif

  /// A view with an observation scope of its own: it runs again when what its content reads has changed, and the view that
  /// it is in does not.
  ///
  ///     ScopeView(Inbox.self) { inbox, _ in
  ///       Button("\(inbox.count)") { inbox.count += 1 }
  ///     }
  ///     ScopeView(Inbox.self) { _, projected in
  ///       TextField("Text", text: projected.text)
  ///     }
  ///
  /// The model comes from the environment: `.environment(inbox)` for an observable class, recorded or not, and
  /// `.environmentObject(inbox)` for an `ObservableObject`, with which the scope runs at every `objectWillChange`.
  /// Below ``SwiftUI/View/recorded(by:)`` the scope is a projection in the log.
  public struct ScopeView<Source: ScopeSource, Content: View>: View {
    private let title: ViewProjection.Title
    private let content: (Source.Root, Source.Projected) -> Content
    private var source = Source()
    private var hosted = Hosted()

    /// The content as it was given: by itself a closure would be wrapped anew wherever it is handed on.
    private struct Given {
      let content: (Source.Root, Source.Projected) -> Content
    }

    private init(
      _ title: ViewProjection.Title, _ content: @escaping (Source.Root, Source.Projected) -> Content
    ) {
      (self.title, self.content) = (title, content)
    }

    /// The content, in a run of the scope's projection.
    public var body: some View {
      let (root, projected) = (source.root, source.projected)
      let handedIn = HandedIn(Given(content: content))
      let shown = hosted.run(title, following: source, handedIn: handedIn) { content(root, projected) }
      shown.environment(\.surroundingProjection, hosted.below.projection)
    }
  }

  extension ScopeView {
    /// Makes a scope of an observable object, `@Observable` or `@Recorded`, that is in the environment.
    ///
    /// - Parameters:
    ///   - type: The type of the object.
    ///   - name: The scope's name in the log; what it is and the call site by default: `ScopeView(Inbox)@Header:12`.
    ///   - content: What is shown, given the object and bindings to its properties.
    public init<Root: AnyObject & Observable>(
      _ type: Root.Type, name: String? = nil, fileID: String = #fileID, line: Int = #line,
      @ViewBuilder content: @escaping @MainActor (_ root: Root, _ projected: Bindable<Root>) -> Content
    ) where Source == ObservableSource<Root> {
      self.init(ViewProjection.Title("ScopeView", of: type, name, fileID: fileID, line: line), content)
    }

    /// Makes a scope of an `ObservableObject` that is in the environment. One that is `Observable` as well is taken as
    /// that.
    ///
    /// - Parameters:
    ///   - type: The type of the object.
    ///   - name: The scope's name in the log; what it is and the call site by default: `ScopeView(Inbox)@Header:12`.
    ///   - content: What is shown, given the object and bindings to its properties.
    @_disfavoredOverload public init<Root: ObservableObject>(
      _ type: Root.Type, name: String? = nil, fileID: String = #fileID, line: Int = #line,
      @ViewBuilder content:
        @escaping @MainActor (_ root: Root, _ projected: EnvironmentObject<Root>.Wrapper) -> Content
    ) where Source == ObservableObjectSource<Root> {
      self.init(ViewProjection.Title("ScopeView", of: type, name, fileID: fileID, line: line), content)
    }
  }

  /// Where a ``ScopeView`` gets its object from: one of the types of this module.
  @MainActor public protocol ScopeSource: DynamicProperty {
    /// The type of the object.
    associatedtype Root: AnyObject
    /// What makes bindings to the object's properties.
    associatedtype Projected

    /// Makes a source, which has its object when SwiftUI evaluates the view.
    init()
    /// The object.
    var root: Root { get }
    /// What makes bindings to the object's properties.
    var projected: Projected { get }
    /// What invalidates a view that has read some of the object.
    static var tracking: Tracking { get }
    /// The object, if SwiftUI runs a view whenever the object announces a change, and the log knows no other reason.
    var announcer: (any ObservableObject)? { get }
  }

  /// An observable object in the environment.
  public struct ObservableSource<Root: AnyObject & Observable>: ScopeSource {
    /// The object.
    @Environment(Root.self) public var root
    /// The object, bindable.
    public var projected: Bindable<Root> { Bindable(root) }
    /// By property, as observation.
    public static var tracking: Tracking { .property }
    /// Nil: reads decide.
    public var announcer: (any ObservableObject)? { nil }
    /// Makes a source of what the environment has.
    public init() {}
  }

  /// An `ObservableObject` in the environment.
  public struct ObservableObjectSource<Root: ObservableObject>: ScopeSource {
    /// The object.
    @EnvironmentObject public var root: Root
    /// The wrapper of the environment's object.
    public var projected: EnvironmentObject<Root>.Wrapper { $root }
    /// By object, since each change of it is announced to all.
    public static var tracking: Tracking { .object }
    /// Nil if the class is recorded: then the log has the sets themselves.
    public var announcer: (any ObservableObject)? { root is any RecordedObject ? nil : root }
    /// Makes a source of what the environment has.
    public init() {}
  }
#endif
