import EventLog

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
      // What does not fit 64 bits is recorded as text.
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
  /// A double, or an integer that is one exactly.
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
  /// The nearest float of a double; it is exact for what was a float.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Float {
    Float(try context.restore(Double.self, from: value))
  }
}
