/// Pairs, among events that are in one run only and stand beside each other, the runs of one projection that differ only
/// in what their causes wrote: the write is the difference, and not who ran because of it.
struct DiffPairing {
  private var a: [(seq: UInt64, loose: UInt64)] = []
  private var b: [(seq: UInt64, loose: UInt64)] = []
  private static let mostEvents = 4096

  /// Takes in a step; what it says but for its causes is 0 where that does not matter.
  mutating func add(
    _ step: DiffAligner.Step, _ loose: UInt64, _ body: (DiffAligner.Step) throws -> Void
  ) throws {
    switch step {
    case .onlyA(let seq): a.append((seq, loose))
    case .onlyB(let seq): b.append((seq, loose))
    case .both:
      if !a.isEmpty || !b.isEmpty { try finish(body) }
      return try body(step)
    }
    if a.count + b.count > Self.mostEvents { try finish(body) }
  }

  /// Gives what was taken in.
  mutating func finish(_ body: (DiffAligner.Step) throws -> Void) throws {
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
