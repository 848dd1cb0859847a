extension StagedValue {
  /// A value as ``append(_:to:)`` staged it.
  @inline(__always)
  static func read(_ row: inout RowReader) -> Value {
    let tag = row.byte()
    if tag == ValueTag.int { return .int(row.zigzag()) }
    return read(tag, &row)
  }

  /// A value that was staged behind its length.
  static func read(inside bytes: UnsafeBufferPointer<UInt8>) -> Value {
    var row = RowReader(bytes)
    return read(&row)
  }

  private static func read(_ tag: UInt8, _ row: inout RowReader) -> Value {
    switch tag {
    case ValueTag.null: return .null
    case ValueTag.false: return .bool(false)
    case ValueTag.true: return .bool(true)
    case ValueTag.uint: return .uint(row.varint())
    case ValueTag.double: return .double(Double(bitPattern: row.word()))
    case ValueTag.string: return .string(row.string())
    case ValueTag.bytes: return .bytes(Array(row.text()))
    case ValueTag.array:
      let count = Int(row.varint())
      var elements: [Value] = []
      elements.reserveCapacity(count)
      for _ in 0..<count { elements.append(read(&row)) }
      return .array(elements)
    case ValueTag.map: return .map(fields(&row))
    case ValueTag.object:
      let id = ObjectID(row.varint())
      let type = row.string()
      return .object(ObjectDefinition(id: id, type: type, fields: fields(&row)))
    case ValueTag.reference: return .reference(ObjectID(row.varint()))
    case ValueTag.redacted: return .redacted
    case ValueTag.opaque:
      let type = row.string()
      return .opaque(type: type, identity: row.varint())
    default: preconditionFailure("a staged value has tag \(tag)")
    }
  }

  private static func fields(
    _ row: inout RowReader
  ) -> NamedValues<Value> {
    let count = Int(row.varint())
    var fields: NamedValues<Value> = [:]
    fields.reserveCapacity(count)
    for _ in 0..<count {
      let key = row.string()
      fields[key] = read(&row)
    }
    return fields
  }
}
