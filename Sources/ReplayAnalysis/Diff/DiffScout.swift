/// Looks far ahead in two runs for the nearest point from which they are equal again, after their windows
/// have filled with events without partners.
///
/// A point is identified by the signatures of the next few events, provided that they occur only once in each
/// run. If there are many events, only every eighth key is compared; the keys are chosen by their content,
/// and so are the same in both runs. Memory: 10 bytes for each event of either run.
struct DiffScout: ~Copyable {
  /// How many consecutive events identify a point.
  private static let length = 8
  /// The low bits of a key are the index of the point; the others are a hash of the events there.
  private static let placeBits: UInt64 = 24
  /// Above this number of events, only keys whose hash begins with three zero bits are compared.
  private static let manyEvents = 1 << 18

  private var first: DiffSide
  private var second: DiffSide
  private var a: [UInt64]
  private var b: [UInt64]

  /// Begins with the signatures in the two windows, and reads on from the sides' positions. The sides are
  /// copies, so the comparison itself does not move.
  init(_ first: consuming DiffSide, _ a: [UInt64], _ second: consuming DiffSide, _ b: [UInt64]) {
    self.first = first
    self.second = second
    self.a = a
    self.b = b
  }

  /// The nearest point, as indices from the beginning of the two windows, if it lies within `most` events in
  /// each run; nil if there is none. The distance is doubled until a point is found.
  mutating func find(within most: Int) throws -> (a: Int, b: Int)? {
    let most = min(most, 1 << Int(Self.placeBits))
    var reach = max(a.count, b.count)
    while reach < most {
      reach = min(2 * reach + 1, most)
      let isFirstOver = try !Self.read(&first, into: &a, upTo: reach)
      let isSecondOver = try !Self.read(&second, into: &b, upTo: reach)
      if let found = nearest() { return found }
      if isFirstOver, isSecondOver { return nil }
    }
    return nil
  }

  private static func read(_ side: inout DiffSide, into events: inout [UInt64], upTo count: Int) throws
    -> Bool
  {
    events.reserveCapacity(count)
    while events.count < count {
      guard try side.next() else { return false }
      events.append(side.signature.whole)
    }
    return true
  }

  private func nearest() -> (a: Int, b: Int)? {
    let rare: UInt64 = max(a.count, b.count) > Self.manyEvents ? 7 << 61 : 0
    let (keysA, keysB) = (Self.keys(a, leavingOut: rare), Self.keys(b, leavingOut: rare))
    var found: (a: Int, b: Int)?
    var (nextA, nextB) = (0, 0)
    while nextA < keysA.count, nextB < keysB.count {
      let (saidA, saidB) = (keysA[nextA] >> Self.placeBits, keysB[nextB] >> Self.placeBits)
      let endA = saidA <= saidB ? Self.end(of: nextA, in: keysA) : nextA
      let endB = saidB <= saidA ? Self.end(of: nextB, in: keysB) : nextB
      if endA == nextA + 1, endB == nextB + 1 {
        let place = (a: Self.place(keysA[nextA]), b: Self.place(keysB[nextB]))
        if found.map({ place.a + place.b < $0.a + $0.b }) ?? true, isSame(place.a, place.b) { found = place }
      }
      (nextA, nextB) = (endA, endB)
    }
    // Keys that occur twice were skipped, so the runs may be equal before the point that was found.
    while let (placeA, placeB) = found, placeA > 0, placeB > 0, a[placeA - 1] == b[placeB - 1] {
      found = (placeA - 1, placeB - 1)
    }
    return found
  }

  /// The keys of all points, sorted; without those whose hash has any of these bits.
  private static func keys(_ events: [UInt64], leavingOut bits: UInt64) -> [UInt64] {
    guard events.count >= length else { return [] }
    var keys: [UInt64] = []
    keys.reserveCapacity(bits == 0 ? events.count : events.count / 7)
    for place in 0...(events.count - length) {
      var said: UInt64 = 0
      for event in events[place..<(place + length)] { said = (said ^ event) &* 0x9E37_79B9_7F4A_7C15 }
      if said & bits == 0 { keys.append((said >> placeBits) << placeBits | UInt64(place)) }
    }
    keys.sort()
    return keys
  }

  private static func place(_ key: UInt64) -> Int { Int(key & (1 << placeBits - 1)) }

  /// The index after the last key with the same hash as this one.
  private static func end(of key: Int, in keys: [UInt64]) -> Int {
    var end = key + 1
    while end < keys.count, keys[end] >> placeBits == keys[key] >> placeBits { end += 1 }
    return end
  }

  private func isSame(_ placeA: Int, _ placeB: Int) -> Bool {
    a[placeA..<(placeA + Self.length)].elementsEqual(b[placeB..<(placeB + Self.length)])
  }
}
