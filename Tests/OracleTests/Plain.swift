/// A value in the brute-force model. It shares nothing with the library's own `Value`.
indirect enum Plain {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  /// A value that the model only compares: bytes, redacted or opaque, as its JSON text.
  case token(String)
  case array([Plain])
  case map(Fields)
  /// An object met for the first time; only events hold it.
  case object(number: Int, type: String, Fields)
  case reference(Int)
}

/// Named values in order.
struct Fields {
  var entries: [(name: String, value: Plain)] = []

  subscript(name: String) -> Plain? {
    get { entries.first { $0.name == name }?.value }
    set {
      let position = entries.firstIndex { $0.name == name }
      switch (position, newValue) {
      case (let position?, let value?): entries[position].value = value
      case (let position?, nil): entries.remove(at: position)
      case (nil, let value?): entries.append((name, value))
      case (nil, nil): break
      }
    }
  }
}

extension Plain: Equatable {
  /// Whether a reader could not tell the two apart: NaN is NaN, zero has no sign, a map has no order.
  static func == (a: Plain, b: Plain) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.double(let a), .double(let b)): a == b || (a != a && b != b)
    case (.string(let a), .string(let b)): Array(a.utf8) == Array(b.utf8)
    case (.token(let a), .token(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.map(let a), .map(let b)): a == b
    case (.reference(let a), .reference(let b)): a == b
    default: false
    }
  }
}

extension Fields: Equatable {
  static func == (a: Fields, b: Fields) -> Bool {
    a.entries.count == b.entries.count && a.entries.allSatisfy { b[$0.name] == $0.value }
  }
}

extension Plain {
  var isScalar: Bool {
    switch self {
    case .bool, .int, .double, .string: true
    default: false
    }
  }
}
