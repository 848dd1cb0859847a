import EventLog

#if !canImport(Darwin)
  @_spi(Reflection) import Swift
#endif

/// The part of a struct that mutations in place have changed so far: of the struct in a property, or of all
/// elements of a property's collection.
///
/// `rows[3].price += 0` mutates a whole element in place, and if nothing has changed, nothing shows which field
/// was written. The log then names the field if there can be only one: the struct's only variable besides its
/// `id`, or else the one that all earlier mutations have changed. Otherwise it names the whole struct.
enum MutatedPart {
  /// No mutation has changed anything yet.
  case unknown
  /// All changes were within the part that these steps lead to.
  case one([PathComponent])
  /// Different parts were changed, or the whole struct.
  case several

  /// Takes account of a change.
  ///
  /// - Parameter edits: The edits that it consisted of, relative to the struct.
  mutating func add(_ edits: [Edit]) {
    for edit in edits { add(edit.components.prefix(while: \.isField)) }
  }

  /// Takes account of a change of the part that these steps lead to.
  mutating func add(_ components: some Collection<PathComponent>) {
    switch self {
    case .unknown: self = components.isEmpty ? .several : .one(Array(components))
    case .one(let known):
      let common = zip(known, components).prefix { $0 == $1 }.map(\.0)
      if common.count < known.count { self = common.isEmpty ? .several : .one(common) }
    case .several: break
    }
  }

  /// The steps to the part that a mutation has written which changed nothing; nil if it is not known.
  ///
  /// - Parameter type: The type of the struct.
  func only(of type: Any.Type) -> [PathComponent]? {
    switch self {
    case .unknown: OnlyVariable.of(type)
    case .one(let components): components
    case .several: nil
    }
  }
}

extension PathComponent {
  /// Whether it may lead from a struct to a field.
  fileprivate var isField: Bool {
    switch self {
    case .property, .key: true
    default: false
    }
  }
}

/// The only variable of a struct, besides its `id`.
private enum OnlyVariable {
  private static let known = TypeTable<[PathComponent]?>()

  /// The steps to the variable, through structs that have only one themselves; nil if there are several, or if
  /// they are not known.
  static func of(_ type: Any.Type) -> [PathComponent]? {
    if let optional = type as? any OptionalValue.Type { return of(optional.wrappedType) }
    return known.fact(of: type) { find(in: type) }
  }

  private static func find(in type: Any.Type) -> [PathComponent]? {
    guard TypeKind(of: type) == .struct, !(type is any RecordableValue.Type),
      !(type is any RawRepresentable.Type), let variables = variables(of: type), variables.count == 1
    else { return nil }
    return [.member(variables[0].name)] + (of(variables[0].type) ?? [])
  }

  /// The stored variables of a struct without `id`; nil if they are not known.
  private static func variables(of type: Any.Type) -> [(name: String, type: Any.Type)]? {
    #if canImport(Darwin)
      return nil
    #else
      func variables<Root>(_ type: Root.Type) -> [(name: String, type: Any.Type)]? {
        var found: [(name: String, type: Any.Type)] = []
        let areAllKnown = _forEachFieldWithKeyPath(of: type) { name, field in
          let (name, type) = (String(cString: name), Swift.type(of: field).valueType)
          // The key path of a constant is not writable.
          func isVariable<Field>(_ type: Field.Type) -> Bool { field is WritableKeyPath<Root, Field> }
          if name != "id", _openExistential(type, do: isVariable) { found.append((name, type)) }
          return true
        }
        return areAllKnown ? found : nil
      }
      return _openExistential(type, do: variables)
    #endif
  }
}
