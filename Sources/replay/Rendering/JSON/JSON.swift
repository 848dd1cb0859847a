import EventLog

/// JSON whose fields keep the order in which they were written: the tool's output is a contract.
///
/// Analysis values are plain `Codable` structs; ``init(encoding:)`` prints their fields in the order of their coding keys.
enum JSON: Sendable, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral {
  case null
  case bool(Bool)
  case number(UInt64)
  /// A number below 0.
  case negative(Int64)
  /// A rate or a share; what is no number is null.
  case real(Double)
  case text(String)
  case array([JSON])
  case object([(String, JSON)])
  /// JSON that is printed already.
  case raw(String)

  init(arrayLiteral elements: JSON...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSON)...) { self = .object(elements) }
  init(stringLiteral value: String) { self = .text(value) }

  static func int(_ value: Int) -> JSON { .number(UInt64(max(0, value))) }
  static func optional<T>(_ value: T?, _ json: (T) -> JSON) -> JSON { value.map(json) ?? .null }

  /// This as text, in one line.
  var text: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  func append(to output: inout [UInt8]) {
    switch self {
    case .null: output.appendText("null")
    case .bool(let value): output.appendText(value ? "true" : "false")
    case .number(let value): output.appendText(String(value))
    case .negative(let value): output.appendText(String(value))
    case .real(let value): output.appendText(value.isFinite ? "\(value)" : "null")
    case .text(let value): output.appendQuoted(value)
    case .raw(let text): output.appendText(text)
    case .array(let elements):
      output.append(0x5B)
      for (position, element) in elements.enumerated() {
        if position > 0 { output.append(0x2C) }
        element.append(to: &output)
      }
      output.append(0x5D)
    case .object(let fields):
      output.append(0x7B)
      for (position, (key, value)) in fields.enumerated() {
        if position > 0 { output.append(0x2C) }
        output.appendQuoted(key)
        output.append(0x3A)
        value.append(to: &output)
      }
      output.append(0x7D)
    }
  }
}
