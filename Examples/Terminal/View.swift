/// A part of the screen, as a value.
///
/// A view with a body of its own is `Equatable`: the body runs again when the view is handed other values, or when something that
/// it has read has changed.
package protocol View {
  /// What it shows.
  @ViewBuilder var body: VStack { get }
  /// When its body runs.
  var redraws: Redraws { get }
  /// Puts it into the tree of what is drawn.
  func render(in scope: Scope) -> Node
}

/// When the body of a view runs.
package enum Redraws {
  case whenOutOfDate
  /// Only for another input, whatever it has read: right for a view that reads nothing.
  case whenHandedAnother
  case eachFrame
}

extension View {
  package var body: VStack { VStack(views: []) }
  package var redraws: Redraws { .whenOutOfDate }
}

extension View where Self: Equatable {
  package func render(in scope: Scope) -> Node {
    let place = scope.place.child(for: self, at: scope.path)
    place.hand(self, scope.environment)
    return .child(place)
  }
}

/// What is drawn: the views without bodies, and the places of those with one.
package indirect enum Node {
  case text(String)
  /// One below the other.
  case rows([Node])
  /// Side by side; those without a width share what is left.
  case columns([Node])
  case framed(Node, width: Int)
  /// So many lines of it, with one of them among these.
  case scrolled(Node, height: Int, shown: Int)
  case animated(Node)
  case focusable(Node, String, (Key) -> Bool)
  case keys(Node, (Key) -> Bool)
  case child(Place)

  var inner: [Node] {
    switch self {
    case .text: []
    case .rows(let nodes), .columns(let nodes): nodes
    case .framed(let node, _), .scrolled(let node, _, _), .animated(let node), .focusable(let node, _, _),
      .keys(let node, _):
      [node]
    case .child(let place): [place.node]
    }
  }
}

/// Where a view is rendered.
package struct Scope {
  /// A step on the way to it within the body of its place.
  package enum Step: Hashable {
    case number(Int)
    case id(AnyHashable)
    case type(ObjectIdentifier)
  }

  let place: Place
  var environment: EnvironmentObjects
  var path: [Step] = []

  func step(_ step: Step) -> Scope { Scope(place: place, environment: environment, path: path + [step]) }
}

@resultBuilder package enum ViewBuilder {
  package static func buildExpression(_ view: any View) -> VStack { VStack(views: [view]) }
  package static func buildBlock(_ parts: VStack...) -> VStack { VStack(views: parts) }
  package static func buildOptional(_ part: VStack?) -> VStack { part ?? VStack(views: []) }
  package static func buildEither(first part: VStack) -> VStack { part }
  // What is in another branch is another view.
  package static func buildEither(second part: VStack) -> VStack { VStack(views: part.views, first: 1 << 10) }
}

/// Views one below the other.
package struct VStack: View {
  fileprivate let views: [any View]
  private let first: Int

  fileprivate init(views: [any View], first: Int = 0) { (self.views, self.first) = (views, first) }
  package init(@ViewBuilder _ stack: () -> VStack) { self = stack() }

  package func render(in scope: Scope) -> Node { .rows(nodes(in: scope)) }

  fileprivate func nodes(in scope: Scope) -> [Node] {
    views.enumerated().map { $1.render(in: scope.step(.number(first + $0))) }
  }
}

/// Views side by side.
package struct HStack: View {
  private let stack: VStack
  package init(@ViewBuilder _ stack: () -> VStack) { self.stack = stack() }
  package func render(in scope: Scope) -> Node { .columns(stack.nodes(in: scope)) }
}

package struct Text: View {
  let text: String
  package init(_ text: String) { self.text = text }
  package func render(in scope: Scope) -> Node { .text(text) }
}

/// A view for each element, which keeps its place and its state as long as its id is there.
package struct ForEach<Element>: View {
  private let elements: [Element]
  private let id: (Element) -> AnyHashable
  private let content: (Element) -> any View

  package init(
    _ elements: [Element], id: @escaping (Element) -> AnyHashable, content: @escaping (Element) -> any View
  ) {
    (self.elements, self.id, self.content) = (elements, id, content)
  }

  package func render(in scope: Scope) -> Node {
    .rows(elements.map { content($0).id(id($0)).render(in: scope) })
  }
}

/// A view with something around it.
package struct Modified: View {
  let content: any View
  let modify: (any View, Scope) -> Node
  package func render(in scope: Scope) -> Node { modify(content, scope) }
}

extension View {
  private func modified(_ modify: @escaping (Node, Scope) -> Node) -> Modified {
    Modified(content: self) { modify($0.render(in: $1), $1) }
  }

  /// At most so wide.
  package func frame(width: Int) -> Modified { modified { node, _ in .framed(node, width: width) } }

  /// So many of its lines, with one of them among these.
  package func scroll(height: Int, showing line: Int) -> Modified {
    modified { node, _ in .scrolled(node, height: height, shown: line) }
  }

  /// While it is drawn, ticks advance the phase of the screen.
  package func animated() -> Modified { modified { node, _ in .animated(node) } }

  /// Can have the focus, and then is the first to get keys.
  package func focusable(_ name: String, _ take: @escaping (Key) -> Bool) -> Modified {
    modified { node, _ in .focusable(node, name, take) }
  }

  /// Gets keys that what has the focus within it does not take.
  package func onKey(_ take: @escaping (Key) -> Bool) -> Modified {
    modified { node, _ in .keys(node, take) }
  }

  /// Calls an action after the frame in which the body around it has run for the first time.
  package func onAppear(_ action: @escaping () -> Void) -> Modified {
    modified { node, scope in
      if !scope.place.hasRun { scope.place.effects.append(action) }
      return node
    }
  }

  /// Another view, with a place and a state of its own, for each id.
  package func id(_ id: AnyHashable) -> Modified {
    Modified(content: self) { $0.render(in: $1.step(.id(id))) }
  }

  /// Hands an object to all views within this one that ask for one of its class.
  package func environment(_ object: some AnyObject) -> Modified {
    Modified(content: self) { content, scope in
      var scope = scope
      scope.environment.insert(object)
      return content.render(in: scope)
    }
  }
}
