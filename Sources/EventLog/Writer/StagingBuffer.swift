/// A growing buffer of bytes, fast enough for the hot path because capacity is checked once a row and not once a byte.
struct StagingBuffer: Sendable {
  /// The storage, of which the first ``count`` bytes are staged.
  private(set) var bytes: [UInt8]
  /// Bytes that are staged.
  private(set) var count = 0

  /// A buffer with room for a number of bytes.
  init(room: Int = 0) { bytes = Array(repeating: 0, count: room) }

  /// An empty buffer in storage that was used before.
  init(reusing bytes: [UInt8]) { self.bytes = bytes }

  var isEmpty: Bool { count == 0 }

  /// Removes all but the first bytes.
  mutating func truncate(to count: Int) { self.count = min(self.count, count) }

  @inline(__always)
  private mutating func makeRoom(_ more: Int) {
    if bytes.count - count < more { grow(more) }
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    bytes.append(contentsOf: repeatElement(0, count: max(bytes.count, more)))
  }

  /// A code and three numbers.
  @inline(__always)
  mutating func append(_ code: UInt8, _ a: UInt64, _ b: UInt64, _ c: UInt64) {
    makeRoom(31)
    var at = count
    var span = bytes.mutableSpan
    span[at] = code
    at += 1
    Self.put(a, &span, &at)
    Self.put(b, &span, &at)
    Self.put(c, &span, &at)
    count = at
  }

  /// A code and four numbers, then a code and a number: the most frequent row, with one check of the capacity.
  @inline(__always)
  mutating func append(
    _ code: UInt8, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ second: UInt8, _ e: UInt64
  ) {
    makeRoom(52)
    var at = count
    var span = bytes.mutableSpan
    span[at] = code
    at += 1
    Self.put(a, &span, &at)
    Self.put(b, &span, &at)
    Self.put(c, &span, &at)
    Self.put(d, &span, &at)
    span[at] = second
    at += 1
    Self.put(e, &span, &at)
    count = at
  }

  /// A code and five numbers.
  @inline(__always)
  mutating func append(_ code: UInt8, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ e: UInt64) {
    makeRoom(51)
    var at = count
    var span = bytes.mutableSpan
    span[at] = code
    at += 1
    Self.put(a, &span, &at)
    Self.put(b, &span, &at)
    Self.put(c, &span, &at)
    Self.put(d, &span, &at)
    Self.put(e, &span, &at)
    count = at
  }

  /// A code and a number.
  @inline(__always)
  mutating func append(_ code: UInt8, _ number: UInt64) {
    makeRoom(11)
    var at = count
    var span = bytes.mutableSpan
    span[at] = code
    at += 1
    Self.put(number, &span, &at)
    count = at
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    makeRoom(1)
    bytes[count] = byte
    count += 1
  }

  /// A varint.
  @inline(__always)
  mutating func append(varint number: UInt64) {
    makeRoom(10)
    var at = count
    var span = bytes.mutableSpan
    Self.put(number, &span, &at)
    count = at
  }

  /// The length and the UTF-8 of a string.
  mutating func append(_ string: String) {
    let utf8 = string.utf8
    let length = utf8.count
    append(varint: UInt64(length))
    if length >= Self.bulkBytes { return appendBulk(Array(utf8)) }
    makeRoom(length)
    var at = count
    var span = bytes.mutableSpan
    for byte in utf8 {
      span[at] = byte
      at += 1
    }
    count = at
  }

  /// The length of some bytes and the bytes.
  mutating func append(_ content: ArraySlice<UInt8>) {
    append(varint: UInt64(content.count))
    if content.count >= Self.bulkBytes { return appendBulk(Array(content)) }
    append(raw: content)
  }

  /// From this many bytes on, the spare capacity is dropped, so that all bytes are appended by one call.
  private static let bulkBytes = 4096

  private mutating func appendBulk(_ content: [UInt8]) {
    bytes.removeLast(bytes.count - count)
    bytes.append(contentsOf: content)
    count = bytes.count
  }

  /// Bytes as they are.
  mutating func append(raw content: ArraySlice<UInt8>) {
    makeRoom(content.count)
    bytes.replaceSubrange(count..<count + content.count, with: content)
    count += content.count
  }

  /// Eight bytes, the low one first.
  mutating func append(littleEndian word: UInt64) {
    makeRoom(8)
    let at = count
    var span = bytes.mutableSpan
    for index in 0..<8 { span[at + index] = UInt8(truncatingIfNeeded: word >> UInt64(8 * index)) }
    count = at + 8
  }

  @inline(__always)
  private static func put(_ number: UInt64, _ span: inout MutableSpan<UInt8>, _ at: inout Int) {
    var number = number
    while number >= 0x80 {
      span[at] = UInt8(truncatingIfNeeded: number) | 0x80
      at += 1
      number >>= 7
    }
    span[at] = UInt8(truncatingIfNeeded: number)
    at += 1
  }
}
