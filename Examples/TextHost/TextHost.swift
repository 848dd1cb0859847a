import Projection

// A small framework that draws text: views with state, callbacks and a layout that measures them, and the host that runs them.
// With a session all of it is in a log; without one the same is drawn.

/// A part of the screen, which says what is in it.
public protocol View: Equatable {
  /// Tells it from other views of its type beside it.
  var key: Int? { get }
  /// What is in it, from what it reads.
  func body(_ context: Context) -> Body
}

extension View {
  /// The only one of its type there.
  public var key: Int? { nil }
}

/// What a view shows.
public enum Body {
  case text(String)
  /// One below the other.
  case column([any View])
  /// The same in a box as wide as the widest.
  case box([any View])

  fileprivate var views: [any View] {
    switch self {
    case .text: []
    case .column(let views), .box(let views): views
    }
  }
}

/// The state of a view, as long as the view is there.
@Recorded public final class StateBox<Value: Sendable> {
  /// Views that read it run again when it changes.
  public var value: Value

  init(_ value: Value) { self.value = value }
}

/// What a body has of its host.
public struct Context {
  fileprivate let place: Place
  /// Whether the body runs to find out how wide the view is.
  fileprivate let isMeasured: Bool

  /// The state of the view under a name, with a value to begin with.
  public func state<Value: Sendable>(_ name: String, _ value: @autoclosure () -> Value) -> StateBox<Value> {
    if let known = place.states[name] as? StateBox<Value> { return known }
    let made = StateBox(value())
    place.states[name] = made
    place.hosted?.attach(made, as: name)
    return made
  }

  /// Calls an action after the frame in which the view is drawn for the first time.
  public func onAppear(_ action: @escaping () -> Void) {
    if !isMeasured, place.body == nil { place.effects.append(action) }
  }

  /// Calls an action after the frame if the view was drawn with another value before.
  public func onChange(of value: Int, _ action: @escaping () -> Void) {
    if isMeasured { return }
    if let last = place.observed, last != value { place.effects.append(action) }
    place.observed = value
  }
}

/// What the host has of a view from one frame to the next.
private final class Place {
  /// Two views of one place, a header and its content, are two projections: the type belongs to their identity.
  struct Identity: Hashable {
    let type: ObjectIdentifier
    let key: Int?
  }

  let hosted: HostedProjection?
  private let session: Session?
  var children: [Identity: Place] = [:]
  var states: [String: any RecordedObject] = [:]
  var effects: [() -> Void] = []
  var observed: Int?
  var body: Body?

  init<V: View>(_ view: V, in parent: Place?, _ session: Session?) {
    self.session = session
    // All views are made here, so the line of this call tells nothing.
    hosted = session?.hosted(
      "\(V.self)", id: view.key.map { AnyHashable($0) }, parent: parent?.hosted, fileID: nil)
  }

  static func identity<V: View>(_ view: V) -> Identity {
    Identity(type: ObjectIdentifier(V.self), key: view.key)
  }

  func child<V: View>(for view: V) -> Place {
    if let known = children[Self.identity(view)] { return known }
    let made = Place(view, in: self, session)
    children[Self.identity(view)] = made
    return made
  }

  /// Ends the views that are not there any more, with those within them and their state.
  func keepChildren(_ views: [any View]) {
    let kept = Set(views.map { Self.identity($0) })
    for (identity, child) in children where !kept.contains(identity) {
      children[identity] = nil
      child.end()
    }
  }

  func end() {
    keepChildren([])
    hosted?.dispose()
  }
}

/// Draws a view, and those within it, again and again.
public final class TextHost<Root: View> {
  /// How many bodies have run to draw a frame.
  public private(set) var runs = 0
  private let session: Session?
  private let root: Root
  private let place: Place
  private var drawn: [Place] = []

  /// - Parameter session: Nil to record nothing.
  public init(_ root: Root, _ session: Session?) {
    (self.root, self.session) = (root, session)
    place = Place(root, in: nil, session)
  }

  /// Draws a frame, then calls what the views want to have called.
  public func frame() -> [String] {
    guard let session else { return drawAndCall() }
    return session.frame { drawAndCall() }
  }

  private func drawAndCall() -> [String] {
    let lines = draw(root, place, parentRan: false)
    // What a callback sets follows from the run of its view.
    for place in drawn {
      let effects = place.effects
      place.effects = []
      for effect in effects { if let hosted = place.hosted { hosted.perform(effect) } else { effect() } }
    }
    drawn = []
    return lines
  }

  private func draw<V: View>(_ view: V, _ place: Place, parentRan: Bool) -> [String] {
    // A view that is out of date is not current, whatever its parent hands in.
    let isCurrent = place.body != nil && place.hosted?.isCurrent(for: view) == true
    if !isCurrent { run(view, place) } else if parentRan { place.hosted?.skip() }
    let lines: [String]
    switch place.body {
    case .text(let text)?: lines = [text]
    case .column(let views)?: lines = draw(views, in: place, parentRan: !isCurrent)
    case .box(let views)?:
      let width = views.map { self.width(of: $0, in: place) }.max() ?? 0
      let edge = "+" + String(repeating: "-", count: width) + "+"
      let inner = draw(views, in: place, parentRan: !isCurrent)
      lines =
        [edge] + inner.map { "|\($0)\(String(repeating: " ", count: max(0, width - $0.count)))|" } + [edge]
    case nil: lines = []
    }
    // Only now can be compared what the run was good for.
    place.hosted?.drew(lines)
    return lines
  }

  private func draw(_ views: [any View], in place: Place, parentRan: Bool) -> [String] {
    func draw(open view: some View) -> [String] {
      self.draw(view, place.child(for: view), parentRan: parentRan)
    }
    return views.flatMap { draw(open: $0) }
  }

  /// The columns of a view, from its body. In a host that does this within the run of the parent, the parent would depend on
  /// what the bodies read, and it is no run of theirs.
  private func width<V: View>(of view: V, in parent: Place) -> Int {
    let place = parent.child(for: view)
    switch untracked({ view.body(Context(place: place, isMeasured: true)) }) {
    case .text(let text): return text.count
    case .column(let views): return views.map { width(of: $0, in: place) }.max() ?? 0
    case .box(let views): return (views.map { width(of: $0, in: place) }.max() ?? 0) + 2
    }
  }

  private func run<V: View>(_ view: V, _ place: Place) {
    let context = Context(place: place, isMeasured: false)
    let body = place.hosted.map { $0.run(input: view) { view.body(context) } } ?? view.body(context)
    place.body = body
    place.keepChildren(body.views)
    runs += 1
    drawn.append(place)
  }
}
