import EventLog
import Synchronization

/// How the values of one type are recorded and compared.
///
/// It is found once for each type: what a type conforms to, and which parts its values have, takes longer to find than
/// all else that a set does.
final class ValueForm: Sendable {
  /// A part of a struct that is no struct by itself, as reflection shows it.
  struct Part: Sendable {
    /// The steps to it from the struct.
    let components: [PathComponent]
    fileprivate let offset: Int
    fileprivate let form: ValueForm
    fileprivate let bytes: StoredBytes
  }

  private enum Comparison: Sendable {
    /// By `==`, since values of the type refer to no objects that it could take for others.
    case byEquality(any EqualityReader.Type)
    /// By what is recorded, which is as exact as `==`.
    case byRecorded
    /// Not at all.
    case impossible
    /// By the rules for any value.
    case dynamic
  }

  /// The type.
  let type: ObjectIdentifier
  /// Whether values are texts, which may be recorded as edits of the text before.
  let isText: Bool
  /// Whether values are cases, so that one is recorded anew where the case differs.
  let isEnum: Bool
  /// Whether values are collections of which only what differs is encoded.
  let isCollection: Bool
  /// Whether values are dictionaries, of which paths name the entries by key.
  let isKeyed: Bool
  /// The parts of a struct; empty for any other type.
  let parts: [Part]
  private let scalar: (any FieldReader.Type)?
  private let comparison: Comparison

  private init(_ type: Any.Type) {
    self.type = ObjectIdentifier(type)
    isText =
      type is String.Type || type is Substring.Type || type is String?.Type || type is Substring?.Type
    isEnum = TypeKind(of: Self.unwrapped(type)) == .enum
    // A value of a protocol's type may be a collection.
    isCollection =
      type is any PlainCollection.Type || TypeKind(of: type) == .other && !(type is AnyClass)
    isKeyed = type is any KeyedCollection.Type
    scalar = FieldReaders.scalarReader(of: type)
    parts = StructLayout.of(type).map { Self.parts(of: $0) } ?? []
    comparison = Self.comparison(of: type)
  }

  private static let known = Mutex<[ObjectIdentifier: ValueForm]>([:])

  /// The form of a type. Cost: a hash, after the first call for the type.
  static func of(_ type: Any.Type) -> ValueForm {
    let key = ObjectIdentifier(type)
    if let form = known.withLock({ $0[key] }) { return form }
    // Outside the lock, as it asks for the forms of parts.
    let form = ValueForm(type)
    known.withLock { $0[key] = form }
    return form
  }

  private static func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any OptionalValue.Type).map { unwrapped($0.wrappedType) } ?? type
  }

  private static func parts(
    of layout: StructLayout, at offset: Int = 0, below components: [PathComponent] = []
  ) -> [Part] {
    layout.fields.flatMap { field -> [Part] in
      let (components, offset) = (components + [field.component], offset + field.offset)
      if let layout = StructLayout.of(field.type) {
        return parts(of: layout, at: offset, below: components)
      }
      func bytes<T>(_ type: T.Type) -> StoredBytes { StoredBytes.of(type) }
      return [
        Part(
          components: components, offset: offset, form: of(field.type),
          bytes: _openExistential(field.type, do: bytes))
      ]
    }
  }

  // MARK: Scalars

  /// A text of more bytes than this is recorded as the edit of the text before where that is shorter.
  private static let longText = 64

  /// The value as the log holds it if that is one scalar; nil if it is anything else, or a long text that is not a
  /// string in the app.
  func scalar(at value: UnsafeRawPointer, in context: inout EncodingContext) -> Value? {
    guard let scalar else { return nil }
    let value = scalar.read(value, in: &context)
    if !isText, case .string(let text) = value, text.utf8.count > Self.longText { return nil }
    return value.isScalar ? value : nil
  }

  // MARK: Parts

  /// The only part in which two values of a struct differ, and what the log holds of it, if that is a scalar; nil if
  /// no part differs, or more than one.
  func onlyChange(
    from old: UnsafeRawPointer, to new: UnsafeRawPointer, in context: inout EncodingContext
  ) -> (part: Part, value: Value)? {
    var only: Part?
    for part in parts where !part.bytes.agree(old + part.offset, new + part.offset) {
      if only != nil { return nil }
      only = part
    }
    guard let only, let value = only.form.scalar(at: new + only.offset, in: &context) else { return nil }
    return (only, value)
  }

  // MARK: Comparison

  /// Whether a change from `old` to `new` changes nothing by the app's equality; nil if they cannot be compared. As
  /// ``isSame(_:_:)``.
  func areSame<T>(_ old: T, _ new: T, in context: @autoclosure () -> EncodingContext) -> Bool? {
    switch comparison {
    case .impossible: return nil
    case .dynamic: return isSame(old, new)
    case .byEquality(let equality):
      return withUnsafePointer(to: old) { old in
        withUnsafePointer(to: new) { new in equality.areEqual(old, new) }
      }
    case .byRecorded:
      var context = context()
      return withUnsafePointer(to: old) { old in
        withUnsafePointer(to: new) { new in
          scalar?.read(old, in: &context) == scalar?.read(new, in: &context)
        }
      }
    }
  }

  private static func comparison(of type: Any.Type) -> Comparison {
    if unwrapped(type) is any ComparedByRecord.Type { return .byRecorded }
    guard [.struct, .enum].contains(TypeKind(of: type)), !(type is AnyHashable.Type),
      !(type is any FloatingPoint.Type)
    else { return .dynamic }
    guard let equatable = type as? any Equatable.Type else { return .impossible }
    func reader<T: Equatable>(_ type: T.Type) -> any EqualityReader.Type { EquatableReader<T>.self }
    return .byEquality(reader(equatable))
  }
}

/// A type of which two values are equal exactly if they are recorded alike.
private protocol ComparedByRecord {}

extension Bool: ComparedByRecord {}
extension Int: ComparedByRecord {}
extension Int32: ComparedByRecord {}
extension Int64: ComparedByRecord {}
extension UInt: ComparedByRecord {}
extension UInt32: ComparedByRecord {}
extension UInt64: ComparedByRecord {}
extension Double: ComparedByRecord {}
extension Float: ComparedByRecord {}

/// Compares values of one type where they are stored.
private protocol EqualityReader: SendableMetatype {
  static func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool
}

private enum EquatableReader<T: Equatable>: EqualityReader {
  static func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
    a.assumingMemoryBound(to: T.self).pointee == b.assumingMemoryBound(to: T.self).pointee
  }
}

/// A collection whose parts are named by key in paths, where a struct's are named by field.
protocol KeyedCollection {}

extension Dictionary: KeyedCollection {}

extension RecordedDictionary: KeyedCollection {}
