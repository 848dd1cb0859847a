import Projection

/// Where a body makes its children: among the session's own projections, or in a host that draws once a frame.
@MainActor enum Canvas {
  case session(Scope)
  case host(HostedView)

  /// Makes or keeps a child that runs whenever its parent does.
  func child<Output>(
    _ name: String, id: Int? = nil, tracking: Tracking = .element,
    _ body: @escaping @MainActor (Canvas) -> Output
  ) {
    switch self {
    case .session(let scope):
      scope.child(name, id: id.map(AnyHashable.init), tracking: tracking) { body(.session($0)) }
    case .host(let view):
      let child = view.child(name, id: id, tracking: tracking)
      child.draw = { [unowned child] in child.run { body(.host(child)) } }
      child.draw()
    }
  }

  /// Makes or keeps a child that does not run with its parent while its input is equal.
  func child<Input, Output>(
    _ name: String, id: Int? = nil, input: Input, _ body: @escaping @MainActor (Canvas) -> Output
  ) {
    switch self {
    case .session(let scope):
      scope.child(name, id: id.map(AnyHashable.init), input: input) { body(.session($0)) }
    case .host(let view):
      let child = view.child(name, id: id, tracking: .element)
      child.draw = { [unowned child] in child.run(input: input) { body(.host(child)) } }
      if child.hosted.isCurrent(for: input) { child.hosted.skip() } else { child.draw() }
    }
  }
}

/// A view of a host that draws once a frame.
@MainActor final class HostedView {
  private struct Key: Hashable {
    let name: String
    let id: Int?
  }

  let hosted: HostedProjection
  var draw: () -> Void = {}
  private let session: Session
  private unowned let screen: FrameScreen
  private var children: [(key: Key, view: HostedView)] = []
  private var positions: [Key: Int] = [:]
  private var made: Set<Key> = []

  init(_ name: String, id: Int?, parent: HostedProjection?, tracking: Tracking, on screen: FrameScreen) {
    self.screen = screen
    session = screen.session
    let site = Site(of: name)
    hosted = screen.session.hosted(
      name, id: id.map(AnyHashable.init), parent: parent, tracking: tracking, fileID: site.fileID,
      line: site.line)
    screen.add(self)
  }

  fileprivate func child(_ name: String, id: Int?, tracking: Tracking) -> HostedView {
    let key = Key(name: name, id: id)
    made.insert(key)
    if let position = positions[key] { return children[position].view }
    let view = HostedView(name, id: id, parent: hosted, tracking: tracking, on: screen)
    positions[key] = children.count
    children.append((key, view))
    return view
  }

  fileprivate func run<Output>(_ body: () -> Output) {
    made = []
    hosted.run(body)
    removeChildrenNotMade()
  }

  fileprivate func run<Input, Output>(input: Input, _ body: () -> Output) {
    made = []
    hosted.run(input: input, body)
    removeChildrenNotMade()
  }

  private func removeChildrenNotMade() {
    guard made.count < children.count else { return }
    for child in children where !made.contains(child.key) { child.view.remove() }
    children.removeAll { !made.contains($0.key) }
    positions = Dictionary(uniqueKeysWithValues: children.enumerated().map { ($1.key, $0) })
  }

  private func remove() {
    for child in children { child.view.remove() }
    screen.remove(self)
    hosted.dispose()
  }
}

/// A screen that draws once a frame, and then only what is out of date.
@MainActor final class FrameScreen {
  let session: Session
  private var views: [String: HostedView] = [:]

  init(_ session: Session) { self.session = session }

  fileprivate func add(_ view: HostedView) { views[view.hosted.name] = view }
  fileprivate func remove(_ view: HostedView) { views[view.hosted.name] = nil }

  func mount(_ name: String, _ body: @escaping @MainActor (Canvas) -> String) {
    let view = HostedView(name, id: nil, parent: nil, tracking: .element, on: self)
    view.draw = { [unowned view] in view.run { body(.host(view)) } }
    view.draw()
  }

  func frame() {
    session.flush()
    for hosted in session.invalidatedHosted where hosted.isInvalidated { views[hosted.name]?.draw() }
    session.endHostTurn()
  }
}
