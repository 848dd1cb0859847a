/// A struct in Thrift's compact protocol, the encoding of Parquet's metadata.
///
/// A field is a byte, then its value. The high half of the byte is the difference of the field's number to
/// the previous one, the low half is the type. Integers are zigzag varints. A zero byte ends the struct.
///
///     15        i32, 1 above: the field 1
///     0C        zigzag 6
///     00        the end
struct ThriftStruct {
  private enum FieldType: UInt8 {
    case yes = 1
    case no = 2
    case i32 = 5
    case i64 = 6
    case binary = 8
    case list = 9
    case object = 12
  }

  private var encoded: [UInt8] = []
  private var last: UInt8 = 0

  init() {}

  /// The encoded struct, including its end.
  var bytes: [UInt8] { encoded + [0] }

  mutating func set(_ field: UInt8, _ value: Int32) {
    begin(field, .i32)
    encoded.appendZigzag(Int64(value))
  }

  mutating func set(_ field: UInt8, _ value: Int64) {
    begin(field, .i64)
    encoded.appendZigzag(value)
  }

  mutating func set(_ field: UInt8, _ value: Bool) { begin(field, value ? .yes : .no) }

  mutating func set(_ field: UInt8, bytes: [UInt8]) {
    begin(field, .binary)
    encoded.appendVarint(UInt64(bytes.count))
    encoded += bytes
  }

  mutating func set(_ field: UInt8, _ text: String) { set(field, bytes: Array(text.utf8)) }

  mutating func set(_ field: UInt8, _ value: ThriftStruct) {
    begin(field, .object)
    encoded += value.bytes
  }

  mutating func set(_ field: UInt8, list: [ThriftStruct]) {
    beginList(field, .object, list.count)
    for value in list { encoded += value.bytes }
  }

  mutating func set(_ field: UInt8, list: [Int32]) {
    beginList(field, .i32, list.count)
    for value in list { encoded.appendZigzag(Int64(value)) }
  }

  mutating func set(_ field: UInt8, list: [String]) {
    beginList(field, .binary, list.count)
    for text in list {
      encoded.appendVarint(UInt64(text.utf8.count))
      encoded += text.utf8
    }
  }

  /// - Precondition: Fields are set in the order of their numbers, each at most 15 above the one before.
  private mutating func begin(_ field: UInt8, _ type: FieldType) {
    precondition(field > last && field - last <= 15)
    encoded.append((field - last) << 4 | type.rawValue)
    last = field
  }

  private mutating func beginList(_ field: UInt8, _ type: FieldType, _ count: Int) {
    begin(field, .list)
    if count < 15 {
      encoded.append(UInt8(count) << 4 | type.rawValue)
    } else {
      encoded.append(0xF0 | type.rawValue)
      encoded.appendVarint(UInt64(count))
    }
  }
}

extension [UInt8] {
  mutating func appendVarint(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  fileprivate mutating func appendZigzag(_ number: Int64) {
    appendVarint(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
