extension Plain {
  /// The value as logs write it, with the keys in their order. Doubles with different bits have different
  /// texts.
  var json: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .double(let value): value.json
    case .string(let value): value.quoted
    case .token(let text): text
    case .array(let elements): "[\(elements.map(\.json).joined(separator: ","))]"
    case .map(let fields): "{\(fields.json)}"
    case .object(let number, let type, let fields):
      fields.entries.isEmpty
        ? "{\"$object\":\"\(type)#\(number)\"}" : "{\"$object\":\"\(type)#\(number)\",\(fields.json)}"
    case .reference(let number): "{\"$ref\":\"#\(number)\"}"
    }
  }
}

extension Fields {
  var json: String {
    entries.map { name, value in
      "\((name.hasPrefix("$") ? "$" + name : name).quoted):\(value.json)"
    }.joined(separator: ",")
  }
}

extension Double {
  fileprivate var json: String {
    if self == .infinity { return "{\"$double\":\"inf\"}" }
    if self == -.infinity { return "{\"$double\":\"-inf\"}" }
    if isNaN {
      return bitPattern == Double.nan.bitPattern
        ? "{\"$double\":\"nan\"}" : "{\"$double\":\"nan:0x\(String(bitPattern, radix: 16))\"}"
    }
    return "\(self)"
  }
}

extension String {
  /// The text in quotes, escaped as JSON requires.
  var quoted: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20:
        text +=
          "\\u" + String(repeating: "0", count: scalar.value < 16 ? 3 : 2)
          + String(scalar.value, radix: 16)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
