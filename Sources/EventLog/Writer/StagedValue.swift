/// The format of values in the staging buffer: a tag, then the content, depth first. Numbers are varints,
/// text is a length and UTF-8.
///
///     null, false, true, redacted    tag
///     int                            tag, zigzag
///     uint, reference                tag, number
///     double, date                   tag, eight bytes, the low one first
///     string, bytes                  tag, length, bytes
///     array                          tag, count, values
///     map                            tag, count, then name and value each
///     object                         tag, number, type, count, then name and value each
///     opaque                         tag, type, identity
enum StagedValue {
  /// Appends a value, which must not nest deeper than a block allows, and returns the number of its items. Cost:
  /// linear in the size.
  @inline(__always)
  static func append(_ value: borrowing Value, to bytes: inout StagingBuffer) -> Int {
    // Common scalars are handled here without a call.
    switch value {
    case .int(let value):
      bytes.append(ValueTag.int, Zigzag.encode(value))
      return 1
    case .double(let value):
      bytes.append(ValueTag.double, word: value.bitPattern)
      return 1
    case .bool(let value):
      bytes.append(value ? ValueTag.true : ValueTag.false)
      return 1
    default:
      return appendAny(copy value, to: &bytes)
    }
  }

  private static func appendAny(_ value: Value, to bytes: inout StagingBuffer) -> Int {
    switch value {
    case .null: bytes.append(ValueTag.null)
    case .bool(let value): bytes.append(value ? ValueTag.true : ValueTag.false)
    case .int(let value):
      bytes.append(ValueTag.int, Zigzag.encode(value))
    case .uint(let value):
      bytes.append(ValueTag.uint, value)
    case .double(let value):
      bytes.append(ValueTag.double, word: value.bitPattern)
    case .date(let value):
      bytes.append(ValueTag.date, word: value.bitPattern)
    case .string(let value):
      bytes.append(ValueTag.string)
      bytes.append(value)
    case .bytes(let value):
      bytes.append(ValueTag.bytes)
      bytes.append(value[...])
    case .array(let values):
      bytes.append(ValueTag.array, UInt64(values.count))
      var items = 1
      for value in values { items += append(value, to: &bytes) }
      return items
    case .map(let fields):
      bytes.append(ValueTag.map)
      return 1 + append(fields, to: &bytes)
    case .object(let definition):
      bytes.append(ValueTag.object, definition.id.number)
      bytes.append(definition.type)
      return 1 + append(definition.fields, to: &bytes)
    case .reference(let id):
      bytes.append(ValueTag.reference, id.number)
    case .redacted: bytes.append(ValueTag.redacted)
    case .opaque(let type, let identity):
      bytes.append(ValueTag.opaque)
      bytes.append(type)
      bytes.append(varint: identity)
    }
    return 1
  }

  /// Appends named values, and returns the number of items with the names.
  private static func append(_ fields: NamedValues<Value>, to bytes: inout StagingBuffer) -> Int {
    bytes.append(varint: UInt64(fields.count))
    var items = fields.count
    fields.forEachField { name, value in
      bytes.append(name)
      items += append(value, to: &bytes)
    }
    return items
  }
}

extension RowPointer {
  /// Writes a double, a date, a Boolean or a short text. Returns false for any other value, and for a text without
  /// contiguous storage.
  @inline(never)
  mutating func putShort(_ value: Value) -> Bool {
    switch value {
    case .double(let number):
      put(ValueTag.double)
      put(word: number.bitPattern)
    case .date(let seconds):
      put(ValueTag.date)
      put(word: seconds.bitPattern)
    case .bool(let isTrue): put(isTrue ? ValueTag.true : ValueTag.false)
    case .string(let text):
      guard text.utf8.count <= Self.textBytesMax else { return false }
      put(ValueTag.string)
      return put(text)
    default: return false
    }
    return true
  }
}

// MARK: Reading

extension StagedValue {
  /// Reads a value that ``append(_:to:)`` staged.
  @inline(__always)
  static func read(_ row: inout RowReader) -> Value {
    let tag = row.byte()
    if tag == ValueTag.int { return .int(row.zigzag()) }
    return read(tag, &row)
  }

  /// Skips a scalar, as defined by ``Value/isScalar``. Returns false without advancing if the value is not a
  /// scalar.
  @inline(__always)
  static func skipScalar(_ row: inout RowReader) -> Bool {
    let start = row
    switch row.byte() {
    case ValueTag.null, ValueTag.true, ValueTag.false, ValueTag.redacted: break
    case ValueTag.int, ValueTag.uint: row.skipVarint()
    case ValueTag.double, ValueTag.date: row.skip(8)
    case ValueTag.string, ValueTag.bytes: _ = row.text()
    case ValueTag.opaque:
      _ = row.text()
      row.skipVarint()
    default:
      row = start
      return false
    }
    return true
  }

  /// Reads a value that was staged after its length.
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
    case ValueTag.date: return .date(Double(bitPattern: row.word()))
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

// MARK: Values that are too large

/// Computes the staged size of a value that is too large to record, and a hash that differs if two values do.
///
/// The hash is the same in every process. Memory: about 1 MiB, or the largest scalar.
struct ValueDigest {
  /// The number of bytes that the values so far would take if they were staged.
  private(set) var size = 0
  private var hash: UInt64 = 0
  private var pending = StagingBuffer()

  /// Adds a value and everything in it.
  mutating func add(_ value: Value) {
    switch value {
    case .array(let values):
      pending.append(ValueTag.array, UInt64(values.count))
      for value in values { add(value) }
    case .map(let fields):
      pending.append(ValueTag.map, 0)
      add(fields)
    case .object(let definition):
      pending.append(ValueTag.object, definition.id.number)
      pending.append(definition.type)
      add(definition.fields)
    case .string(let text):
      pending.append(ValueTag.string)
      pending.append(text)
    case .bytes(let bytes):
      pending.append(ValueTag.bytes)
      pending.append(bytes[...])
    case .opaque(let type, let identity):
      pending.append(ValueTag.opaque)
      pending.append(type)
      pending.append(varint: identity)
    default:
      // The other kinds are small, so they can be staged without recursion.
      _ = StagedValue.append(value, to: &pending)
    }
    if pending.count > 1 << 20 { fold() }
  }

  /// The hash of all values that were added.
  mutating func finish() -> UInt64 {
    fold()
    return hash
  }

  private mutating func add(_ fields: NamedValues<Value>) {
    pending.append(varint: UInt64(fields.count))
    fields.forEachField { name, value in
      pending.append(name)
      add(value)
    }
  }

  private mutating func fold() {
    size += pending.count
    hash = pending.withBytes { XXH64.hash($0.span.bytes, seed: hash) }
    pending.truncate(to: 0)
  }
}
