// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What Apple's documentation describes, as far as ReplayUI and its tests need it.

/// A modifier of views that has state.
@MainActor @preconcurrency public protocol ViewModifier {
  associatedtype Body: View
  typealias Content = _ViewModifier_Content<Self>
  @ViewBuilder func body(content: Content) -> Body
}

/// The view that a modifier changes.
public struct _ViewModifier_Content<Modifier: ViewModifier>: PrimitiveView {
  let content: any View
  func place(at node: Node) -> [Child] { node.only(content) }
}

public struct ModifiedContent<Content: View, Modifier: ViewModifier>: View, HasProperties {
  let content: Content
  let modifier: Modifier

  public var body: some View { modifier.body(content: _ViewModifier_Content(content: content)) }

  var owner: Any { modifier }
}

/// A view whose dynamic properties are those of another value.
@MainActor protocol HasProperties {
  var owner: Any { get }
}

extension View {
  public func modifier<Modifier: ViewModifier>(
    _ modifier: Modifier
  ) -> ModifiedContent<Self, Modifier> { ModifiedContent(content: self, modifier: modifier) }

  public func onAppear(perform action: (() -> Void)? = nil) -> some View {
    Appearing(content: self, onAppear: action, onDisappear: nil)
  }

  public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
    Appearing(content: self, onAppear: nil, onDisappear: action)
  }

  public func onChange<Value: Equatable>(
    of value: Value, initial: Bool = false, _ action: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> some View { Changing(content: self, value: value, initial: initial, action: action) }

  public func onReceive<Source: Publisher>(
    _ publisher: Source, perform action: @escaping (Source.Output) -> Void
  ) -> some View where Source.Failure == Never {
    Receiving(content: self, publisher: publisher, action: action)
  }

  public func background<Behind: View>(@ViewBuilder content: () -> Behind) -> some View {
    Layered(content: self, other: content())
  }

  public func overlay<Above: View>(@ViewBuilder content: () -> Above) -> some View {
    Layered(content: self, other: content())
  }

  public func id<ID: Hashable>(_ id: ID) -> some View { Identified(content: self, id: id) }
}

struct Appearing<Content: View>: PrimitiveView {
  let content: Content
  let onAppear: (() -> Void)?
  let onDisappear: (() -> Void)?

  func place(at node: Node) -> [Child] {
    (node.onAppear, node.onDisappear) = (onAppear, onDisappear)
    return node.only(content)
  }
}

struct Changing<Content: View, Value: Equatable>: PrimitiveView {
  let content: Content
  let value: Value
  let initial: Bool
  let action: (Value, Value) -> Void

  func place(at node: Node) -> [Child] {
    let last = node.kept(0) { Box<Value>() }
    if let old = last.content {
      if old != value { node.host.afterwards { [action, value] in action(old, value) } }
    } else if initial {
      node.host.afterwards { [action, value] in action(value, value) }
    }
    last.content = value
    return node.only(content)
  }
}

/// Subscribes again each time that it is passed in. The action is called on the thread on which the publisher
/// sends.
struct Receiving<Content: View, Source: Publisher>: PrimitiveView where Source.Failure == Never {
  let content: Content
  let publisher: Source
  let action: (Source.Output) -> Void

  func place(at node: Node) -> [Child] {
    nonisolated(unsafe) let action = action
    node.storage[0] = publisher.sink { @Sendable in action($0) }
    return node.only(content)
  }
}

struct Layered<Content: View, Other: View>: PrimitiveView {
  let content: Content
  let other: Other

  func place(at node: Node) -> [Child] { node.all([content, other]) }
}

/// A view with another id is another view.
struct Identified<Content: View, ID: Hashable>: PrimitiveView {
  let content: Content
  let id: ID

  func place(at node: Node) -> [Child] {
    [Child(key: AnyHashable(id), view: content, environment: node.environment)]
  }
}
