import EventLog

/// What stands for ids that a program makes anew each time it runs: UUIDs, hashes of redacted values, and the identities of
/// values that a log cannot hold. Each is the n-th that was first met at its place beside the same content, so that an
/// insertion in one of two runs does not make all ids after it different.
struct FreshIDs {
  /// An id: the bits of a UUID, or the type and the number of something opaque.
  fileprivate struct Key: Hashable {
    var high: UInt64
    var low: UInt64
  }

  private var known: [Key: UInt64] = [:]
  /// How many ids were first met at a place, by a hash of the place and the content.
  private var counts: [UInt64: Int] = [:]

  /// More ids than are worth knowing apart; memory stays bounded by them.
  private static let knownMax = 1 << 18
  private var isFull: Bool { known.count >= Self.knownMax }

  /// Whether a value is an id, or a text that may contain one. Cost: constant.
  static func mayHold(_ value: borrowing Value) -> Bool {
    switch value {
    case .string(let text): text.utf8.count >= UUIDText.length
    case .opaque: true
    default: false
    }
  }

  /// Adds a text, in which each UUID counts as what stands for it.
  mutating func combine(_ text: String, at place: @autoclosure () -> UInt64, into hasher: inout Hasher) {
    let found = UUIDText.find(in: text)
    if found.isEmpty { return hasher.combine(ExactString(text)) }
    for id in found { hasher.combine(number(of: id.key, at: place())) }
    hasher.combine(ExactString(UUIDText.replace(found, in: text) { _ in "*" }))
  }

  /// Adds a value that is no container.
  mutating func combine(_ value: Value, at place: @autoclosure () -> UInt64, into hasher: inout Hasher) {
    switch value {
    case .string(let text) where text.utf8.count >= UUIDText.length:
      combine(text, at: place(), into: &hasher)
    case .opaque(let type, let identity):
      hasher.combine(ExactString(type))
      hasher.combine(number(of: Key(type, identity), at: place()))
    default: hasher.combine(value)
    }
  }

  /// Notes the ids among some fields that were not met before. Fields that are ids are known by the others, which are
  /// looked at only where there is such a field; names that are ids are known by their values.
  mutating func note(in fields: NamedValues<Value>, at place: UInt64) {
    var content: UInt64?
    for (name, value) in fields {
      if let key = Key(value), known[key] == nil {
        let others = content ?? Self.content(of: fields)
        content = others
        _ = number(of: key, at: Self.hash(place, others, name))
      }
      if let key = Key(text: name), known[key] == nil {
        _ = number(of: key, at: Self.hash(place, Self.content(of: value), ""))
      }
    }
  }

  /// What compares equal with that of another run where the two ids stand for the same; the value itself where it is no id
  /// that was met.
  func standIn(for value: Value) -> Value {
    switch value {
    case .string(let text): .string(standIn(for: text))
    case .opaque(let type, let identity):
      .opaque(type: type, identity: known[Key(type, identity)] ?? (isFull ? 0 : identity))
    default: value
    }
  }

  /// The same for a text, which may contain ids.
  func standIn(for text: String) -> String {
    let found = UUIDText.find(in: text)
    if found.isEmpty { return text }
    return UUIDText.replace(found, in: text) { id in
      known[id.key].map { "#\($0)" } ?? (isFull ? "*" : id.text)
    }
  }

  /// A text without what tells one id from another: `onChange(inbox.rows[*].text)`.
  static func withoutIDs(_ text: String) -> String {
    let found = UUIDText.find(in: text)
    return found.isEmpty ? text : UUIDText.replace(found, in: text) { _ in "*" }
  }

  private mutating func number(of key: Key, at place: UInt64) -> UInt64 {
    if let known = known[key] { return known }
    // Ids beyond those that are kept compare equal wherever they stand at one place.
    if isFull { return place }
    counts[place, default: 0] += 1
    var hasher = Hasher()
    hasher.combine(place)
    hasher.combine(counts[place])
    let number = UInt64(truncatingIfNeeded: hasher.finalize())
    known[key] = number
    return number
  }

  /// A hash of the fields that are neither ids nor containers, in whatever order.
  private static func content(of fields: NamedValues<Value>) -> UInt64 {
    var sum: UInt64 = 0
    for (name, value) in fields where value.isScalar && Key(value) == nil {
      var hasher = Hasher()
      hasher.combine(ExactString(name))
      hasher.combine(value)
      sum &+= UInt64(truncatingIfNeeded: hasher.finalize())
    }
    return sum
  }

  private static func content(of value: Value) -> UInt64 {
    switch value {
    case .map(let fields): return content(of: fields)
    case .object(let definition): return content(of: definition.fields)
    default:
      guard value.isScalar, Key(value) == nil else { return 0 }
      return UInt64(truncatingIfNeeded: value.hashValue)
    }
  }

  private static func hash(_ place: UInt64, _ content: UInt64, _ name: String) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(place)
    hasher.combine(content)
    hasher.combine(ExactString(name))
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }
}

extension FreshIDs.Key {
  fileprivate init(_ type: String, _ identity: UInt64) {
    var hasher = Hasher()
    hasher.combine(ExactString(type))
    self.init(high: UInt64(truncatingIfNeeded: hasher.finalize()), low: identity)
  }

  /// Of a value that is an id as a whole.
  fileprivate init?(_ value: Value) {
    switch value {
    case .string(let text): self.init(text: text)
    case .opaque(let type, let identity): self.init(type, identity)
    default: return nil
    }
  }

  fileprivate init?(text: String) {
    guard text.utf8.count == UUIDText.length, let id = UUIDText.find(in: text).first else { return nil }
    self = id.key
  }
}

/// UUIDs in texts: `6F1B8E0A-1111-4222-8333-444455556666`, in either case.
private enum UUIDText {
  static let length = 36

  struct Found {
    var key: FreshIDs.Key
    /// Where it begins, in bytes.
    var offset: Int
    var text: String
  }

  /// The UUIDs in a text, which stand between what is neither a digit, a letter nor a hyphen. Cost: linear.
  static func find(in text: String) -> [Found] {
    let bytes = text.utf8
    if bytes.count < length { return [] }
    return bytes.withContiguousStorageIfAvailable(find) ?? Array(bytes).withUnsafeBufferPointer(find)
  }

  private static func find(in bytes: UnsafeBufferPointer<UInt8>) -> [Found] {
    var found: [Found] = []
    var offset = 0
    while offset + length <= bytes.count {
      guard bytes[offset + 8] == hyphen, let key = key(in: bytes, at: offset) else {
        offset += 1
        continue
      }
      let text = String(decoding: bytes[offset..<offset + length], as: UTF8.self)
      found.append(Found(key: key, offset: offset, text: text))
      offset += length
    }
    return found
  }

  private static func key(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> FreshIDs.Key? {
    if start > 0, isPart(bytes[start - 1]) { return nil }
    if start + length < bytes.count, isPart(bytes[start + length]) { return nil }
    var key = FreshIDs.Key(high: 0, low: 0)
    for position in 0..<length {
      let byte = bytes[start + position]
      if position == 8 || position == 13 || position == 18 || position == 23 {
        if byte != hyphen { return nil }
        continue
      }
      guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
      key.high = key.high << 4 | key.low >> 60
      key.low = key.low << 4 | UInt64(digit)
    }
    return key
  }

  /// The text with something else in the place of each.
  static func replace(_ found: [Found], in text: String, with other: (Found) -> String) -> String {
    let bytes = Array(text.utf8)
    var result = ""
    var end = 0
    for id in found {
      result += String(decoding: bytes[end..<id.offset], as: UTF8.self) + other(id)
      end = id.offset + length
    }
    return result + String(decoding: bytes[end...], as: UTF8.self)
  }

  private static let hyphen: UInt8 = 0x2D

  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, hyphen: true
    default: false
    }
  }
}
