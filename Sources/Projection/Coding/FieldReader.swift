import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Encodes values of one type from memory. It is determined once for each type, because looking up a type's
/// conformances takes longer than encoding a number.
///
/// Its function captures only types, other readers and tables behind locks, so any thread may call it.
struct FieldReader: @unchecked Sendable {
  /// The recorded form of the value at an address.
  let read: (_ field: UnsafeRawPointer, _ context: inout EncodingContext) -> Value
}

extension FieldReader {
  /// The reader of a type. If there is no faster one, it applies the rules for any value.
  static func of(_ type: Any.Type) -> FieldReader {
    func general<Member>(_ type: Member.Type) -> FieldReader {
      FieldReader { $1.encode($0.assumingMemoryBound(to: Member.self).pointee) }
    }
    return ofScalar(type) ?? ofParts(type) ?? _openExistential(type, do: general)
  }

  /// The reader of a type for which only one rule can apply; nil if the rule depends on the value, or if the
  /// type is a class.
  static func ofParts(_ type: Any.Type) -> FieldReader? {
    if let layout = StructLayout.ofTuple(type) { return ofTuple(type, layout) }
    guard [.struct, .enum].contains(TypeKind(of: type)), !(type is AnyHashable.Type) else { return nil }
    if let recordable = type as? any RecordableValue.Type { return ofRecordable(recordable) }
    if let raw = type as? any RawRepresentable.Type { return ofRaw(raw) }
    if let encodable = type as? any Encodable.Type { return ofEncodable(encodable) }
    func reflected<Member>(_ type: Member.Type) -> FieldReader {
      if let layout = StructLayout.of(type) {
        return parts(of: type) { .map(layout.encode($0, in: &$1)) }
      }
      #if !canImport(Darwin)
        if let layout = EnumLayout(type) {
          return parts(of: type) { layout.encode($0, as: type, in: &$1) }
        }
      #endif
      return parts(of: type) { $1.encodeReflected($0.assumingMemoryBound(to: Member.self).pointee) }
    }
    return _openExistential(type, do: reflected)
  }

  private static func ofTuple(_ type: Any.Type, _ layout: StructLayout) -> FieldReader {
    let areLabels = EncodingContext.areLabels(layout.fields.map(\.name))
    func reader<Member>(_ type: Member.Type) -> FieldReader {
      parts(of: type) { field, context in
        let fields = layout.encode(field, in: &context)
        return areLabels ? .map(fields) : .array(Array(fields.values))
      }
    }
    return _openExistential(type, do: reader)
  }

  private static func ofRecordable<T: RecordableValue>(_ type: T.Type) -> FieldReader {
    parts(of: type) { $0.assumingMemoryBound(to: T.self).pointee.recordedValue(in: &$1) }
  }

  private static func ofRaw<T: RawRepresentable>(_ type: T.Type) -> FieldReader {
    parts(of: type) { $1.encode($0.assumingMemoryBound(to: T.self).pointee.rawValue) }
  }

  private static func ofEncodable<T: Encodable>(_ type: T.Type) -> FieldReader {
    parts(of: type) { $1.encodeEncodable($0.assumingMemoryBound(to: T.self).pointee) }
  }

  /// A reader that encodes parts one level deeper.
  private static func parts<T>(
    of type: T.Type, _ read: @escaping (UnsafeRawPointer, inout EncodingContext) -> Value
  ) -> FieldReader {
    FieldReader { field, context in
      if context.depth >= EncodingContext.depthLimit {
        return context.opaqueUnlessSimple(field.assumingMemoryBound(to: T.self).pointee)
      }
      context.depth += 1
      defer { context.depth -= 1 }
      return read(field, &context)
    }
  }

  /// The reader of a type whose values are recorded as single scalars; nil for other types.
  ///
  /// An enum that has cases with payloads may have such a reader, too; for those cases it returns another
  /// value.
  static func ofScalar(_ type: Any.Type) -> FieldReader? {
    if type is AnyClass { return nil }
    if let optional = type as? any OptionalValue.Type {
      if let simple = optional.wrappedType as? any SimpleValue.Type { return simple.optionalReader }
      return ofScalar(optional.wrappedType).map { optional.reader(by: $0) }
    }
    if let simple = type as? any SimpleValue.Type { return simple.reader }
    if type is any RecordableValue.Type { return nil }
    if let raw = type as? any RawRepresentable.Type { return ofRawValue(raw) }
    return CaseNames.mayCover(type) ? ofCases(type) : nil
  }

  private static func ofRawValue<T: RawRepresentable>(_ type: T.Type) -> FieldReader? {
    guard let simple = T.RawValue.self as? any SimpleValue.Type else { return nil }
    let inner = simple.reader
    return FieldReader { field, context in
      let raw = field.assumingMemoryBound(to: T.self).pointee.rawValue
      return withUnsafePointer(to: raw) { inner.read(UnsafeRawPointer($0), &context) }
    }
  }

  private static func ofCases(_ type: Any.Type) -> FieldReader {
    func reader<Member>(_ type: Member.Type) -> FieldReader {
      let names = CaseNames()
      return FieldReader { field, context in
        let byte = field.load(as: UInt8.self)
        if let name = names[byte] { return name }
        let value = field.assumingMemoryBound(to: Member.self).pointee
        let name = context.encode(value)
        if case .string = name, Mirror(reflecting: value).children.isEmpty { names[byte] = name }
        return name
      }
    }
    return _openExistential(type, do: reader)
  }
}

extension Optional {
  static func reader(by inner: FieldReader) -> FieldReader {
    FieldReader { field, context in
      guard let wrapped = field.assumingMemoryBound(to: Wrapped?.self).pointee else { return .null }
      return withUnsafePointer(to: wrapped) { inner.read(UnsafeRawPointer($0), &context) }
    }
  }
}

// The compiler specializes a reader for each type that is declared a simple value.
extension SimpleValue {
  static var reader: FieldReader {
    FieldReader { $0.assumingMemoryBound(to: Self.self).pointee.recordedValue(in: &$1) }
  }

  static var optionalReader: FieldReader {
    FieldReader { field, context in
      guard let wrapped = field.assumingMemoryBound(to: Self?.self).pointee else { return .null }
      return wrapped.recordedValue(in: &context)
    }
  }
}

/// The names of the cases of an enum without payloads, by the byte that stores the case. Finding a name by
/// reflection takes a microsecond.
private final class CaseNames: Sendable {
  private let names = Lock<[Value?]>(Array(repeating: nil, count: 256))

  /// The name of the case, if it is known yet.
  subscript(byte: UInt8) -> Value? {
    get { names.withLock { $0[Int(byte)] } }
    set { names.withLock { $0[Int(byte)] = newValue } }
  }

  /// Whether values of a type may be encoded as the name of a case that depends only on the byte.
  static func mayCover(_ type: Any.Type) -> Bool {
    func isByte<T>(_ type: T.Type) -> Bool { MemoryLayout<T>.size == 1 && _isPOD(type) }
    return TypeKind(of: type) == .enum && _openExistential(type, do: isByte)
      && !(type is any Encodable.Type) && !(type is any CustomReflectable.Type)
      && !(type is any CustomStringConvertible.Type) && !(type is any CustomDebugStringConvertible.Type)
      && !(type is any TextOutputStreamable.Type)
  }
}

/// The kind of a type, as far as encoding needs it.
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
