import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension UUID: RecordableValue, SimpleValue {
  /// The text of the UUID.
  public func recordedValue(in context: inout EncodingContext) -> Value { .string(uuidString) }
}

extension URL: RecordableValue, SimpleValue {
  /// The absolute text of the URL.
  public func recordedValue(in context: inout EncodingContext) -> Value { .string(absoluteString) }
}

extension Date: RecordableValue, SimpleValue {
  /// Seconds since 2001-01-01 00:00 UTC, as `Codable` has it: the only form that loses nothing.
  public func recordedValue(in context: inout EncodingContext) -> Value {
    .double(timeIntervalSinceReferenceDate)
  }
}

extension Data: RecordableValue, SimpleValue {
  /// The bytes.
  public func recordedValue(in context: inout EncodingContext) -> Value { .bytes([UInt8](self)) }
}

extension Decimal: RecordableValue, SimpleValue {
  /// The decimal text: a double would round it.
  public func recordedValue(in context: inout EncodingContext) -> Value { .string(description) }
}
