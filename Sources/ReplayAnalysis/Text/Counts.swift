/// How many, within a sentence.
extension BinaryInteger {
  /// The number with commas between groups of three digits: `15,050`.
  package var grouped: String {
    let digits = String(magnitude)
    var output = ""
    for (position, digit) in digits.enumerated() {
      if position > 0, (digits.count - position) % 3 == 0 { output.append(",") }
      output.append(digit)
    }
    return (self < 0 ? "-" : "") + output
  }
}

/// Amounts as people write them.
package enum Units {
  /// `1 event`, `2 events`.
  package static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(number.grouped) \(number == 1 ? noun : plural ?? noun + "s")"
  }
}
