/// What the first block of a log says about the whole.
public struct LogHeader: Hashable, Sendable {
  /// The software that wrote the log.
  public var producer: String
  /// The program that was recorded.
  public var program: String
  /// What tells the blocks of a log from those of others: every block repeats it. It is drawn once for a log that is
  /// recorded, and made of what a log is made of.
  public var salt: UInt64
  /// When the log was created, in nanoseconds since 1970; 0 where the log does not say.
  public var created: UInt64
  /// What the app wanted to say about the run.
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

  /// The body of the header block: one JSON object, its metadata sorted by key.
  func json() -> [UInt8] {
    var out = "{\"producer\":" + HeaderJSON.quote(producer)
    out += ",\"program\":" + HeaderJSON.quote(program)
    let digits = String(salt, radix: 16)
    out += ",\"salt\":\"" + String(repeating: "0", count: 16 - digits.count) + digits + "\""
    if created > 0 { out += ",\"created_unix_ns\":\(created)" }
    out += ",\"metadata\":{"
    out += metadata.sorted { $0.key < $1.key }.map {
      HeaderJSON.quote($0.key) + ":" + HeaderJSON.quote($0.value)
    }
    .joined(separator: ",")
    out += "}}\n"
    return Array(out.utf8)
  }

  /// Reads the body of the header block. Members it does not know are ignored, and missing ones are empty.
  init(decoding body: ByteReader, salt: UInt64) throws(DecodeFault) {
    var json = HeaderJSON(body)
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
