import SwiftSyntax

/// The attributes that this plug-in recognizes by name.
enum MacroName: String {
  case recorded = "Recorded"
  case property = "RecordedProperty"
  case ignored = "RecordedIgnored"
  /// The standard library's attribute, which a class that used to be `@Observable` may keep.
  case observationIgnored = "ObservationIgnored"
  /// The attribute that `@Recorded` replaces.
  case observable = "Observable"
  case redacted = "Redacted"
  case compared = "Compared"
}

extension AttributeSyntax {
  /// The last component of the attribute's name: `Redacted` for `@Projection.Redacted`.
  var shortName: String {
    if let name = attributeName.as(IdentifierTypeSyntax.self) { return name.name.text }
    if let name = attributeName.as(MemberTypeSyntax.self) { return name.name.text }
    return attributeName.trimmedDescription
  }

  func isNamed(_ name: MacroName) -> Bool { shortName == name.rawValue }

  /// The first argument, such as `.hashed` in `@Redacted(.hashed)`.
  var firstArgument: ExprSyntax? {
    guard case .argumentList(let arguments)? = arguments else { return nil }
    return arguments.first?.expression.trimmed
  }

  /// Whether its name looks like that of a global actor.
  var isActor: Bool { shortName.hasSuffix("Actor") }

  /// Whether it is neither an attribute of the language nor one of this plug-in.
  fileprivate var isUnknown: Bool {
    shortName.first?.isUppercase == true && MacroName(rawValue: shortName) == nil
      && !["IBOutlet", "IBInspectable", "GKInspectable", "NSCopying", "NSManaged"].contains(shortName)
  }
}

extension AttributeListSyntax {
  /// All attributes, including those within `#if`.
  var all: [AttributeSyntax] {
    flatMap { element -> [AttributeSyntax] in
      switch element {
      case .attribute(let attribute): [attribute]
      case .ifConfigDecl(let condition):
        condition.clauses.flatMap { clause -> [AttributeSyntax] in
          if case .attributes(let attributes) = clause.elements { attributes.all } else { [] }
        }
      }
    }
  }

  func contains(_ name: MacroName) -> Bool { first(name) != nil }

  func first(_ name: MacroName) -> AttributeSyntax? { all.first { $0.isNamed(name) } }
}

/// Guesses about attributes. A macro sees only the names of attributes, not their declarations.
extension VariableDeclSyntax {
  /// The property wrapper among the attributes, if any: a well-known wrapper, or an attribute with arguments,
  /// which global actors do not have.
  var propertyWrapper: AttributeSyntax? {
    attributes.all.first { attribute in
      attribute.isUnknown
        && (attribute.arguments != nil || Self.wrappers.contains(attribute.shortName))
    }
  }

  /// The attribute that may be a global actor: it may also be a property wrapper that is not well known.
  var isolation: AttributeSyntax? {
    if propertyWrapper != nil { return nil }
    return attributes.all.first(where: \.isUnknown)
  }

  private static let wrappers: Set = [
    "AppStorage", "Bindable", "Binding", "Environment", "EnvironmentObject", "FetchRequest", "FocusState",
    "GestureState", "Namespace", "ObservedObject", "Published", "Query", "SceneStorage",
    "SectionedFetchRequest", "State", "StateObject",
  ]
}
