import EventLog

/// Events of every kind that fit each other, as a session would record them: a log of them has a state after
/// every event.
///
/// An event is generated at random, mostly for an existing place, and kept if it fits the state.
package struct ValidSession: Sendable {
  /// The state after the events so far.
  package private(set) var state = State()
  var random: SplitMix64
  private var seq: UInt64 = 0
  private var time: UInt64 = 0
  private var transactions = OpenTransactions()
  /// The strand of the next event.
  private var strand = 0
  private var projections: [String] = []
  private let bulkBytes: Int
  /// Whether some events are of other code than the rest, with transactions of its own.
  private let hasStrands: Bool
  /// Whether some of its doubles are dates, and some of its marks actions and their ends.
  let hasDatesAndActions: Bool

  /// A session from a seed: one in three has strands, unless it is said whether it has. With `bulkBytes` every third event sets
  /// that many incompressible bytes.
  package init(
    seed: UInt64, bulkBytes: Int = 0, hasDatesAndActions: Bool = true, hasStrands: Bool? = nil
  ) {
    random = SplitMix64(seed: seed)
    self.bulkBytes = bulkBytes
    self.hasDatesAndActions = hasDatesAndActions
    self.hasStrands = hasStrands ?? (seed % 3 == 0)
  }

  /// The next events.
  package mutating func events(_ count: Int) -> [Event] { (0..<count).map { _ in event() } }

  private mutating func event() -> Event {
    seq += 1
    // Mostly forwards, sometimes back.
    if random.oneIn(20) {
      time -= min(time, UInt64(random.pick(1000)))
    } else {
      time += UInt64(random.pick(90_000))
    }
    let cause = seq > 1 && random.oneIn(3) ? UInt64(random.pick(Int(seq) - 1)) + 1 : nil
    let site = random.oneIn(4) ? "File\(random.pick(3)).swift:\(random.pick(9))" : nil
    strand = hasStrands && random.oneIn(8) ? random.pick(4) : 0
    let origin = strand > 0 || random.oneIn(8) ? self.origin() : nil
    return Event(seq: seq, time: time, cause: cause, site: site, origin: origin, body: body())
  }

  private mutating func origin() -> Origin {
    Origin(
      thread: random.oneIn(2) ? "thread \(random.pick(3))" : nil, task: random.oneIn(3) ? "ta\nsk" : nil,
      stack: random.oneIn(2) ? "/app#0f+\(random.pick(5))\n+2a" : nil, strand: strand)
  }

  private mutating func body() -> Event.Body {
    while true {
      let candidate = seq == 1 ? newRoot() : candidate()
      let staysSame = state.wouldStaySame(candidate)
      var after = state
      guard (try? after.apply(candidate)) != nil else { continue }
      state = after
      // Mostly decided by the values; an app's own equality may differ.
      return candidate.settingSameValue(random.oneIn(6) ? !staysSame : staysSame)
    }
  }

  private mutating func candidate() -> Event.Body {
    if bulkBytes > 0, seq % 3 == 0 {
      return .set(
        Path(root: .named("app"), components: [.property("bulk")]),
        .bytes((0..<bulkBytes).map { _ in UInt8(truncatingIfNeeded: random.next()) }), sameValue: false)
    }
    switch random.pick(20) {
    case 0: return newRoot()
    case 1: return definition()
    case 2...8: return write()
    case 9, 10: return splice()
    case 11: return .remove(forgotten() ?? place(), sameValue: false)
    case 12: return transaction()
    case 13: return note(text())
    default: return projection()
    }
  }

  private func note(_ label: String) -> Event.Body {
    if !hasDatesAndActions { return .mark(label: label) }
    return switch seq % 4 {
    case 0, 1: .mark(label: label)
    case 2: .action(label: label)
    default: .finish(ActionOutcome.allCases[Int(seq / 4 % 3)])
    }
  }

  // MARK: State

  private mutating func newRoot() -> Event.Body {
    let root = Path(root: .named(seq == 1 ? "app" : ["app", "store", "two words", "é"][random.pick(4)]))
    return .set(root, random.oneIn(4) && seq > 1 ? .map(fields(depth: 1)) : object(), sameValue: false)
  }

  /// An object set by its number, which may refer to one that is defined later.
  private mutating func definition() -> Event.Body {
    let id = state.freeObjectID
    var fields = fields(depth: 1)
    fields["next"] = .reference(random.oneIn(2) ? id.next : id)
    return .set(
      Path(root: .object(id)), .object(ObjectDefinition(id: id, type: "Node", fields: fields)),
      sameValue: false)
  }

  private mutating func write() -> Event.Body {
    let path = place()
    // Often the value that is there already.
    if random.oneIn(4), let value = state.value(at: path) { return .set(path, value, sameValue: false) }
    return .set(path, value(depth: 0), sameValue: false)
  }

  private mutating func splice() -> Event.Body {
    for _ in 0..<8 {
      let path = place()
      switch state.value(at: path) {
      case .string(let text):
        let offset = random.pick(text.utf8.count + 1)
        let delete = random.pick(min(4, text.utf8.count - offset) + 1)
        return .splice(path, offset: offset, delete: delete, insert: .string(self.text()), sameValue: false)
      case .array(let elements):
        let offset = random.pick(elements.count + 1)
        let delete = random.pick(min(3, elements.count - offset) + 1)
        let insert = (0..<random.pick(3)).map { _ in value(depth: 2) }
        return .splice(path, offset: offset, delete: delete, insert: .array(insert), sameValue: false)
      default: continue
      }
    }
    return .mark(label: "nothing to splice")
  }

  private mutating func transaction() -> Event.Body {
    if transactions.depth(of: strand) > 0, random.oneIn(2) {
      _ = transactions.end(on: strand)
      return .end
    }
    transactions.begin(on: strand)
    return .begin(label: random.oneIn(2) ? text() : nil)
  }

  /// Now and then an object that nothing refers to.
  private mutating func forgotten() -> Path? {
    guard random.oneIn(3) else { return nil }
    let ids = state.objects.keys.filter { !state.isHeld($0) }.sorted()
    return ids.randomElement(using: &random).map { Path(root: .object($0)) }
  }

  // MARK: Projections

  private mutating func projection() -> Event.Body {
    let name =
      projections.isEmpty || random.oneIn(6) ? "Row#\(seq)" : projections[random.pick(projections.count)]
    if !projections.contains(name) {
      defer { projections.append(name) }
      let parent = random.oneIn(2) ? projections.randomElement(using: &random) : nil
      return .projection(name: name, parent: parent, tracking: Tracking.allCases[random.pick(3)])
    }
    switch random.pick(6) {
    case 0, 1:
      let paths = (0..<random.pick(5)).map { _ in readPath() }
      if random.oneIn(2) { return .reads(projection: name, .paths(paths)) }
      return .reads(
        projection: name,
        .change(added: bound(paths), dropped: bound((0..<random.pick(3)).map { _ in readPath() })))
    case 2, 3:
      return .invalidate(
        projection: name, causes: (0..<random.pick(3)).map { _ in UInt64(random.pick(Int(seq) - 1)) + 1 })
    case 4:
      let duration = random.next() >> UInt64(random.pick(64))
      return .evaluate(
        projection: name, duration: duration, changed: [nil, true, false][random.pick(3)],
        inputChanged: [nil, true, false][random.pick(3)], comparing: duration % 3 == 0 ? duration / 2 : 0)
    default:
      projections.removeAll { $0 == name }
      return .dispose(projection: name)
    }
  }

  /// Paths as bound reads are recorded: by name if the name leads to the object, or else by the object's
  /// number. In every second event they have the form that a session records.
  private mutating func bound(_ paths: [Path]) -> [Path] {
    paths.map { path in
      let bound = state.bound(path)
      return seq % 2 == 0 ? state.logged(bound) : state.named(bound)
    }
  }

  /// A place, an aspect of it, or a place that does not exist.
  private mutating func readPath() -> Path {
    let path = place()
    return random.oneIn(3) ? path.appending([.count, .order, .exists][random.pick(3)]) : path
  }
}
