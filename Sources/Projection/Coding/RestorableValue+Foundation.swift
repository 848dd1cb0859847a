import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension UUID: RestorableValue {
  /// The UUID of a text.
  public static func restored(from value: Value, in context: RestoringContext) throws -> UUID {
    guard case .string(let text) = value, let id = UUID(uuidString: text) else {
      throw context.mismatch(value, self)
    }
    return id
  }
}

extension URL: RestorableValue {
  /// The URL of a text.
  public static func restored(from value: Value, in context: RestoringContext) throws -> URL {
    guard case .string(let text) = value, let url = URL(string: text) else {
      throw context.mismatch(value, self)
    }
    return url
  }
}

extension Date: RestorableValue {
  /// The date that is so many seconds after 2001-01-01 00:00 UTC.
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
  /// The number of a decimal text.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Decimal {
    guard case .string(let text) = value, let number = Decimal(string: text) else {
      throw context.mismatch(value, self)
    }
    return number
  }
}
