import Projection

/// A key that was pressed.
package enum Key: Hashable, Sendable {
  case character(Character)
  case up, down, enter, tab, escape, backspace
}

/// What the framework itself keeps of the screen.
@Recorded package final class Screen {
  package var width = 80
  package var height = 24
  /// What has the focus.
  package var focus = ""
  /// How many ticks were drawn of what moves.
  package var phase = 0
}

/// Something that turns as long as it is there.
package struct Spinner: View, Equatable {
  @Environment(Screen.self) private var screen
  package init() {}
  package var body: VStack { Text(String(Array("|/-\\")[screen.phase % 4])).animated() }
}

/// Draws a view and those within it, again and again, and hands them keys. With a session all of it is in a log; without one the same
/// is drawn.
package final class Host {
  /// How many bodies have run.
  package private(set) var runs = 0
  package let screen = Screen()
  let session: Session?
  private var root: Place!
  private let tick: () -> Void
  private var drawn: [Place] = []
  private var isAnimated = false

  /// - Parameter tick: Is called at each tick of the clock, before what moves goes on.
  package init(_ view: some View & Equatable, _ session: Session?, tick: @escaping () -> Void = {}) {
    (self.session, self.tick) = (session, tick)
    session?.attach(screen, as: "screen")
    root = Place(type(of: view), at: [], in: nil, self)
    root.hand(view, EnvironmentObjects(screen))
  }

  /// Ends all views, which cannot be drawn any more.
  package func end() {
    root.end()
    root = nil
    session?.detach("screen")
  }

  // MARK: What happens

  /// Draws the lines of a frame, then calls what the views want to have called.
  package func frame() -> [String] { session.map { $0.frame { drawAndCall() } } ?? drawAndCall() }

  /// Hands a key to what has the focus, then to the views around it.
  package func press(_ key: Key) {
    perform("press") {
      let names = focusable(in: root.node)
      if !names.contains(screen.focus) { screen.focus = names.first ?? "" }
      if takers(in: root.node).contains(where: { $0(key) }) || key != .tab { return }
      guard let place = names.firstIndex(of: screen.focus) else { return }
      screen.focus = names[(place + 1) % names.count]
    }
  }

  /// The clock has gone on.
  package func advance() {
    perform("tick") {
      tick()
      if isAnimated { screen.phase += 1 }
    }
  }

  package func resize(width: Int, height: Int) {
    let size = (max(0, width), max(0, height))
    if size != (screen.width, screen.height) { perform("resize") { (screen.width, screen.height) = size } }
  }

  private func perform(_ label: String, _ body: () -> Void) {
    if let session { session.action(label, body) } else { body() }
  }

  // MARK: Drawing

  func didRun(_ place: Place) {
    runs += 1
    drawn.append(place)
  }

  private func drawAndCall() -> [String] {
    isAnimated = false
    let lines = Self.fit(
      draw(.child(root), width: screen.width, parentRan: false), screen.width, screen.height)
    for place in drawn { place.performEffects() }
    drawn = []
    return lines
  }

  private func draw(_ node: Node, width: Int, parentRan: Bool) -> [String] {
    switch node {
    case .text(let text): return [Self.fit(text, width)]
    case .rows(let nodes): return nodes.flatMap { draw($0, width: width, parentRan: parentRan) }
    case .columns(let nodes):
      let fixed = nodes.map { if case .framed(_, let width) = $0 { width } else { nil as Int? } }
      let open = fixed.count { $0 == nil }
      var (left, shares) = (max(0, width - fixed.reduce(0) { $0 + ($1 ?? 0) }), open)
      let columns = zip(nodes, fixed).map { node, fixed in
        let share = fixed ?? left / shares
        if fixed == nil { (left, shares) = (left - share, shares - 1) }
        return (width: share, lines: draw(node, width: share, parentRan: parentRan))
      }
      let height = columns.map(\.lines.count).max() ?? 0
      let filled = columns.map { Self.fit($0.lines, $0.width, height) }
      return (0..<height).map { line in Self.fit(filled.map { $0[line] }.joined(), width) }
    case .framed(let node, let most): return draw(node, width: min(width, most), parentRan: parentRan)
    case .scrolled(let node, let height, let shown):
      let lines = draw(node, width: width, parentRan: parentRan)
      return Self.fit(Array(lines.dropFirst(max(0, shown - height + 1))), width, height)
    case .animated(let node):
      isAnimated = true
      return draw(node, width: width, parentRan: parentRan)
    case .focusable(let node, _, _), .keys(let node, _): return draw(node, width: width, parentRan: parentRan)
    case .child(let place):
      return place.draw(parentRan: parentRan) { draw($0, width: width, parentRan: $1) }
    }
  }

  private static func fit(_ text: String, _ width: Int) -> String {
    text.count > width ? String(text.prefix(width)) : text + String(repeating: " ", count: width - text.count)
  }

  private static func fit(_ lines: [String], _ width: Int, _ height: Int) -> [String] {
    let empty = String(repeating: " ", count: width)
    return (0..<max(0, height)).map { $0 < lines.count ? fit(lines[$0], width) : empty }
  }

  // MARK: Keys

  private func focusable(in node: Node) -> [String] {
    let names = node.inner.flatMap { focusable(in: $0) }
    return if case .focusable(_, let name, _) = node { [name] + names } else { names }
  }

  /// What takes keys, from what has the focus outwards; nothing if that is not in the node.
  private func takers(in node: Node) -> [(Key) -> Bool] {
    if case .focusable(_, screen.focus, let take) = node { return [take] }
    let takers = node.inner.flatMap { self.takers(in: $0) }
    return switch node {
    case .keys(_, let take), .focusable(_, _, let take): takers.isEmpty ? [] : takers + [take]
    default: takers
    }
  }
}
