/// Dates as text by RFC 3339 in UTC, like `2026-11-28T08:30:00.25Z`, with the digits that read back as the same bits.
///
/// Foundation would write milliseconds at most, and a log is read without it. Seconds have decimal digits of their own, so
/// only the whole ones are converted to a calendar date.
package enum DateText {
  /// Days from 0000-03-01 to 2001-01-01, in the calendar that is Gregorian throughout.
  private static let daysBefore: Int64 = 730_791
  private static let secondsADay: Int64 = 86_400
  /// The years that have four digits.
  private static let years: ClosedRange<Int64> = 1...9999

  /// The text of a date; nil if no text of this form reads back as the same bits.
  static func text(_ seconds: Double) -> String? {
    let whole = seconds.rounded(.down)
    guard abs(whole) < 1e12, let start = wholeText(Int64(whole)) else { return nil }
    guard let fraction = fraction(of: seconds) else { return nil }
    let text = start + fraction + "Z"
    return parse(text)?.bitPattern == seconds.bitPattern ? text : nil
  }

  /// The date of a text; nil if it is not of this form.
  static func parse(_ text: String) -> Double? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] == 0x54, bytes[13] == 0x3A,
      bytes[16] == 0x3A, bytes.last == 0x5A, let year = number(bytes[0..<4]),
      let month = number(bytes[5..<7]),
      let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
      let second = number(bytes[17..<19]), years.contains(year), 1...12 ~= month, day >= 1, hour < 24,
      minute < 60, second < 60
    else { return nil }
    let days = days(year, month, day)
    // A day that the month does not have is another day of the calendar.
    guard date(days) == (year, month, day) else { return nil }
    let whole = days * secondsADay + hour * 3600 + minute * 60 + second
    let fraction = bytes[19..<bytes.count - 1]
    if fraction.isEmpty { return Double(whole) }
    let digits = fraction.dropFirst()
    guard fraction.first == 0x2E, !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
    return Double(decimal(whole, digits))
  }

  /// The decimal text of whole seconds and the digits after their point. Before 2001 the digits count from the second
  /// before, so they are complemented.
  private static func decimal(_ whole: Int64, _ digits: ArraySlice<UInt8>) -> String {
    if whole >= 0 || digits.allSatisfy({ $0 == 0x30 }) {
      return "\(whole).\(String(decoding: digits, as: UTF8.self))"
    }
    return "-\(-(whole + 1)).\(String(decoding: complement(digits), as: UTF8.self))"
  }

  /// The digits after the point of the time within the second, with the point; empty for a whole second. Nil for a number
  /// that is written with an exponent.
  private static func fraction(of seconds: Double) -> String? {
    let text = Array(seconds.description.utf8)
    guard let point = text.firstIndex(of: 0x2E), text[(point + 1)...].allSatisfy(\.isDigit) else {
      return nil
    }
    let digits = text[(point + 1)...]
    if digits.allSatisfy({ $0 == 0x30 }) { return "" }
    return "." + String(decoding: seconds < 0 ? complement(digits) : Array(digits), as: UTF8.self)
  }

  /// The digits of what is missing from 1. They are not all 0.
  private static func complement(_ digits: ArraySlice<UInt8>) -> [UInt8] {
    var digits = Array(digits)
    let last = digits.lastIndex { $0 != 0x30 } ?? digits.startIndex
    for index in digits.indices where index <= last {
      digits[index] = (index == last ? 0x3A : 0x39) - digits[index] + 0x30
    }
    return digits
  }

  private static func wholeText(_ seconds: Int64) -> String? {
    let days = (seconds >= 0 ? seconds : seconds - secondsADay + 1) / secondsADay
    let time = seconds - days * secondsADay
    guard years.contains(date(days).year) else { return nil }
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60)
    return day(days) + "T" + [hour, minute, second].map { $0.padded(to: 2) }.joined(separator: ":")
  }

  /// The day, as `2026-11-23`, of a time in microseconds since 1970-01-01 00:00 UTC that is not negative.
  package static func day(unixMicroseconds time: Int64) -> String {
    // Days from 1970-01-01 to 2001-01-01.
    day(time / 1_000_000 / secondsADay - 11_323)
  }

  /// The day at some days from 2001-01-01.
  private static func day(_ days: Int64) -> String {
    let (year, month, day) = date(days)
    return "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
  }

  // The conversions follow "chrono-Compatible Low-Level Date Algorithms" by Howard Hinnant,
  // https://howardhinnant.github.io/date_algorithms.html: years begin in March, so that a leap day is their last.

  /// The days from 2001-01-01 to a date.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month > 2 ? year : year - 1
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - daysBefore
  }

  /// The date at some days from 2001-01-01.
  private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let days = days + daysBefore
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let part = (5 * dayOfYear + 2) / 153
    let month = part < 10 ? part + 3 : part - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    digits.allSatisfy(\.isDigit) ? digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) } : nil
  }
}
