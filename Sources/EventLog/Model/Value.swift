/// A recorded value, independent of the app's types: what a log stores and what `replay` shows.
///
/// Two values are equal if they mean the same to a reader: `NaN` equals `NaN`, `0.0` equals `-0.0` (although
/// the log keeps the bits), and the order of a map's keys does not matter. An integer never equals a double,
/// and two spellings of an accented letter are two different strings.
public enum Value: Sendable {
  /// No value, as for an optional that is nil.
  case null
  /// A Boolean.
  case bool(Bool)
  /// An integer up to `Int64.max`.
  case int(Int64)
  /// An integer above `Int64.max`; smaller ones are always `int`.
  case uint(UInt64)
  /// A floating-point number, exact to the bit.
  case double(Double)
  /// A date, as seconds since 2001-01-01 00:00 UTC, exact to the bit.
  case date(Double)
  /// A text, exact to the byte.
  case string(String)
  /// Bytes, as from `Data`.
  case bytes([UInt8])
  /// An array.
  case array([Value])
  /// A struct or a dictionary; the order of its keys is kept.
  case map(NamedValues<Value>)
  /// The first appearance of an object, with its properties. Only events contain it; the state holds a
  /// `reference`.
  indirect case object(ObjectDefinition)
  /// A reference to an object that the log already knows.
  case reference(ObjectID)
  /// A value that the app asked never to be recorded.
  case redacted
  /// A value that cannot be encoded: its type, and an identity that distinguishes such values.
  case opaque(type: String, identity: UInt64)
}

extension Value {
  /// Whether it is neither a container nor an object, nor a reference to one.
  package var isScalar: Bool {
    switch self {
    case .null, .bool, .int, .uint, .double, .date, .string, .bytes, .redacted, .opaque: true
    case .array, .map, .object, .reference: false
    }
  }

  /// Whether it is redacted, or a part of it is.
  package var holdsRedacted: Bool {
    switch self {
    case .redacted: true
    case .array(let elements): elements.contains { $0.holdsRedacted }
    case .map(let fields): fields.values.contains { $0.holdsRedacted }
    case .object(let object): object.fields.values.contains { $0.holdsRedacted }
    default: false
    }
  }

  /// Whether the value can be the id in a path; an array, a map or an object with its fields cannot.
  var canBeID: Bool {
    switch self {
    case .array, .map, .object: false
    default: true
    }
  }
}

/// The number of an object in its log, from 1 in the order of first appearance; written `#5`.
public struct ObjectID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number itself.
  public let number: UInt64

  /// Creates the id with this number, which must not be 0.
  public init(_ number: UInt64) {
    precondition(number > 0, "objects are numbered from 1")
    self.number = number
  }

  /// The id after this one. The last possible number has no successor and stays the same.
  package var next: ObjectID { ObjectID(number == .max ? .max : number + 1) }

  /// Orders ids by first appearance.
  public static func < (a: ObjectID, b: ObjectID) -> Bool { a.number < b.number }

  /// `#5`, as in paths.
  public var description: String { "#\(number)" }
}

/// An object as it was when it first appeared in the log.
public struct ObjectDefinition: Sendable {
  /// Its number in this log.
  public var id: ObjectID
  /// The name of its type; empty if the log gives none, as logs made by other tools may do.
  public var type: String
  /// Its properties in the order of declaration.
  public var fields: NamedValues<Value>

  /// Creates a definition.
  public init(id: ObjectID, type: String, fields: NamedValues<Value>) {
    self.id = id
    self.type = type
    self.fields = fields
  }
}

extension ObjectDefinition: Hashable {
  /// Equality as defined for ``Value``.
  public static func == (a: Self, b: Self) -> Bool { Value.object(a) == .object(b) }

  /// Hashes consistently with `==`.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Value: Hashable {
  /// Equality as defined for ``Value``. Cost: linear in the size.
  public static func == (a: Value, b: Value) -> Bool {
    switch (a, b) {
    case (.null, .null), (.redacted, .redacted): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.uint(let a), .uint(let b)): a == b
    case (.double(let a), .double(let b)): a == b || (a.isNaN && b.isNaN)
    case (.date(let a), .date(let b)): a.bitPattern == b.bitPattern
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
    case (.bytes(let a), .bytes(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.map(let a), .map(let b)): equalIgnoringOrder(a, b)
    case (.object(let a), .object(let b)):
      a.id == b.id && a.type.hasSameBytes(as: b.type) && equalIgnoringOrder(a.fields, b.fields)
    case (.reference(let a), .reference(let b)): a == b
    case (.opaque(let a, let i), .opaque(let b, let j)): a.hasSameBytes(as: b) && i == j
    default: false
    }
  }

  private static func equalIgnoringOrder(
    _ a: NamedValues<Value>, _ b: NamedValues<Value>
  ) -> Bool {
    if a.count != b.count { return false }
    for (position, (key, value)) in a.enumerated() {
      // Equal maps mostly have the same order, too, which saves hashing.
      let other = b[position]
      if other.key.hasSameBytes(as: key) {
        if other.value != value { return false }
      } else if b[key] != value {
        return false
      }
    }
    return true
  }

  /// Hashes consistently with `==`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .uint(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value.isNaN ? .infinity : value)
    case .date(let value): hasher.combine(value.bitPattern)
    case .string(let value): hasher.combine(bytesOf: value)
    case .bytes(let value): hasher.combine(value)
    case .array(let values): hasher.combine(values)
    case .map(let fields):
      // Equal maps may differ in the order of their names. The count alone would make all ids that are structs collide.
      var sum = 0
      fields.forEachField { name, value in
        var field = Hasher()
        field.combine(bytesOf: name)
        field.combine(value)
        sum &+= field.finalize()
      }
      hasher.combine(sum)
    case .object(let definition): hasher.combine(definition.id)
    case .reference(let id): hasher.combine(id)
    case .redacted: hasher.combine(1)
    case .opaque(let type, let identity):
      hasher.combine(bytesOf: type)
      hasher.combine(identity)
    }
  }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByFloatLiteral, ExpressibleByArrayLiteral
{
  // There is no literal for `null`: with one, `condition ? value : nil` would be `.some(.null)` by mistake.

  /// An `int`.
  public init(integerLiteral value: Int64) { self = .int(value) }
  /// A `string`.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A `bool`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A `double`.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// An `array`.
  public init(arrayLiteral elements: Value...) { self = .array(elements) }
}
