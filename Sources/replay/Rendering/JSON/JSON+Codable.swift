extension JSON: Codable {
  /// Values that a log holds are printed as they are; so this encodes itself only for ``JSON/init(encoding:)``.
  func encode(to encoder: any Encoder) throws {
    guard let own = encoder as? JSONEncoding else {
      var container = encoder.singleValueContainer()
      try container.encode(text)
      return
    }
    own.result = self
  }

  /// Takes whatever JSON another decoder has; the order of fields is the decoder's.
  init(from decoder: any Decoder) throws {
    if let fields = try? decoder.container(keyedBy: AnyKey.self) {
      self = .object(try fields.allKeys.map { ($0.stringValue, try fields.decode(JSON.self, forKey: $0)) })
      return
    }
    if var elements = try? decoder.unkeyedContainer() {
      var all: [JSON] = []
      while !elements.isAtEnd { all.append(try elements.decode(JSON.self)) }
      self = .array(all)
      return
    }
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let truth = try? value.decode(Bool.self) {
      self = .bool(truth)
    } else if let number = try? value.decode(UInt64.self) {
      self = .number(number)
    } else if let number = try? value.decode(Int64.self) {
      self = .negative(number)
    } else if let number = try? value.decode(Double.self) {
      self = .real(number)
    } else {
      self = .text(try value.decode(String.self))
    }
  }

  /// What a value encodes, with its fields in the order in which it encodes them.
  init(encoding value: some Encodable) throws {
    let encoder = JSONEncoding()
    try value.encode(to: encoder)
    self = encoder.result
  }

  /// A field of any name.
  struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
