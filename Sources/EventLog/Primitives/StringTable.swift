/// Strings by number, each once and end to end in one buffer: those of a block, or all names that a log has used.
///
///     entries   [ hash, start, count | hash, start, count | ... ]   by the number of the string
///     bytes     [ first string | second string | ... ]              UTF-8, with nothing between
struct StringTable {
  private struct Entry {
    var hash: UInt64
    /// Where the string begins in the buffer.
    var start: Int
    var count: Int
  }

  private var entries: [Entry] = []
  private var index = HashIndex()
  /// The strings, end to end.
  private(set) var bytes: [UInt8] = []

  /// How many strings there are; their numbers are those below it.
  var count: Int { entries.count }

  /// Bytes of a string.
  func length(_ number: Int) -> Int { entries[number].count }

  /// A string, as a new one. Cost: linear in its length.
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

  /// The number of a string, new if need be. Cost: a hash, and a look at one slot or two.
  mutating func intern(_ string: UnsafeBufferPointer<UInt8>) -> Int {
    intern(string, hash: Self.hash(string))
  }

  /// The number of a string whose hash is known.
  mutating func intern(_ string: UnsafeBufferPointer<UInt8>, hash: UInt64) -> Int {
    let slot = Int(truncatingIfNeeded: hash)
    if let number = index.find(slot, where: { entries[$0].hash == hash && isEqual(entries[$0], string) }) {
      return number
    }
    entries.append(Entry(hash: hash, start: bytes.count, count: string.count))
    bytes.append(contentsOf: string)
    index.add(entries.count - 1, slot) { Int(truncatingIfNeeded: entries[$0].hash) }
    return entries.count - 1
  }

  /// Forgets all strings, and keeps the room unless it is much.
  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: bytes.capacity < 1 << 20)
    index.removeAll()
  }

  @inline(__always)
  private func isEqual(_ entry: Entry, _ string: UnsafeBufferPointer<UInt8>) -> Bool {
    guard entry.count == string.count else { return false }
    if entry.count > 64 { return isEqualLong(entry, string) }
    // No call, and so no reference to the bytes is counted, which took longer than the comparison.
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

  /// Another one in each process, so that no recorded text can be made to collide.
  private static let seed = UInt64.random(in: .min ... .max)

  static func hash(_ string: UnsafeBufferPointer<UInt8>) -> UInt64 {
    XXH64.hash(string.span.bytes, seed: seed)
  }
}
