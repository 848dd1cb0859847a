import Synchronization

/// Shows a view like SwiftUI, as far as tests need it: gives views identity, keeps their state, evaluates the
/// bodies that have read a changed value or have got a different input, and counts them.
///
/// Nothing runs by itself: ``update()`` is the next frame.
@MainActor public final class Host {
  private var root: Node?
  private var waiting: [() -> Void] = []
  /// How often bodies ran, by type without generic arguments.
  public var bodyRuns: [String: Int] { handedIn.mapValues { $0.values.reduce(0, +) } }
  /// The inputs of the bodies that ran, by type without generic arguments.
  public private(set) var handedIn: [String: [Handing: Int]] = [:]
  /// The rows of lists that are on the screen; nil for all.
  public var rowsOnScreen: Range<Int>? {
    didSet { root?.placeListsAgain() }
  }

  /// Shows a view, up to the end of the first frame.
  public init(_ view: some View) {
    let node = Node(host: self, parent: nil, view: view, environment: EnvironmentValues())
    root = node
    node.update(to: view, EnvironmentValues(), isNew: true)
    update()
  }

  /// Runs the views that are out of date, then the actions that wait for the end of the frame, until nothing
  /// is left.
  public func update() {
    for _ in 0..<100 {
      let ran = root?.refresh() ?? false
      if !ran, waiting.isEmpty { return }
      let actions = waiting
      waiting = []
      for action in actions { action() }
    }
    fatalError("views and their actions keep each other running")
  }

  /// Removes everything.
  public func close() {
    root?.leave()
    root = nil
    update()
  }

  /// Releases the rows that are not on the screen, and their state.
  public func forgetHiddenRows() { root?.forgetHidden() }

  func afterwards(_ action: @escaping () -> Void) { waiting.append(action) }

  func countRun(_ type: Any.Type, _ handedIn: Handing) {
    let name = String(String(describing: type).prefix { $0 != "<" })
    self.handedIn[name, default: [:]][handedIn, default: 0] += 1
  }

  // MARK: What a user does and sees

  /// The texts on the screen, from the top.
  public var texts: [String] { root?.texts ?? [] }

  /// Presses a button by the text on it, and shows the next frame.
  public func press(_ title: String) {
    guard let button = root?.first(where: { $0.view is any Pressable && $0.texts.contains(title) }),
      let pressed = button.view as? any Pressable
    else { fatalError("no button \(title)") }
    pressed.action()
    update()
  }

  /// Enters text into a field, and shows the next frame.
  public func type(_ text: String, into title: String) {
    let field = root?.first { ($0.view as? TextField)?.title == title }?.view as? TextField
    guard let field else { fatalError("no field \(title)") }
    field.text = text
    update()
  }
}

/// How the input of a view compares with that of its last run.
public enum Handing: Sendable { case first, same, different }

/// A view that is shown, or was shown: the data that is kept for its identity.
@MainActor final class Node {
  let host: Host
  private(set) weak var parent: Node?
  private(set) var view: any View
  private(set) var environment: EnvironmentValues
  /// The storage of dynamic properties and primitive views, by their position.
  var storage: [Int: AnyObject] = [:]
  var onAppear: (() -> Void)?
  var onDisappear: (() -> Void)?
  private var children: [(key: AnyHashable, node: Node)] = []
  nonisolated(unsafe) private var observed = Flag()
  private var isHidden = false
  private var hasAppeared = false

  /// Whether a value that one evaluation has read is about to change; the next evaluation has a new flag.
  private final class Flag: Sendable {
    private let isUp = Mutex(false)
    var isRaised: Bool { isUp.withLock { $0 } }
    func raise() { isUp.withLock { $0 = true } }
  }

  init(host: Host, parent: Node?, view: any View, environment: EnvironmentValues) {
    (self.host, self.parent, self.view, self.environment) = (host, parent, view, environment)
  }

  nonisolated func invalidate() { observed.raise() }

  /// The storage under an index, created at first use.
  func kept<Kept: AnyObject>(_ index: Int, _ make: () -> Kept) -> Kept {
    if let known = storage[index] as? Kept { return known }
    let made = make()
    storage[index] = made
    return made
  }

  /// Takes the new view and environment, and evaluates the body if either makes a difference.
  func update(to view: any View, _ environment: EnvironmentValues, isNew: Bool) {
    let differs = isNew || !areSame(self.view, view)
    (self.view, self.environment) = (view, environment)
    if isNew { appearAtTheEnd() }
    let mustRun = install()
    if let view = view as? any PrimitiveView {
      place(view)
    } else if differs || mustRun || observed.isRaised {
      run(isNew ? .first : differs ? .different : .same)
    } else if let (_, child) = children.first {
      child.update(to: child.view, environment, isNew: false)
    }
  }

  /// Evaluates the views that are out of date, from this view down. Returns whether there were any.
  func refresh() -> Bool {
    if isHidden { return false }
    if observed.isRaised {
      _ = install()
      if let view = view as? any PrimitiveView { place(view) } else { run(.same) }
      return true
    }
    var ran = false
    for (_, child) in children where child.refresh() { ran = true }
    return ran
  }

  /// Sets the values of the view's dynamic properties. Returns whether that makes it run.
  private func install() -> Bool {
    var count = 0
    return install(in: (view as? any HasProperties)?.owner ?? view, &count)
  }

  private func install(in owner: Any, _ count: inout Int) -> Bool {
    var mustRun = false
    for field in Mirror(reflecting: owner).children {
      if let property = field.value as? any InstalledProperty {
        if property.install(at: self, count) { mustRun = true }
        count += 1
      } else if field.value is any DynamicProperty, install(in: field.value, &count) {
        mustRun = true
      }
    }
    return mustRun
  }

  /// Evaluates the body, then passes the result to the view below. So a view runs after its parent.
  private func run(_ handedIn: Handing) {
    let shown = evaluate { body(of: view) }
    host.countRun(type(of: (view as? any HasProperties)?.owner ?? view), handedIn)
    sync(only(shown))
  }

  private func place(_ view: any PrimitiveView) { sync(evaluate { view.place(at: self) }) }

  private func evaluate<Result>(_ body: () -> Result) -> Result {
    let flag = Flag()
    observed = flag
    return withObservationTracking({ body() }, onChange: { flag.raise() })
  }

  private func body<Shown: View>(of view: Shown) -> any View { view.body }

  /// Creates or updates the wanted child views: the same identity and type means the same view.
  private func sync(_ wanted: [Child]) {
    var known = Dictionary(children.map { ($0.key, $0.node) }) { first, _ in first }
    children = []
    for child in wanted {
      var node = known.removeValue(forKey: child.key)
      if let old = node, type(of: old.view) != type(of: child.view) {
        old.leave()
        node = nil
      }
      if let node {
        children.append((child.key, node))
        if child.isShown {
          if node.isHidden { node.show() }
          node.update(to: child.view, child.environment, isNew: false)
        } else if !node.isHidden {
          node.hide()
        }
      } else if child.isShown {
        let node = Node(host: host, parent: self, view: child.view, environment: child.environment)
        children.append((child.key, node))
        node.update(to: child.view, child.environment, isNew: true)
      }
    }
    for node in known.values { node.leave() }
  }

  // MARK: Appearance

  private func appearAtTheEnd() {
    host.afterwards { [self] in
      if isHidden || hasAppeared { return }
      hasAppeared = true
      onAppear?()
    }
  }

  /// Disappears with all views below it. State is released with the last reference, after `onDisappear`.
  func leave() {
    for (_, child) in children { child.leave() }
    disappearAtTheEnd()
    // So that no waiting action runs.
    isHidden = true
  }

  private func disappearAtTheEnd() {
    if !hasAppeared { return }
    hasAppeared = false
    host.afterwards { [self] in onDisappear?() }
  }

  /// Leaves the screen, but keeps its state.
  private func hide() {
    for (_, child) in children { child.hide() }
    disappearAtTheEnd()
    isHidden = true
  }

  private func show() {
    isHidden = false
    appearAtTheEnd()
    for (_, child) in children { child.show() }
  }

  func forgetHidden() {
    children.removeAll { $0.node.isHidden }
    for (_, child) in children { child.forgetHidden() }
  }

  func placeListsAgain() {
    if String(describing: type(of: view)).hasPrefix("List<") { invalidate() }
    for (_, child) in children { child.placeListsAgain() }
  }

  // MARK: Finding

  var texts: [String] {
    if isHidden { return [] }
    if let text = view as? Text { return [text.string] }
    return children.flatMap(\.node.texts)
  }

  func first(where matches: (Node) -> Bool) -> Node? {
    if isHidden { return nil }
    // The innermost view comes first.
    for (_, child) in children {
      if let found = child.first(where: matches) { return found }
    }
    return matches(self) ? self : nil
  }
}

/// Whether two inputs of a view count as the same: equal, the same bits, or the same in each field.
func areSame(_ old: Any, _ new: Any) -> Bool {
  if Swift.type(of: old) != Swift.type(of: new) { return false }
  if let old = old as? any InstalledProperty, let new = new as? any InstalledProperty {
    return old.isSame(as: new)
  }
  if let old = old as? any Equatable { return isEqual(old, new) }
  if haveSameBits(old, new) { return true }
  let (fields, others) = (Mirror(reflecting: old), Mirror(reflecting: new))
  if fields.displayStyle == .class || fields.children.isEmpty { return false }
  return fields.children.count == others.children.count
    && zip(fields.children, others.children).allSatisfy {
      $0.label == $1.label && areSame($0.value, $1.value)
    }
}

private func isEqual<Value: Equatable>(_ old: Value, _ new: Any) -> Bool { (new as? Value) == old }

/// Compares values that fit into an `Any`, closures too: closures that capture nothing are the same at each
/// evaluation.
private func haveSameBits(_ old: Any, _ new: Any) -> Bool {
  func size<Value>(_ value: Value) -> Int { MemoryLayout<Value>.size }
  let size = _openExistential(old, do: size)
  // An `Any` holds three words inline.
  if size > 3 * MemoryLayout<Int>.size { return false }
  return withUnsafeBytes(of: old) { old in
    withUnsafeBytes(of: new) { old.prefix(size).elementsEqual($0.prefix(size)) }
  }
}
