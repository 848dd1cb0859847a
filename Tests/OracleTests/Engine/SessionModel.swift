import EventLog

/// A session by brute force: after every event it compares all values that were read with the present ones, and so
/// predicts each run and each call. It was written from the semantics, and shares no code with the engine.
final class SessionModel {
  let program: Program
  var state = ModelState()
  var trace: [String] = []
  /// The living nodes, in the order of creation.
  var nodes: [ModelNode] = []
  var created = 0
  var appeared: Set<String> = []
  /// All subscriptions ever made, and their nodes.
  var begun: Set<Int> = []
  var subscriptions: [Int: ModelNode] = [:]
  var derived: [Int: ModelNode] = [:]

  var openTransactions = 0
  var isCollecting = false
  var collectedUntil: Int?
  var now = 0
  var isFlushing = false
  var runs = 0
  var ignoresPace = false
  var round = 1
  /// The rounds of the present flush after the first.
  var rounds = 0
  /// Whether a flush was stopped, which a diagnostic must report: nothing is predicted after that.
  var isEndless = false

  init(_ program: Program) {
    self.program = program
    state.isAttached = !program.attachesLate
  }

  func perform(_ actions: [Program.Action]) { for action in actions { perform(action) } }

  func perform(_ action: Program.Action) {
    switch action {
    case .edit(let edit):
      let before = state
      guard let property = state.apply(edit), state.isKnown(property) else { return }
      collect()
      markAttached(state.attached(since: before))
      markSet(of: property)
      if before.look(property) != state.look(property) { markChange(of: property) }
      endUnit()
      flush()
    case .transaction(let actions):
      openTransactions += 1
      perform(actions)
      openTransactions -= 1
      endUnit()
      flush()
    case .subscribe(let index): subscribe(index)
    case .cancel(let index): if let node = subscriptions[index] { dispose(node) }
    case .pull(let index):
      if derived[index] == nil { return }
      let value = value(.derived(index), for: nil)
      trace.append("pull D\(index) " + (ModelState.failure(value) == nil ? "= \(value)" : "throws"))
    case .flush:
      ignoresPace = true
      endCollection()
      flush()
      ignoresPace = false
    case .advance(let ticks): advance(to: now + ticks)
    case .attach:
      if state.isAttached { return }
      collect()
      state.isAttached = true
      markAttached([1])
      endUnit()
      flush()
    }
  }

  /// Defers the end of the unit, if the delivery collects changes.
  private func collect() {
    if isFlushing || isCollecting { return }
    switch program.delivery {
    case .immediate: return
    case .manual: collectedUntil = nil
    case .every(let ticks): collectedUntil = now + ticks
    }
    isCollecting = true
  }

  private func endCollection() {
    if openTransactions > 0 { return }
    isCollecting = false
    collectedUntil = nil
    endUnit()
  }

  private func advance(to end: Int) {
    while true {
      let held = nodes.filter { $0.isDirty && $0.pace != .none && $0.earliest > now }.map(\.earliest)
      guard let due = (held + [collectedUntil].compactMap { $0 }).min(), due <= end else { break }
      now = due
      if collectedUntil == due { endCollection() }
      flush()
    }
    now = end
  }

  /// Queues the receivers of a set, also of one to an equal value.
  private func markSet(of property: ModelState.Place) {
    for node in nodes {
      if node.cells.contains(property.cell) { node.isTouched = true }
      guard case .receive(let source, _) = node.kind, hears(source, property) else { continue }
      node.pending.append(value(source, for: nil))
      node.isDirty = true
    }
  }

  /// Invalidates the readers of whole cells that are now attached. A run that attaches a cell that it has
  /// read does not run again because of that.
  private func markAttached(_ cells: Set<Int>) {
    if cells.isEmpty { return }
    for node in nodes {
      if !node.isRunning, !node.cells.isDisjoint(with: cells) { node.isTouched = true }
      if !node.isRunning { continue }
      for place in node.seen.keys where cells.contains(place.cell) {
        node.seen[place] = .some(state.look(place))
      }
    }
  }

  /// A node is out of date if a property that it has read from changes during its run.
  func markChange(of property: ModelState.Place) {
    for node in nodes where node.isRunning && node.seen.keys.contains(where: { $0.property == property }) {
      node.isStale = true
    }
  }

  private func hears(_ source: Program.Source, _ property: ModelState.Place) -> Bool {
    switch source {
    case .field(let cell, let field): property == .field(cell, field)
    case .next: property == .next || property == state.next.map { .field($0, .x) }
    default: false
    }
  }

  /// Nodes that have read a value that differs now are out of date, unless a transaction is open.
  func endUnit() {
    if openTransactions > 0 || isCollecting { return }
    for node in nodes where isOutOfDate(node) {
      node.isDirty = true
      if case .debounced(let ticks) = node.pace { node.earliest = now + ticks }
    }
    for node in nodes {
      node.isTouched = false
      for place in node.seen.keys { node.seen[place] = .some(state.look(place)) }
    }
  }

  func isOutOfDate(_ node: ModelNode) -> Bool {
    node.isTouched || node.seen.contains { state.look($0.key) != $0.value }
  }

  func dispose(_ node: ModelNode) {
    node.isDisposed = true
    nodes.removeAll { $0 === node }
    for child in node.children.values { dispose(child) }
    node.children = [:]
  }
}
