import EventLog
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Encodes values of one type where they are stored. Which reader a type has is found once, as asking a type for its
/// conformances takes longer than to encode a number.
protocol FieldReader: SendableMetatype {
  static func read(_ field: UnsafeRawPointer, in context: inout EncodingContext) -> Value
}

/// Finds the readers of types.
enum FieldReaders {
  /// The reader of a type; by the rules for any value if it has no faster one.
  static func reader(of type: Any.Type) -> any FieldReader.Type {
    if let reader = scalarReader(of: type) { return reader }
    func open<Member>(_ type: Member.Type) -> any FieldReader.Type { AnyFieldReader<Member>.self }
    return _openExistential(type, do: open)
  }

  /// The reader of a type whose values are recorded as one scalar each; nil for any other type.
  ///
  /// An enum of which a case has a payload may have such a reader too, which then returns something else.
  static func scalarReader(of type: Any.Type) -> (any FieldReader.Type)? {
    if type is AnyClass { return nil }
    if let optional = type as? any OptionalValue.Type {
      return scalarReader(of: optional.wrappedType).map { optional.reader(by: $0) }
    }
    if type is any SimpleValue.Type { return type as? any FieldReader.Type }
    if type is any RecordableValue.Type { return nil }
    if let raw = type as? any RawRepresentable.Type { return rawReader(raw) }
    return CaseNames.mayCover(type) ? caseReader(type) : nil
  }

  private static func rawReader<T: RawRepresentable>(_ type: T.Type) -> (any FieldReader.Type)? {
    guard T.RawValue.self is any SimpleValue.Type, let raw = T.RawValue.self as? any FieldReader.Type else {
      return nil
    }
    func open<Raw: FieldReader>(_ raw: Raw.Type) -> any FieldReader.Type { RawFieldReader<T, Raw>.self }
    return open(raw)
  }

  private static func caseReader(_ type: Any.Type) -> any FieldReader.Type {
    func open<Member>(_ type: Member.Type) -> any FieldReader.Type { CaseReader<Member>.self }
    return _openExistential(type, do: open)
  }
}

/// Reads a property by the rules for any value.
private enum AnyFieldReader<Member>: FieldReader {
  static func read(_ field: UnsafeRawPointer, in context: inout EncodingContext) -> Value {
    context.encode(field.assumingMemoryBound(to: Member.self).pointee)
  }
}

/// Reads the raw value, which is a `Raw`.
private enum RawFieldReader<Member: RawRepresentable, Raw: FieldReader>: FieldReader {
  static func read(_ field: UnsafeRawPointer, in context: inout EncodingContext) -> Value {
    let raw = field.assumingMemoryBound(to: Member.self).pointee.rawValue
    return withUnsafePointer(to: raw) { Raw.read(UnsafeRawPointer($0), in: &context) }
  }
}

/// Reads what an optional holds, which `Inner` reads.
private enum OptionalReader<Wrapped, Inner: FieldReader>: FieldReader {
  static func read(_ field: UnsafeRawPointer, in context: inout EncodingContext) -> Value {
    guard let wrapped = field.assumingMemoryBound(to: Wrapped?.self).pointee else { return .null }
    return withUnsafePointer(to: wrapped) { Inner.read(UnsafeRawPointer($0), in: &context) }
  }
}

extension Optional {
  static func reader<Inner: FieldReader>(by inner: Inner.Type) -> any FieldReader.Type {
    OptionalReader<Wrapped, Inner>.self
  }
}

// MARK: Enums without payloads

/// Reads a case by its name.
private enum CaseReader<Member>: FieldReader {
  static func read(_ field: UnsafeRawPointer, in context: inout EncodingContext) -> Value {
    let byte = field.load(as: UInt8.self)
    if let name = CaseNames.name(of: byte, Member.self) { return name }
    let value = field.assumingMemoryBound(to: Member.self).pointee
    let name = context.encode(value)
    if case .string = name, Mirror(reflecting: value).children.isEmpty {
      CaseNames.note(name, of: byte, Member.self)
    }
    return name
  }
}

/// The names of the cases of enums, by the byte that stores the case: to find one by reflection takes a microsecond.
private enum CaseNames {
  private static let known = Mutex<[ObjectIdentifier: [UInt8: Value]]>([:])

  /// Whether values of a type may be encoded as the name of a case alone, which depends on the byte alone.
  static func mayCover(_ type: Any.Type) -> Bool {
    func isByte<T>(_ type: T.Type) -> Bool { MemoryLayout<T>.size == 1 && _isPOD(type) }
    return TypeKind(of: type) == .enum && _openExistential(type, do: isByte)
      && !(type is any Encodable.Type) && !(type is any CustomReflectable.Type)
      && !(type is any CustomStringConvertible.Type) && !(type is any CustomDebugStringConvertible.Type)
      && !(type is any TextOutputStreamable.Type)
  }

  static func name(of byte: UInt8, _ type: Any.Type) -> Value? {
    known.withLock { $0[ObjectIdentifier(type)]?[byte] }
  }

  static func note(_ name: Value, of byte: UInt8, _ type: Any.Type) {
    known.withLock { $0[ObjectIdentifier(type), default: [:]][byte] = name }
  }
}

/// What kind of type a type is, as far as it matters here.
enum TypeKind {
  case `struct`, `enum`, optional, other

  /// The first word of a type's metadata is its kind; the numbers are part of the ABI.
  init(of type: Any.Type) {
    switch unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee {
    case 0x200: self = .struct
    case 0x201: self = .enum
    case 0x202: self = .optional
    default: self = .other
    }
  }
}

// MARK: Values without parts

extension FieldReader where Self: SimpleValue {
  static func read(_ field: UnsafeRawPointer, in context: inout EncodingContext) -> Value {
    field.assumingMemoryBound(to: Self.self).pointee.recordedValue(in: &context)
  }
}

extension Int8: FieldReader {}
extension Int16: FieldReader {}
extension Int32: FieldReader {}
extension Int64: FieldReader {}
extension Int128: FieldReader {}
extension UInt: FieldReader {}
extension UInt8: FieldReader {}
extension UInt16: FieldReader {}
extension UInt32: FieldReader {}
extension UInt64: FieldReader {}
extension UInt128: FieldReader {}
extension Float: FieldReader {}
extension Substring: FieldReader {}
extension Character: FieldReader {}
extension Unicode.Scalar: FieldReader {}
extension UUID: FieldReader {}
extension URL: FieldReader {}
extension Date: FieldReader {}
extension Data: FieldReader {}
extension Decimal: FieldReader {}

// The commonest types, without a call to another function.

extension Int: FieldReader {
  static func read(_ field: UnsafeRawPointer, in context: inout EncodingContext) -> Value {
    .int(Int64(field.assumingMemoryBound(to: Int.self).pointee))
  }
}

extension Bool: FieldReader {
  static func read(_ field: UnsafeRawPointer, in context: inout EncodingContext) -> Value {
    .bool(field.assumingMemoryBound(to: Bool.self).pointee)
  }
}

extension Double: FieldReader {
  static func read(_ field: UnsafeRawPointer, in context: inout EncodingContext) -> Value {
    .double(field.assumingMemoryBound(to: Double.self).pointee)
  }
}

extension String: FieldReader {
  static func read(_ field: UnsafeRawPointer, in context: inout EncodingContext) -> Value {
    .string(field.assumingMemoryBound(to: String.self).pointee)
  }
}
