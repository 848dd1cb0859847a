/// Pairs events of one projection within a stretch of events that are in one run only, if they differ only in
/// the values that their causes wrote. The write is then the difference, not the evaluation that followed it.
struct DiffPairing {
  private var a: [(seq: UInt64, loose: UInt64)] = []
  private var b: [(seq: UInt64, loose: UInt64)] = []
  private static let mostEvents = 4096

  /// Adds an event. `loose` is the event's signature without the written values; 0 if it is not to be paired.
  mutating func add(
    _ aligned: DiffAligner.AlignedEvent, _ loose: UInt64, _ body: (DiffAligner.AlignedEvent) throws -> Void
  ) throws {
    switch aligned {
    case .onlyA(let seq): a.append((seq, loose))
    case .onlyB(let seq): b.append((seq, loose))
    case .both:
      if !a.isEmpty || !b.isEmpty { try finish(body) }
      return try body(aligned)
    }
    if a.count + b.count > Self.mostEvents { try finish(body) }
  }

  /// Passes on the collected events, with the pairs that were found.
  mutating func finish(_ body: (DiffAligner.AlignedEvent) throws -> Void) throws {
    var next = 0
    var places: [UInt64: [Int]] = [:]
    if !a.isEmpty {
      for (place, event) in b.enumerated().reversed() where event.loose != 0 {
        places[event.loose, default: []].append(place)
      }
    }
    for event in a {
      var partner: Int?
      if event.loose != 0, !places.isEmpty {
        while let place = places[event.loose]?.popLast() {
          if place >= next {
            partner = place
            break
          }
        }
      }
      guard let partner else {
        try body(.onlyA(event.seq))
        continue
      }
      for other in b[next..<partner] { try body(.onlyB(other.seq)) }
      try body(.both(a: event.seq, b: b[partner].seq, isMoved: false))
      next = partner + 1
    }
    for other in b[next...] { try body(.onlyB(other.seq)) }
    a.removeAll(keepingCapacity: true)
    b.removeAll(keepingCapacity: true)
  }
}
