import EventLog
import Foundation

/// Maps ids that a program creates anew in each run to numbers that are equal in two runs: UUIDs, hashes of
/// redacted values, and the identities of values that a log cannot hold. An id is identified by the path
/// where it first appeared, by the content beside it, and by a count of the ids that have both in common. So
/// an insertion in one of two runs does not change the numbers of all later ids.
struct FreshIDs {
  /// An id: the bits of a UUID, or a hash of the type and the number of an opaque value.
  fileprivate struct Key: Hashable {
    var high: UInt64
    var low: UInt64
  }

  private var known: [Key: UInt64] = [:]
  /// The number of ids that first appeared at a place, by a hash of the path and the content beside the id.
  private var counts: [UInt64: Int] = [:]

  /// More ids than are worth telling apart; bounds the memory.
  private static let knownMax = 1 << 18
  private var isFull: Bool { known.count >= Self.knownMax }

  /// Whether a value is an id or a text that may contain one. Cost: constant.
  static func mayHold(_ value: borrowing Value) -> Bool {
    switch value {
    case .string(let text): text.utf8.count >= UUIDText.length
    case .opaque: true
    default: false
    }
  }

  /// Adds a text to a hash, with the number of each UUID instead of the UUID itself.
  mutating func combine(_ text: String, at place: @autoclosure () -> UInt64, into hasher: inout Hasher) {
    let found = UUIDText.find(in: text)
    if found.isEmpty { return hasher.combine(ExactString(text)) }
    for id in found { hasher.combine(number(of: id.key, at: place())) }
    hasher.combine(ExactString(UUIDText.replace(found, in: text) { _ in "*" }))
  }

  /// Adds a value that is not a container to a hash.
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

  /// Adds the new ids in some fields. A value that is an id is identified by the other fields, which are
  /// hashed only if there is such a value; a name that is an id is identified by its value.
  mutating func insert(in fields: NamedValues<Value>, at place: UInt64) {
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

  /// A value that is equal in both runs if it is an id that the runs have in common; the value itself if it
  /// is no known id.
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

  /// A text with `*` instead of each id: `onChange(inbox.rows[*].text)`.
  static func withoutIDs(_ text: String) -> String {
    let found = UUIDText.find(in: text)
    return found.isEmpty ? text : UUIDText.replace(found, in: text) { _ in "*" }
  }

  private mutating func number(of key: Key, at place: UInt64) -> UInt64 {
    if let known = known[key] { return known }
    // Ids beyond the limit are equal if they appear at the same place.
    if isFull { return place }
    counts[place, default: 0] += 1
    var hasher = Hasher()
    hasher.combine(place)
    hasher.combine(counts[place])
    let number = UInt64(truncatingIfNeeded: hasher.finalize())
    known[key] = number
    return number
  }

  /// A hash of the fields that are neither ids nor containers; it does not depend on their order.
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

  /// The key of a value that is an id as a whole; nil for others.
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

/// Finds UUIDs in texts: `6F1B8E0A-1111-4222-8333-444455556666`, in upper or lower case.
private enum UUIDText {
  static let length = 36

  struct Found {
    var key: FreshIDs.Key
    /// Its first byte's offset in the text.
    var offset: Int
    var text: String
  }

  /// The UUIDs in a text. The bytes before and after one must be neither digit, letter nor hyphen. Cost:
  /// linear.
  static func find(in text: String) -> [Found] {
    let bytes = text.utf8
    if bytes.count < length { return [] }
    return bytes.withContiguousStorageIfAvailable(find) ?? Array(bytes).withUnsafeBufferPointer(find)
  }

  private static func find(in bytes: UnsafeBufferPointer<UInt8>) -> [Found] {
    var found: [Found] = []
    var offset = 0
    while offset + length <= bytes.count, let start = bytes.baseAddress {
      // The C library looks for the first hyphen many bytes at a time.
      guard let first = memchr(start + offset + 8, Int32(hyphen), bytes.count - length - offset + 1) else {
        break
      }
      offset = UnsafeRawPointer(start).distance(to: first) - 8
      guard let key = key(in: bytes, at: offset) else {
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

  /// The text with each UUID replaced.
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
