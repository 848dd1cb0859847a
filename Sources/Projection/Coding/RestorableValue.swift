import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A type whose values can be made from what the log holds of them: the inverse of ``RecordableValue``.
///
///     extension Color: RestorableValue {
///       static func restored(from value: Value, in context: RestoringContext) throws -> Color {
///         Color(hex: try context.restore(String.self, from: value))
///       }
///     }
///
/// `Decodable` types and enums with raw values need not conform.
public protocol RestorableValue {
  /// The value that was recorded as `value`.
  ///
  /// - Throws: ``RestoreProblem``, from `context.restore` and `context.mismatch`, if `value` is of another kind.
  static func restored(from value: Value, in context: RestoringContext) throws -> Self
}

// MARK: Numbers

extension Bool: RestorableValue {
  /// A Boolean.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Bool {
    guard case .bool(let flag) = value else { throw context.mismatch(value, self) }
    return flag
  }
}

extension RestorableValue where Self: FixedWidthInteger {
  /// An integer that fits the type.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Self {
    let number: Self? =
      switch value {
      case .int(let number): Self(exactly: number)
      case .uint(let number): Self(exactly: number)
      // What does not fit 64 bits was recorded as text.
      case .string(let digits) where Self.bitWidth > 64: Self(digits)
      default: nil
      }
    guard let number else { throw context.mismatch(value, self) }
    return number
  }
}

extension Int: RestorableValue {}
extension Int8: RestorableValue {}
extension Int16: RestorableValue {}
extension Int32: RestorableValue {}
extension Int64: RestorableValue {}
extension Int128: RestorableValue {}
extension UInt: RestorableValue {}
extension UInt8: RestorableValue {}
extension UInt16: RestorableValue {}
extension UInt32: RestorableValue {}
extension UInt64: RestorableValue {}
extension UInt128: RestorableValue {}

extension Double: RestorableValue {
  /// A double, or an integer that equals one exactly.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Double {
    switch value {
    case .double(let number): return number
    case .int(let number): if let exact = Double(exactly: number) { return exact }
    default: break
    }
    throw context.mismatch(value, self)
  }
}

extension Float: RestorableValue {
  /// The float nearest to a double; exact for what was recorded of a float.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Float {
    Float(try context.restore(Double.self, from: value))
  }
}

// MARK: Text

extension String: RestorableValue {
  /// A string.
  public static func restored(from value: Value, in context: RestoringContext) throws -> String {
    guard case .string(let text) = value else { throw context.mismatch(value, self) }
    return text
  }
}

extension Substring: RestorableValue {
  /// A string as a whole.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Substring {
    Substring(try String.restored(from: value, in: context))
  }
}

extension Character: RestorableValue {
  /// A string of one character.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Character {
    guard case .string(let text) = value, text.count == 1 else { throw context.mismatch(value, self) }
    return Character(text)
  }
}

extension Unicode.Scalar: RestorableValue {
  /// A string of one scalar.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Unicode.Scalar {
    guard case .string(let text) = value, text.unicodeScalars.count == 1 else {
      throw context.mismatch(value, self)
    }
    return text.unicodeScalars[text.startIndex]
  }
}

// MARK: Foundation

extension UUID: RestorableValue {
  /// The text of a UUID.
  public static func restored(from value: Value, in context: RestoringContext) throws -> UUID {
    guard case .string(let text) = value, let id = UUID(uuidString: text) else {
      throw context.mismatch(value, self)
    }
    return id
  }
}

extension URL: RestorableValue {
  /// The text of a URL.
  public static func restored(from value: Value, in context: RestoringContext) throws -> URL {
    guard case .string(let text) = value, let url = URL(string: text) else {
      throw context.mismatch(value, self)
    }
    return url
  }
}

extension Date: RestorableValue {
  /// A number of seconds since 2001-01-01 00:00 UTC.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Date {
    Date(timeIntervalSinceReferenceDate: try Double.restored(from: value, in: context))
  }
}

extension Data: RestorableValue {
  /// The bytes.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Data {
    guard case .bytes(let bytes) = value else { throw context.mismatch(value, self) }
    return Data(bytes)
  }
}

extension Decimal: RestorableValue {
  /// The text of a decimal number.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Decimal {
    guard case .string(let text) = value, let number = Decimal(string: text) else {
      throw context.mismatch(value, self)
    }
    return number
  }
}

// MARK: Collections

extension Optional: RestorableValue {
  /// Nil for null, else the value inside.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Wrapped? {
    if case .null = value { return nil }
    return .some(try context.restore(Wrapped.self, from: value))
  }
}

extension RestorableValue where Self: RangeReplaceableCollection {
  /// The elements of an array.
  static func restoredElements(from value: Value, in context: RestoringContext) throws -> Self {
    guard case .array(let values) = value else { throw context.mismatch(value, self) }
    var result = Self()
    result.reserveCapacity(values.count)
    for (index, element) in values.enumerated() {
      result.append(try context.restore(Element.self, from: element, at: .index(index)))
    }
    return result
  }
}

extension Array: RestorableValue {
  /// The elements.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Self {
    try restoredElements(from: value, in: context)
  }
}

extension ArraySlice: RestorableValue {
  /// The elements; the first has index 0.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Self {
    try restoredElements(from: value, in: context)
  }
}

extension ContiguousArray: RestorableValue {
  /// The elements.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Self {
    try restoredElements(from: value, in: context)
  }
}

extension Set: RestorableValue {
  /// The elements.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Self {
    Set(try Array.restored(from: value, in: context))
  }
}

extension Dictionary: RestorableValue {
  /// The entries of a map, or of an array of pairs.
  public static func restored(from value: EventLog.Value, in context: RestoringContext) throws -> Self {
    var result: Self = [:]
    switch value {
    case .map(let fields):
      result.reserveCapacity(fields.count)
      for (text, field) in fields {
        let below = context.below(.key(text))
        let key = try MapKey.key(Key.self, of: text, in: below)
        result[key] = try below.restore(Value.self, from: field)
      }
    case .array(let pairs):
      for (index, pair) in pairs.enumerated() {
        guard case .array(let parts) = pair, parts.count == 2 else { throw context.mismatch(value, self) }
        let below = context.below(.index(index))
        let key = try below.restore(Key.self, from: parts[0], at: .index(0))
        result[key] = try below.restore(Value.self, from: parts[1], at: .index(1))
      }
    default: throw context.mismatch(value, self)
    }
    return result
  }
}

extension MapKey {
  /// The key with a text: the inverse of ``text(of:)``.
  static func key<Key>(_ type: Key.Type, of text: String, in context: RestoringContext) throws -> Key {
    if let key = text as? Key { return key }
    if let type = type as? any CodingKeyRepresentable.Type, let key = codingKey(type, text) as? Key {
      return key
    }
    if let type = type as? any LosslessStringConvertible.Type, let key = type.init(text) as? Key {
      return key
    }
    return try context.restore(type, from: .string(text))
  }

  private static func codingKey<Key: CodingKeyRepresentable>(_ type: Key.Type, _ text: String) -> Key? {
    Key(codingKey: AnyCodingKey(stringValue: text))
  }
}
