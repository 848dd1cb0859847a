import SwiftSyntax

/// What the attributes of a property are can only be guessed: a macro sees their names, not their declarations.
extension VariableDeclSyntax {
  /// The attribute that is a property wrapper, if any: a well-known one, or one with arguments, which no global
  /// actor has.
  var propertyWrapper: AttributeSyntax? {
    attributes.all.first { attribute in
      attribute.isUnknown
        && (attribute.arguments != nil || Self.wrappers.contains(attribute.shortName))
    }
  }

  /// The attribute that is a global actor, or else a property wrapper that nobody has heard of.
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

extension AttributeSyntax {
  /// Whether it is neither the language's nor one that says something to the macros.
  fileprivate var isUnknown: Bool {
    shortName.first?.isUppercase == true && MacroName(rawValue: shortName) == nil
      && !["IBOutlet", "IBInspectable", "GKInspectable", "NSCopying", "NSManaged"].contains(shortName)
  }

  /// Whether it is surely a global actor, going by its name.
  var isActor: Bool { shortName.hasSuffix("Actor") }
}
