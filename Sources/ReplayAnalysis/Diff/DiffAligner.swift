/// Aligns two runs event by event: each event is in both runs or in one.
///
/// Both runs are read so that they stay equally far ahead of the events that have been aligned. A new event
/// is paired with the first waiting event of the other run that has the same signature, unless that would
/// reorder events that depend on each other. An event that finds no partner within the other run's window is
/// in one run only. While the runs are equal, no event waits, and each costs one comparison. When both
/// windows are full of events without partners, a ``DiffScout`` looks ahead for the point from which the runs
/// are equal again; no events before it are paired.
package struct DiffAligner: ~Copyable {
  package enum AlignedEvent {
    /// The event is in both runs. `isMoved` if it is in another order relative to events that do not depend
    /// on it.
    case both(a: UInt64, b: UInt64, isMoved: Bool)
    case onlyA(UInt64)
    case onlyB(UInt64)
  }

  private(set) var first: DiffSide
  private(set) var second: DiffSide
  private var a: DiffWindow
  private var b: DiffWindow
  private var order = DiffOrder()
  private var hunk = DiffPairing()
  private var isFirstOver = false
  private var isSecondOver = false
  /// The point beyond the windows from which the runs are equal again, until both are read up to it.
  private var anchor: (a: Int, b: Int)?
  /// How far ahead the scout looks, and the index in the first run before which another search is useless.
  private let reach: Int
  private var nextLook = 0

  init(_ first: consuming DiffSide, _ second: consuming DiffSide, window: Int, reach: Int) {
    self.first = first
    self.second = second
    self.reach = reach
    a = DiffWindow(capacity: window)
    b = DiffWindow(capacity: window)
  }

  /// Reads both runs, and passes each aligned event to the body, in an order that agrees with both.
  mutating func run(progress: (UInt64) -> Void, _ body: (AlignedEvent) throws -> Void) throws {
    var count: UInt64 = 0
    while !isFirstOver || !isSecondOver {
      count += 1
      if count & 4095 == 0 { progress(count) }
      if a.isEmpty, b.isEmpty, !isFirstOver, !isSecondOver {
        try readBoth(body)
        continue
      }
      if readsFirst { try readFirst() } else { try readSecond() }
      if let anchor, a.end > anchor.a, b.end > anchor.b { self.anchor = nil }
      // Settling is slow, so it happens only when a window is full or after every 64 events.
      guard a.isFull || b.isFull || count & 63 == 0 else { continue }
      if a.end >= nextLook, isLost { try lookAhead() }
      try walk(body)
    }
    anchor = nil
    try walk(body)
    try hunk.finish(body)
  }

  /// Whether the next event is read from the first run.
  @inline(__always)
  private var readsFirst: Bool {
    if isFirstOver || isSecondOver { return isSecondOver }
    guard let anchor else { return a.lead <= b.lead }
    return anchor.a - a.end >= anchor.b - b.end
  }

  // MARK: Looking ahead

  /// Whether a window is full, and both runs were read more than half a window beyond the last paired event.
  private var isLost: Bool {
    guard anchor == nil, a.isFull || b.isFull, !isFirstOver, !isSecondOver else { return false }
    return a.lead > a.capacity / 2 && b.lead > b.capacity / 2
  }

  private mutating func lookAhead() throws {
    let (startA, startB) = (a.end - a.leading.count, b.end - b.leading.count)
    var scout = DiffScout(first.fork(), a.leading, second.fork(), b.leading)
    guard let found = try scout.find(within: reach) else {
      nextLook = startA + reach
      return
    }
    anchor = (startA + found.a, startB + found.b)
    a.giveUpAll(before: startA + found.a)
    b.giveUpAll(before: startB + found.b)
  }

  /// Whether an event lies beyond the anchor, and so waits until the other run is read up to there.
  private func isHeld(a place: Int) -> Bool { anchor.map { place >= $0.a } ?? false }
  private func isHeld(b place: Int) -> Bool { anchor.map { place >= $0.b } ?? false }

  // MARK: Event by event

  private mutating func readBoth(_ body: (AlignedEvent) throws -> Void) throws {
    isFirstOver = try !first.next()
    isSecondOver = try !second.next()
    if !isFirstOver, !isSecondOver, first.signature.whole == second.signature.whole {
      a.skip()
      b.skip()
      return try hunk.add(.both(a: first.seq, b: second.seq, isMoved: false), 0, body)
    }
    if !isFirstOver { alignFirst() }
    if !isSecondOver { alignSecond() }
  }

  private mutating func readFirst() throws {
    isFirstOver = try !first.next()
    if !isFirstOver { alignFirst() }
  }

  private mutating func readSecond() throws {
    isSecondOver = try !second.next()
    if !isSecondOver { alignSecond() }
  }

  private mutating func alignFirst() {
    let signature = first.signature
    let place = a.append(signature, seq: first.seq)
    if let anchor, place < anchor.a { return a.giveUp(place) }
    while let other = b.waiting(for: signature.whole) {
      if order.last(signature).b >= other {
        b.giveUp(other)
      } else {
        b.unchain(other)
        return match(place, other, signature)
      }
    }
    a.wait(place)
  }

  private mutating func alignSecond() {
    let signature = second.signature
    let place = b.append(signature, seq: second.seq)
    if let anchor, place < anchor.b { return b.giveUp(place) }
    while let other = a.waiting(for: signature.whole) {
      if order.last(signature).a >= other {
        a.giveUp(other)
      } else {
        a.unchain(other)
        return match(other, place, signature)
      }
    }
    b.wait(place)
  }

  private mutating func match(_ placeA: Int, _ placeB: Int, _ signature: EventSignature) {
    a.match(placeA, with: placeB)
    b.match(placeB, with: placeA)
    order.append(placeA, placeB, signature)
    order.forget(before: a.start, b.start)
  }

  // MARK: Settling

  /// Passes on the events that are settled. If a window is full, its first event is settled even without a
  /// partner.
  private mutating func walk(_ body: (AlignedEvent) throws -> Void) throws {
    while !a.isEmpty || !b.isEmpty {
      if a.isEmpty {
        guard try settleSecond(body) else { return }
        continue
      }
      let place = a.start
      switch a.partner(place) {
      case DiffWindow.givenUp:
        try hunk.add(.onlyA(a.seq(place)), a.signature(place).loose, body)
        a.removeFirst()
      case DiffWindow.waiting:
        let isDead = isSecondOver || order.last(a.signature(place)).a >= place
        if isDead || a.isFull && !isHeld(a: place) {
          a.giveUp(place)
        } else {
          // A waiting event of the first run must not block the second run once its window is full.
          guard b.isFull, try settleSecond(body) else { return }
        }
      case let partner where partner <= b.start:
        try hunk.add(.both(a: a.seq(place), b: b.seq(partner), isMoved: partner < b.start), 0, body)
        a.removeFirst()
        if partner == b.start { b.removeFirst() }
      default: guard try settleSecond(body) else { return }
      }
    }
  }

  /// Settles the first event of the second run's window. Returns false if it must go on waiting.
  private mutating func settleSecond(_ body: (AlignedEvent) throws -> Void) throws -> Bool {
    let place = b.start
    switch b.partner(place) {
    case DiffWindow.givenUp:
      try hunk.add(.onlyB(b.seq(place)), b.signature(place).loose, body)
      b.removeFirst()
    case DiffWindow.waiting:
      let isDead = isFirstOver || order.last(b.signature(place)).b >= place
      guard isDead || (a.isFull || b.isFull) && !isHeld(b: place) else { return false }
      b.giveUp(place)
    // Its partner comes later in the first run; it is passed on there.
    default: b.removeFirst()
    }
    return true
  }
}
