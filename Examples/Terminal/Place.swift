import Observation
import Projection
import Synchronization

/// What the host has of a view with a body from one frame to the next.
package final class Place {
  /// What a body is handed.
  private struct Input<V: View & Equatable>: Equatable {
    let view: V
    let environment: EnvironmentObjects
  }

  private unowned let host: Host
  private let hosted: HostedProjection?
  private let watch = Watch()
  private var children: [[Scope.Step]: Place] = [:]
  private var used: Set<[Scope.Step]> = []
  private var states: [String: any RecordedObject] = [:]
  private var update: (_ parentRan: Bool) -> Bool = { _ in false }
  private var input: Any?
  private(set) var node = Node.rows([])
  private(set) var hasRun = false
  var effects: [() -> Void] = []

  init<V: View>(_ type: V.Type, at path: [Scope.Step], in parent: Place?, _ host: Host) {
    self.host = host
    // Rows have the ids of their elements; other views of one body are told apart by the way to them.
    let ids = path.compactMap { if case .id(let id) = $0 { id } else { nil } }
    // All views are made here, so the line of this call tells nothing.
    hosted = host.session?.hosted("\(V.self)", id: ids.last, parent: parent?.hosted, fileID: nil)
  }

  func child<V: View>(for view: V, at path: [Scope.Step]) -> Place {
    let identity = path + [.type(ObjectIdentifier(V.self))]
    used.insert(identity)
    if let known = children[identity] { return known }
    let made = Place(V.self, at: path, in: self, host)
    children[identity] = made
    return made
  }

  func state<Value: Sendable>(_ name: String, _ first: Value) -> StateCell<Value> {
    if let known = states[name] as? StateCell<Value> { return known }
    let made = StateCell(first)
    states[name] = made
    hosted?.attach(made, as: name)
    return made
  }

  func hand<V: View & Equatable>(_ view: V, _ environment: EnvironmentObjects) {
    let input = Input(view: view, environment: environment)
    update = { [unowned self] parentRan in
      let isCurrent = isCurrent(for: input)
      if !isCurrent { run(input) } else if parentRan { hosted?.skip() }
      return !isCurrent
    }
  }

  /// Draws it, with its body if that has to run.
  func draw(parentRan: Bool, _ lines: (_ node: Node, _ ran: Bool) -> [String]) -> [String] {
    let ran = update(parentRan)
    let lines = lines(node, ran)
    // Only now can be compared what the run was good for.
    hosted?.drew(lines)
    return lines
  }

  private func isCurrent<V: View & Equatable>(for input: Input<V>) -> Bool {
    guard hasRun else { return false }
    switch input.view.redraws {
    case .eachFrame: return false
    case .whenHandedAnother: return self.input as? Input<V> == input
    case .whenOutOfDate:
      return hosted.map { $0.isCurrent(for: input) } ?? (!watch.isDue && self.input as? Input<V> == input)
    }
  }

  private func run<V: View & Equatable>(_ input: Input<V>) {
    let view = input.view
    let scope = Scope(place: self, environment: input.environment)
    for case (let name?, let property as any PlaceProperty) in Mirror(reflecting: view).children {
      property.connect(to: self, as: String(name.drop { $0 == "_" }), input.environment)
    }
    used = []
    node =
      hosted.map { $0.run(input: input) { view.body.render(in: scope) } }
      ?? watch.run { view.body.render(in: scope) }
    for (identity, child) in children where !used.contains(identity) {
      children[identity] = nil
      child.end()
    }
    self.input = input
    hasRun = true
    host.didRun(self)
  }

  /// Calls what its body wants to have called. What that sets follows from the run of the view.
  func performEffects() {
    let effects = effects
    self.effects = []
    for effect in effects { if let hosted { hosted.perform(effect) } else { effect() } }
  }

  /// Ends it, with the views within it and their state.
  func end() {
    for child in children.values { child.end() }
    hosted?.dispose()
  }
}

/// Whether something that a body has read has changed, where there is no session to tell it.
private final class Watch: Sendable {
  private let runs = Atomic(0)
  private let due = Atomic(0)

  var isDue: Bool { due.load(ordering: .acquiring) == runs.load(ordering: .acquiring) }

  func run<R>(_ body: () -> R) -> R {
    let run = runs.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    // What an earlier run has read may be told later, or in any order.
    return withObservationTracking(body) { [self] in _ = due.max(run, ordering: .acquiringAndReleasing) }
  }
}
