import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A type whose values can be restored from their recorded form: the inverse of ``RecordableValue``.
///
///     extension Color: RestorableValue {
///       static func restored(from value: Value, in context: RestoringContext) throws -> Color {
///         Color(hex: try context.restore(String.self, from: value))
///       }
///     }
///
/// `Decodable` types and enums with raw values need not conform.
public protocol RestorableValue {
  /// Restores the value whose recorded form is `value`.
  ///
  /// - Throws: ``RestoreProblem``, from `context.restore` and `context.mismatch`, if `value` is of another
  ///   kind.
  static func restored(from value: Value, in context: RestoringContext) throws -> Self
}

// MARK: Numbers

extension Bool: RestorableValue {
  /// Restores a Boolean.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Bool {
    guard case .bool(let flag) = value else { throw context.mismatch(value, self) }
    return flag
  }
}

extension RestorableValue where Self: FixedWidthInteger {
  /// Restores an integer that fits the type.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Self {
    let number: Self? =
      switch value {
      case .int(let number): Self(exactly: number)
      case .uint(let number): Self(exactly: number)
      // An integer that does not fit 64 bits was recorded as text.
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
  /// Restores a double, also from an integer that equals one exactly.
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
  /// Restores the float nearest to a double; this is exact for a recorded float.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Float {
    Float(try context.restore(Double.self, from: value))
  }
}

// MARK: Text

extension String: RestorableValue {
  /// Restores a string.
  public static func restored(from value: Value, in context: RestoringContext) throws -> String {
    guard case .string(let text) = value else { throw context.mismatch(value, self) }
    return text
  }
}

extension Substring: RestorableValue {
  /// Restores a substring that covers a whole string.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Substring {
    Substring(try String.restored(from: value, in: context))
  }
}

extension Character: RestorableValue {
  /// Restores a character from a string with one character.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Character {
    guard case .string(let text) = value, text.count == 1 else { throw context.mismatch(value, self) }
    return Character(text)
  }
}

extension Unicode.Scalar: RestorableValue {
  /// Restores a Unicode scalar from a string with one scalar.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Unicode.Scalar {
    guard case .string(let text) = value, text.unicodeScalars.count == 1 else {
      throw context.mismatch(value, self)
    }
    return text.unicodeScalars[text.startIndex]
  }
}

// MARK: Foundation

extension UUID: RestorableValue {
  /// Restores a UUID from its text.
  public static func restored(from value: Value, in context: RestoringContext) throws -> UUID {
    guard case .string(let text) = value, let id = UUID(uuidString: text) else {
      throw context.mismatch(value, self)
    }
    return id
  }
}

extension URL: RestorableValue {
  /// Restores a URL from its text.
  public static func restored(from value: Value, in context: RestoringContext) throws -> URL {
    guard case .string(let text) = value, let url = URL(string: text) else {
      throw context.mismatch(value, self)
    }
    return url
  }
}

extension Date: RestorableValue {
  /// Restores a date, also from a number of seconds since 2001-01-01 00:00 UTC, as earlier logs hold it.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Date {
    if case .date(let seconds) = value { return Date(timeIntervalSinceReferenceDate: seconds) }
    return Date(timeIntervalSinceReferenceDate: try Double.restored(from: value, in: context))
  }
}

extension Data: RestorableValue {
  /// Restores data from its bytes.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Data {
    guard case .bytes(let bytes) = value else { throw context.mismatch(value, self) }
    return Data(bytes)
  }
}

extension Decimal: RestorableValue {
  /// Restores a decimal number from its text.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Decimal {
    guard case .string(let text) = value, let number = Decimal(string: text) else {
      throw context.mismatch(value, self)
    }
    return number
  }
}

// MARK: Collections

extension Optional: RestorableValue {
  /// Restores nil from null, and otherwise the wrapped value.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Wrapped? {
    if case .null = value { return nil }
    return .some(try context.restore(Wrapped.self, from: value))
  }
}

extension RestorableValue where Self: RangeReplaceableCollection {
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
  /// Restores an array of elements.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Self {
    try restoredElements(from: value, in: context)
  }
}

extension ArraySlice: RestorableValue {
  /// Restores the elements; the first has index 0.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Self {
    try restoredElements(from: value, in: context)
  }
}

extension ContiguousArray: RestorableValue {
  /// Restores the elements from an array.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Self {
    try restoredElements(from: value, in: context)
  }
}

extension Set: RestorableValue {
  /// Restores the elements from an array.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Self {
    Set(try Array.restored(from: value, in: context))
  }
}

extension Dictionary: RestorableValue {
  /// Restores the entries from a map, or from an array of pairs.
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
  /// The key for a text: the inverse of ``text(of:)``.
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
