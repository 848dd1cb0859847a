import SwiftSyntax

/// The attributes that this plug-in knows by name.
package enum MacroName: String {
  case recorded = "Recorded"
  case property = "RecordedProperty"
  case ignored = "RecordedIgnored"
  /// The standard library's; a class that was `@Observable` keeps it.
  case observationIgnored = "ObservationIgnored"
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
