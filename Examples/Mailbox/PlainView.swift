import Observation

/// The views of a plain world that are out of date.
final class PlainViews {
  private var made = 0
  private var due: [PlainView] = []

  /// A number for a new view, by which views are drawn in the order of creation.
  func number() -> Int {
    made += 1
    return made
  }

  func add(_ view: PlainView) { due.append(view) }

  /// Draws until nothing is out of date.
  func draw() {
    while !due.isEmpty {
      let views = due.sorted { $0.number < $1.number }
      due = []
      for view in views where view.isDue { view.run() }
    }
  }
}

/// A view on the standard library: it reads, and is drawn again in the next frame after a change.
///
/// A view gets no notice after the first. Only one thread uses it, although the notice's closure must be sendable.
final class PlainView: @unchecked Sendable {
  fileprivate struct Key: Hashable {
    var name: String
    var id: AnyHashable
  }

  let number: Int
  fileprivate let views: PlainViews
  private var body: (PlainScope) -> String
  fileprivate var cleanups: [() -> Void] = []
  private var children: [Key: (view: PlainView, input: AnyHashable)] = [:]
  private var wanted: [(key: Key, input: AnyHashable, body: (PlainScope) -> String)] = []
  private(set) var isDue = true
  private var isEnded = false

  init(in views: PlainViews, _ body: @escaping (PlainScope) -> String) {
    self.views = views
    self.body = body
    number = views.number()
  }

  /// Draws the view, then those within it that are new or have another input. They are drawn after it, because a
  /// tracking closure also tracks what closures within it read.
  func run() {
    cleanUp()
    isDue = false
    wanted = []
    withObservationTracking {
      _ = body(PlainScope(view: self))
    } onChange: { [weak self] in
      self?.markChange()
    }
    drawChildren()
  }

  /// Ends the view and all within it.
  func end() {
    isEnded = true
    isDue = false
    for child in children.values { child.view.end() }
    children = [:]
    cleanUp()
  }

  fileprivate func want(_ key: Key, input: AnyHashable, _ body: @escaping (PlainScope) -> String) {
    wanted.append((key, input, body))
  }

  private func markChange() {
    if isDue || isEnded { return }
    isDue = true
    views.add(self)
  }

  private func drawChildren() {
    let before = children
    children = [:]
    for (key, input, body) in wanted {
      if let known = before[key] {
        children[key] = (known.view, input)
        known.view.body = body
        if known.input != input || known.view.isDue { known.view.run() }
      } else {
        let view = PlainView(in: views, body)
        children[key] = (view, input)
        view.run()
      }
    }
    for (key, child) in before where children[key] == nil { child.view.end() }
  }

  private func cleanUp() {
    for action in cleanups.reversed() { action() }
    cleanups = []
  }
}

/// The argument of the body of a plain view.
struct PlainScope: MailScope {
  fileprivate let view: PlainView

  func row(_ name: String, id: AnyHashable, input: AnyHashable, _ body: @escaping (PlainScope) -> String) {
    view.want(PlainView.Key(name: name, id: id), input: input, body)
  }

  func onCleanup(_ action: @escaping () -> Void) { view.cleanups.append(action) }
}
