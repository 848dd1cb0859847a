/// An object of any fields, which keep their order: a dictionary has none.
struct OrderedFields<Value: Codable>: Codable {
  var fields: [(key: String, value: Value)]

  init(_ fields: [(key: String, value: Value)]) { self.fields = fields }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: JSON.AnyKey.self)
    for (key, value) in fields { try container.encode(value, forKey: .init(stringValue: key)) }
  }

  /// The order of fields is the decoder's.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: JSON.AnyKey.self)
    fields = try container.allKeys.map { ($0.stringValue, try container.decode(Value.self, forKey: $0)) }
  }
}

extension OrderedFields: Sendable where Value: Sendable {}
