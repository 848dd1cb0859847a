/// Strings by id, each stored once in one buffer: the strings of a block, or all names that a log has used.
///
///     entries   [ hash, start, count | hash, start, count | ... ]   by the id of the string
///     bytes     [ first string | second string | ... ]              UTF-8, with nothing between
struct StringTable {
  private struct Entry {
    var hash: UInt64
    /// The offset of the string in the buffer.
    var start: Int
    var count: Int
  }

  private var entries: [Entry] = []
  /// The ids of strings that were removed.
  private var free: [Int] = []
  private var index = HashIndex()
  /// The strings, without gaps.
  private(set) var bytes: [UInt8] = []

  /// The number of strings. As long as none was removed, their ids are the numbers below it.
  var count: Int { entries.count - free.count }

  /// The length of a string in bytes.
  func length(_ id: Int) -> Int { entries[id].count }

  /// A copy of a string. Cost: linear in its length.
  func string(_ id: Int) -> String {
    withString(id) { bytes, _ in String(decoding: bytes, as: UTF8.self) }
  }

  /// Calls `body` with the bytes and the hash of a string, to add it to another table.
  func withString<T>(_ id: Int, _ body: (UnsafeBufferPointer<UInt8>, UInt64) -> T) -> T {
    let entry = entries[id]
    return bytes.withUnsafeBufferPointer {
      body(UnsafeBufferPointer(rebasing: $0[entry.start..<entry.start + entry.count]), entry.hash)
    }
  }

  /// The id of a string; adds the string if it is new. Cost: a hash, and one or two slots are read.
  mutating func intern(_ string: UnsafeBufferPointer<UInt8>) -> Int {
    intern(string, hash: Self.hash(string))
  }

  /// The id of a string whose hash is known.
  mutating func intern(_ string: UnsafeBufferPointer<UInt8>, hash: UInt64) -> Int {
    let slot = Int(truncatingIfNeeded: hash)
    if let id = index.find(slot, where: { entries[$0].hash == hash && isEqual(entries[$0], string) }) {
      return id
    }
    let entry = Entry(hash: hash, start: bytes.count, count: string.count)
    let id = free.popLast() ?? entries.count
    if id == entries.count { entries.append(entry) } else { entries[id] = entry }
    bytes.append(contentsOf: string)
    index.add(id, slot) { Int(truncatingIfNeeded: entries[$0].hash) }
    return id
  }

  /// Removes some strings, each given once, and frees their ids for reuse. Other strings keep their ids.
  /// Cost: linear in the table.
  mutating func remove(_ ids: [Int]) {
    let old = bytes
    bytes = []
    for id in ids { entries[id].count = -1 }
    free += ids
    index = HashIndex()
    for id in entries.indices where entries[id].count >= 0 {
      let start = entries[id].start
      entries[id].start = bytes.count
      bytes += old[start..<start + entries[id].count]
      index.add(id, Int(truncatingIfNeeded: entries[id].hash)) { Int(truncatingIfNeeded: entries[$0].hash) }
    }
  }

  /// Removes all strings, and keeps the storage unless it is large.
  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    free.removeAll()
    bytes.removeAll(keepingCapacity: bytes.capacity < 1 << 20)
    index.removeAll()
  }

  @inline(__always)
  private func isEqual(_ entry: Entry, _ string: UnsafeBufferPointer<UInt8>) -> Bool {
    guard entry.count == string.count else { return false }
    if entry.count > 64 { return isEqualLong(entry, string) }
    // This calls no function, because reference counting for the bytes took longer than the comparison.
    let bytes = bytes.span.extracting(entry.start..<entry.start + entry.count)
    for offset in bytes.indices where bytes[offset] != string[offset] { return false }
    return true
  }

  private func isEqualLong(_ entry: Entry, _ string: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.withUnsafeBufferPointer {
      UnsafeBufferPointer(rebasing: $0[entry.start..<entry.start + entry.count])
        .commonPrefixCount(with: string, limit: string.count) == string.count
    }
  }

  /// A random seed for each process, so that no recorded text can be chosen to collide.
  private static let seed = UInt64.random(in: .min ... .max)

  static func hash(_ string: UnsafeBufferPointer<UInt8>) -> UInt64 {
    XXH64.hash(string.span.bytes, seed: seed)
  }
}
