import Projection

/// Where a body makes its children: among the session's own projections, or in a host that draws once a frame.
@MainActor enum Canvas {
  case session(Scope)
  case host(HostedView)

  /// Makes or keeps a child that runs whenever its parent does.
  func child<Output>(
    _ name: String, id: AnyHashable? = nil, tracking: Tracking = .element,
    _ body: @escaping @MainActor (Canvas) -> Output
  ) {
    switch self {
    case .session(let scope):
      scope.child(name, id: id, tracking: tracking) { scope in
        Work.measured(name) { body(.session(scope)) }
      }
    case .host(let view):
      let child = view.child(name, id: id, tracking: tracking)
      child.draw = { [unowned child] in child.run { Work.measured(name) { body(.host(child)) } } }
      child.draw()
    }
  }

  /// Makes or keeps a child that does not run with its parent while its input is equal.
  func child<Input, Output>(
    _ name: String, id: AnyHashable? = nil, input: Input, _ body: @escaping @MainActor (Canvas) -> Output
  ) {
    switch self {
    case .session(let scope):
      scope.child(name, id: id, input: input) { scope in
        Work.measured(name) { body(.session(scope)) }
      }
    case .host(let view):
      let child = view.child(name, id: id, tracking: .element)
      child.draw = { [unowned child] in
        child.run(input: input) { Work.measured(name) { body(.host(child)) } }
      }
      if child.mayKeep(input) { child.hosted.skip() } else { child.draw() }
    }
  }
}

/// A view of a host that draws once a frame.
@MainActor final class HostedView {
  private struct Key: Hashable {
    let name: String
    let id: AnyHashable?
  }

  let hosted: HostedProjection
  var draw: () -> Void = {}
  private let session: Session
  private unowned let screen: FrameScreen
  private var children: [(key: Key, view: HostedView)] = []
  private var positions: [Key: Int] = [:]
  private var made: Set<Key> = []
  private var lastInput: Any?

  init(
    _ name: String, id: AnyHashable?, parent: HostedProjection?, tracking: Tracking, on screen: FrameScreen
  ) {
    self.screen = screen
    session = screen.session
    let site = Site(of: name)
    hosted = screen.session.hosted(
      name, id: id, parent: parent, tracking: tracking, fileID: site.fileID, line: site.line)
    screen.add(self)
  }

  fileprivate func child(_ name: String, id: AnyHashable?, tracking: Tracking) -> HostedView {
    let key = Key(name: name, id: id)
    made.insert(key)
    if let position = positions[key] { return children[position].view }
    let view = HostedView(name, id: id, parent: hosted, tracking: tracking, on: screen)
    positions[key] = children.count
    children.append((key, view))
    return view
  }

  fileprivate func mayKeep<Input>(_ input: Input) -> Bool {
    switch screen.habit {
    case .drawsWhatIsOutOfDate: hosted.isCurrent(for: input)
    case .comparesInputsOnly: isEqual(input, lastInput)
    case .drawsAll: false
    }
  }

  fileprivate func run<Output>(_ body: () -> Output) {
    made = []
    hosted.run(body)
    removeChildrenNotMade()
  }

  fileprivate func run<Input, Output>(input: Input, _ body: () -> Output) {
    made = []
    hosted.run(input: input, body)
    lastInput = input
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

private func isEqual(_ input: Any, _ last: Any?) -> Bool {
  func isEqual<Value: Equatable>(_ input: Value) -> Bool { last as? Value == input }
  guard let input = input as? any Equatable else { return false }
  return isEqual(input)
}

/// A screen that draws once a frame.
@MainActor final class FrameScreen {
  /// What it draws: only the first is right.
  enum Habit {
    case drawsWhatIsOutOfDate
    /// Keeps a row while its input is equal, though it has read what changed since.
    case comparesInputsOnly
    /// Runs all bodies at each frame.
    case drawsAll
  }

  let session: Session
  let habit: Habit
  private var views: [String: HostedView] = [:]
  private var mounted: [HostedView] = []

  init(_ session: Session, _ habit: Habit) { (self.session, self.habit) = (session, habit) }

  fileprivate func add(_ view: HostedView) { views[view.hosted.name] = view }
  fileprivate func remove(_ view: HostedView) { views[view.hosted.name] = nil }

  func mount(_ name: String, _ body: @escaping @MainActor (Canvas) -> String) {
    let view = HostedView(name, id: nil, parent: nil, tracking: .element, on: self)
    view.draw = { [unowned view] in view.run { Work.measured(name) { body(.host(view)) } } }
    mounted.append(view)
    view.draw()
  }

  func frame() {
    session.flush()
    switch habit {
    case .drawsWhatIsOutOfDate:
      for hosted in session.invalidatedHosted where hosted.isInvalidated { views[hosted.name]?.draw() }
    case .comparesInputsOnly: for view in mounted where view.hosted.isInvalidated { view.draw() }
    case .drawsAll: for view in mounted { view.draw() }
    }
    session.endHostTurn()
  }
}
