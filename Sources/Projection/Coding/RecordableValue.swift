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
  /// The date, with its bits.
  public func recordedValue(in context: inout EncodingContext) -> Value {
    .date(timeIntervalSinceReferenceDate)
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
    withUnsafeBufferPointer { .array(context.encodeElements($0, at: [Int](indices))) }
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
  static func text<Key>(of key: Key) -> String? {
    if Key.self == String.self { return (key as? String)?.asName }
    guard let reader = reader(of: Key.self) else { return nil }
    return withUnsafePointer(to: key) { reader.read($0)?.asName }
  }

  /// Whether no key of a type has a text.
  static func areWithoutText(_ type: Any.Type) -> Bool { reader(of: type) == nil }

  /// Its function captures only types, so any thread may call it.
  private struct Reader: @unchecked Sendable {
    let read: (UnsafeRawPointer) -> String?
  }

  private static let known = TypeTable<Reader?>()

  /// Reads the text of a key of a type; nil if none has a text. It is looked up once for each type, because casts of
  /// each key take microseconds.
  private static func reader(of type: Any.Type) -> Reader? {
    known.fact(of: type) { makeReader(of: type) }
  }

  private static func makeReader(of type: Any.Type) -> Reader? {
    func any<Key>(_ type: Key.Type) -> Reader {
      Reader { text(ofAny: $0.assumingMemoryBound(to: Key.self).pointee) }
    }
    func coding<Key: CodingKeyRepresentable>(_ type: Key.Type) -> Reader {
      Reader { $0.assumingMemoryBound(to: Key.self).pointee.codingKey.stringValue }
    }
    func raw<Key: RawRepresentable<String>>(_ type: Key.Type) -> Reader {
      Reader { $0.assumingMemoryBound(to: Key.self).pointee.rawValue }
    }
    func lossless<Key: LosslessStringConvertible>(_ type: Key.Type) -> Reader {
      Reader { $0.assumingMemoryBound(to: Key.self).pointee.description }
    }
    // What an existential or an erased key holds decides.
    let isDecided = [.struct, .enum].contains(TypeKind(of: type)) && !(type is AnyHashable.Type)
    if !isDecided { return _openExistential(type, do: any) }
    if let type = type as? any CodingKeyRepresentable.Type { return coding(type) }
    if let type = type as? any RawRepresentable<String>.Type { return raw(type) }
    if let type = type as? any LosslessStringConvertible.Type { return lossless(type) }
    return nil
  }

  private static func text(ofAny key: Any) -> String? {
    if let key = key as? String { return key }
    if let key = key as? any CodingKeyRepresentable { return key.codingKey.stringValue }
    if let key = key as? any RawRepresentable<String> { return key.rawValue }
    if let key = key as? any LosslessStringConvertible { return key.description }
    return nil
  }
}

extension Value {
  /// An order of values of all kinds, which depends only on what they hold: numbers by size, strings by their
  /// scalars, arrays and maps by their first part that differs; values of different kinds by the kind.
  ///
  /// Cost: linear in the parts that are the same. A description of each takes a hundred times as long.
  static func comesFirst(_ a: Value, _ b: Value) -> Bool { order(a, b) < 0 }

  /// Negative if `a` comes first, positive if `b` does, 0 if they are the same. Recurses once a level.
  private static func order(_ a: Value, _ b: Value) -> Int {
    switch (a, b) {
    case (.int(let a), .int(let b)): return order(of: a, b)
    case (.double(let a), .double(let b)), (.date(let a), .date(let b)): return order(of: a, b)
    case (.string(let a), .string(let b)): return order(of: ExactString(a), ExactString(b))
    case (.array(let a), .array(let b)): return order(a, b)
    case (.map(let a), .map(let b)):
      if a.hasSameNames(as: b) { return order(a.values, b.values) }
      let names = order(a.keys.map(Value.string), b.keys.map(Value.string))
      return names == 0 ? order(a.values, b.values) : names
    default:
      let kinds = order(of: a.rank, b.rank)
      return kinds == 0
        ? order(of: ExactString(String(describing: a)), ExactString(String(describing: b))) : kinds
    }
  }

  private static func order(_ a: some Collection<Value>, _ b: some Collection<Value>) -> Int {
    for (a, b) in zip(a, b) {
      let order = order(a, b)
      if order != 0 { return order }
    }
    return order(of: a.count, b.count)
  }

  private static func order<T: Comparable>(of a: T, _ b: T) -> Int { a < b ? -1 : b < a ? 1 : 0 }

  private var rank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .int: 2
    case .uint: 3
    case .double: 4
    case .string: 5
    case .bytes: 6
    case .array: 7
    case .map: 8
    case .object, .reference: 9
    case .redacted: 10
    case .opaque: 11
    case .date: 12
    }
  }
}
