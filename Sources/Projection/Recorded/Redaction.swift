import EventLog

/// The part of a redacted property that the log holds.
public enum Redaction: Hashable, Sendable {
  /// Only the fact that it was set: not the value, nor its size, nor whether it differs from the earlier
  /// value. Every set counts as a change.
  case hidden
  /// A 64-bit hash, which shows only whether two values of one session are equal, because its key is random
  /// and never written. A set to an equal value is recorded as such.
  case hashed
}

/// Hashes redacted values.
///
/// A value is encoded as for the log, then hashed. Objects within it get ids from a separate counter: they
/// are not attached, and gaps among the log's ids would reveal their number.
final class RedactedHasher: ObjectEncoding {
  private let hash = SipHash()
  private var identities = ObjectIdentities()

  /// The recorded form of a value with ``Redaction/hashed``.
  func hashed<T>(_ value: T) -> Value {
    var context = EncodingContext(objects: self)
    return hashed(encoded: context.encode(value))
  }

  /// The same for a value that is already encoded.
  func hashed(encoded value: Value) -> Value {
    .opaque(type: Self.typeName, identity: hash.hash(value.json.utf8))
  }

  /// The type of every hashed value in the log.
  static let typeName = "Redacted"

  func value(of object: any RecordedObject, in context: inout EncodingContext) -> Value {
    .opaque(type: "object", identity: identity(of: object))
  }

  func identity(of object: AnyObject) -> UInt64 { identities.identity(of: object) }

  func freshIdentity() -> UInt64 { identities.freshIdentity() }
}

/// SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed 64-bit hash that reveals nothing about the bytes
/// without the key.
struct SipHash {
  private let key: (UInt64, UInt64)

  /// Creates a hash with a random key.
  init() {
    var random = SystemRandomNumberGenerator()
    self.init(key: (random.next(), random.next()))
  }

  init(key: (UInt64, UInt64)) { self.key = key }

  /// The hash of the bytes. Cost: linear in their count.
  func hash(_ bytes: some Collection<UInt8>) -> UInt64 {
    var lanes = Lanes(key)
    var word: UInt64 = 0
    var count = 0
    for byte in bytes {
      word |= UInt64(byte) << UInt64(8 * (count & 7))
      count += 1
      if count & 7 == 0 {
        lanes.mix(word)
        word = 0
      }
    }
    lanes.mix(word | UInt64(truncatingIfNeeded: count) << 56)
    return lanes.finish()
  }

  private struct Lanes {
    var a, b, c, d: UInt64

    init(_ key: (UInt64, UInt64)) {
      a = key.0 ^ 0x736f_6d65_7073_6575
      b = key.1 ^ 0x646f_7261_6e64_6f6d
      c = key.0 ^ 0x6c79_6765_6e65_7261
      d = key.1 ^ 0x7465_6462_7974_6573
    }

    mutating func mix(_ word: UInt64) {
      d ^= word
      turn()
      turn()
      a ^= word
    }

    mutating func finish() -> UInt64 {
      c ^= 0xff
      for _ in 0..<4 { turn() }
      return a ^ b ^ c ^ d
    }

    private mutating func turn() {
      a &+= b
      b = b.rotated(by: 13) ^ a
      a = a.rotated(by: 32)
      c &+= d
      d = d.rotated(by: 16) ^ c
      a &+= d
      d = d.rotated(by: 21) ^ a
      c &+= b
      b = b.rotated(by: 17) ^ c
      c = c.rotated(by: 32)
    }
  }
}

extension UInt64 {
  fileprivate func rotated(by bits: UInt64) -> UInt64 { self << bits | self >> (64 - bits) }
}

// MARK: Recording redacted values

extension Engine {
  /// The recorded form of a property's value, which may be redacted.
  func encode(_ value: StoredValue, _ form: ValueForm, of attachment: Attachment, property: Int) -> Value {
    switch attachment.properties[property].redaction {
    case nil: encoding { form.encode(value.address, in: &$0) }
    case .hidden: .redacted
    case .hashed: form.hashed(value.address, by: self)
    }
  }

  /// The recorded form of a value with a redaction.
  func encode<T>(_ value: T, _ redaction: Redaction?) -> Value {
    switch redaction {
    case nil: RecordedScalar(value)?.value ?? encode(value)
    case .hidden: .redacted
    case .hashed: hashed(value)
    }
  }

  /// The strictest redaction of the properties that the run of a derived value has read. It also applies to
  /// the derived value, which may be the secret itself.
  func redaction(of frame: Frame, publishedBy node: Node) -> Redaction? {
    withLock { state in
      let redaction = state.redaction(ofRun: frame)
      if let derived = node.derived, !state.redactedSlots.isEmpty || redaction != nil {
        state.redactedSlots[state.slot(of: derived)] = redaction
      }
      return redaction
    }
  }
}

extension EngineState {
  /// The edits as the log may hold them. Of a redacted property that is a single one, and of a hidden one it always
  /// counts as a change, because the log must not show whether it was one.
  func redacted(_ edits: [Edit], of property: RecordedPropertyDescriptor) -> [Edit] {
    if property.redaction == nil { return edits }
    guard property.redaction == .hashed, edits.count == 1, edits[0].components.isEmpty,
      case .set(let value) = edits[0].kind
    else { return [Edit(kind: .set(.redacted))] }
    // Values other than scalars are already hashed.
    if case .opaque(RedactedHasher.typeName, _) = value { return edits }
    return [Edit(kind: .set(redactedHasher.hashed(encoded: value)), isSame: edits[0].isSame)]
  }

  /// Registers the redacted properties of an object that is being attached.
  func addRedactions(of properties: [RecordedPropertyDescriptor], _ attachment: Attachment) {
    for (number, property) in properties.enumerated() where property.redaction != nil {
      redactedSlots[attachment.slot(number)] = property.redaction
    }
  }

  /// The strictest redaction of the properties that a run has read.
  func redaction(ofRun frame: Frame) -> Redaction? {
    var result: Redaction?
    for read in frame.earlyReads.values {
      guard let redaction = read.redaction else { continue }
      if redaction == .hidden { return .hidden }
      result = redaction
    }
    if redactedSlots.isEmpty { return result }
    for slot in frame.reads.slots {
      guard let redaction = redactedSlots[core.property(of: slot)] else { continue }
      if redaction == .hidden { return .hidden }
      result = redaction
    }
    return result
  }

  /// Whether the input of a run may reveal a hidden value, because an outer projection reads one.
  func mayShowHidden(inputOf node: Node, _ frame: Frame) -> Bool {
    var outer = frame.outer
    while let frame = outer {
      if frame.engine === engine, redaction(ofRun: frame) == .hidden { return true }
      outer = frame.outer
    }
    var ancestor = node.parent
    while let node = ancestor {
      if node.earlyReads.contains(where: { $0.redaction == .hidden }) { return true }
      if !redactedSlots.isEmpty,
        node.lastReads.contains(where: { redactedSlots[core.property(of: $0)] == .hidden })
      {
        return true
      }
      ancestor = node.parent
    }
    return false
  }
}
