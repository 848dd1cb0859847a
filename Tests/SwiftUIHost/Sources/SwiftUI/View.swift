// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What Apple's documentation describes, as far as ReplayUI and its tests need it.

@_exported import Observation
@_exported import OpenCombine

/// Part of a user interface, as in Apple's documentation: a value with a body, which the host evaluates.
@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError("Never has no body") }
}

/// A primitive view without a body, which the host can show directly.
@MainActor protocol PrimitiveView: View where Body == Never {
  /// Brings a node up to date with this view, and returns the views below it.
  func place(at node: Node) -> [Child]
}

extension PrimitiveView {
  public var body: Never { fatalError("\(Self.self) has no body") }
}

/// A view below another, with its identity there and its environment.
struct Child {
  var key: AnyHashable
  var view: any View
  var environment: EnvironmentValues
  /// Whether it is shown. A view that was never shown does not exist.
  var isShown = true
}

extension Node {
  func only(_ view: any View) -> [Child] { [Child(key: 0, view: view, environment: environment)] }

  func all(_ views: [any View]) -> [Child] {
    views.enumerated().map { Child(key: $0.offset, view: $0.element, environment: environment) }
  }
}

@MainActor @resultBuilder public enum ViewBuilder {
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

  public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<(repeat each Content)> {
    var views: [any View] = []
    for view in repeat each content { views.append(view) }
    return TupleView((repeat each content), views)
  }

  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }

  public static func buildEither<First: View, Second: View>(
    first: First
  ) -> _ConditionalContent<First, Second> { _ConditionalContent(storage: .first(first)) }

  public static func buildEither<First: View, Second: View>(
    second: Second
  ) -> _ConditionalContent<First, Second> { _ConditionalContent(storage: .second(second)) }
}

public struct EmptyView: PrimitiveView {
  public init() {}
  func place(at node: Node) -> [Child] { [] }
}

public struct TupleView<Content>: PrimitiveView {
  public var value: Content
  private let views: [any View]

  init(_ value: Content, _ views: [any View]) {
    self.value = value
    self.views = views
  }

  func place(at node: Node) -> [Child] { node.all(views) }
}

/// One of two views. Each has a separate identity.
public struct _ConditionalContent<First: View, Second: View>: PrimitiveView {
  enum Storage {
    case first(First)
    case second(Second)
  }

  let storage: Storage

  func place(at node: Node) -> [Child] {
    switch storage {
    case .first(let view): [Child(key: "first", view: view, environment: node.environment)]
    case .second(let view): [Child(key: "second", view: view, environment: node.environment)]
    }
  }
}

extension Optional: View where Wrapped: View {
  public typealias Body = Never
  public var body: Never { fatalError("Optional has no body") }
}

extension Optional: PrimitiveView where Wrapped: View {
  func place(at node: Node) -> [Child] { map { node.only($0) } ?? [] }
}

public struct Group<Content: View>: PrimitiveView {
  private let content: Content
  public init(@ViewBuilder content: () -> Content) { self.content = content() }
  func place(at node: Node) -> [Child] { node.only(content) }
}
