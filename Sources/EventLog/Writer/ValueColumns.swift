/// The values of a block as columns: all tags together, all integers together, and so on.
///
/// The ids in the path table and the values of events are separate instances, because the ids come first in
/// the block although paths are added between events.
struct ValueColumns: ~Copyable {
  var columns = ColumnBuffers()
  /// The number of values and keys so far.
  private(set) var items = 0
  /// The number of objects that the values define.
  private(set) var objects = 0
  private var memory = NumberMemory()

  mutating func removeAll() {
    columns.removeAll()
    items = 0
    objects = 0
    memory.reset()
  }

  /// Appends one staged value to the columns. Returns its length as the insert of a splice: the bytes of a
  /// string, the elements of an array, or 0 for other values. If `isInsert`, the columns do not store that
  /// length again.
  @inline(__always)
  @discardableResult
  mutating func append(
    from row: inout RowReader, context: NumberMemory.Context, strings: inout StringTable,
    isInsert: Bool = false
  ) -> Int {
    items += 1
    let tag = row.byte()
    columns.putByte(.valueTags, tag)
    if tag == ValueTag.int {
      columns.putZigzag(.valueInts, memory.delta(row.zigzag(), context))
      return 0
    }
    return append(tag, from: &row, context: context, strings: &strings, isInsert: isInsert)
  }

  private mutating func append(
    _ tag: UInt8, from row: inout RowReader, context: NumberMemory.Context, strings: inout StringTable,
    isInsert: Bool
  ) -> Int {
    switch tag {
    case ValueTag.uint, ValueTag.reference:
      columns.put(.valueUInts, row.varint())
    case ValueTag.double, ValueTag.date:
      columns.put(.valueDoubles, word: memory.difference(row.word(), context))
    case ValueTag.string:
      let text = row.text()
      if !isInsert { columns.put(.valueLengths, text.count) }
      columns.put(.text, bytes: text)
      return text.count
    case ValueTag.bytes:
      let bytes = row.text()
      columns.put(.valueLengths, bytes.count)
      columns.put(.valueBytes, bytes: bytes)
    case ValueTag.array:
      let count = Int(row.varint())
      if !isInsert { columns.put(.valueCounts, count) }
      for _ in 0..<count { append(from: &row, context: context, strings: &strings) }
      return count
    case ValueTag.map:
      appendFields(from: &row, strings: &strings)
    case ValueTag.object:
      objects += 1
      columns.put(.valueUInts, row.varint())
      columns.put(.valueKeys, strings.intern(row.text()))
      appendFields(from: &row, strings: &strings)
    case ValueTag.opaque:
      columns.put(.valueKeys, strings.intern(row.text()))
      columns.put(.valueUInts, row.varint())
    default: break
    }
    return 0
  }

  private mutating func appendFields(from row: inout RowReader, strings: inout StringTable) {
    let count = Int(row.varint())
    columns.put(.valueCounts, count)
    for _ in 0..<count {
      let key = strings.intern(row.text())
      items += 1
      columns.put(.valueKeys, key)
      append(from: &row, context: .key(key), strings: &strings)
    }
  }
}
