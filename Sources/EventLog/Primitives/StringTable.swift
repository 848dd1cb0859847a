/// Strings, each once, by an open hash table: those of a block, or all names that a log has used.
struct StringTable {
  /// Where a string of the block lies, and its hash.
  private struct Entry {
    var hash: UInt64
    var start: Int
    var count: Int
  }

  private var entries: [Entry] = []
  /// Number + 1 of the string in a slot; 0 where there is none. A power of two, at most half full.
  private var slots = [UInt32](repeating: 0, count: 64)
  /// The strings, end to end.
  private(set) var bytes: [UInt8] = []
  var count: Int { entries.count }

  /// Bytes of a string.
  func length(_ number: Int) -> Int { entries[number].count }

  /// A string, made anew. Cost: linear in its length.
  func string(_ number: Int) -> String {
    withString(number) { bytes, _ in String(decoding: bytes, as: UTF8.self) }
  }

  /// A string of this table, with its hash, for another table.
  func withString<T>(_ number: Int, _ body: (UnsafeBufferPointer<UInt8>, UInt64) -> T) -> T {
    let entry = entries[number]
    return bytes.withUnsafeBufferPointer {
      body(UnsafeBufferPointer(rebasing: $0[entry.start..<entry.start + entry.count]), entry.hash)
    }
  }

  /// The number of a string in the block, new if need be. Cost: a hash, and a look at one slot or two.
  mutating func intern(_ string: UnsafeBufferPointer<UInt8>) -> Int {
    intern(string, hash: Self.hash(string))
  }

  /// The number of a string whose hash is known.
  mutating func intern(_ string: UnsafeBufferPointer<UInt8>, hash: UInt64) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      let number = Int(slots[slot]) - 1
      if entries[number].hash == hash, isEqual(entries[number], string) { return number }
      slot = (slot + 1) & mask
    }
    slots[slot] = UInt32(entries.count) + 1
    entries.append(Entry(hash: hash, start: bytes.count, count: string.count))
    bytes.append(contentsOf: string)
    if 2 * entries.count > slots.count { grow() }
    return entries.count - 1
  }

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: bytes.capacity < 1 << 20)
    if slots.count > 1 << 14 {
      slots = [UInt32](repeating: 0, count: 64)
    } else {
      slots.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    }
  }

  @inline(__always)
  private func isEqual(_ entry: Entry, _ string: UnsafeBufferPointer<UInt8>) -> Bool {
    guard entry.count == string.count else { return false }
    if entry.count > 64 { return isEqualLong(entry, string) }
    // Without a call, and so without counting a reference to the bytes, which took longer than comparing.
    let bytes = bytes.span.extracting(entry.start..<entry.start + entry.count)
    for place in bytes.indices where bytes[place] != string[place] { return false }
    return true
  }

  private func isEqualLong(_ entry: Entry, _ string: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.withUnsafeBufferPointer {
      UnsafeBufferPointer(rebasing: $0[entry.start..<entry.start + entry.count])
        .commonPrefixCount(with: string, limit: string.count) == string.count
    }
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: 4 * slots.count)
    let mask = slots.count - 1
    for (number, entry) in entries.enumerated() {
      var slot = Int(truncatingIfNeeded: entry.hash) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(number) + 1
    }
  }

  /// Another one in each process, so that no recorded text can be made to collide.
  private static let seed = UInt64.random(in: .min ... .max)

  static func hash(_ string: UnsafeBufferPointer<UInt8>) -> UInt64 {
    XXH64.hash(string.span.bytes, seed: seed)
  }
}
