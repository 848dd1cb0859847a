import EventLog

extension String: RecordableValue, SimpleValue {
  /// A string.
  public func recordedValue(in context: inout EncodingContext) -> Value { .string(self) }
}

extension Substring: RecordableValue, SimpleValue {
  /// A string.
  public func recordedValue(in context: inout EncodingContext) -> Value { .string(String(self)) }
}

extension Character: RecordableValue, SimpleValue {
  /// A string of one character.
  public func recordedValue(in context: inout EncodingContext) -> Value { .string(String(self)) }
}

extension Unicode.Scalar: RecordableValue, SimpleValue {
  /// A string of one scalar.
  public func recordedValue(in context: inout EncodingContext) -> Value { .string(String(Character(self))) }
}
