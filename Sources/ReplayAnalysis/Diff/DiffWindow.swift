/// The events of one run that are being aligned with those of another: each waits for its partner, has one, or was
/// given up.
struct DiffWindow {
  private struct Entry {
    var signature = EventSignature()
    var seq: UInt64 = 0
    /// The place of its partner; or one of the numbers below.
    var partner: Int = -1
    /// Where the next is that says the same, while both wait.
    var next: Int32 = -1
  }

  static let waiting: Int = -1
  static let givenUp: Int = -2

  /// A power of two.
  let capacity: Int

  private var entries: [Entry] = []
  /// Those that wait; none before the first does. Places are counted as ``entries`` are.
  private var table = WaitingPlaces()
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
    let own = Int32(place & (capacity - 1))
    let signature = entries[Int(own)].signature.whole
    if table.isEmpty { table = WaitingPlaces(capacity: capacity) }
    let slot = table.slot(of: signature) { entries[Int($0)].signature.whole == signature }
    let known = table[slot]
    if let known { entries[Int(known.last)].next = own }
    table.put(.init(first: known?.first ?? own, last: own), of: signature, in: slot)
  }

  /// The first event that says this and waits; nil where none does.
  func waiting(for signature: UInt64) -> Int? {
    if table.isEmpty { return nil }
    let slot = table.slot(of: signature) { entries[Int($0)].signature.whole == signature }
    return table[slot].map { place(ofEntry: $0.first) }
  }

  /// The place that an entry is of.
  private func place(ofEntry entry: Int32) -> Int { start + (Int(entry) - start) & (capacity - 1) }

  mutating func match(_ place: Int, with partner: Int) {
    entries[place & (capacity - 1)].partner = partner
    matchedEnd = max(matchedEnd, place + 1)
  }

  /// Takes the first that says the same as this one, which is this one, from those that wait.
  mutating func unchain(_ place: Int) {
    let own = Int32(place & (capacity - 1))
    let signature = entries[Int(own)].signature.whole
    if table.isEmpty { return }
    let slot = table.slot(of: signature) { entries[Int($0)].signature.whole == signature }
    guard let known = table[slot], known.first == own else { return }
    if known.last == own {
      table.free(slot)
    } else {
      table.put(.init(first: entries[Int(own)].next, last: known.last), of: signature, in: slot)
    }
    entries[Int(own)].next = -1
  }

  /// Gives up one that waits, the first that says the same.
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
