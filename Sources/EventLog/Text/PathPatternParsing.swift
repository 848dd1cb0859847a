extension ByteCursor {
  /// Reads a whole pattern.
  mutating func parsePattern() throws(TextError) -> [PathPattern.Step] {
    var steps = [try parseFirstStep()]
    while !isAtEnd {
      if steps.count > Path.maximumDepth {
        throw TextError(.depth, column: column, "the pattern is deeper than \(Path.maximumDepth)")
      }
      if consume(0x2E) {
        steps.append(try parseNameStep())
      } else if byte == 0x5B {
        steps.append(try parseBracketStep())
      } else {
        throw error("expected . or [ (a ** stands alone between dots)")
      }
    }
    return steps
  }

  private mutating func parseFirstStep() throws(TextError) -> PathPattern.Step {
    if consume(0x23) {
      if consume(0x2A) { return .anyObject }
      guard byte?.isDigit == true else { throw error("expected the number of an object after #, or *") }
      return .object(try parseObjectNumber())
    }
    if byte == 0x5B, peek(1) == 0x22 { return try parseBracketStep() }
    return try parseNameStep()
  }

  private mutating func parseNameStep() throws(TextError) -> PathPattern.Step {
    if consume(word: "**") { return .anyDepth }
    let start = position
    var asterisks: [Int] = []
    while let byte = self.byte, byte.startsName || byte == 0x2A || (byte.isDigit && position > start) {
      if byte == 0x2A {
        if asterisks.last == position - start - 1 { throw error("a ** stands alone between dots") }
        asterisks.append(position - start)
      }
      advance()
    }
    if position == start { throw error("expected a name, * or **") }
    return .name(Glob(Array(bytes[start..<position]), asterisks: asterisks))
  }

  private mutating func parseBracketStep() throws(TextError) -> PathPattern.Step {
    advance()
    let step = try parseBracketed()
    skipSpace()
    try expect(0x5D, "expected ]")
    return step
  }

  private mutating func parseBracketed() throws(TextError) -> PathPattern.Step {
    switch byte {
    case 0x2A:
      advance()
      return .element
    case 0x22:
      let (bytes, asterisks) = try parseStringBytes()
      return .name(Glob(bytes, asterisks: asterisks))
    case 0x23:
      if consume(word: "#count") { return .aspect(.count) }
      if consume(word: "#order") { return .aspect(.order) }
      if consume(word: "#exists") { return .aspect(.exists) }
      if consume(word: "#*") { return .anyAspect }
      throw error("expected #count, #order, #exists or #*")
    case 0x69 where consume(word: "id:"):
      skipSpace()
      if consume(0x2A) { return .anyID }
      if byte != 0x22 { return .id(try parseIdentity()) }
      let (bytes, asterisks) = try parseStringBytes()
      return .idText(Glob(bytes, asterisks: asterisks))
    case let digit? where digit.isDigit:
      let start = column
      guard let index = Int(exactly: try parseDigits()) else {
        throw TextError(.range, column: start, "the offset is too large")
      }
      return .index(index)
    default:
      throw error("expected *, an offset, a key in quotes, id: and a value, or an aspect such as #count")
    }
  }
}
