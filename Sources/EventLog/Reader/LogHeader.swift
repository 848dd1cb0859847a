import SystemPackage

/// The header of a log, from its first block.
public struct LogHeader: Hashable, Sendable {
  /// The software that wrote the log.
  public var producer: String
  /// The program that was recorded.
  public var program: String
  /// Identifies the blocks of a log: every block repeats it. It is random for a recorded log, and derived
  /// from the inputs for a log that is made from others.
  public var salt: UInt64
  /// The time at which the log was created, in nanoseconds since 1970; 0 if unknown.
  public var created: UInt64
  /// The app's notes about the run.
  public var metadata: [String: String]

  /// Creates a header.
  public init(
    producer: String = "swift-replay", program: String, salt: UInt64, created: UInt64,
    metadata: [String: String]
  ) {
    self.producer = producer
    self.program = program
    self.salt = salt
    self.created = created
    self.metadata = metadata
  }

  /// Reads only the first block of a log.
  ///
  /// - Throws: As ``LogReader/init(path:scanned:limits:)``.
  package init(
    ofLogAt path: String, in fileSystem: any LogFileSystem = SystemFileSystem(),
    limits: ReadLimits? = .standard
  ) throws(LogError) {
    do throws(Errno) {
      let file = try SegmentSet(path, in: fileSystem)
      var window = FileWindow(file, path: path, fileSize: try file.size())
      var scanner = BlockScanner(path: path, limits: limits)
      if let zstd = ZstdDecompressor(), case .block(_, let payload)? = try? scanner.next(&window, zstd),
        let header = try? LogHeader(decoding: payload, salt: scanner.salt)
      {
        self = header
        return
      }
    } catch {}
    // Opening the log throws an error that describes what is wrong.
    self = try LogReader(path: path, limits: limits, in: fileSystem).header
  }

  /// The body of the header block: one JSON object, its metadata sorted by key.
  func json() -> [UInt8] {
    var out = "{\"producer\":" + HeaderJSON.quote(producer)
    out += ",\"program\":" + HeaderJSON.quote(program)
    out += ",\"salt\":\"\(salt.padded(to: 16, radix: 16))\"" + creationAndMetadata + "}\n"
    return Array(out.utf8)
  }

  /// The fields of these, with a comma before them; the metadata sorted by key.
  private var creationAndMetadata: String {
    let time = created > 0 ? ",\"created_unix_ns\":\(created)" : ""
    let fields = metadata.sorted { $0.key < $1.key }.map {
      HeaderJSON.quote($0.key) + ":" + HeaderJSON.quote($0.value)
    }
    return time + ",\"metadata\":{" + fields.joined(separator: ",") + "}"
  }

  /// Reads the payload of the header block. Unknown members are ignored, and missing ones are empty.
  init(decoding payload: [UInt8], salt: UInt64) throws(DecodeFault) {
    var json = HeaderJSON(ByteReader(payload, in: LogFormat.prefixSize..<payload.count))
    let members = try json.object()
    producer = members["producer"]?.text ?? ""
    program = members["program"]?.text ?? ""
    created = members["created_unix_ns"]?.text.flatMap { UInt64($0) } ?? 0
    metadata = [:]
    if case .object(let entries) = members["metadata"] {
      metadata = entries.compactMapValues(\.text)
    }
    self.salt = salt
  }
}

// MARK: As a line of JSON

extension LogHeader {
  private static let lineKind = "header"

  /// The line with which JSON Lines may begin, without a line break: what the app has said of the run, but not the salt.
  package var jsonLine: String {
    "{\"kind\":\"\(Self.lineKind)\",\"program\":\(HeaderJSON.quote(program))" + creationAndMetadata + "}"
  }

  /// Reads such a line. Returns nil for a line that is not of the kind `header`.
  ///
  /// - Throws: ``TextError`` if the line has another field, or one of the wrong type.
  package init?(jsonLine line: [UInt8]) throws(TextError) {
    var json = HeaderJSON(ByteReader(line, in: 0..<line.count))
    guard let members = try? json.object(), members["kind"]?.text == Self.lineKind else { return nil }
    self.init(program: "", salt: 0, created: 0, metadata: [:])
    for (name, value) in members.sorted(by: { $0.key < $1.key }) where name != "kind" {
      switch (name, value) {
      case ("program", .text(let text)): program = text
      case ("created_unix_ns", .text(let number)):
        guard let time = UInt64(number) else {
          throw TextError(.range, column: 1, "\"created_unix_ns\" is a whole number below 2 to the 64th")
        }
        created = time
      case ("metadata", .object(let entries)):
        for (key, value) in entries {
          guard let text = value.text else {
            throw TextError(.field, column: 1, "the metadata \(HeaderJSON.quote(key)) must be a string")
          }
          metadata[key] = text
        }
      default:
        throw TextError(
          .field, column: 1,
          "a header has \"program\", a string, \"created_unix_ns\", a number, and \"metadata\", an object of strings;"
            + " it cannot have this \(HeaderJSON.quote(name))")
      }
    }
  }
}

/// Reads and writes the part of JSON that the header of a log needs.
private struct HeaderJSON {
  /// A value: a text, a number as it is written, or an object.
  enum Node {
    case text(String)
    case object([String: Node])
    /// A value of another kind, which a later version may have written.
    case other

    var text: String? {
      if case .text(let text) = self { text } else { nil }
    }
  }

  private var cursor: ByteCursor
  /// The offset in the payload at which the text begins.
  private let start: Int

  init(_ body: ByteReader) {
    start = body.position
    cursor = ByteCursor(Array(body.bytes[body.position..<body.end]))
  }

  /// Reads the whole input, which must be one object.
  mutating func object() throws(DecodeFault) -> [String: Node] {
    do throws(TextError) {
      guard case .object(let members) = try node(depth: 1) else {
        throw TextError(.syntax, column: 1, "it is no object")
      }
      cursor.skipSpace()
      try cursor.expectEnd()
      return members
    } catch {
      throw DecodeFault(reason: "the header is not JSON: \(error.reason)", offset: start + error.column - 1)
    }
  }

  /// A string as JSON writes it.
  static func quote(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case _ where scalar.value < 0x20: out += "\\u" + scalar.value.padded(to: 4, radix: 16)
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }

  private mutating func node(depth: Int) throws(TextError) -> Node {
    if depth > 16 { throw cursor.error("it is nested over 16 deep") }
    cursor.skipSpace()
    switch cursor.byte {
    case 0x22: return .text(try cursor.parseString())
    case 0x7B:
      var members: [String: Node] = [:]
      try list(closing: 0x7D) { (json) throws(TextError) in
        let name = try json.cursor.parseString()
        json.cursor.skipSpace()
        try json.cursor.expect(0x3A, "expected : after a name")
        members[name] = try json.node(depth: depth + 1)
      }
      return .object(members)
    case 0x5B:
      try list(closing: 0x5D) { (json) throws(TextError) in _ = try json.node(depth: depth + 1) }
      return .other
    case 0x74 where cursor.consume(word: "true"), 0x66 where cursor.consume(word: "false"),
      0x6E where cursor.consume(word: "null"):
      return .other
    default: return .text(try number())
    }
  }

  /// A number as it is written. Later versions may write numbers of any size.
  private mutating func number() throws(TextError) -> String {
    let first = cursor.position
    do throws(TextError) { _ = try cursor.parseNumber() } catch {
      if error.code != .range { throw error }
    }
    return String(decoding: cursor.bytes[first..<cursor.position], as: UTF8.self)
  }

  private mutating func list(
    closing close: UInt8, _ element: (inout HeaderJSON) throws(TextError) -> Void
  ) throws(TextError) {
    cursor.advance()
    cursor.skipSpace()
    if cursor.consume(close) { return }
    repeat {
      cursor.skipSpace()
      try element(&self)
      cursor.skipSpace()
    } while cursor.consume(0x2C)
    try cursor.expect(close, "expected , or the end of a list")
  }
}
