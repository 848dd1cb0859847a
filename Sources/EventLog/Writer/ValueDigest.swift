/// What stands for a value that is too large to be recorded: its staged size, and a hash that tells two apart.
///
/// The hash is the same in every process. Memory: about 1 MiB, or the largest scalar.
struct ValueDigest {
  /// Bytes of the value so far, as it would be staged.
  private(set) var size = 0
  private var hash: UInt64 = 0
  private var pending = StagingBuffer()

  /// Takes in a value and all that is in it.
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
      // The rest is small, so this does not come back here.
      _ = StagedValue.append(value, to: &pending)
    }
    if pending.count > 1 << 20 { fold() }
  }

  /// The hash of all that was taken in.
  mutating func finish() -> UInt64 {
    fold()
    return hash
  }

  private mutating func add(_ fields: NamedValues<Value>) {
    pending.append(varint: UInt64(fields.count))
    for (key, value) in fields {
      pending.append(key)
      add(value)
    }
  }

  private mutating func fold() {
    size += pending.count
    hash = XXH64.hash(pending.bytes, in: 0..<pending.count, seed: hash)
    pending.truncate(to: 0)
  }
}
