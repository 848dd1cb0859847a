// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What Apple's documentation describes, as far as ReplayUI and its tests need it.

public struct Text: PrimitiveView, Equatable {
  let string: String
  public init(_ string: some StringProtocol) { self.string = String(string) }
  func place(at node: Node) -> [Child] { [] }
}

public struct Color: PrimitiveView, Equatable {
  private let name: String
  private init(_ name: String) { self.name = name }
  public static let clear = Color("clear")
  public static let blue = Color("blue")
  func place(at node: Node) -> [Child] { [] }
}

public struct Button<Label: View>: PrimitiveView {
  let action: () -> Void
  private let label: Label

  public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
    self.action = action
    self.label = label()
  }

  func place(at node: Node) -> [Child] { node.only(label) }
}

extension Button where Label == Text {
  public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {
    self.init(action: action) { Text(title) }
  }
}

/// Called when the host presses the button.
@MainActor protocol Pressable {
  var action: () -> Void { get }
}

extension Button: Pressable {}

public struct TextField: PrimitiveView {
  let title: String
  @Binding var text: String

  public init(_ title: some StringProtocol, text: Binding<String>) {
    self.title = String(title)
    _text = text
  }

  func place(at node: Node) -> [Child] { [] }
}

public struct VStack<Content: View>: PrimitiveView {
  private let content: Content
  public init(@ViewBuilder content: () -> Content) { self.content = content() }
  func place(at node: Node) -> [Child] { node.only(content) }
}

public struct HStack<Content: View>: PrimitiveView {
  private let content: Content
  public init(@ViewBuilder content: () -> Content) { self.content = content() }
  func place(at node: Node) -> [Child] { node.only(content) }
}

/// A view for each element, whose identity is the element's.
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: PrimitiveView {
  private let data: Data
  private let id: KeyPath<Data.Element, ID>
  private let content: (Data.Element) -> Content

  public init(
    _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
  ) {
    (self.data, self.id, self.content) = (data, id, content)
  }

  func place(at node: Node) -> [Child] {
    // Reads of the content invalidate this view, and not the view that created it.
    data.map {
      Child(key: AnyHashable($0[keyPath: id]), view: content($0), environment: node.environment)
    }
  }
}

extension ForEach where Data.Element: Identifiable, ID == Data.Element.ID {
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
    self.init(data, id: \.id, content: content)
  }
}

/// Rows: those on the screen exist, and those that were on it before.
public struct List<Data: RandomAccessCollection, ID: Hashable, Content: View>: PrimitiveView {
  private let data: Data
  private let id: KeyPath<Data.Element, ID>
  private let content: (Data.Element) -> Content

  public init(
    _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
  ) {
    (self.data, self.id, self.content) = (data, id, content)
  }

  func place(at node: Node) -> [Child] {
    data.enumerated().map { index, element in
      Child(
        key: AnyHashable(element[keyPath: id]), view: content(element), environment: node.environment,
        isShown: node.host.rowsOnScreen?.contains(index) ?? true)
    }
  }
}

extension List where Data.Element: Identifiable, ID == Data.Element.ID {
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
    self.init(data, id: \.id, content: content)
  }
}
