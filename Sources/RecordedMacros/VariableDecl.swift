import SwiftSyntax

/// How `@Recorded` treats a variable: it ignores it, tracks it, or refuses it with a diagnostic.
extension VariableDeclSyntax {
  func hasModifier(_ keywords: Keyword...) -> Bool {
    modifiers.contains { modifier in
      keywords.contains { modifier.name.tokenKind == .keyword($0) }
    }
  }

  var isConstant: Bool { bindingSpecifier.tokenKind == .keyword(.let) }
  var isInstance: Bool { !hasModifier(.static, .class) }

  /// Whether every binding has its own storage in this class: no getter, no override, not `@NSManaged`.
  var isStored: Bool {
    !hasModifier(.override) && bindings.allSatisfy(\.isStored)
      && !attributes.all.contains { $0.shortName == "NSManaged" }
  }

  /// Whether it is a stored static variable, which users may expect to be recorded.
  var isStoredStatic: Bool {
    !isInstance && !isConstant && bindings.allSatisfy(\.isStored) && !isIgnored
  }

  private var isIgnored: Bool {
    attributes.contains(.ignored) || attributes.contains(.observationIgnored)
  }

  /// Whether `@Recorded` ignores it.
  var isLeftAlone: Bool {
    !isInstance || !isStored || isIgnored
  }

  /// Whether `@RecordedProperty` supports it; otherwise it gets a diagnostic.
  var isTrackable: Bool {
    if isConstant { return true }
    return !hasModifier(.lazy) && propertyWrapper == nil && bindings.count == 1
      && bindings.first?.pattern.is(IdentifierPatternSyntax.self) == true
  }

  /// Whether `@RecordedProperty` is added: it is a stored `var` that is neither ignored nor refused.
  var isTracked: Bool { !isConstant && !isLeftAlone && isTrackable }
}

extension PatternBindingSyntax {
  /// Whether it has storage: it has no accessors, or only `willSet` and `didSet`.
  fileprivate var isStored: Bool {
    switch accessorBlock?.accessors {
    case nil: true
    case .getter: false
    case .accessors(let accessors):
      accessors.allSatisfy { accessor in
        accessor.accessorSpecifier.tokenKind == .keyword(.willSet)
          || accessor.accessorSpecifier.tokenKind == .keyword(.didSet)
      }
    }
  }

  /// The user's `willSet` or `didSet`.
  func observer(_ keyword: Keyword) -> AccessorDeclSyntax? {
    guard case .accessors(let accessors)? = accessorBlock?.accessors else { return nil }
    return accessors.first { $0.accessorSpecifier.tokenKind == .keyword(keyword) }
  }
}

extension PatternSyntax {
  /// The names that the pattern binds, including those in a tuple.
  var names: [TokenSyntax] {
    if let name = self.as(IdentifierPatternSyntax.self) { return [name.identifier.trimmed] }
    if let tuple = self.as(TuplePatternSyntax.self) { return tuple.elements.flatMap(\.pattern.names) }
    return []
  }
}

extension TokenSyntax {
  /// The name without the backticks that a keyword needs.
  var bareName: String {
    text.hasPrefix("`") && text.hasSuffix("`") && text.count > 2 ? String(text.dropFirst().dropLast()) : text
  }
}
