extension Path: CustomStringConvertible {
  /// Parses a path such as `store.rows[id: 7].count`, `app.episodes["a1"]`, `#5.title` or
  /// `store.rows[#count]`.
  ///
  /// - Throws: ``TextError`` with the column if the text is not a path, or is deeper than ``maximumDepth``.
  /// - Complexity: Linear in the text.
  public init(parsing text: String) throws(TextError) {
    var cursor = ByteCursor(Array(text.utf8))
    self = try cursor.parsePath()
    try cursor.expectEnd()
  }

  /// The text of the path, from which it can be parsed.
  public var description: String {
    var output: [UInt8] = []
    output.appendPath(self)
    return String(decoding: output, as: UTF8.self)
  }

  /// The path with `[*]` for every index, key and id, `#*` for every object's id, and `derived["row#*"]` for the derived
  /// values of one name: the common name of paths of one kind, and a pattern that matches them.
  package var group: String {
    var output: [UInt8] = []
    output.reserveCapacity(64)
    if case .object = root { output.appendText("#*") } else { output.appendRoot(root) }
    for (position, component) in components.enumerated() {
      switch component {
      case .property(let name)
      where position == 0 && root == .named("derived") && name.projectionGroup != name:
        output.appendComponent(.property(name.projectionGroup + "#*"))
      case .index, .key, .id: output.appendText("[*]")
      case .property, .count, .order, .exists: output.appendComponent(component)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}

extension PathComponent {
  /// The step to a member of a struct: a property if the name can be written as one, otherwise a key.
  package static func member(_ name: String) -> PathComponent {
    name.isPlainName ? .property(name) : .key(name)
  }
}

extension PathComponent: CustomStringConvertible {
  /// The step as written after the first one: `.name`, `[3]`, `["key"]`, `[id: 7]`, `[#count]`.
  public var description: String {
    var output: [UInt8] = []
    output.appendComponent(self)
    return String(decoding: output, as: UTF8.self)
  }
}

extension ByteCursor {
  fileprivate mutating func parsePath() throws(TextError) -> Path {
    var path = Path(root: try parseRoot())
    while let component = try parseComponent() {
      if path.components.count == Path.maximumDepth {
        throw TextError(.depth, column: column, "the path is deeper than \(Path.maximumDepth)")
      }
      path.components.append(component)
    }
    return path
  }

  private mutating func parseRoot() throws(TextError) -> Path.Root {
    if consume(0x23) {
      guard byte?.isDigit == true else { throw error("expected the number of an object after #") }
      return .object(try parseObjectNumber())
    }
    if byte == 0x5B, peek(1) == 0x22 {
      advance()
      let name = try parseString()
      try expect(0x5D, "expected ] after the name of the root")
      return .named(name)
    }
    return .named(try parseName())
  }

  /// Parses one step; nil if what follows is not a step.
  private mutating func parseComponent() throws(TextError) -> PathComponent? {
    if consume(0x2E) { return .property(try parseName()) }
    if !consume(0x5B) { return nil }
    let component = try parseSubscript()
    skipSpace()
    try expect(0x5D, "expected ]")
    return component
  }

  private mutating func parseSubscript() throws(TextError) -> PathComponent {
    switch byte {
    case 0x22: return .key(try parseString())
    case 0x23:
      if let aspect = consumeAspect() { return aspect }
      throw error("expected #count, #order or #exists")
    case 0x69 where consume(word: "id:"):
      skipSpace()
      return .id(try parseIdentity())
    case let digit? where digit.isDigit: return .index(try parseOffset())
    default:
      throw error("expected an offset, a key in quotes, id: and a value, or an aspect such as #count")
    }
  }

  /// Skips an aspect if one follows; returns it.
  mutating func consumeAspect() -> PathComponent? {
    if consume(word: "#count") { return .count }
    if consume(word: "#order") { return .order }
    return consume(word: "#exists") ? .exists : nil
  }

  mutating func parseOffset() throws(TextError) -> Int {
    let start = column
    if let offset = Int(exactly: try parseDigits()) { return offset }
    throw TextError(.range, column: start, "the offset is too large")
  }

  /// Parses the value of an `id`, which is a scalar.
  mutating func parseIdentity() throws(TextError) -> Value {
    let start = column
    var naming = FixedNumbers()
    let value = try parseValue(naming: &naming)
    guard value.canBeID else { throw TextError(.syntax, column: start, "an id is a scalar") }
    return value
  }

  /// Parses a plain name: a letter or `_`, then letters, digits or `_`.
  fileprivate mutating func parseName() throws(TextError) -> String {
    let start = position
    guard let byte, byte.startsName else { throw error("expected a name") }
    while let byte = self.byte, byte.startsName || byte.isDigit { advance() }
    guard let name = String(validating: bytes[start..<position], as: UTF8.self) else {
      throw TextError(.encoding, column: start + 1, "the name is not valid UTF-8")
    }
    return name
  }

  mutating func parseObjectNumber() throws(TextError) -> ObjectID {
    let start = column
    let number = try parseDigits()
    if number == 0 { throw TextError(.range, column: start, "objects are numbered from 1") }
    return ObjectID(number)
  }

  private mutating func parseDigits() throws(TextError) -> UInt64 {
    let start = position
    while byte?.isDigit == true { advance() }
    guard let number = UInt64(String(decoding: bytes[start..<position], as: UTF8.self)) else {
      throw TextError(.range, column: start + 1, "the number is too large")
    }
    return number
  }
}

extension Array<UInt8> {
  fileprivate mutating func appendPath(_ path: Path) {
    appendRoot(path.root)
    for component in path.components { appendComponent(component) }
  }

  fileprivate mutating func appendRoot(_ root: Path.Root) {
    switch root {
    case .object(let id): appendText(id.description)
    case .named(let name) where name.isPlainName: appendText(name)
    case .named(let name): appendBracketed { $0.appendQuoted(name) }
    }
  }

  fileprivate mutating func appendComponent(_ component: PathComponent) {
    switch component {
    case .property(let name) where name.isPlainName:
      append(0x2E)
      appendText(name)
    case .property(let name), .key(let name): appendBracketed { $0.appendQuoted(name) }
    case .index(let index): appendBracketed { $0.appendText(String(index)) }
    case .id(let value):
      appendBracketed {
        $0.appendText("id: ")
        $0.appendValue(value)
      }
    case .count: appendText("[#count]")
    case .order: appendText("[#order]")
    case .exists: appendText("[#exists]")
    }
  }

  private mutating func appendBracketed(_ body: (inout [UInt8]) -> Void) {
    append(0x5B)
    body(&self)
    append(0x5D)
  }
}

extension UInt8 {
  /// Whether a name can start with this byte. Bytes above ASCII are parts of other letters.
  var startsName: Bool {
    switch self {
    case 0x41...0x5A, 0x61...0x7A, 0x5F, 0x80...: true
    default: false
    }
  }
}

extension String {
  /// Whether the name can be written in a path without quotes.
  var isPlainName: Bool {
    guard let first = utf8.first, first.startsName else { return false }
    return unicodeScalars.allSatisfy { scalar in
      guard let byte = UInt8(exactly: scalar.value), byte < 0x80 else { return scalar.isPrinted }
      return byte.startsName || byte.isDigit
    }
  }
}

extension Unicode.Scalar {
  /// Whether a character beyond ASCII is printed as itself, so that two different names never look the same.
  ///
  /// The list never changes and does not depend on the language, in contrast to the categories of Unicode,
  /// where each version assigns more characters. JSONLINES.md contains it, too.
  fileprivate var isPrinted: Bool {
    switch value {
    case ...0xA0, 0xAD, 0x61C, 0x1680, 0x180E, 0x2000...0x200F, 0x2028...0x202F, 0x205F...0x206F, 0x3000,
      0xE000...0xF8FF, 0xFEFF, 0xFFF9...0xFFFB, 0x13430...0x1343F, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A,
      0xE0000...:
      false
    default: true
    }
  }
}
