import OrderedCollections

extension StagedValue {
  /// A value as ``append(_:to:)`` staged it.
  @inline(__always)
  static func read(_ row: inout ByteReader) throws(DecodeFault) -> Value {
    let tag = try row.byte()
    if tag == ValueTag.int { return .int(try row.zigzag()) }
    return try read(tag, &row)
  }

  private static func read(_ tag: UInt8, _ row: inout ByteReader) throws(DecodeFault) -> Value {
    switch tag {
    case ValueTag.null: return .null
    case ValueTag.false: return .bool(false)
    case ValueTag.true: return .bool(true)
    case ValueTag.uint: return .uint(try row.varint())
    case ValueTag.double:
      var bits: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 64, by: 8) { bits |= UInt64(try row.byte()) << shift }
      return .double(Double(bitPattern: bits))
    case ValueTag.string: return .string(try row.text(try row.varint(), "a staged string"))
    case ValueTag.bytes: return .bytes(Array(row.bytes[try row.take(try row.varint(), "staged bytes")]))
    case ValueTag.array:
      let count = Int(try row.varint())
      var elements: [Value] = []
      elements.reserveCapacity(count)
      for _ in 0..<count { elements.append(try read(&row)) }
      return .array(elements)
    case ValueTag.map: return .map(try fields(&row))
    case ValueTag.object:
      let id = ObjectID(try row.varint())
      let type = try row.text(try row.varint(), "a staged type")
      return .object(ObjectDefinition(id: id, type: type, fields: try fields(&row)))
    case ValueTag.reference: return .reference(ObjectID(try row.varint()))
    case ValueTag.redacted: return .redacted
    case ValueTag.opaque:
      let type = try row.text(try row.varint(), "a staged type")
      return .opaque(type: type, identity: try row.varint())
    default: throw row.fault("a staged value has tag \(tag)")
    }
  }

  private static func fields(
    _ row: inout ByteReader
  ) throws(DecodeFault) -> OrderedDictionary<String, Value> {
    let count = Int(try row.varint())
    var fields: OrderedDictionary<String, Value> = [:]
    fields.reserveCapacity(count)
    for _ in 0..<count {
      let key = try row.text(try row.varint(), "a staged key")
      fields[key] = try read(&row)
    }
    return fields
  }
}
