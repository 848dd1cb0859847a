import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A type that defines the recorded form of its values. It takes precedence over `Encodable`, and is faster.
///
///     extension Color: RecordableValue {
///       func recordedValue(in context: inout EncodingContext) -> Value { .string(hex) }
///     }
public protocol RecordableValue {
  /// The recorded form of the value. Equal values must have equal forms, otherwise a set to an equal value
  /// looks like a change.
  ///
  /// Encode parts with `context.encode`, which limits the depth.
  func recordedValue(in context: inout EncodingContext) -> Value
}

/// A recordable value without parts, which is encoded at any depth.
protocol SimpleValue: RecordableValue {
  /// The reader of the type.
  static var reader: FieldReader { get }
  /// The reader of optional values of the type.
  static var optionalReader: FieldReader { get }
}

// MARK: Numbers

extension Bool: RecordableValue, SimpleValue {
  /// A Boolean.
  public func recordedValue(in context: inout EncodingContext) -> Value { .bool(self) }
}

extension RecordableValue where Self: BinaryInteger {
  /// An integer, or its decimal text if it does not fit 64 bits.
  public func recordedValue(in context: inout EncodingContext) -> Value {
    if let value = Int64(exactly: self) { return .int(value) }
    if let value = UInt64(exactly: self) { return .uint(value) }
    return .string(description)
  }
}

extension Int: RecordableValue, SimpleValue {}
extension Int8: RecordableValue, SimpleValue {}
extension Int16: RecordableValue, SimpleValue {}
extension Int32: RecordableValue, SimpleValue {}
extension Int64: RecordableValue, SimpleValue {}
extension Int128: RecordableValue, SimpleValue {}
extension UInt: RecordableValue, SimpleValue {}
extension UInt8: RecordableValue, SimpleValue {}
extension UInt16: RecordableValue, SimpleValue {}
extension UInt32: RecordableValue, SimpleValue {}
extension UInt64: RecordableValue, SimpleValue {}
extension UInt128: RecordableValue, SimpleValue {}

extension Double: RecordableValue, SimpleValue {
  /// A double, with its bits.
  public func recordedValue(in context: inout EncodingContext) -> Value { .double(self) }
}

extension Float: RecordableValue, SimpleValue {
  /// The double of exactly the same value.
  public func recordedValue(in context: inout EncodingContext) -> Value { .double(Double(self)) }
}

// MARK: Text

extension String: RecordableValue, SimpleValue {
  /// A string.
  public func recordedValue(in context: inout EncodingContext) -> Value { .string(self) }
}

extension Substring: RecordableValue, SimpleValue {
  /// A string.
  public func recordedValue(in context: inout EncodingContext) -> Value { .string(String(self)) }
}

extension Character: RecordableValue, SimpleValue {
  /// A string with one character.
  public func recordedValue(in context: inout EncodingContext) -> Value { .string(String(self)) }
}

extension Unicode.Scalar: RecordableValue, SimpleValue {
  /// A string with one Unicode scalar.
  public func recordedValue(in context: inout EncodingContext) -> Value { .string(String(Character(self))) }
}

// MARK: Foundation

extension UUID: RecordableValue, SimpleValue {
  /// The text of the UUID.
  public func recordedValue(in context: inout EncodingContext) -> Value { .string(text) }

  /// The same text as `uuidString`, which takes microseconds.
  var text: String {
    withUnsafeBytes(of: uuid) { bytes in
      String(unsafeUninitializedCapacity: 36) { text in
        var next = 0
        for (position, byte) in bytes.enumerated() {
          if position == 4 || position == 6 || position == 8 || position == 10 {
            text.initializeElement(at: next, to: UInt8(ascii: "-"))
            next += 1
          }
          text.initializeElement(at: next, to: Self.digit(byte >> 4))
          text.initializeElement(at: next + 1, to: Self.digit(byte & 15))
          next += 2
        }
        return next
      }
    }
  }

  private static func digit(_ number: UInt8) -> UInt8 {
    number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "A") - 10 + number
  }
}

extension URL: RecordableValue, SimpleValue {
  /// The absolute text of the URL.
  public func recordedValue(in context: inout EncodingContext) -> Value { .string(absoluteString) }
}

extension Date: RecordableValue, SimpleValue {
  /// Seconds since 2001-01-01 00:00 UTC, as `Codable` encodes it; this is the only lossless form.
  public func recordedValue(in context: inout EncodingContext) -> Value {
    .double(timeIntervalSinceReferenceDate)
  }
}

extension Data: RecordableValue, SimpleValue {
  /// The bytes.
  public func recordedValue(in context: inout EncodingContext) -> Value { .bytes([UInt8](self)) }
}

extension Decimal: RecordableValue, SimpleValue {
  /// The decimal text, because a double would round it.
  public func recordedValue(in context: inout EncodingContext) -> Value { .string(description) }
}

// MARK: Collections

extension Array: RecordableValue {
  /// The elements. An element that is `Identifiable` and is encoded as a map includes its `id`.
  public func recordedValue(in context: inout EncodingContext) -> Value {
    .array(map { context.encodeElement($0) })
  }
}

extension ArraySlice: RecordableValue {
  /// The elements, as for an array.
  public func recordedValue(in context: inout EncodingContext) -> Value {
    .array(map { context.encodeElement($0) })
  }
}

extension ContiguousArray: RecordableValue {
  /// The elements, as for an array.
  public func recordedValue(in context: inout EncodingContext) -> Value {
    .array(map { context.encodeElement($0) })
  }
}

extension Set: RecordableValue {
  /// The elements, sorted, so that equal sets have equal recorded forms.
  public func recordedValue(in context: inout EncodingContext) -> Value {
    .array(map { context.encodeElement($0) }.sorted(by: Value.comesFirst))
  }
}

extension Dictionary: RecordableValue {
  /// A map sorted by key if every key has a distinct text; otherwise an array of pairs.
  public func recordedValue(in context: inout EncodingContext) -> EventLog.Value {
    var entries: [(key: String, value: EventLog.Value)] = []
    entries.reserveCapacity(count)
    for (key, value) in self {
      guard let text = MapKey.text(of: key) else { return encodePairs(in: &context) }
      entries.append((text, context.encodeElement(value)))
    }
    entries.sort { ExactString($0.key) < ExactString($1.key) }
    for (entry, next) in zip(entries, entries.dropFirst()) where entry.key.hasSameBytes(as: next.key) {
      return encodePairs(in: &context)
    }
    return .map(NamedValues(uniqueKeysWithValues: entries))
  }

  private func encodePairs(in context: inout EncodingContext) -> EventLog.Value {
    let pairs = map { key, value in (key: context.encode(key), value: context.encodeElement(value)) }
    return .array(
      pairs.sorted { EventLog.Value.comesFirst($0.key, $1.key) }.map { .array([$0.key, $0.value]) })
  }
}

/// The text of a dictionary's key in a recorded map.
enum MapKey {
  /// The text of a key, shortened if it is too long for a path in a log; nil if its type has no text from which
  /// the key can be restored.
  static func text<Key>(of key: Key) -> String? { wholeText(of: key)?.asName }

  private static func wholeText<Key>(of key: Key) -> String? {
    if let key = key as? String { return key }
    if let key = key as? any CodingKeyRepresentable { return key.codingKey.stringValue }
    if let key = key as? any RawRepresentable<String> { return key.rawValue }
    if let key = key as? any LosslessStringConvertible { return key.description }
    return nil
  }
}

extension Value {
  /// An order of values of all kinds: numbers by size, strings by their scalars, other values by description.
  static func comesFirst(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.int(let a), .int(let b)): a < b
    case (.double(let a), .double(let b)): a < b
    case (.string(let a), .string(let b)): ExactString(a) < ExactString(b)
    default: ExactString(String(describing: a)) < ExactString(String(describing: b))
    }
  }
}
