/// Arithmetic on the numbers of logs. Times, durations, seqs and counts in a log may be any numbers, so in this module, and in
/// every file that imports it, sums, differences and products end at the bounds of their type, and so do numbers that become
/// another type.
///
/// These operators have the names and types of those of the standard library, and a declaration of another module hides one
/// of that library. So nothing has to be written otherwise, and no sum can be forgotten. What means to wrap says so: `&+`.
extension UInt64 {
  @_transparent package static func + (a: UInt64, b: UInt64) -> UInt64 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : sum
  }
  @_transparent package static func - (a: UInt64, b: UInt64) -> UInt64 { a < b ? 0 : a &- b }
  @_transparent package static func * (a: UInt64, b: UInt64) -> UInt64 {
    let (product, overflow) = a.multipliedReportingOverflow(by: b)
    return overflow ? .max : product
  }
  @_transparent package static func += (a: inout UInt64, b: UInt64) { a = a + b }
  @_transparent package static func -= (a: inout UInt64, b: UInt64) { a = a - b }
  @_transparent package static func *= (a: inout UInt64, b: UInt64) { a = a * b }

  @_transparent package init(_ number: Int) { self = number < 0 ? 0 : UInt64(truncatingIfNeeded: number) }
  /// Without the fraction; 0 for what is no number.
  @_transparent package init(_ number: Double) {
    self = UInt64(exactly: number.rounded(.towardZero)) ?? (number > 0 ? .max : 0)
  }

  /// The time that has passed since another time; nil if that is later, since the times of a log may go back.
  func since(_ other: UInt64) -> UInt64? { self >= other ? self - other : nil }
}

extension UInt32 {
  @_transparent package static func + (a: UInt32, b: UInt32) -> UInt32 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : sum
  }
  @_transparent package static func - (a: UInt32, b: UInt32) -> UInt32 { a < b ? 0 : a &- b }
  @_transparent package static func * (a: UInt32, b: UInt32) -> UInt32 {
    let (product, overflow) = a.multipliedReportingOverflow(by: b)
    return overflow ? .max : product
  }
  @_transparent package static func += (a: inout UInt32, b: UInt32) { a = a + b }
  @_transparent package static func -= (a: inout UInt32, b: UInt32) { a = a - b }
  @_transparent package static func *= (a: inout UInt32, b: UInt32) { a = a * b }
}

extension Int {
  @_transparent package static func + (a: Int, b: Int) -> Int {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? (b < 0 ? .min : .max) : sum
  }
  @_transparent package static func - (a: Int, b: Int) -> Int {
    let (difference, overflow) = a.subtractingReportingOverflow(b)
    return overflow ? (b < 0 ? .max : .min) : difference
  }
  @_transparent package static func * (a: Int, b: Int) -> Int {
    let (product, overflow) = a.multipliedReportingOverflow(by: b)
    return overflow ? ((a < 0) == (b < 0) ? .max : .min) : product
  }
  @_transparent package static func += (a: inout Int, b: Int) { a = a + b }
  @_transparent package static func -= (a: inout Int, b: Int) { a = a - b }
  @_transparent package static func *= (a: inout Int, b: Int) { a = a * b }

  @_transparent package init(_ number: UInt64) {
    self = number > UInt64(Int.max) ? .max : Int(truncatingIfNeeded: number)
  }
  /// Without the fraction; 0 for what is no number.
  @_transparent package init(_ number: Double) {
    self = Int(exactly: number.rounded(.towardZero)) ?? (number > 0 ? .max : number < 0 ? .min : 0)
  }
}

extension Int64 {
  @_transparent package static func + (a: Int64, b: Int64) -> Int64 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? (b < 0 ? .min : .max) : sum
  }
  @_transparent package static func - (a: Int64, b: Int64) -> Int64 {
    let (difference, overflow) = a.subtractingReportingOverflow(b)
    return overflow ? (b < 0 ? .max : .min) : difference
  }
  @_transparent package static func * (a: Int64, b: Int64) -> Int64 {
    let (product, overflow) = a.multipliedReportingOverflow(by: b)
    return overflow ? ((a < 0) == (b < 0) ? .max : .min) : product
  }
  @_transparent package static func += (a: inout Int64, b: Int64) { a = a + b }
  @_transparent package static func -= (a: inout Int64, b: Int64) { a = a - b }
  @_transparent package static func *= (a: inout Int64, b: Int64) { a = a * b }

  @_transparent package init(_ number: UInt64) {
    self = number > UInt64(Int.max) ? .max : Int64(truncatingIfNeeded: number)
  }
}
