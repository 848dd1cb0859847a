/// The events of one run that are being aligned. Each is waiting for a partner, has one, or was given up. A
/// place is an event's index among all events read from the run; the entries are a ring, so only the last
/// `capacity` places are known.
struct DiffWindow {
  private struct Entry {
    var signature = EventSignature()
    var seq: UInt64 = 0
    /// The partner's place in the other run, or `waiting` or `givenUp`.
    var partner: Int = -1
    /// The entry of the next waiting event with the same signature; -1 if there is none.
    var next: Int32 = -1
  }

  static let waiting: Int = -1
  static let givenUp: Int = -2

  /// A power of two.
  let capacity: Int

  private var entries: [Entry] = []
  /// The waiting events by signature; allocated when the first event waits. It holds indices of ``entries``,
  /// not places.
  private var table = WaitingPlaces()
  /// The first place in the window, and the one after the last.
  private(set) var start = 0
  private(set) var end = 0
  /// The place after the last one that has a partner.
  private(set) var matchedEnd = 0

  init(capacity: Int) { self.capacity = capacity }

  var isEmpty: Bool { start == end }
  var isFull: Bool { end - start == capacity }
  /// The number of events since the last one that has a partner.
  var lead: Int { end - matchedEnd }
  /// The signatures of these events, as far as the window holds them.
  var leading: [UInt64] { (max(start, matchedEnd)..<end).map { signature($0).whole } }

  func seq(_ place: Int) -> UInt64 { entries[place & (capacity - 1)].seq }
  func signature(_ place: Int) -> EventSignature { entries[place & (capacity - 1)].signature }
  func partner(_ place: Int) -> Int { entries[place & (capacity - 1)].partner }

  /// Counts the next event without storing it: it has its partner already.
  mutating func skip() {
    start += 1
    end += 1
    matchedEnd = end
  }

  /// Adds the next event, and returns its place. The event can be found only after ``wait(_:)``.
  mutating func append(_ signature: EventSignature, seq: UInt64) -> Int {
    let entry = Entry(signature: signature, seq: seq)
    let slot = end & (capacity - 1)
    if slot < entries.count {
      entries[slot] = entry
    } else {
      // Skipped events stored no entries, so the first stored one may not be at index 0.
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

  /// The place of the first waiting event with this signature; nil if there is none.
  func waiting(for signature: UInt64) -> Int? {
    if table.isEmpty { return nil }
    let slot = table.slot(of: signature) { entries[Int($0)].signature.whole == signature }
    return table[slot].map { place(ofEntry: $0.first) }
  }

  /// The place of the entry at an index of ``entries``.
  private func place(ofEntry entry: Int32) -> Int { start + (Int(entry) - start) & (capacity - 1) }

  mutating func match(_ place: Int, with partner: Int) {
    entries[place & (capacity - 1)].partner = partner
    matchedEnd = max(matchedEnd, place + 1)
  }

  /// Removes an event from the waiting ones if it is the first with its signature; else does nothing.
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

  /// Gives up an event. If it waits, it must be the first with its signature.
  mutating func giveUp(_ place: Int) {
    unchain(place)
    entries[place & (capacity - 1)].partner = Self.givenUp
  }

  /// Gives up all events that wait before a place.
  mutating func giveUpAll(before place: Int) {
    for waiting in start..<max(start, min(place, end)) where partner(waiting) == Self.waiting {
      giveUp(waiting)
    }
  }

  mutating func removeFirst() { start += 1 }
}
