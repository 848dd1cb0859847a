import ReplayAnalysis

/// A part of what a command printed, within the bytes that an answer may have.
///
/// An answer is up to three texts: that what follows is from a recording, what the command printed, and what the server adds: warnings,
/// the handle for the rest, the next call. The second is exactly what the command prints, so that nothing in a log can pass for
/// what the server says.
struct AgentAnswer {
  /// How large an answer is, all its texts together.
  static let bytesMost = 4096
  /// The most that may be asked for.
  static let bytesMax = 64 << 10
  /// What of a command's warnings is repeated.
  private static let warningsMost = 600

  static let header = "text from the recording:"
  /// What the line of a handle begins with.
  static let handleTitle = "handle for more: "

  var texts: [String]
  var isError = false

  /// A text that says what to do otherwise.
  static func refusal(_ reason: String) -> AgentAnswer {
    AgentAnswer(texts: [cut(reason, to: 1500)], isError: true)
  }

  private init(texts: [String], isError: Bool = false) { (self.texts, self.isError) = (texts, isError) }

  /// - Parameters:
  ///   - output: All that the command printed so far.
  ///   - warnings: What it said besides.
  ///   - handle: What was asked, and the position from which on.
  ///   - isOver: Whether the command has ended.
  ///   - isCut: Whether the command was ended since it printed too much.
  ///   - next: What to ask next.
  init(
    _ output: [UInt8], warnings: String, from handle: MoreHandle, most: Int, isOver: Bool, isCut: Bool,
    next: String
  ) {
    var handle = handle
    var notes: [String] = []
    if handle.position > 0, !handle.fits(output) {
      notes.append("the answer is another one by now, since a log has changed; this is its beginning")
      handle.position = 0
    }
    if isOver, !warnings.isEmpty { notes.append(Self.cut(warnings, to: Self.warningsMost)) }
    if !isOver { notes.append("not finished yet; call more with the handle to wait for the rest") }
    if isCut { notes.append("it was ended after \(output.count) bytes; ask for less, by limit, from or to") }
    // What the notes and the line of the handle may take at most is left free.
    let line = Self.handleTitle.utf8.count + handle.textBytesMost
    let rest = notes.reduce(0) { $0 + $1.utf8.count + 1 } + line + next.utf8.count + 60
    let room = max(256, most - Self.header.utf8.count - rest)
    let end = Self.end(of: output, from: handle.position, room: room)
    let part = String(decoding: output[handle.position..<end], as: UTF8.self)
    if end < output.count || !isOver {
      if isOver { notes.append("bytes \(handle.position) to \(end) of \(output.count)") }
      notes.append(Self.handleTitle + handle.moved(to: end, of: output).text)
    } else if !next.isEmpty {
      notes.append("next: \(next)")
    }
    texts = [part.isEmpty ? nil : Self.header, part.isEmpty ? nil : part, notes.joined(separator: "\n")]
      .compactMap(\.self).filter { !$0.isEmpty }
    if texts.isEmpty { texts = ["there is nothing"] }
  }

  /// Where a part ends: behind a line, if one ends in its second half, and never within a character.
  private static func end(of output: [UInt8], from start: Int, room: Int) -> Int {
    if output.count - start <= room { return output.count }
    let part = output[start..<(start + room)]
    if let line = part.lastIndex(of: 0x0A), line >= start + room / 2 { return line + 1 }
    var end = start + room
    while end > start, output[end] & 0xC0 == 0x80 { end -= 1 }
    return end > start ? end : start + room
  }

  private static func cut(_ text: String, to most: Int) -> String {
    let bytes = Array(text.utf8)
    if bytes.count <= most { return text }
    return String(decoding: bytes[..<end(of: bytes, from: 0, room: most)], as: UTF8.self) + "…"
  }

  /// The result of a call.
  var result: [String: JSON] {
    var result: [String: JSON] = [
      "content": .array(texts.map { ["type": "text", "text": .string($0)] })
    ]
    if isError { result["isError"] = true }
    return result
  }
}

/// What asks for the rest of an answer: the tool, its arguments, and how much of the answer is known.
///
/// It has all that is needed, so that another process can answer it. As text it is like a URL, which a reader can understand and
/// copy: `cascade?log=chat-wide.evlog&limit=3&position=3980&known=5e1f09ab`.
struct MoreHandle {
  var tool: String
  var arguments: [String: JSON]
  /// How many bytes of the answer are known.
  var position = 0
  /// A hash of the last of these, by which an answer is known that has changed.
  private var known: UInt32 = 0
  private static let hashedMost = 4096

  init(tool: String, arguments: [String: JSON]) { (self.tool, self.arguments) = (tool, arguments) }

  /// Whether the known bytes are the beginning of an answer.
  func fits(_ output: [UInt8]) -> Bool {
    position <= output.count && Self.hash(output[..<position].suffix(Self.hashedMost)) == known
  }

  func moved(to position: Int, of output: [UInt8]) -> MoreHandle {
    var moved = self
    (moved.position, moved.known) = (position, Self.hash(output[..<position].suffix(Self.hashedMost)))
    return moved
  }

  /// FNV-1a.
  private static func hash(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }

  // MARK: As text

  /// How long the text becomes at most, whatever the position is.
  var textBytesMost: Int { text.utf8.count + 27 }

  var text: String {
    var fields: [String] = []
    for (name, value) in arguments.sorted(by: { $0.key < $1.key }) {
      switch value {
      case .array(let elements): fields += elements.map { "\(name)[]=\(Self.escaped($0))" }
      default: fields.append("\(name)=\(Self.escaped(value))")
      }
    }
    fields.append("position=\(position)")
    fields.append("known=\(String(known, radix: 16))")
    return "\(tool)?\(fields.joined(separator: "&"))"
  }

  /// Reads a handle; nil for another text. Its arguments are texts and lists of them: what else they are to be is known by the tool.
  init?(_ text: String) {
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    tool = String(text[..<mark])
    var arguments: [String: JSON] = [:]
    var (position, known): (Int?, UInt32?) = (nil, nil)
    for field in text[mark...].dropFirst().utf8.split(separator: UInt8(ascii: "&")) {
      let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let value = Self.unescaped(parts[1]) else { return nil }
      let name = String(decoding: parts[0], as: UTF8.self)
      switch name {
      case "position": position = Int(value)
      case "known": known = UInt32(value, radix: 16)
      case _ where name.hasSuffix("[]"):
        let name = String(name.dropLast(2))
        var elements: [JSON] = []
        if case .array(let earlier)? = arguments[name] { elements = earlier }
        arguments[name] = .array(elements + [.string(value)])
      default: arguments[name] = .string(value)
      }
    }
    guard let position, let known, position >= 0 else { return nil }
    (self.arguments, self.position, self.known) = (arguments, position, known)
  }

  private static func escaped(_ value: JSON) -> String {
    let text =
      switch value {
      case .string(let text): text
      case let other: String(decoding: other.line, as: UTF8.self)
      }
    return text.utf8.map { byte in
      let isPlain = byte > 0x20 && byte != 0x7F && !"%&=?\"\\".utf8.contains(byte)
      return isPlain ? [byte] : Array("%".utf8) + Array(Self.hex(byte).utf8)
    }.reduce(into: [UInt8]()) { $0 += $1 }.decoded
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }

  private static func unescaped(_ text: Substring.UTF8View.SubSequence) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let code = UInt8(Array(rest.prefix(2)).decoded, radix: 16) else { return nil }
      bytes.append(code)
      rest = rest.dropFirst(2)
    }
    return bytes.decoded
  }
}

extension [UInt8] {
  fileprivate var decoded: String { String(decoding: self, as: UTF8.self) }
}
