import Foundation

/// Any JSON, as messages have it.
enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  var string: String? { if case .string(let text) = self { text } else { nil } }
  var object: [String: JSON]? { if case .object(let fields) = self { fields } else { nil } }
}

extension JSON: Codable {
  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    self =
      if value.decodeNil() {
        .null
      } else if let flag = try? value.decode(Bool.self) {
        .bool(flag)
      } else if let number = try? value.decode(Int.self) {
        .integer(number)
      } else if let number = try? value.decode(Double.self) {
        .number(number)
      } else if let text = try? value.decode(String.self) {
        .string(text)
      } else if let elements = try? value.decode([JSON].self) {
        .array(elements)
      } else {
        .object(try value.decode([String: JSON].self))
      }
  }

  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .null: try value.encodeNil()
    case .bool(let flag): try value.encode(flag)
    case .integer(let number): try value.encode(number)
    case .number(let number): try value.encode(number)
    case .string(let text): try value.encode(text)
    case .array(let elements): try value.encode(elements)
    case .object(let fields): try value.encode(fields)
    }
  }

  /// The JSON in one line, its keys sorted, so that equal ones have equal bytes.
  var line: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Only numbers that are none cannot be encoded, and JSON has none of these.
    return [UInt8]((try? encoder.encode(self)) ?? Data("null".utf8))
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral text: String) { self = .string(text) }
  init(integerLiteral number: Int) { self = .integer(number) }
  init(booleanLiteral flag: Bool) { self = .bool(flag) }
  init(arrayLiteral elements: JSON...) { self = .array(elements) }
  init(dictionaryLiteral fields: (String, JSON)...) {
    self = .object(Dictionary(fields) { _, last in last })
  }
}

/// The messages of JSON-RPC 2.0, one a line.
enum RPC {
  /// A request, or a notification if it has no id.
  struct Request {
    /// A text or a whole number; nil for a notification, which gets no answer.
    var id: JSON?
    var method: String
    var params: [String: JSON]

    /// Reads a line; nil for an answer, since nothing is asked here that could have one.
    init?(_ line: [UInt8]) throws(Failure) {
      guard let message = try? JSONDecoder().decode(JSON.self, from: Data(line)) else {
        throw Failure(code: .parse, "the line is not JSON")
      }
      guard let fields = message.object else {
        throw Failure(code: .invalidRequest, "a message is one object")
      }
      switch fields["id"] {
      case nil: id = nil
      case .string, .integer: id = fields["id"]
      default: throw Failure(code: .invalidRequest, "an id is a text or a whole number")
      }
      if fields["method"] == nil, fields["result"] != nil || fields["error"] != nil { return nil }
      guard fields["jsonrpc"] == "2.0", let method = fields["method"]?.string else {
        throw Failure(code: .invalidRequest, "a message has jsonrpc \"2.0\" and a method", id: id)
      }
      guard let params = (fields["params"] ?? [:]).object else {
        throw Failure(code: .invalidParams, "params is an object", id: id)
      }
      (self.method, self.params) = (method, params)
    }
  }

  /// Why a request has no result.
  struct Failure: Error {
    enum Code: Int {
      case parse = -32700
      case invalidRequest = -32600
      case noMethod = -32601
      case invalidParams = -32602
      case unsupportedVersion = -32022
    }

    var code: Code
    var message: String
    var data: JSON?
    /// The id of the request, as far as it could be read.
    var id: JSON?

    init(code: Code, _ message: String, data: JSON? = nil, id: JSON? = nil) {
      (self.code, self.message, self.data, self.id) = (code, message, data, id)
    }
  }

  static func result(_ result: JSON, for id: JSON) -> [UInt8] {
    JSON.object(["jsonrpc": "2.0", "id": id, "result": result]).line
  }

  static func failure(_ failure: Failure) -> [UInt8] {
    var error: [String: JSON] = [
      "code": .integer(failure.code.rawValue), "message": .string(failure.message),
    ]
    error["data"] = failure.data
    return JSON.object(["jsonrpc": "2.0", "id": failure.id ?? .null, "error": .object(error)]).line
  }

  static func notification(_ method: String, _ params: JSON) -> [UInt8] {
    JSON.object(["jsonrpc": "2.0", "method": .string(method), "params": params]).line
  }
}
