import SwiftSyntax

/// The attributes that this plug-in knows by name.
enum MacroName: String {
  case recorded = "Recorded"
  case property = "RecordedProperty"
  case ignored = "RecordedIgnored"
  /// The attribute of the standard library, which a class that was `@Observable` keeps.
  case observationIgnored = "ObservationIgnored"
  /// What `@Recorded` takes the place of.
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

  /// The first argument: `.hashed` of `@Redacted(.hashed)`.
  var firstArgument: ExprSyntax? {
    guard case .argumentList(let arguments)? = arguments else { return nil }
    return arguments.first?.expression.trimmed
  }

  /// Whether its name shows that it is a global actor.
  var isActor: Bool { shortName.hasSuffix("Actor") }

  /// Whether it is neither the language's nor an argument of the macros.
  fileprivate var isUnknown: Bool {
    shortName.first?.isUppercase == true && MacroName(rawValue: shortName) == nil
      && !["IBOutlet", "IBInspectable", "GKInspectable", "NSCopying", "NSManaged"].contains(shortName)
  }
}

extension AttributeListSyntax {
  /// The attributes themselves, those inside `#if` included.
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

/// A macro sees the names of attributes, not their declarations, so it guesses what they are.
extension VariableDeclSyntax {
  /// The attribute that is a property wrapper, if any: a well-known one, or one with arguments, which global actors do
  /// not take.
  var propertyWrapper: AttributeSyntax? {
    attributes.all.first { attribute in
      attribute.isUnknown
        && (attribute.arguments != nil || Self.wrappers.contains(attribute.shortName))
    }
  }

  /// The attribute that is a global actor, or a property wrapper that is not well known.
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
