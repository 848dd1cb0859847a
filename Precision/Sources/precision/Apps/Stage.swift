import Projection

/// Where a part of an app is put together: its store, its views, what happens to it, and its random numbers.
///
/// All that is random is drawn before it matters whether the app is mended, so both apps are driven alike.
@MainActor final class Stage<S: Store> {
  let session: Session
  let world: World
  let store = S()
  let part: Part
  let names: Names
  let isMended: Bool
  var random: SplitMix64
  var person: Person
  var script = Script()
  /// What is shown, from the outside in.
  var views: [View] = []
  /// What is done once all views are shown.
  private(set) var whenShown: [@MainActor () -> Void] = []
  let items: [Item]
  /// What a row's body takes, and what the body of the view around the rows takes.
  let rowCost: Int
  let panelCost: Int
  private let eventLabel: String
  private let writeLabel: String
  private let hasNamedCallbacks: Bool
  private var pending: [@MainActor () -> Void] = []

  struct View {
    let name: String
    let body: @MainActor (Canvas) -> String
  }

  init(_ part: Part, names: Names, session: Session, world: World, isMended: Bool) {
    (self.part, self.names, self.session, self.world, self.isMended) = (part, names, session, world, isMended)
    random = SplitMix64(seed: part.seed)
    person = Person(random: SplitMix64(seed: random.next()))
    items = Self.makeItems(part.rows, &random)
    rowCost = random.magnitude(1...40)
    panelCost = random.magnitude(2...120)
    eventLabel = names.label()
    writeLabel = names.label()
    hasNamedCallbacks = random.chance(10)
    fill()
    session.attach(store, as: part.root)
    let relay = callbackName(.trigger)
    let isRelayLate = random.chance(50)
    guard part.form == .callback else { return }
    let register: @MainActor () -> Void = { [unowned self] in
      onChange(of: \.trigger, named: relay) { [unowned self] _, _ in runPending() }
    }
    if isRelayLate { onceShown(register) } else { register() }
  }

  /// The path of a property, as the log has it.
  func path(_ role: Role) -> String { "\(part.root).\(S.words[role] ?? "")" }

  /// The name of a callback for a property: in a few apps one of its own, in most the one that the session gives it where
  /// the key path names the property itself.
  func callbackName(_ role: Role) -> String {
    let label = names.label()
    return hasNamedCallbacks ? label : "onChange(\(path(role)))"
  }

  /// Shows a view.
  func show(_ name: String, _ body: @escaping @MainActor (Canvas) -> String) {
    views.append(View(name: name, body: body))
  }

  /// Does something once all views are shown, as a view's own callback is registered. The session calls what was made
  /// first first: a callback that is older than a view has set its values by the time that the view runs.
  func onceShown(_ body: @escaping @MainActor () -> Void) { whenShown.append(body) }

  /// Adds an event at each of these moments, which begins in the form of the part.
  func at(_ moments: [Duration], _ body: @escaping @MainActor (Int) -> Void) {
    for (index, moment) in moments.enumerated() {
      script.add(at: moment) { self.event { body(index) } }
    }
  }

  /// Does what an event does, from where the form says.
  func event(_ body: @escaping @MainActor () -> Void) {
    switch part.form {
    case .bare, .transaction: body()
    case .action: inAction(eventLabel, body)
    case .callback:
      pending.append(body)
      store.trigger += 1
    case .task:
      world.start { [world] in
        if await world.pause(.milliseconds(2)) { body() }
      }
    }
  }

  /// Makes a write of an event. With the form of transactions each write has one of its own.
  func write(_ body: () -> Void) {
    if part.form == .transaction { inTransaction(writeLabel, body) } else { body() }
  }

  func inTransaction(_ label: String, _ body: () -> Void) {
    let site = Site(of: label)
    session.transaction(label, fileID: site.fileID, line: site.line, body)
  }

  func inAction(_ label: String, _ body: () -> Void) {
    let site = Site(of: label)
    session.action(label, fileID: site.fileID, line: site.line, body)
  }

  @discardableResult
  func onChange<Value>(
    of keyPath: KeyPath<S, Value>, named name: String, _ action: @escaping @MainActor (Value, Value) -> Void
  ) -> ProjectionHandle {
    let site = Site(of: name)
    return session.onChange(of: keyPath, in: store, name: name, fileID: site.fileID, line: site.line) {
      action($0, $1)
    }
  }

  func derived<Value>(_ name: String, _ compute: @escaping @MainActor () -> Value) -> Derived<Value> {
    let site = Site(of: name)
    return session.derived(name, fileID: site.fileID, line: site.line) { Work.measured(name) { compute() } }
  }

  /// What a row of an item shows.
  func text(of item: Item?) -> String {
    Work.spend(rowCost)
    return item.map { "\($0.caption) \($0.amount)" } ?? ""
  }

  /// Makes a row of each element that depends on that element alone. Returns what the list shows: which rows it has. A
  /// body whose rows differ and whose output does not would look as if it had run for nothing.
  func makeRows(_ name: String, in canvas: Canvas) -> String {
    let ids = store.rows.ids
    for id in ids {
      canvas.child(name, id: id, input: id) { [unowned self] _ in text(of: store.rows[id: id]) }
    }
    return shown(ids)
  }

  func shown(_ ids: [Int]) -> String { ids.map(String.init).joined(separator: " ") }

  private func runPending() {
    let bodies = pending
    pending = []
    for body in bodies { body() }
  }

  private func fill() {
    store.rows = RecordedArray(items)
    store.plain = items
    store.entries = RecordedArray(items.map(Entry.init))
    store.title = items[0].caption
  }

  private static func makeItems(_ count: Int, _ random: inout SplitMix64) -> [Item] {
    let words = ["tea", "rope", "map", "salt", "lamp", "boat", "seed", "coin", "wool", "drum", "ink", "bell"]
    var id = random.int(1...90_000)
    return (0..<count).map { _ in
      id += random.int(1...9)
      return Item(
        id: id, caption: "\(random.one(of: words)) \(random.one(of: words))", amount: random.int(1...900))
    }
  }
}
