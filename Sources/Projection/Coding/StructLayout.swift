import EventLog

#if !canImport(Darwin)
  @_spi(Reflection) import Swift
#endif

/// The offsets of the stored properties of a struct, computed once for each type. A `Mirror` computes them
/// for each value, which takes a microsecond a property.
///
/// It gives the same parts as a `Mirror`. The standard library reports offsets only through its reflection
/// SPI, and not on Apple platforms, where mirrors are used.
///
/// Properties are read through pointers, by the offsets and types that the runtime reports.
final class StructLayout: Sendable {
  struct Field: Sendable {
    let name: String
    /// The step that leads to the field in a path.
    let component: PathComponent
    let offset: Int
    let type: Any.Type
    let reader: FieldReader
    /// Whether its values hold no objects and are encoded without calling the app's code.
    let isPlain: Bool

    fileprivate init(_ name: String, at offset: Int, _ type: Any.Type) {
      self.name = name
      component = .member(name)
      self.offset = offset
      self.type = type
      reader = FieldReader.of(type)
      isPlain = StructLayout.isPlain(type)
    }
  }

  let fields: [Field]
  /// The position of the stored property `id`.
  let id: Int?

  private init(fields: [Field]) {
    self.fields = fields
    id = fields.firstIndex { $0.name == "id" }
  }

  /// The parts of a value of this type, as reflection shows them.
  func encode(_ value: UnsafeRawPointer, in context: inout EncodingContext) -> NamedValues<Value> {
    var encoded = NamedValues<Value>(minimumCapacity: fields.count)
    for field in fields { encoded[field.name] = field.reader.read(value + field.offset, &context) }
    return encoded
  }

  /// The only part in which a value of this type differs from its recorded form, with the index of the part;
  /// nil if no part or more than one differs, or if the recorded value is not a struct.
  func onlyChange(
    from recorded: NamedValues<Value>, to value: UnsafeRawPointer,
    in context: inout EncodingContext
  ) -> (position: Int, value: Value)? {
    guard recorded.count == fields.count else { return nil }
    var change: (position: Int, value: Value)?
    for position in fields.indices {
      // The field is accessed by parts, because copying it would copy all its contents.
      guard recorded.name(at: position) == fields[position].name else { return nil }
      let part = fields[position].reader.read(value + fields[position].offset, &context)
      if part == recorded.values[position] { continue }
      if change != nil { return nil }
      change = (position, part)
    }
    return change
  }
}

extension StructLayout {
  private static let known = TypeTable<StructLayout?>()

  /// The layout of a type whose values are recorded by reflection. Nil for other types, and for a struct with
  /// a property that may not be stored as a value of its type, such as a reference, which may be weak.
  static func of(_ type: Any.Type) -> StructLayout? { known.fact(of: type) { StructLayout(type) } }

  private static let knownTuples = TypeTable<StructLayout?>()

  /// The layout of a tuple, whose elements have the names that reflection gives them; nil for other types.
  static func ofTuple(_ type: Any.Type) -> StructLayout? {
    #if canImport(Darwin)
      return nil
    #else
      return knownTuples.fact(of: type) {
        kind(of: type) == .tuple ? storedFields(of: type).map { StructLayout(fields: $0) } : nil
      }
    #endif
  }

  /// The layout of a type whose values consist only of fields of plain types, such as numbers and texts.
  static func ofPlainElement(_ type: Any.Type) -> StructLayout? {
    guard let layout = of(type), layout.fields.allSatisfy(\.isPlain),
      layout.id != nil || !(type is any Identifiable.Type)
    else { return nil }
    return layout
  }

  static func isPlain(_ type: Any.Type) -> Bool {
    if let optional = type as? any OptionalValue.Type { return isPlain(optional.wrappedType) }
    if let raw = type as? any RawRepresentable.Type { return isPlain(raw: raw) }
    return type is any SimpleValue.Type || of(type)?.fields.allSatisfy(\.isPlain) ?? false
  }

  private static func isPlain<T: RawRepresentable>(raw type: T.Type) -> Bool {
    !(type is any RecordableValue.Type) && T.RawValue.self is any SimpleValue.Type
  }

  private convenience init?(_ type: Any.Type) {
    if type is any RecordableValue.Type || type is any RawRepresentable.Type || type is any Encodable.Type
      || type is any CustomReflectable.Type || type is any OptionalValue.Type || type is AnyHashable.Type
      || EncodingContext.isAddress(type)
    {
      return nil
    }
    guard let fields = Self.fields(of: type) else { return nil }
    self.init(fields: fields)
  }

  #if canImport(Darwin)
    private static func fields(of type: Any.Type) -> [Field]? { nil }
  #else
    private static func fields(of type: Any.Type) -> [Field]? {
      kind(of: type) == .struct ? storedFields(of: type) : nil
    }

    private static func storedFields(of type: Any.Type) -> [Field]? {
      var fields: [Field] = []
      let areAllPlain = _forEachField(of: type) { name, offset, type, kind in
        guard isStoredPlainly(type, kind) else { return false }
        fields.append(Field(String(cString: name), at: offset, type))
        return true
      }
      return areAllPlain ? fields : nil
    }

    /// Whether a property of a type is stored as a plain value of that type; a property that may be weak or
    /// unowned is not.
    private static func isStoredPlainly(_ type: Any.Type, _ kind: _MetadataKind) -> Bool {
      switch kind {
      case .struct, .enum, .tuple: true
      case .optional:
        (type as? any OptionalValue.Type).map {
          isStoredPlainly($0.wrappedType, self.kind(of: $0.wrappedType))
        }
          ?? false
      default: false
      }
    }

    /// The kind of a type. The library reports kinds only for properties, so the type is wrapped in a struct.
    static func kind(of type: Any.Type) -> _MetadataKind {
      struct Holder<Held> { var held: Held }
      func holder<Held>(_ type: Held.Type) -> Any.Type { Holder<Held>.self }
      var found = _MetadataKind.unknown
      _ = _forEachField(of: _openExistential(type, do: holder)) { _, _, _, kind in
        found = kind
        return true
      }
      return found
    }
  #endif
}
