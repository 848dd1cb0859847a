import EventLog

/// A type that says itself what the log holds of it. Faster than `Encodable`, which is asked otherwise.
///
///     extension Color: RecordableValue {
///       func recordedValue(in context: inout EncodingContext) -> Value { .string(hex) }
///     }
public protocol RecordableValue {
  /// The value as the log holds it. Equal values must encode alike, or equal sets look like changes.
  ///
  /// Encode parts with `context.encode`, which keeps count of the depth.
  func recordedValue(in context: inout EncodingContext) -> Value
}

/// A recordable value without parts.
protocol SimpleValue: RecordableValue {}
