import EventLog

/// A session in two equivalent forms: one has all reads of a projection in each event, the other the changes
/// of its reads.
///
/// All reads are properties of objects. The first form names each by the object's number, the second by the name that
/// the object has at the event, or by its number as well.
package struct SlotReads: Sendable {
  package private(set) var listed: [Event] = []
  package private(set) var changed: [Event] = []
  private var state = State()
  private var known: [String: [Path]] = [:]

  /// Takes a valid session, and reduces its reads to properties.
  package init(_ events: [Event]) {
    for event in events { append(event) }
  }

  private mutating func append(_ event: Event) {
    var (a, b) = (event, event)
    switch event.body {
    case .reads(let name, let reads):
      let slots = slots(reads.allPaths)
      let before = known[name]
      let kept = (before ?? []).filter { slots.contains($0) }
      let new = slots.filter { !kept.contains($0) }
      let dropped = (before ?? []).filter { !slots.contains($0) }
      known[name] = kept + new
      if new.isEmpty, dropped.isEmpty {
        a.body = .evaluate(projection: name, duration: 0, changed: nil)
        b.body = a.body
        if before == nil { known[name] = nil }
      } else {
        a.body = .reads(projection: name, .paths(kept + new))
        // The forms that a session records now, and that a session recorded formerly.
        var state = state
        let called = { event.seq % 2 == 0 ? state.logged($0) : state.named($0) }
        b.body = .reads(projection: name, .change(added: new.map(called), dropped: dropped.map(called)))
      }
    case .projection(let name, _, _), .dispose(let name): known[name] = nil
    default: try? state.apply(event)
    }
    listed.append(a)
    changed.append(b)
  }

  /// The properties of objects that some paths lead into, each once.
  private func slots(_ paths: [Path]) -> [Path] {
    var slots: [Path] = []
    for path in paths {
      let bound = state.bound(path)
      guard case .object(let object) = bound.root, state.objects[object] != nil,
        var property = bound.components.first, !property.isAspect
      else { continue }
      // Both spellings lead to one slot, and the reads contain only one of them.
      if case .key(let name) = property { property = .property(name) }
      let slot = Path(root: bound.root, components: [property])
      if !slots.contains(slot) { slots.append(slot) }
    }
    return slots
  }
}
