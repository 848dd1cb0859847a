import EventLog

/// How the values of one type are recorded and compared.
///
/// It is determined once for each type, because looking up a type's conformances and parts takes longer than
/// everything else that a set does.
final class ValueForm: Sendable {
  /// A part of a struct, as reflection shows it, that is not itself a struct.
  final class Part: Sendable {
    /// Its position among the parts.
    let number: Int
    /// The steps to it from the struct.
    let components: [PathComponent]
    /// Its offset in the struct, in bytes.
    let offset: Int
    fileprivate let form: ValueForm
    fileprivate let bytes: StoredBytes

    var type: ObjectIdentifier { form.type }

    fileprivate init(_ number: Int, _ field: StructField) {
      self.number = number
      components = field.components
      offset = field.offset
      form = .of(field.type)
      func bytes<T>(_ type: T.Type) -> StoredBytes { StoredBytes.of(type) }
      self.bytes = _openExistential(field.type, do: bytes)
    }
  }

  fileprivate struct StructField {
    let components: [PathComponent]
    let offset: Int
    let type: Any.Type
  }

  private enum Comparison: Sendable {
    /// By `==`; values of the type contain no references to different objects that `==` might consider equal.
    case byEquality(any EqualityReader.Type)
    /// By the recorded values, which is as exact as `==`.
    case byRecorded
    /// The values cannot be compared.
    case impossible
    /// By the rules for any value, at run time.
    case dynamic
  }

  let type: ObjectIdentifier
  /// Whether values are texts, which may be recorded as edits of the text before.
  let isText: Bool
  /// Whether values are enum cases, so that a value is recorded as a whole if the case differs.
  let isEnum: Bool
  /// Whether values are collections of which only the differing parts are encoded.
  let isCollection: Bool
  /// Whether values are dictionaries, whose entries paths name by key.
  let isKeyed: Bool
  /// The parts of a struct; empty for any other type.
  let parts: [Part]
  private let scalar: FieldReader?
  /// Encodes any value of the type.
  private let reader: FieldReader
  private let collection: (any PlainCollection.Type)?
  private let access: any ValueAccess.Type
  private let comparison: Comparison

  private init(_ type: Any.Type) {
    self.type = ObjectIdentifier(type)
    isText =
      type is String.Type || type is Substring.Type || type is String?.Type || type is Substring?.Type
    isEnum = TypeKind(of: Self.unwrapped(type)) == .enum
    // An existential value may be a collection.
    collection = type as? any PlainCollection.Type
    isCollection = collection != nil || TypeKind(of: type) == .other && !(type is AnyClass)
    isKeyed = type is any KeyedCollection.Type
    scalar = FieldReader.ofScalar(type)
    reader = FieldReader.of(type)
    let fields = StructLayout.of(type).map { Self.fields(of: $0) } ?? []
    parts = fields.enumerated().map { Part($0, $1) }
    func access<Member>(_ type: Member.Type) -> any ValueAccess.Type { AccessTo<Member>.self }
    self.access = _openExistential(type, do: access)
    comparison = Self.comparison(of: type)
  }

  private static let known = TypeTable<ValueForm>()

  /// The form of a type. Cost: a hash, after the first call for the type.
  static func of(_ type: Any.Type) -> ValueForm { known.fact(of: type) { ValueForm(type) } }

  private static func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any OptionalValue.Type).map { unwrapped($0.wrappedType) } ?? type
  }

  /// The fields of a struct, with the fields of nested structs in place of those structs.
  private static func fields(
    of layout: StructLayout, at offset: Int = 0, below components: [PathComponent] = []
  ) -> [StructField] {
    layout.fields.flatMap { field -> [StructField] in
      let (components, offset) = (components + [field.component], offset + field.offset)
      if let layout = StructLayout.of(field.type) {
        return fields(of: layout, at: offset, below: components)
      }
      return [StructField(components: components, offset: offset, type: field.type)]
    }
  }

  // MARK: Scalars

  /// A text with more bytes than this is recorded as an edit of the text before, if that is shorter.
  private static let longText = 64

  /// Whether a value may be recorded as one scalar.
  var mayBeScalar: Bool { scalar != nil }

  /// The recorded form of the value if it is one scalar; nil for other values, and for a long text that is
  /// not a `String` in the app.
  func scalar(at value: UnsafeRawPointer, in context: inout EncodingContext) -> Value? {
    guard let scalar else { return nil }
    let value = scalar.read(value, &context)
    if !isText, case .string(let text) = value, text.utf8.count > Self.longText { return nil }
    return value.isScalar ? value : nil
  }

  // MARK: Parts

  /// The only part in which two values of a struct differ, and its recorded form if that is a scalar; nil if
  /// no part or more than one differs.
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

  // MARK: Any value

  /// The recorded form of a value.
  func encode(_ value: UnsafeRawPointer, in context: inout EncodingContext) -> Value {
    reader.read(value, &context)
  }

  /// The recorded form of a value of which only its equality with others may be shown.
  func hashed(_ value: UnsafeRawPointer, by objects: any ReferenceEncoding) -> Value {
    access.hashed(value, by: objects)
  }

  /// The edits between two collections, of which only the differing parts are encoded; nil if all must be
  /// encoded.
  ///
  /// - Parameters:
  ///   - recorded: The recorded form of `old`.
  ///   - isSame: Whether nothing changed by the app's own equality. The result then is nil or has no edits.
  func edits(
    from old: UnsafeRawPointer, to new: UnsafeRawPointer, recorded: Value, isSame: Bool?,
    by encoder: some ElementEncoding
  ) -> [Edit]? {
    if let collection {
      return collection.edits(from: old, to: new, recorded: recorded, isSame: isSame, by: encoder)
    }
    return access.edits(from: old, to: new, recorded: recorded, isSame: isSame, by: encoder)
  }

  // MARK: Comparison

  /// Whether a change from `old` to `new` changes nothing by the app's own equality; nil if they cannot be
  /// compared. The rule is that of ``isSame(_:_:)``.
  func areSame(
    _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, in context: @autoclosure () -> EncodingContext
  ) -> Bool? {
    switch comparison {
    case .impossible: return nil
    case .dynamic: return access.areSame(old, new)
    case .byEquality(let equality): return equality.areEqual(old, new)
    case .byRecorded:
      var context = context()
      return scalar?.read(old, &context) == scalar?.read(new, &context)
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

/// Operations on values given by their addresses that need the values' static type.
private protocol ValueAccess: SendableMetatype {
  static func areSame(_ old: UnsafeRawPointer, _ new: UnsafeRawPointer) -> Bool?
  static func hashed(_ value: UnsafeRawPointer, by objects: any ReferenceEncoding) -> Value
  static func edits(
    from old: UnsafeRawPointer, to new: UnsafeRawPointer, recorded: Value, isSame: Bool?,
    by encoder: some ElementEncoding
  ) -> [Edit]?
}

private enum AccessTo<Member>: ValueAccess {
  static func areSame(_ old: UnsafeRawPointer, _ new: UnsafeRawPointer) -> Bool? {
    isSame(
      old.assumingMemoryBound(to: Member.self).pointee, new.assumingMemoryBound(to: Member.self).pointee)
  }

  static func hashed(_ value: UnsafeRawPointer, by objects: any ReferenceEncoding) -> Value {
    objects.hashed(value.assumingMemoryBound(to: Member.self).pointee)
  }

  /// The edits of an existential value, which may be a collection.
  static func edits(
    from old: UnsafeRawPointer, to new: UnsafeRawPointer, recorded: Value, isSame: Bool?,
    by encoder: some ElementEncoding
  ) -> [Edit]? {
    func edits<Collection: PlainCollection>(of new: Collection) -> [Edit]? {
      guard let old = old.assumingMemoryBound(to: Member.self).pointee as? Collection else { return nil }
      return new.edits(from: old, recorded: recorded, isSame: isSame, by: encoder)
    }
    return (new.assumingMemoryBound(to: Member.self).pointee as? any PlainCollection)
      .flatMap { edits(of: $0) }
  }
}

/// A type whose values are equal exactly if their recorded forms are.
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

/// Compares values of one type in memory.
private protocol EqualityReader: SendableMetatype {
  static func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool
}

private enum EquatableReader<T: Equatable>: EqualityReader {
  static func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
    a.assumingMemoryBound(to: T.self).pointee == b.assumingMemoryBound(to: T.self).pointee
  }
}

/// A collection whose parts paths name by key, unlike the fields of a struct.
protocol KeyedCollection {}

extension Dictionary: KeyedCollection {}
