import EventLog

extension Bool: RecordableValue, SimpleValue {
  /// A Boolean.
  public func recordedValue(in context: inout EncodingContext) -> Value { .bool(self) }
}

extension RecordableValue where Self: BinaryInteger {
  /// An integer; one that does not fit 64 bits, as text.
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
  /// The double of exactly this value.
  public func recordedValue(in context: inout EncodingContext) -> Value { .double(Double(self)) }
}
