import EventLog

extension [Event] {
  /// The events, numbered from the same seq on, with one of them behind the next one.
  package func moving(_ index: Int) -> [Event] {
    var events = self
    events.swapAt(index, index + 1)
    let (first, second) = (self[index].seq, self[index + 1].seq)
    func renumbered(_ seq: UInt64) -> UInt64 {
      switch seq {
      case first: second
      case second: first
      default: seq
      }
    }
    for position in index..<events.count {
      events[position].seq = renumbered(events[position].seq)
      events[position].cause = events[position].cause.map(renumbered)
      if case .invalidate(let projection, let causes) = events[position].body {
        events[position].body = .invalidate(projection: projection, causes: causes.map(renumbered))
      }
    }
    return events
  }

  /// The indices of invalidations that can be moved behind the next event: it does not name them as its cause.
  package var movableInvalidations: [Int] {
    indices.dropLast().filter { index in
      self[index].body.kind == .invalidate && self[index + 1].cause != self[index].seq
    }
  }
}
