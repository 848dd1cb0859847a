import EventLog
import ReplayAnalysis

/// Formats amounts with a unit that suits their size.
extension Units {
  /// A time in a run: `1.033 s`. Within the first second it has microseconds, `52.307 ms`, since a short run
  /// has no later times.
  static func moment(_ nanoseconds: UInt64) -> String {
    var bytes = PrintedBytes()
    appendMoment(nanoseconds, to: &bytes)
    return bytes.text()
  }

  /// Appends the text of ``moment(_:)``.
  static func appendMoment(_ nanoseconds: UInt64, to output: inout PrintedBytes) {
    let isEarly = nanoseconds < 1_000_000_000
    let thousandths = nanoseconds / (isEarly ? 1_000 : 1_000_000)
    output.appendGrouped(thousandths / 1000)
    output.append(".")
    output.appendDigits(3, of: thousandths)
    output.append(isEarly ? " ms" : " s")
  }

  /// A size: `512 B`, `1.5 KiB`.
  static func bytes(_ count: UInt64) -> String {
    if count < 1 << 10 { return "\(count) B" }
    if count < 1 << 20 { return tenths(count, of: 1 << 10) + " KiB" }
    if count < 1 << 30 { return tenths(count, of: 1 << 20) + " MiB" }
    return tenths(count, of: 1 << 30) + " GiB"
  }

  /// A rate or an average: `30`, `2.5`, `1,200`; `-` if there is none.
  static func rate(_ number: Double?) -> String {
    guard let number, number.isFinite, number >= 0, number < 1e18 else { return "-" }
    let text = tenths(UInt64((number * 10).rounded()), of: 10)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A share: `12.5 %`; `-` if the whole is 0.
  static func percent(_ part: Int, of whole: Int) -> String {
    whole <= 0 ? "-" : "\(rate(Double(max(0, part)) * 100 / Double(whole))) %"
  }
}

extension PrintedBytes {
  /// Appends a number with commas between groups of three digits.
  fileprivate mutating func appendGrouped(_ number: UInt64) {
    guard number >= 1000 else { return appendDecimal(number) }
    appendGrouped(number / 1000)
    append(",")
    appendDigits(3, of: number)
  }
}
