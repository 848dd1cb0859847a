import EventLog

extension String {
  /// The first word, and what follows it.
  package var firstWord: (word: String, rest: String) {
    let text = trimmed
    guard let end = text.firstIndex(where: { $0 == " " || $0 == "\t" }) else { return (text, "") }
    return (String(text[..<end]), String(text[end...]).trimmed)
  }

  /// The text without blanks at either end.
  package var trimmed: String {
    var text = self[...]
    while let first = text.first, first == " " || first == "\t" || first == "\r" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" || last == "\r" { text.removeLast() }
    return String(text)
  }

  /// The text quoted as one word of a shell command. Characters that could control a terminal when pasted, or
  /// reorder the line, are escaped as in bash, zsh and ksh: `$'\x03'`.
  package var quotedForShell: String {
    if unicodeScalars.contains(where: \.isHostile) { return escapedForShell }
    let isPlain = utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2C, 0x2D, 0x2E, 0x2F, 0x3A, 0x3D, 0x40, 0x5F: true
      default: false
      }
    }
    return isPlain && !isEmpty ? self : "'" + replacing("'", with: #"'\''"#) + "'"
  }

  private var escapedForShell: String {
    var word = "$'"
    for scalar in unicodeScalars {
      if scalar.isHostile {
        for byte in FileName.bytes(String(scalar)) {
          word += (byte < 0x10 ? #"\x0"# : #"\x"#) + String(byte, radix: 16)
        }
      } else {
        if scalar == "'" || scalar == "\\" { word += "\\" }
        word.unicodeScalars.append(scalar)
      }
    }
    return word + "'"
  }
}

extension String {
  /// Whether a path leads to a part of what another leads to. Both are texts of groups.
  func isPart(of whole: String) -> Bool {
    guard hasPrefix(whole), utf8.count > whole.utf8.count else { return false }
    let next = utf8[utf8.index(utf8.startIndex, offsetBy: whole.utf8.count)]
    return next == 0x2E || next == 0x5B
  }
}

/// Formats counts for sentences.
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

/// Formats amounts for readers.
package enum Units {
  /// `1 event`, `2 events`.
  package static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(number.grouped) \(number == 1 ? noun : plural ?? noun + "s")"
  }

  /// A duration: `850 ns`, `1.2 us`, `3.4 ms`, `10.0 s`.
  package static func duration(_ nanoseconds: UInt64) -> String {
    if nanoseconds < 1_000 { return "\(nanoseconds) ns" }
    if nanoseconds < 1_000_000 { return tenths(nanoseconds, of: 1_000) + " us" }
    if nanoseconds < 1_000_000_000 { return tenths(nanoseconds, of: 1_000_000) + " ms" }
    return tenths(nanoseconds, of: 1_000_000_000) + " s"
  }

  /// A quotient to one decimal, rounded down.
  package static func tenths(_ value: UInt64, of unit: UInt64) -> String {
    "\((value / unit).grouped).\(value % unit * 10 / unit)"
  }
}

extension String {
  /// Whether a projection of this name is a callback of the app, which shows nothing.
  var isCallbackName: Bool { hasPrefix("onChange(") || hasPrefix("onReceive(") }
}
