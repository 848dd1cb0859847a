/// A pattern that matches paths: `store.rows[*].count`, `**.isLoading`, `app.episodes["a*"].**`.
///
/// `*` matches any characters within one name or quoted key, and alone any single name or key; `**` matches
/// any number of steps, including none; `[*]` any element by offset, key or id; `[id: *]` any element by id;
/// `[#*]` any aspect. A pattern must match the whole path: `store.rows` does not match `store.rows[0]`, while
/// `store.rows.**` matches both. A name matches a key, because on a map both address the same entry.
public struct PathPattern: Hashable, Sendable, CustomStringConvertible {
  /// The pattern as it was written.
  public let description: String
  private let steps: [Step]

  enum Step: Hashable, Sendable {
    case anyDepth
    case name(Glob)
    case element
    case index(Int)
    case anyID
    case id(Value)
    case idText(Glob)
    case aspect(PathComponent)
    case anyAspect
    case anyObject
    case object(ObjectID)
  }

  /// Parses a pattern.
  ///
  /// - Throws: ``TextError`` with the column.
  public init(parsing text: String) throws(TextError) {
    var cursor = ByteCursor(Array(text.utf8))
    description = text
    steps = try cursor.parsePattern()
  }

  /// Whether the pattern matches the whole path. Cost: at worst the product of the two depths.
  public func matches(_ path: Path) -> Bool {
    var step = 0
    var index = 0
    // The point from which to try again if the steps after the last `**` do not match: one step further in
    // the path.
    var resume: (step: Int, index: Int)?
    let count = path.components.count + 1
    while index < count {
      if step < steps.count, steps[step] == .anyDepth {
        resume = (step + 1, index)
        step += 1
      } else if step < steps.count, matches(steps[step], path, index) {
        step += 1
        index += 1
      } else if let last = resume {
        resume = (last.step, last.index + 1)
        step = last.step
        index = last.index + 1
      } else {
        return false
      }
    }
    return steps[step...].allSatisfy { $0 == .anyDepth }
  }

  private func matches(_ step: Step, _ path: Path, _ index: Int) -> Bool {
    if index > 0 { return step.matches(path.components[index - 1]) }
    return step.matches(path.root)
  }
}

extension PathPattern.Step {
  func matches(_ root: Path.Root) -> Bool {
    switch (self, root) {
    case (.name(let glob), .named(let name)): glob.matches(name)
    case (.anyObject, .object): true
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }

  func matches(_ component: PathComponent) -> Bool {
    switch (self, component) {
    case (.name(let glob), .property(let name)), (.name(let glob), .key(let name)): glob.matches(name)
    case (.element, .index), (.element, .key), (.element, .id): true
    case (.index(let a), .index(let b)): a == b
    case (.anyID, .id): true
    case (.id(let a), .id(let b)): a == b
    case (.idText(let glob), .id(.string(let text))): glob.matches(text)
    case (.anyAspect, _): component.isAspect
    case (.aspect(let a), _): a == component
    default: false
    }
  }
}

// MARK: Parsing

extension ByteCursor {
  /// Reads a whole pattern.
  fileprivate mutating func parsePattern() throws(TextError) -> [PathPattern.Step] {
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
      if let aspect = consumeAspect() { return .aspect(aspect) }
      if consume(word: "#*") { return .anyAspect }
      throw error("expected #count, #order, #exists or #*")
    case 0x69 where consume(word: "id:"):
      skipSpace()
      if consume(0x2A) { return .anyID }
      if byte != 0x22 { return .id(try parseIdentity()) }
      let (bytes, asterisks) = try parseStringBytes()
      return .idText(Glob(bytes, asterisks: asterisks))
    case let digit? where digit.isDigit: return .index(try parseOffset())
    default:
      throw error("expected *, an offset, a key in quotes, id: and a value, or an aspect such as #count")
    }
  }
}

// MARK: Names

/// A text in which `*` matches any sequence of characters; other characters match themselves, byte for byte.
package struct Glob: Hashable, Sendable {
  /// The parts between the asterisks; one part if there are none.
  private let pieces: [[UInt8]]

  /// Splits the bytes at the asterisks, which are at these offsets.
  init(_ bytes: [UInt8], asterisks: [Int]) {
    var pieces: [[UInt8]] = []
    var start = 0
    for asterisk in asterisks {
      pieces.append(Array(bytes[start..<asterisk]))
      start = asterisk + 1
    }
    pieces.append(Array(bytes[start...]))
    self.pieces = pieces
  }

  /// Treats every `*` of a text as an asterisk.
  package init(_ text: String) {
    let bytes = Array(text.utf8)
    self.init(bytes, asterisks: bytes.indices.filter { bytes[$0] == 0x2A })
  }

  package var hasWildcard: Bool { pieces.count > 1 }

  /// Whether the text matches. Cost: at worst the product of the two lengths, without allocation.
  package func matches(_ text: String) -> Bool {
    let text = Array(text.utf8)
    guard let first = pieces.first, let last = pieces.last, text.starts(with: first) else { return false }
    if !hasWildcard { return text.count == first.count }
    var position = first.count
    let end = text.count - last.count
    if end < position || !text[end...].elementsEqual(last) { return false }
    // Matching each piece at the first possible offset leaves the most room for later pieces.
    for piece in pieces.dropFirst().dropLast() {
      guard let found = Self.offset(of: piece, in: text, from: position, to: end) else { return false }
      position = found + piece.count
    }
    return true
  }

  private static func offset(of piece: [UInt8], in text: [UInt8], from start: Int, to end: Int) -> Int? {
    var position = start
    while position + piece.count <= end {
      if text[position..<position + piece.count].elementsEqual(piece) { return position }
      position += 1
    }
    return nil
  }
}
