/// A buffer of bytes for the output, which may be gigabytes in total.
///
/// It uses pointers, because appending to an array checks for uniqueness and capacity at each byte, which
/// took half the time of a long timeline. No pointer is visible outside this file, except during a call.
struct PrintedBytes: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0

  init() {
    capacity = 256
    start = .allocate(capacity: capacity)
  }

  deinit { start.deallocate() }

  /// Makes room for this many more bytes, and returns the address at which to write them.
  @inline(__always)
  private mutating func end(with room: Int) -> UnsafeMutablePointer<UInt8> {
    if capacity - count < room { grow(by: room) }
    return start + count
  }

  @inline(never)
  private mutating func grow(by room: Int) {
    let larger = max(2 * capacity, count + room)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    moved.update(from: start, count: count)
    start.deallocate()
    (start, capacity) = (moved, larger)
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    end(with: 1).pointee = byte
    count += 1
  }

  /// Appends a literal without a check, since it is valid UTF-8.
  @inline(__always)
  mutating func append(_ text: StaticString) {
    end(with: text.utf8CodeUnitCount).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    count += text.utf8CodeUnitCount
  }

  mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { source in
      guard let first = source.baseAddress else { return }
      end(with: source.count).update(from: first, count: source.count)
      count += source.count
    }
  }

  /// Appends a part of another buffer.
  @inline(__always)
  mutating func append(_ others: borrowing PrintedBytes, from first: Int, count more: Int) {
    precondition(first >= 0 && more >= 0 && first <= others.count - more)
    end(with: more).update(from: others.start + first, count: more)
    count += more
  }

  @inline(__always)
  mutating func appendSpaces(_ spaces: Int) {
    guard spaces > 0 else { return }
    end(with: spaces).update(repeating: 0x20, count: spaces)
    count += spaces
  }

  @inline(__always)
  mutating func appendDecimal(_ number: UInt64) {
    var digits = 1
    var limit: UInt64 = 10
    while digits < 20, number >= limit {
      digits += 1
      limit &*= 10
    }
    appendDigits(digits, of: number)
  }

  /// Appends this many of the last digits of a number.
  @inline(__always)
  mutating func appendDigits(_ digits: Int, of number: UInt64) {
    let digitBytes = end(with: digits)
    var (position, rest) = (digits, number)
    while position >= 2 {
      position -= 2
      let pair = 2 * Int(rest % 100)
      rest /= 100
      digitBytes[position] = Self.pairs.utf8Start[pair]
      digitBytes[position + 1] = Self.pairs.utf8Start[pair + 1]
    }
    if position == 1 { digitBytes[0] = 0x30 + UInt8(truncatingIfNeeded: rest % 10) }
    count += digits
  }

  /// All pairs of digits. Converting two digits at a time takes half as many divisions.
  private static let pairs: StaticString = """
    0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
    5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
    """

  @inline(__always)
  mutating func removeTrailingSpaces() {
    while count > 0, start[count - 1] == 0x20 { count -= 1 }
  }

  /// Removes all bytes, and keeps the memory.
  mutating func removeAll() { count = 0 }

  /// Calls the body with the bytes, which are valid during the call only.
  borrowing func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    try body(UnsafeBufferPointer(start: start, count: count))
  }

  /// The bytes as text.
  borrowing func text() -> String { text(from: 0, count: count) }

  /// A part of the bytes as text.
  borrowing func text(from first: Int, count: Int) -> String {
    withBytes { String(decoding: $0[first..<(first + count)], as: UTF8.self) }
  }
}
