/// The events of one run that are being aligned with those of another: each waits for its partner, has one, or was
/// given up.
struct DiffWindow {
  private struct Entry {
    var signature = EventSignature()
    var seq: UInt64 = 0
    /// The place of its partner; or one of the numbers below.
    var partner: Int = -1
    /// The next in its bucket, while both wait.
    var next = -1
  }

  static let waiting: Int = -1
  static let givenUp: Int = -2

  /// A power of two.
  let capacity: Int

  private var entries: [Entry] = []
  /// By the last bits of a signature, the first and the last that wait; below 0 where none does. Signatures are hashes
  /// already, and a dictionary would hash them again.
  private var buckets: [(first: Int, last: Int)] = []
  /// The place of the first, and behind the last.
  private(set) var start = 0
  private(set) var end = 0
  /// Behind the last place that has a partner.
  private(set) var matchedEnd = 0

  init(capacity: Int) { self.capacity = capacity }

  var isEmpty: Bool { start == end }
  var isFull: Bool { end - start == capacity }
  /// How far it was read beyond what has a partner.
  var lead: Int { end - matchedEnd }
  /// What it holds beyond that.
  var leading: [UInt64] { (max(start, matchedEnd)..<end).map { signature($0).whole } }

  func seq(_ place: Int) -> UInt64 { entries[place & (capacity - 1)].seq }
  func signature(_ place: Int) -> EventSignature { entries[place & (capacity - 1)].signature }
  func partner(_ place: Int) -> Int { entries[place & (capacity - 1)].partner }

  /// Notes that the next event has its partner already, and is done with.
  mutating func skip() {
    start += 1
    end += 1
    matchedEnd = end
  }

  /// Adds the next event, and returns its place. It waits only once ``wait(_:)`` says so.
  mutating func append(_ signature: EventSignature, seq: UInt64) -> Int {
    let entry = Entry(signature: signature, seq: seq)
    let slot = end & (capacity - 1)
    if slot < entries.count {
      entries[slot] = entry
    } else {
      // A ring that was skipped into begins somewhere.
      while entries.count < slot { entries.append(Entry()) }
      entries.append(entry)
    }
    end += 1
    return end - 1
  }

  mutating func wait(_ place: Int) {
    if buckets.isEmpty { buckets = Array(repeating: (-1, -1), count: capacity) }
    let bucket = bucket(of: entries[place & (capacity - 1)].signature.whole)
    let last = buckets[bucket].last
    if last < 0 {
      buckets[bucket].first = place
    } else {
      entries[last & (capacity - 1)].next = place
    }
    buckets[bucket].last = place
  }

  /// The first event that says this and waits; nil where none does.
  func waiting(for signature: UInt64) -> Int? {
    if buckets.isEmpty { return nil }
    var place = buckets[bucket(of: signature)].first
    while place >= 0, entries[place & (capacity - 1)].signature.whole != signature {
      place = entries[place & (capacity - 1)].next
    }
    return place < 0 ? nil : place
  }

  private func bucket(of signature: UInt64) -> Int { Int(truncatingIfNeeded: signature) & (capacity - 1) }

  mutating func match(_ place: Int, with partner: Int) {
    entries[place & (capacity - 1)].partner = partner
    matchedEnd = max(matchedEnd, place + 1)
  }

  /// Takes this one from those that wait, if it does.
  mutating func unchain(_ place: Int) {
    if buckets.isEmpty { return }
    let bucket = bucket(of: entries[place & (capacity - 1)].signature.whole)
    var (before, found) = (-1, buckets[bucket].first)
    while found >= 0, found != place { (before, found) = (found, entries[found & (capacity - 1)].next) }
    if found < 0 { return }
    let next = entries[found & (capacity - 1)].next
    if before < 0 { buckets[bucket].first = next } else { entries[before & (capacity - 1)].next = next }
    if next < 0 { buckets[bucket].last = before }
    entries[found & (capacity - 1)].next = -1
  }

  /// Gives up one that waits.
  mutating func giveUp(_ place: Int) {
    unchain(place)
    entries[place & (capacity - 1)].partner = Self.givenUp
  }

  /// Gives up all that wait before a place.
  mutating func giveUpAll(before place: Int) {
    for waiting in start..<max(start, min(place, end)) where partner(waiting) == Self.waiting {
      giveUp(waiting)
    }
  }

  mutating func removeFirst() { start += 1 }
}
