/// A value in Thrift's compact protocol, read from untrusted bytes; `ThriftStruct` writes them.
///
/// Structs nested deeper than Parquet's metadata, and more values than any file of the writer has, are
/// refused before they take memory.
enum ThriftValue {
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case bytes([UInt8])
  case list([ThriftValue])
  /// The fields by number.
  case object([Int64: ThriftValue])

  static let depthMax = 12
  static let countMax = 2_000_000

  /// Reads a struct.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that contain the struct.
  ///   - position: The offset where the struct begins; afterwards, where it ends.
  init(readingStruct bytes: [UInt8], at position: inout Int) throws(ParquetReadError) {
    var source = Source(bytes: bytes, position: position)
    self = try source.object(depth: 0)
    position = source.position
  }

  subscript(field: Int64) -> ThriftValue? {
    if case .object(let fields) = self { fields[field] } else { nil }
  }

  var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  var list: [ThriftValue]? { if case .list(let values) = self { values } else { nil } }
  var text: String? {
    if case .bytes(let bytes) = self { String(validating: bytes, as: UTF8.self) } else { nil }
  }

  private struct Source {
    let bytes: [UInt8]
    var position: Int
    private var count = 0

    init(bytes: [UInt8], position: Int) {
      self.bytes = bytes
      self.position = position
    }

    mutating func object(depth: Int) throws(ParquetReadError) -> ThriftValue {
      if depth > ThriftValue.depthMax { throw .damaged("metadata is nested too deep") }
      var fields: [Int64: ThriftValue] = [:]
      var last: Int64 = 0
      while true {
        let head = try byte()
        if head == 0 { return .object(fields) }
        let delta = Int64(head >> 4)
        let field = delta == 0 ? try zigzag() : last &+ delta
        fields[field] = try value(head & 0x0F, depth: depth + 1, isElement: false)
        last = field
      }
    }

    private mutating func value(
      _ type: UInt8, depth: Int, isElement: Bool
    ) throws(ParquetReadError) -> ThriftValue {
      count += 1
      if count > ThriftValue.countMax { throw .damaged("metadata has too many values") }
      switch type {
      case 1 where !isElement: return .boolean(true)
      case 2 where !isElement: return .boolean(false)
      case 1, 2: return .boolean(try byte() == 1)
      case 3: return .integer(Int64(Int8(bitPattern: try byte())))
      case 4, 5, 6: return .integer(try zigzag())
      case 7:
        var bits: UInt64 = 0
        for shift in 0..<8 { bits |= UInt64(try byte()) << UInt64(8 * shift) }
        return .double(Double(bitPattern: bits))
      case 8:
        let length = try varint()
        guard length <= UInt64(bytes.count - position) else { throw .damaged("metadata ends in a text") }
        defer { position += Int(length) }
        return .bytes(Array(bytes[position..<(position + Int(length))]))
      case 9, 10: return try list(depth: depth)
      case 12: return try object(depth: depth)
      default: throw .damaged("metadata has a value of type \(type)")
      }
    }

    private mutating func list(depth: Int) throws(ParquetReadError) -> ThriftValue {
      if depth > ThriftValue.depthMax { throw .damaged("metadata is nested too deep") }
      let head = try byte()
      let length = head >> 4 == 15 ? try varint() : UInt64(head >> 4)
      // Each element takes at least one byte, so a longer list cannot be complete.
      guard length <= UInt64(bytes.count - position) else { throw .damaged("metadata ends in a list") }
      var values: [ThriftValue] = []
      for _ in 0..<length { values.append(try value(head & 0x0F, depth: depth + 1, isElement: true)) }
      return .list(values)
    }

    private mutating func byte() throws(ParquetReadError) -> UInt8 {
      guard position < bytes.count else { throw .damaged("metadata ends too early") }
      defer { position += 1 }
      return bytes[position]
    }

    private mutating func varint() throws(ParquetReadError) -> UInt64 {
      var number: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 64, by: 7) {
        let next = try byte()
        number |= UInt64(next & 0x7F) << shift
        if next < 0x80 { return number }
      }
      throw .damaged("metadata has a number that is too long")
    }

    private mutating func zigzag() throws(ParquetReadError) -> Int64 {
      let number = try varint()
      return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }
  }
}
