import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Encodes Swift values in the form that the log holds.
///
/// The first of these rules that applies decides how a value is encoded:
///
/// 1. a ``RecordedObject``: a reference, or the object's definition
/// 2. a ``RecordableValue``: the value that it returns
/// 3. a `RawRepresentable`: its raw value
/// 4. an `Encodable`: the values that it encodes
/// 5. a struct, tuple or enum: the parts that reflection shows
/// 6. anything else: `opaque`, with its type and an identity
///
/// Encoding never fails: only the part that cannot be encoded, or is nested deeper than ``depthLimit``,
/// becomes `opaque`. Objects may be linked in sequences of any length: from ``objectDepthLimit`` on, a
/// session defines each of them by an event of its own.
public struct EncodingContext {
  /// The number of nested levels of a value that are encoded.
  public static let depthLimit = 64

  /// The level from which objects are encoded as references, and defined elsewhere.
  public static let objectDepthLimit = 16

  /// Decides how objects are encoded: as references or as definitions.
  public let objects: any ReferenceEncoding

  /// The level of the current value; 0 at the top.
  var depth = 0

  /// Whether objects at any level are encoded as references, and defined elsewhere.
  var onlyRefersToObjects = false

  /// The `Encodable` objects that are being encoded, outermost first. An object that occurs within itself
  /// becomes `opaque`.
  var open: [ObjectIdentifier] = []

  /// Creates a context at the top of a value.
  public init(objects: any ReferenceEncoding) { self.objects = objects }

  /// Encodes a value.
  ///
  /// Cost: linear in the size of the value; numbers and Booleans need no allocation.
  @inlinable
  public mutating func encode<T>(_ value: T) -> Value {
    // In specialized code the compiler evaluates each comparison. The cast after it never fails.
    if T.self == Int.self, let value = value as? Int { return .int(Int64(value)) }
    if T.self == Bool.self, let value = value as? Bool { return .bool(value) }
    if T.self == Double.self, let value = value as? Double { return .double(value) }
    if T.self == String.self, let value = value as? String { return .string(value) }
    return encodeDynamically(value)
  }

  /// Encodes an element of a collection like any value. If it is `Identifiable` and becomes a map, its `id`
  /// comes first, so that a path can name the element by it.
  public mutating func encodeElement<T>(_ element: T) -> Value { identified(encode(element), element) }

  /// The recorded forms of some elements of an array, each as ``encodeElement(_:)`` encodes it.
  ///
  /// Cost: that of the elements; what depends on their type is looked up once.
  mutating func encodeElements<T>(_ elements: UnsafeBufferPointer<T>, at indices: [Int]) -> [Value] {
    guard let start = elements.baseAddress else { return [] }
    var values = encode(
      ValueForm.of(T.self), UnsafeRawPointer(start), stride: MemoryLayout<T>.stride, at: indices)
    for position in values.indices {
      guard case .map = values[position] else { continue }
      values[position] = identified(values[position], start[indices[position]])
    }
    return values
  }

  /// This is not generic, because generic code that is called from another module looks up types at each step.
  private mutating func encode(
    _ form: ValueForm, _ start: UnsafeRawPointer, stride: Int, at indices: [Int]
  ) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(indices.count)
    for index in indices { values.append(form.encode(start + index * stride, in: &self)) }
    return values
  }

  /// The recorded form of an element with its `id`, if it is a map without.
  private mutating func identified<T>(_ value: Value, _ element: T) -> Value {
    guard case .map(var fields) = value, fields["id"] == nil,
      let identifiable = element as? any Identifiable, let id = encodeID(of: identifiable)
    else { return value }
    fields.updateValue(id, forKey: "id", insertingAt: 0)
    return .map(fields)
  }

  /// The encoded id; nil for the default id of an object, which is its address.
  mutating func encodeID<T: Identifiable>(of element: T) -> Value? {
    if element.id is ObjectIdentifier { return nil }
    return encode(element.id)
  }

  /// Encodes a value that cannot be encoded otherwise. A reference keeps its identity; another value gets a
  /// new identity each time, because it cannot be compared.
  mutating func opaque(_ value: Any) -> Value {
    let type = String(describing: Swift.type(of: value))
    if let object = Sameness.reference(value) {
      return .opaque(type: type, identity: objects.identity(of: object))
    }
    return .opaque(type: type, identity: objects.freshIdentity())
  }
}

extension EncodingContext {
  /// Encodes a value according to its type at run time.
  @usableFromInline
  mutating func encodeDynamically<T>(_ value: T) -> Value {
    // The cast to `Any` is needed because `type(of:)` of a generic existential value is the protocol type.
    let rule = EncodingRule.of(Swift.type(of: value as Any))
    if case .any = rule, let optional = value as? any OptionalValue {
      guard let wrapped = optional.wrappedValue else { return .null }
      return encodeUnwrapped(wrapped, by: EncodingRule.of(Swift.type(of: wrapped)))
    }
    return encodeUnwrapped(value, by: rule)
  }

  /// Runs the body with the address of a value of its type at run time.
  ///
  /// If a generic value of existential type is cast to `Any`, the result is an existential within an
  /// existential: the address of the contents of the outer one is the address of the inner one.
  private static func withAddress<R>(
    of value: Any, as type: Any.Type, _ body: (UnsafeRawPointer) -> R
  ) -> R? {
    func open<T>(_ value: T) -> R? {
      if T.self == type { return withUnsafePointer(to: value) { body($0) } }
      func cast<Member>(_ type: Member.Type) -> R? {
        (value as? Member).map { withUnsafePointer(to: $0) { body($0) } }
      }
      return _openExistential(type, do: cast)
    }
    return _openExistential(value, do: open)
  }

  private mutating func encodeUnwrapped(_ value: Any, by rule: EncodingRule) -> Value {
    switch rule {
    case .only(let reader): return read(value, by: reader)
    case .object:
      if let reference = objects.reference(to: value, in: &self) { return reference }
    case .reflected, .any: break
    }
    if depth >= Self.depthLimit { return opaqueUnlessSimple(value) }
    depth += 1
    defer { depth -= 1 }
    if case .reflected = rule { return encodeReflected(value) }
    if let recordable = value as? any RecordableValue { return recordable.recordedValue(in: &self) }
    if let optional = value as? any OptionalValue {
      guard let wrapped = optional.wrappedValue else { return .null }
      return encodeUnwrapped(wrapped, by: EncodingRule.of(Swift.type(of: wrapped)))
    }
    if let raw = value as? any RawRepresentable { return encodeRaw(of: raw) }
    if let encodable = value as? any Encodable { return encodeEncodable(encodable) }
    if Sameness.reference(value) != nil { return opaque(value) }
    return encodeReflected(value)
  }

  private mutating func read(_ value: Any, by reader: FieldReader) -> Value {
    var context = self
    let type = type(of: value)
    return Self.withAddress(of: value, as: type) { reader.read($0, &context) } ?? opaque(value)
  }

  private mutating func encodeRaw<T: RawRepresentable>(of value: T) -> Value { encode(value.rawValue) }

  /// Encodes a value at the depth limit: a value without parts is encoded, any other becomes `opaque`.
  mutating func opaqueUnlessSimple(_ value: Any) -> Value {
    if let simple = value as? any SimpleValue { return simple.recordedValue(in: &self) }
    return opaque(value)
  }
}

// MARK: Reflection

extension EncodingContext {
  /// Encodes the parts that reflection shows, for a value whose type conforms to none of the encoding
  /// protocols.
  mutating func encodeReflected(_ value: Any) -> Value {
    if let layout = StructLayout.of(type(of: value)) { return .map(encode(value, by: layout)) }
    if let layout = StructLayout.ofTuple(type(of: value)) {
      let fields = encode(value, by: layout)
      return Self.areLabels(fields.keys) ? .map(fields) : .array(Array(fields.values))
    }
    return encodeMirrored(value)
  }

  /// Encodes the children of a value's mirror.
  mutating func encodeMirrored(_ value: Any) -> Value {
    if Self.isAddress(type(of: value)) { return opaque(value) }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .struct: return .map(fields(mirror))
    case .tuple: return encodeTuple(mirror)
    case .enum: return encodeEnum(value, mirror)
    case .collection: return .array(mirror.children.map { encodeElement($0.value) })
    case .set: return .array(mirror.children.map { encodeElement($0.value) }.sorted(by: Value.comesFirst))
    case .dictionary: return .array(mirror.children.map { encode($0.value) }.sorted(by: Value.comesFirst))
    // A function, a metatype, or a display style added by a later version.
    default: return opaque(value)
    }
  }

  /// Whether values of the type are pointers, which mean nothing in a log and may point to freed memory.
  static func isAddress(_ type: Any.Type) -> Bool {
    knownAddresses.fact(of: type) {
      let name = String(reflecting: type)
      return [
        "Swift.Unsafe", "Swift.Opaque", "Swift.Unmanaged", "Swift.ObjectIdentifier", "Swift.Autoreleasing",
      ]
      .contains { name.hasPrefix($0) }
    }
  }

  private static let knownAddresses = TypeTable<Bool>()

  private func encode(_ value: Any, by layout: StructLayout) -> NamedValues<Value> {
    var context = self
    return Self.withAddress(of: value, as: type(of: value)) { layout.encode($0, in: &context) } ?? [:]
  }

  private mutating func fields(_ mirror: Mirror) -> NamedValues<Value> {
    var fields: NamedValues<Value> = [:]
    for (position, child) in mirror.children.enumerated() {
      fields[child.label ?? ".\(position)"] = encode(child.value)
    }
    return fields
  }

  /// Encodes a tuple as an array, or as a map if every element has a label.
  private mutating func encodeTuple(_ mirror: Mirror) -> Value {
    if Self.areLabels(mirror.children.map { $0.label ?? "." }) { return .map(fields(mirror)) }
    return .array(mirror.children.map { encode($0.value) })
  }

  /// Whether all elements of a tuple have labels instead of the numbers that reflection assigns.
  static func areLabels(_ names: some Collection<String>) -> Bool {
    !names.isEmpty && names.allSatisfy { !$0.hasPrefix(".") }
  }

  /// Encodes an enum as the name of its case, or as a map from the name to the associated values.
  private mutating func encodeEnum(_ value: Any, _ mirror: Mirror) -> Value {
    guard let payload = mirror.children.first, let name = payload.label else {
      return .string(String(describing: value))
    }
    return .map([name: encode(payload.value)])
  }
}

/// The encoding rule for the values of a type, as far as the type decides it.
private enum EncodingRule: Sendable {
  /// The rule of the reader.
  case only(FieldReader)
  case object
  /// Reflection: the type is a tuple, a function or a metatype, which conforms to no encoding protocol.
  case reflected
  /// The rules are tried one by one for each value.
  case any

  private static let known = TypeTable<EncodingRule>()

  /// The rule for a type. Cost: a hash, after the first call for the type. Checking for four conformances
  /// that a type does not have takes ten times as long.
  static func of(_ type: Any.Type) -> EncodingRule { known.fact(of: type) { EncodingRule(type) } }

  private init(_ type: Any.Type) {
    if type is AnyClass {
      self = .object
    } else if type is any SimpleValue.Type, let reader = FieldReader.ofScalar(type) {
      self = .only(reader)
    } else if let reader = FieldReader.ofParts(type) {
      self = .only(reader)
    } else if type is any OptionalValue.Type || type is AnyHashable.Type || type is any RecordableValue.Type
      || type is any RawRepresentable.Type || type is any Encodable.Type
    {
      // An optional is unwrapped, and a cast of an `AnyHashable` applies to the value in it.
      self = .any
    } else {
      self = .reflected
    }
  }
}

/// An `Optional` of any type, for code that does not know the type at compile time.
protocol OptionalValue {
  /// The wrapped value, which may itself be an `Optional`.
  var wrappedValue: Any? { get }
  static var wrappedType: Any.Type { get }
  /// The reader of this type, given that of the wrapped type.
  static func reader(by inner: FieldReader) -> FieldReader
}

extension Optional: OptionalValue {
  var wrappedValue: Any? { map { $0 as Any } }
  static var wrappedType: Any.Type { Wrapped.self }
}

/// A value that is recorded as a whole and is cheap to encode: a number, a Boolean or a short string.
@usableFromInline
struct RecordedScalar {
  @usableFromInline let value: Value

  /// Nil for any other value. In specialized code this check costs nothing.
  @inlinable
  init?<T>(_ value: T) {
    // This avoids casts, which are function calls in unspecialized code.
    if T.self == Int.self {
      self.value = .int(Int64(unsafeBitCast(value, to: Int.self)))
    } else if T.self == Bool.self {
      self.value = .bool(unsafeBitCast(value, to: Bool.self))
    } else if T.self == Double.self {
      self.value = .double(unsafeBitCast(value, to: Double.self))
    } else if T.self == String.self, let value = value as? String, value.utf8.count < Self.shortString {
      self.value = .string(value)
    } else if T.self == Int?.self {
      self.value = unsafeBitCast(value, to: Int?.self).map { .int(Int64($0)) } ?? .null
    } else if T.self == Bool?.self {
      self.value = unsafeBitCast(value, to: Bool?.self).map { .bool($0) } ?? .null
    } else if T.self == Double?.self {
      self.value = unsafeBitCast(value, to: Double?.self).map { .double($0) } ?? .null
    } else if T.self == String?.self {
      guard let text = unsafeBitCast(value, to: String?.self) else {
        self.value = .null
        return
      }
      if text.utf8.count >= Self.shortString { return nil }
      self.value = .string(text)
    } else if T.self == Date.self {
      self.value = .date(unsafeBitCast(value, to: Date.self).timeIntervalSinceReferenceDate)
    } else if T.self == Float.self {
      self.value = .double(Double(unsafeBitCast(value, to: Float.self)))
    } else {
      return nil
    }
  }

  /// Whether values of a type are always recorded as a whole, or as edits of the recorded value, so that the
  /// value before a set is not needed. In specialized code this check costs nothing.
  @inlinable
  static func isScalar<T>(_ type: T.Type) -> Bool {
    T.self == Int.self || T.self == Bool.self || T.self == Double.self || T.self == String.self
      || T.self == Int?.self || T.self == Bool?.self || T.self == Double?.self || T.self == String?.self
      || T.self == Date.self || T.self == UUID.self || T.self == URL.self || T.self == Float.self
      || T.self == Date?.self || T.self == UUID?.self || T.self == URL?.self
  }

  /// The least number of bytes of a string that may be recorded as an edit of the string before.
  @usableFromInline static let shortString = 16
}
