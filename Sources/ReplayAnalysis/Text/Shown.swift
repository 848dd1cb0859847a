import EventLog

extension String {
  /// The text with all characters escaped that could move the cursor, colour the terminal or reorder a line,
  /// cut to 400 characters.
  package var shown: String { shown(most: 400) }

  /// The same, cut to this many characters.
  package func shown(most limit: Int) -> String {
    if utf8.count <= limit, unicodeScalars.allSatisfy({ !$0.isHostile }) { return self }
    var output = ""
    var count = 0
    for scalar in unicodeScalars {
      count += 1
      if count > limit { return output + "…" }
      switch scalar {
      case "\n": output += "\\n"
      case "\t": output += "\\t"
      case "\r": output += "\\r"
      case _ where FileName.isEscape(scalar): output += "\\x\(String(FileName.byte(of: scalar), radix: 16))"
      case _ where scalar.isHostile: output += "\\u{\(String(scalar.value, radix: 16))}"
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output
  }

  /// JSON text with these characters as JSON escapes, so that its strings keep their values.
  var shownJSON: String {
    if utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) || unicodeScalars.allSatisfy({ !$0.isHostile }) { return self }
    var output = ""
    for scalar in unicodeScalars {
      guard scalar.isHostile else {
        output.unicodeScalars.append(scalar)
        continue
      }
      for unit in String(scalar).utf16 { output += "\\u" + unit.padded(to: 4, radix: 16) }
    }
    return output
  }

  /// The number of terminal columns that the text takes.
  package var columns: Int { reduce(0) { $0 + $1.columns } }

  /// The text cut to this many columns; an ellipsis marks a cut.
  package func cut(to limit: Int) -> String {
    if utf8.count <= limit { return self }
    // Not more than what is kept is looked at, since a text from a log may be long.
    var used = 0
    var end = startIndex
    for index in indices {
      used += self[index].columns
      if used > limit { return limit > 0 ? String(self[..<end]) + "…" : "" }
      if used < limit { end = self.index(after: index) }
    }
    return self
  }

  /// The text cut to this many columns, with an ellipsis in its middle: a third of what is left is its beginning.
  package func cutWithin(to limit: Int) -> String {
    if columns <= limit || limit <= 2 { return cut(to: limit) }
    let head = cut(to: (limit + 2) / 3)
    var room = limit - head.columns
    let end = reversed().prefix { character in
      room -= character.columns
      return room >= 0
    }
    return head + String(end.reversed())
  }
}

extension Character {
  fileprivate var columns: Int {
    guard let scalar = unicodeScalars.first else { return 0 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}

extension Unicode.Scalar {
  /// Whether the character could move the cursor, reorder a line or be invisible, or stands for a byte of a file's name.
  var isHostile: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
      0xFFF9...0xFFFB, 0xE0000...0xE007F:
      true
    default: FileName.isEscape(self)
    }
  }
}

extension String {
  /// Values in JSON as people read them: dates without the braces and the key that tell them from texts.
  package var withPlainDates: String {
    contains(#""$date""#) ? replacing(#/\{"\$date":"?([^"}]*)"?\}/#) { $0.1 } : self
  }
}
