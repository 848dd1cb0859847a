extension String {
  /// What instances of one projection have in common: `Row` for `Row#42`.
  package var projectionGroup: String {
    guard let mark = utf8.firstIndex(of: 0x23), mark != startIndex else { return self }
    return String(self[..<mark])
  }
}

/// The projections that exist after some event, with what each read last.
package struct LiveProjections: Sendable {
  private struct Entry: Sendable {
    /// Its place in the order of creation.
    var number: UInt64
    var parent: String?
    var tracking: Tracking
    var reads: [Path]?
  }

  private var entries: [ExactString: Entry] = [:]
  private var nextNumber: UInt64 = 0

  package init() {}

  /// How many there are.
  package var count: Int { entries.count }

  /// Takes in an event; those of other kinds change nothing. Cost: a hash.
  package mutating func apply(_ body: Event.Body) {
    switch body {
    case .projection(let name, let parent, let tracking): add(name, parent, tracking)
    case .reads(let name, let paths):
      if entries[name] == nil { add(name, nil, .element) }
      entries[name]?.reads = paths
    case .evaluate(let name, _, _):
      if entries[name] == nil { add(name, nil, .element) }
    case .dispose(let name): entries[name] = nil
    case .set, .splice, .remove, .invalidate, .begin, .end, .mark: break
    }
  }

  private mutating func add(_ name: String, _ parent: String?, _ tracking: Tracking) {
    entries[name] = Entry(number: nextNumber, parent: parent, tracking: tracking)
    nextNumber += 1
  }

  /// The events that create them again, in order of creation.
  package func asEvents() -> [Event.Body] {
    var events: [Event.Body] = []
    for (name, entry) in entries.sorted(by: { $0.value.number < $1.value.number }) {
      events.append(.projection(name: name.string, parent: entry.parent, tracking: entry.tracking))
      if let reads = entry.reads { events.append(.reads(projection: name.string, paths: reads)) }
    }
    return events
  }
}
