import Projection

/// What an actor has in a session, and the plain record of what it did: writes in order, and each run of a body. It is used on
/// its actor alone.
final class ActorWorker: @unchecked Sendable {
  struct Write {
    /// Counts the writes of this actor.
    var order: Int
    var value: Int
    var why: ActorWhy
    var transactions: [String]
    /// To what the outermost of these belongs.
    var outer: ActorWhy?
    var isSame: Bool
    var isPutBack: Bool
  }

  struct Run {
    var name: String
    /// Nil if there is nothing to which it belongs by construction.
    var why: ActorWhy?
    var transactions: [String]
  }

  /// A projection or one of its children.
  final class View {
    let name: String
    let plan: ViewPlan
    let parent: View?
    private(set) var children: [View] = []
    var handle: ProjectionHandle?
    var isEnded = false
    var runs = 0
    /// The last write before its last run.
    var seen = 0
    var isRunning = false
    var why: ActorWhy?
    var shown: [Int] = []

    init(_ name: String, _ plan: ViewPlan, parent: View? = nil) {
      self.name = name
      self.plan = plan
      self.parent = parent
      children = plan.children.enumerated().map { View("\(name)Child\($0)", $1, parent: self) }
    }

    var all: [View] { [self] + children.flatMap(\.all) }
  }

  final class Callback {
    let name: String
    let plan: CallbackPlan
    let initial: Int
    /// How many writes of its property there were when it was made.
    let firstWrite: Int
    var handle: ProjectionHandle?
    var isEnded = false
    var seen: Int
    /// With which value it was called last.
    var last: Int?
    var received: [Int] = []
    /// What it receives in a row belongs to one event: up to which write, and to what.
    var row = (end: 0, why: ActorWhy.none)

    init(_ name: String, _ plan: CallbackPlan, initial: Int, firstWrite: Int, seen: Int) {
      self.name = name
      self.plan = plan
      self.initial = initial
      self.firstWrite = firstWrite
      self.seen = seen
    }
  }

  final class DerivedValue {
    let name: String
    let reads: [DeskProperty]
    var value: Derived<Int>?
    var seen = 0
    var runs = 0
    var last: Int?
    var published: [(value: Int, why: ActorWhy?)] = []

    init(_ name: String, _ reads: [DeskProperty]) {
      self.name = name
      self.reads = reads
    }
  }

  final class Hosted {
    let handle: HostedProjection
    let reads: [DeskProperty]
    let why: ActorWhy
    var runs = 0
    var seen = 0

    init(_ handle: HostedProjection, _ reads: [DeskProperty], _ why: ActorWhy) {
      self.handle = handle
      self.reads = reads
      self.why = why
    }
  }

  let place: ActorPlace
  let session: Session
  let ledger: ActorLedger
  let delivery: Delivery
  let desk = ActorDesk()

  /// To what the code belongs that runs now.
  var why = ActorWhy.none
  /// The transactions that it has open, and to what the outermost of these belongs.
  private(set) var transactions: [String] = []
  private var outer: ActorWhy?
  /// How many callbacks are running.
  private var depth = 0
  /// How many projections are being made.
  private var firstRuns = 0
  private var order = 0
  private(set) var writes: [[Write]] = DeskProperty.allCases.map { _ in [] }
  private(set) var runs: [Run] = []
  private(set) var derived: [DerivedValue] = []
  private var views: [View] = []
  private var callbacks: [Callback] = []
  private var hosted: [Hosted] = []
  private var names = 0
  /// How many writes of `a` the task has seen that iterates over its changes, and the last value.
  private var consumed = 0
  private(set) var lastConsumed: Int?

  init(_ place: ActorPlace, _ session: Session, _ ledger: ActorLedger, _ delivery: Delivery) {
    self.place = place
    self.session = session
    self.ledger = ledger
    self.delivery = delivery
  }

  /// Whether the current code is on this actor. If not, nothing else is looked at.
  private func isHere(_ what: @autoclosure () -> String) -> Bool {
    if place.isCurrent { return true }
    ledger.report("\(what()) ran outside of the \(place)")
    return false
  }

  private func newName(_ kind: String) -> String {
    names += 1
    return "\(place)\(kind)\(names)"
  }

  /// What is made from now on is looked for in the log.
  func begin() {
    runs = []
    for value in derived { value.published = [] }
  }

  // MARK: Writing

  func write(_ property: DeskProperty, _ value: Int? = nil, isPutBack: Bool = false) {
    let value = value ?? ledger.newValue()
    order += 1
    let isSame = desk.value(of: property) == value
    writes[property.rawValue].append(
      Write(
        order: order, value: value, why: why, transactions: transactions, outer: outer, isSame: isSame,
        isPutBack: isPutBack))
    desk.set(property, to: value)
    checkDelivery("setting \(property) to \(value)")
  }

  func mark() {
    session.mark(
      ledger.newLabel("mark", ActorLedger.Entry(place: place, why: why, transactions: transactions)))
  }

  func transaction(_ body: () throws -> Void) rethrows {
    let label = ledger.newLabel(
      "transaction", ActorLedger.Entry(place: place, why: why, transactions: transactions))
    defer { checkDelivery(label) }
    try session.transaction(label) {
      transactions.append(label)
      if transactions.count == 1 { outer = why }
      defer {
        transactions.removeLast()
        if transactions.isEmpty { outer = nil }
      }
      try body()
    }
  }

  func action(_ body: () throws -> Void) rethrows {
    let label = ledger.newLabel(
      "action", ActorLedger.Entry(place: place, why: why, transactions: transactions))
    try session.action(label) { try belonging(to: why.within(label), body) }
  }

  /// Code that belongs to something else than the code around it.
  func belonging<R>(to why: ActorWhy, _ body: () throws -> R) rethrows -> R {
    let before = self.why
    self.why = why
    defer { self.why = before }
    return try body()
  }

  /// What is delivered at once has been when a set or transaction has returned.
  private func checkDelivery(_ what: @autoclosure () -> String) {
    guard delivery == .immediate, transactions.isEmpty, depth == 0 else { return }
    let problems = problems(isFlushed: false)
    // After the end of the session nothing is delivered.
    if problems.isEmpty || ledger.isEnding { return }
    for problem in problems { ledger.report("after \(what()): \(problem)") }
  }

  func flush(isolation: isolated any Actor) {
    guard transactions.isEmpty, depth == 0 else { return }
    session.flush(isolation: isolation)
    for problem in problems(isFlushed: true) { ledger.report("after a flush: \(problem)") }
  }

  // MARK: What a run or call belongs to

  /// The writes that changed what was read since then.
  private func changes(of reads: [DeskProperty], since seen: Int) -> [Write] {
    reads.flatMap { writes[$0.rawValue].filter { $0.order > seen && !$0.isSame } }
      .sorted { $0.order < $1.order }
  }

  /// To what a run belongs that comes from such writes; nil if there are none.
  private func why(of changes: [Write]) -> ActorWhy? {
    guard let last = changes.last else { return nil }
    // A value that was put back counts for some, and not for others.
    if changes.contains(where: \.isPutBack) {
      return changes.dropLast().reduce(last.why.or(last.outer)) { $0.or($1.why).or($1.outer) }
    }
    let why = last.why.or(last.outer)
    guard why.chains.contains([]) else { return why }
    // The last action counts, or the last write, which is outside of any.
    return why.or(changes.last { !$0.why.chains.contains([]) }?.why)
  }

  private func why(of view: View) -> ActorWhy? {
    let direct = why(of: changes(of: view.plan.reads, since: view.seen))
    // A projection that is out of date computes such a value when it reads it, and then runs for a change before that.
    let published = values(of: view).flatMap { changes(of: $0.reads, since: view.seen) }
      .flatMap { [$0.why, $0.outer].compactMap { $0 } }
    let known = [direct].compactMap { $0 } + published
    return known.dropFirst().reduce(known.first) { $0?.or($1) }
  }

  private func values(of view: View) -> [DerivedValue] {
    derived.isEmpty ? [] : view.plan.derived.map { derived[$0 % derived.count] }
  }

  // MARK: Projections

  func makeDerived(_ reads: [DeskProperty], isolation: isolated any Actor) {
    let made = DerivedValue(newName("Derived"), reads)
    made.value = session.derived(made.name) { self.compute(made) }
    derived.append(made)
  }

  private func compute(_ made: DerivedValue) -> Int {
    guard isHere(made.name) else { return 0 }
    var why = made.runs == 0 ? nil : why(of: changes(of: made.reads, since: made.seen))
    // A projection that is being made may be the first to read what has changed.
    if firstRuns > 0 { why = why?.or(self.why) }
    runs.append(Run(name: made.name, why: why, transactions: transactions))
    made.runs += 1
    made.seen = order
    let value = mixed(made.reads.map(desk.value(of:)))
    if made.last != value { made.published.append((value, why)) }
    made.last = value
    return value
  }

  func makeView(_ plan: ViewPlan, isolation: isolated any Actor) {
    let view = View(newName("View"), plan)
    views.append(view)
    firstRuns += 1
    view.handle = session.projection(view.name) { scope in self.run(view, scope) }
    firstRuns -= 1
  }

  private func run(_ view: View, _ scope: Scope) -> Int {
    guard isHere(view.name) else { return 0 }
    if view.isEnded { ledger.report("\(view.name) ran after it was cancelled") }
    var why: ActorWhy?
    if view.runs == 0 {
      why = view.parent == nil ? self.why : view.parent?.why
    } else {
      why = self.why(of: view)
      // A child that runs within its parent's run has its cause.
      if let parent = view.parent, parent.isRunning { why = parent.why.map { $0.or(why) } }
    }
    view.why = why
    runs.append(Run(name: view.name, why: why, transactions: transactions))
    view.runs += 1
    view.seen = order
    view.isRunning = true
    defer { view.isRunning = false }
    view.shown = shown(by: view)
    for child in view.children { scope.child(child.name) { scope in self.run(child, scope) } }
    return mixed(view.shown)
  }

  private func shown(by view: View) -> [Int] {
    view.plan.reads.map(desk.value(of:)) + values(of: view).compactMap { $0.value?.value }
  }

  func makeHosted(_ reads: [DeskProperty], isolation: isolated any Actor) {
    let handle = session.hosted(newName("Hosted"))
    handle.onInvalidate { _ = self.isHere("onInvalidate") }
    hosted.append(Hosted(handle, reads, why))
  }

  func runHosted(_ number: Int) {
    guard !hosted.isEmpty else { return }
    let chosen = hosted[number % hosted.count]
    var expected: ActorWhy?
    if chosen.runs == 0 {
      expected = why == .none ? chosen.why : chosen.why.or(why)
    } else {
      let changes = changes(of: chosen.reads, since: chosen.seen)
      expected = changes.isEmpty ? nil : changes.reduce(ActorWhy(chains: [])) { $0.or($1.why).or($1.outer) }
    }
    runs.append(Run(name: chosen.handle.name, why: expected, transactions: transactions))
    chosen.runs += 1
    chosen.seen = order
    chosen.handle.run { mixed(chosen.reads.map(desk.value(of:))) }
  }

  func cancel(_ number: Int) {
    // Only what acts have made; the others are there to the end.
    let handles = views.filter { !$0.isEnded }.dropFirst(kept.views).map { view in
      {
        view.all.forEach { $0.isEnded = true }
        view.handle?.cancel()
      }
    }
    let others = callbacks.filter { !$0.isEnded }.dropFirst(kept.callbacks).map { callback in
      {
        callback.isEnded = true
        callback.handle?.cancel()
      }
    }
    let all = Array(handles) + Array(others)
    if !all.isEmpty { all[number % all.count]() }
  }

  private var kept = (views: 0, callbacks: 0)

  /// What has been made so far is not cancelled by acts.
  func keepAll() { kept = (views.count, callbacks.count) }

  // MARK: Callbacks

  func makeCallback(
    _ plan: CallbackPlan, _ perform: @escaping (ActorEffect) -> Void, isolation: isolated any Actor
  ) {
    let callback = Callback(
      newName("Callback"), plan, initial: desk.value(of: plan.property),
      firstWrite: writes[plan.property.rawValue].count, seen: order)
    callbacks.append(callback)
    let keyPath = plan.property.keyPath
    let changed: (Int, Int) -> Void = { old, new in
      self.call(callback, from: old, to: new) { plan.effects.forEach(perform) }
    }
    switch plan.kind {
    case .change:
      callback.handle = session.onChange(of: keyPath, in: desk, name: callback.name, changed)
    case .throttled(let milliseconds):
      callback.handle = session.onChange(
        of: keyPath, in: desk, throttledTo: .milliseconds(milliseconds), name: callback.name, changed)
    case .debounced(let milliseconds):
      callback.handle = session.onChange(
        of: keyPath, in: desk, debouncedFor: .milliseconds(milliseconds), name: callback.name, changed)
    case .receive:
      callback.handle = session.onReceive(of: keyPath, in: desk, name: callback.name) { value in
        self.call(callback, from: nil, to: value) { plan.effects.forEach(perform) }
      }
    }
  }

  private func call(_ callback: Callback, from old: Int?, to new: Int, _ body: () -> Void) {
    guard isHere(callback.name) else { return }
    if callback.isEnded { ledger.report("\(callback.name) was called after it was cancelled") }
    if !transactions.isEmpty { ledger.report("\(callback.name) was called within \(transactions)") }
    if let old, old != callback.last ?? callback.initial {
      let last = callback.last ?? callback.initial
      ledger.report("\(callback.name) was called with \(old) as the old value, after \(last)")
    }
    callback.last = new
    let expected: ActorWhy
    if old == nil {
      expected = whyOfReceiving(new, by: callback)
    } else {
      expected = why(of: changes(of: [callback.plan.property], since: callback.seen)) ?? .none
      callback.seen = order
    }
    depth += 1
    defer { depth -= 1 }
    belonging(to: expected, body)
  }

  private func whyOfReceiving(_ value: Int, by callback: Callback) -> ActorWhy {
    let all = writes[callback.plan.property.rawValue]
    let index = callback.firstWrite + callback.received.count
    callback.received.append(value)
    if index >= callback.row.end, index < all.count {
      let new = all[index...]
      var expected = why(of: Array(new)) ?? .none
      if new.contains(where: \.isSame) { expected = new.reduce(expected) { $0.or($1.why).or($1.outer) } }
      callback.row = (all.count, expected)
    }
    return callback.row.why
  }

  /// What the task does with a change that iterates over the changes of `a`.
  func consume(_ change: Session.Change<Int>) {
    guard isHere("the task of changes") else { return }
    let all = writes[DeskProperty.a.rawValue]
    let new = Array(all.dropFirst(consumed))
    lastConsumed = change.new
    let count = new.firstIndex { $0.value == change.new }.map { $0 + 1 } ?? new.count
    // Where values are put back, one alone does not say which change it was.
    let isClear = !new.contains(where: \.isPutBack)
    let expected = why(of: isClear ? Array(new.prefix(count)) : new)
    if isClear { consumed += count }
    change.cause.run { belonging(to: expected ?? .none) { write(.d) } }
  }

  /// Whether that task has not come to the last change yet.
  var awaitsChange: Bool { desk.a != lastConsumed ?? 0 }

  // MARK: Looking back

  /// What does not show the state, or has missed a change.
  func problems(isFlushed: Bool) -> [String] {
    var problems: [String] = []
    for view in views.flatMap(\.all) where !view.isEnded {
      let expected = shown(by: view)
      if view.shown != expected { problems.append("\(view.name) shows \(view.shown), and not \(expected)") }
    }
    for callback in callbacks where !callback.isEnded && (isFlushed || !callback.plan.isPaced) {
      let value = desk.value(of: callback.plan.property)
      if case .receive = callback.plan.kind {
        let expected = writes[callback.plan.property.rawValue].dropFirst(callback.firstWrite).map(\.value)
        if callback.received != expected {
          problems.append("\(callback.name) has received \(callback.received), and not \(expected)")
        }
      } else if callback.last ?? callback.initial != value {
        problems.append("\(callback.name) has seen \(callback.last ?? callback.initial), and not \(value)")
      }
    }
    return problems
  }

  /// Lets go of all closures.
  func end() {
    (views, callbacks, hosted) = ([], [], [])
    for value in derived { value.value = nil }
  }
}
