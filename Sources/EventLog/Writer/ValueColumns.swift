/// The values of a block as streams: all tags together, all integers together, and so on.
struct ValueColumns {
  private(set) var tags: [UInt8] = []
  private(set) var ints: [UInt8] = []
  private(set) var uints: [UInt8] = []
  private(set) var doubles: [UInt64] = []
  private(set) var lengths: [UInt8] = []
  private(set) var counts: [UInt8] = []
  private(set) var keys: [UInt8] = []
  private(set) var bytes: [UInt8] = []
  private(set) var text: [UInt8] = []
  /// Values and keys so far.
  private(set) var items = 0
  /// Objects that the values define.
  private(set) var objects = 0
  private var memory = NumberMemory()

  mutating func removeAll() { self = ValueColumns(reusing: self) }

  init() {}

  private init(reusing old: ValueColumns) {
    tags.reserveCapacity(min(old.tags.count, 1 << 16))
    ints.reserveCapacity(min(old.ints.count, 1 << 16))
    text.reserveCapacity(min(old.text.count, 1 << 16))
  }

  /// Moves one staged value into the streams, and returns its length as the insert of a splice: the bytes of
  /// a string, the elements of an array, 0 for anything else. The streams do not repeat it if `isInsert`.
  @discardableResult
  mutating func append(
    from row: inout ByteReader, context: NumberMemory.Context, strings: inout StringTable,
    isInsert: Bool = false
  ) throws(DecodeFault) -> Int {
    items += 1
    let tag = try row.byte()
    tags.append(tag)
    switch tag {
    case ValueTag.int:
      ints.appendZigzag(memory.delta(try row.zigzag(), context))
    case ValueTag.uint, ValueTag.reference:
      uints.appendVarint(try row.varint())
    case ValueTag.double:
      var bits: UInt64 = 0
      for shift in stride(from: 0, to: 64, by: 8) { bits |= UInt64(try row.byte()) << UInt64(shift) }
      doubles.append(memory.difference(bits, context))
    case ValueTag.string:
      let range = try row.take(try row.varint(), "a staged string")
      if !isInsert { lengths.appendVarint(range.count) }
      text.append(contentsOf: row.bytes[range])
      return range.count
    case ValueTag.bytes:
      let range = try row.take(try row.varint(), "staged bytes")
      lengths.appendVarint(range.count)
      bytes.append(contentsOf: row.bytes[range])
    case ValueTag.array:
      let count = Int(try row.varint())
      if !isInsert { counts.appendVarint(count) }
      for _ in 0..<count { try append(from: &row, context: context, strings: &strings) }
      return count
    case ValueTag.map:
      try appendFields(from: &row, strings: &strings)
    case ValueTag.object:
      objects += 1
      uints.appendVarint(try row.varint())
      keys.appendVarint(strings.intern(try row.text(try row.varint(), "a staged type")))
      try appendFields(from: &row, strings: &strings)
    case ValueTag.opaque:
      keys.appendVarint(strings.intern(try row.text(try row.varint(), "a staged type")))
      uints.appendVarint(try row.varint())
    default: break
    }
    return 0
  }

  private mutating func appendFields(
    from row: inout ByteReader, strings: inout StringTable
  ) throws(DecodeFault) {
    let count = Int(try row.varint())
    counts.appendVarint(count)
    for _ in 0..<count {
      let key = strings.intern(try row.text(try row.varint(), "a staged key"))
      items += 1
      keys.appendVarint(key)
      try append(from: &row, context: .key(key), strings: &strings)
    }
  }
}
