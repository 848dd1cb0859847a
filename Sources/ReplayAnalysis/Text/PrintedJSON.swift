import EventLog
import Foundation

/// JSON as text, in one line.
///
/// Reports are plain values, which Foundation's encoder prints with sorted keys. It cannot print the values
/// of a log: it writes the double `5.0` as the integer `5`, and takes two spellings of an accent for one key.
/// So `EventLog` prints values and events, and a report holds the resulting text.
package struct PrintedJSON: Encodable, Sendable {
  package let text: String

  init(_ text: String) { self.text = text }

  /// Prints a value as JSON.
  package init(encoding value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let encoded = Array(String(decoding: try encoder.encode(value), as: UTF8.self).shownJSON.utf8)
    let marker = Array(#"{"\#(CodingKeys.base64.rawValue)":""#.utf8)
    var text: [UInt8] = []
    text.reserveCapacity(encoded.count)
    var copied = 0
    // The search is for the marker's third byte, which is rare.
    var next = 2
    while next < encoded.count {
      guard encoded[next] == marker[2], encoded[(next - 2)...].starts(with: marker) else {
        next += 1
        continue
      }
      let start = next - 2 + marker.count
      let end = encoded[start...].firstIndex(of: 0x22) ?? encoded.count
      text += encoded[copied..<(next - 2)]
      text += Data(base64Encoded: Data(encoded[start..<end])) ?? Data()
      copied = min(encoded.count, end + 2)
      next = copied + 2
    }
    text += encoded[copied...]
    self.text = String(decoding: text, as: UTF8.self)
  }

  /// Encodes a placeholder, `{"$printed":"NS4w"}`, which ``init(encoding:)`` replaces by the text. Nothing
  /// else looks like it: no report has this key, and quotes within strings are escaped.
  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(Data(text.utf8), forKey: .base64)
  }

  private enum CodingKeys: String, CodingKey { case base64 = "$printed" }
}

/// A JSON object whose keys are names from a log, in this order.
package struct OrderedFields<Value: Encodable & Sendable>: Encodable, Sendable {
  package var fields: [(key: String, value: Value)]

  init(_ fields: [(key: String, value: Value)]) { self.fields = fields }

  package func encode(to encoder: any Encoder) throws {
    let members = try fields.map { try "\(EventLog.Value.string($0).json):\(PrintedJSON(encoding: $1).text)" }
    try PrintedJSON("{\(members.joined(separator: ","))}").encode(to: encoder)
  }
}

/// A field that is encoded as `null` if it is nil, instead of being left out.
@propertyWrapper package struct Nullable<Value: Encodable & Sendable>: Encodable, Sendable {
  package var wrappedValue: Value?

  package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension Nullable: Decodable where Value: Decodable {
  package init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value?.self))
  }
}
