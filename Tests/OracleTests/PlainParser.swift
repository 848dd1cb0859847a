/// Reads JSON as logs write values. It is strict enough for tests, and knows nothing of the library.
struct PlainParser {
  private let bytes: [UInt8]
  private var next = 0

  init(text: String) { bytes = Array(text.utf8) }

  /// The text that has not been read yet.
  var remainder: String { String(decoding: bytes[next...], as: UTF8.self) }

  mutating func skip(_ text: String) -> Bool {
    while next < bytes.count, bytes[next] == UInt8(ascii: " ") { next += 1 }
    guard bytes[next...].starts(with: text.utf8) else { return false }
    next += text.utf8.count
    return true
  }

  mutating func value() -> Plain? {
    if skip("null") { return .null }
    if skip("true") { return .bool(true) }
    if skip("false") { return .bool(false) }
    if skip("\"") { return string().map { .string($0) } }
    if skip("[") { return array() }
    if skip("{") { return fields()?.value }
    return number()
  }

  private mutating func array() -> Plain? {
    var elements: [Plain] = []
    if skip("]") { return .array([]) }
    repeat {
      guard let element = value() else { return nil }
      elements.append(element)
    } while skip(",")
    return skip("]") ? .array(elements) : nil
  }

  private mutating func fields() -> Fields? {
    var fields = Fields()
    if skip("}") { return fields }
    repeat {
      guard skip("\""), let name = string(), skip(":"), let value = value() else { return nil }
      fields.entries.append((name, value))
    } while skip(",")
    return skip("}") ? fields : nil
  }

  private mutating func number() -> Plain? {
    let start = next
    while next < bytes.count, "+-.0123456789eE".utf8.contains(bytes[next]) { next += 1 }
    let text = String(decoding: bytes[start..<next], as: UTF8.self)
    if let integer = Int64(text) { return .int(integer) }
    if UInt64(text) != nil { return .token(text) }
    return Double(text).map { .double($0) }
  }

  private mutating func string() -> String? {
    var text: [UInt8] = []
    while next < bytes.count, bytes[next] != UInt8(ascii: "\"") {
      defer { next += 1 }
      guard bytes[next] == UInt8(ascii: "\\"), next + 1 < bytes.count else {
        text.append(bytes[next])
        continue
      }
      next += 1
      switch bytes[next] {
      case UInt8(ascii: "n"): text.append(10)
      case UInt8(ascii: "r"): text.append(13)
      case UInt8(ascii: "t"): text.append(9)
      case UInt8(ascii: "b"): text.append(8)
      case UInt8(ascii: "f"): text.append(12)
      case UInt8(ascii: "u"):
        let digits = bytes[min(next + 1, bytes.count)..<min(next + 5, bytes.count)]
        guard let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
          let scalar = Unicode.Scalar(code)
        else { return nil }
        text += Array(String(scalar).utf8)
        next += 4
      default: text.append(bytes[next])
      }
    }
    return skip("\"") ? String(decoding: text, as: UTF8.self) : nil
  }
}

extension Fields {
  /// The value of a JSON object: a map, unless a name with `$` makes it something else.
  fileprivate var value: Plain? {
    guard let first = entries.first else { return .map(self) }
    switch (first.name, first.value) {
    case ("$ref", .string(let text)): return Int(text.dropFirst()).map { .reference($0) }
    case ("$object", .string(let text)):
      guard let hash = text.lastIndex(of: "#"), let number = Int(text[text.index(after: hash)...]) else {
        return nil
      }
      var fields = self
      fields.entries.removeFirst()
      return .object(number: number, type: String(text[..<hash]), fields.unescaped)
    case ("$double", .string("nan")): return .double(.nan)
    case ("$double", .string("inf")): return .double(.infinity)
    case ("$double", .string("-inf")): return .double(-.infinity)
    case ("$double", .string(let text)):
      return UInt64(text.dropFirst("nan:0x".count), radix: 16).map { .double(Double(bitPattern: $0)) }
    case ("$redacted", _), ("$bytes", _), ("$opaque", _):
      return .token("{\(entries.map { "\($0.name.quoted):\($0.value.json)" }.joined(separator: ","))}")
    default: return .map(unescaped)
    }
  }

  private var unescaped: Fields {
    Fields(
      entries: entries.map { ($0.name.hasPrefix("$$") ? String($0.name.dropFirst()) : $0.name, $0.value) })
  }
}
