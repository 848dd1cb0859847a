/// Values in the staging buffer: tag, then content, depth first.
enum StagedValue {
  /// Appends a value and returns its items, or replaces one that is over a limit by an `opaque` that says so.
  ///
  /// Values that are too large have identities that tell them apart. With `isExact` only the depth is limited. Cost:
  /// linear in the size.
  @inline(__always)
  static func append(
    _ value: borrowing Value, to bytes: inout StagingBuffer, isExact: Bool = false
  ) -> Int {
    // The common scalars, without a call.
    switch value {
    case .int(let value):
      bytes.append(ValueTag.int, Zigzag.encode(value))
      return 1
    case .bool(let value):
      bytes.append(value ? ValueTag.true : ValueTag.false)
      return 1
    default:
      return appendAny(copy value, to: &bytes, isExact)
    }
  }

  private static func appendAny(_ value: Value, to bytes: inout StagingBuffer, _ isExact: Bool) -> Int {
    let start = bytes.count
    let itemsMax = isExact ? Int.max : StageLimit.valueItemsMax
    var itemsLeft = itemsMax
    let bytesMax = isExact ? Int.max : start + StageLimit.valueBytesMax
    if append(value, to: &bytes, depth: 1, itemsLeft: &itemsLeft, bytesMax: bytesMax) {
      return itemsMax - itemsLeft
    }
    bytes.truncate(to: start)
    var digest = ValueDigest()
    digest.add(value)
    let identity = digest.finish()
    bytes.append(ValueTag.opaque)
    bytes.append("too large: \(digest.size) bytes")
    bytes.append(varint: identity)
    return 1
  }

  /// Appends a value; returns false as soon as it is over a limit.
  private static func append(
    _ value: Value, to bytes: inout StagingBuffer, depth: Int, itemsLeft: inout Int, bytesMax: Int
  ) -> Bool {
    itemsLeft -= 1
    if depth > LogFormat.valueDepthMax || itemsLeft < 0 || bytes.count > bytesMax {
      return false
    }
    switch value {
    case .null: bytes.append(ValueTag.null)
    case .bool(let value): bytes.append(value ? ValueTag.true : ValueTag.false)
    case .int(let value):
      bytes.append(ValueTag.int, Zigzag.encode(value))
    case .uint(let value):
      bytes.append(ValueTag.uint, value)
    case .double(let value):
      bytes.append(ValueTag.double)
      bytes.append(littleEndian: value.bitPattern)
    case .string(let value):
      bytes.append(ValueTag.string)
      bytes.append(value)
    case .bytes(let value):
      bytes.append(ValueTag.bytes)
      bytes.append(value[...])
    case .array(let values):
      bytes.append(ValueTag.array, UInt64(values.count))
      for value in values
      where !append(value, to: &bytes, depth: depth + 1, itemsLeft: &itemsLeft, bytesMax: bytesMax) {
        return false
      }
    case .map(let fields):
      bytes.append(ValueTag.map)
      return append(fields, to: &bytes, depth: depth, itemsLeft: &itemsLeft, bytesMax: bytesMax)
    case .object(let definition):
      bytes.append(ValueTag.object, definition.id.number)
      bytes.append(definition.type)
      return append(definition.fields, to: &bytes, depth: depth, itemsLeft: &itemsLeft, bytesMax: bytesMax)
    case .reference(let id):
      bytes.append(ValueTag.reference, id.number)
    case .redacted: bytes.append(ValueTag.redacted)
    case .opaque(let type, let identity):
      bytes.append(ValueTag.opaque)
      bytes.append(type)
      bytes.append(varint: identity)
    }
    return bytes.count <= bytesMax
  }

  private static func append(
    _ fields: NamedValues<Value>, to bytes: inout StagingBuffer, depth: Int, itemsLeft: inout Int,
    bytesMax: Int
  ) -> Bool {
    bytes.append(varint: UInt64(fields.count))
    for (key, value) in fields {
      itemsLeft -= 1
      bytes.append(key)
      if !append(value, to: &bytes, depth: depth + 1, itemsLeft: &itemsLeft, bytesMax: bytesMax) {
        return false
      }
    }
    return bytes.count <= bytesMax
  }
}
