import SwiftDiagnostics
import SwiftSyntax

extension Problem {
  /// Adds `@RecordedIgnored`.
  static func ignoring(_ variable: VariableDeclSyntax) -> FixIt {
    var changed = variable
    changed.leadingTrivia = []
    changed.attributes.insert(.attribute("@RecordedIgnored "), at: changed.attributes.startIndex)
    changed.leadingTrivia = variable.leadingTrivia
    return replacing(variable, by: Syntax(changed), id: "ignore", "mark it '@RecordedIgnored'")
  }

  /// Makes a class of another type; an actor's state stays guarded, by the main actor.
  static func makingClass(
    _ keyword: TokenSyntax, _ modifiers: DeclModifierListSyntax,
    onMainActorBy attribute: AttributeSyntax? = nil
  ) -> FixIt {
    let isFinal = modifiers.contains { $0.name.tokenKind == .keyword(.final) }
    var changes = [replacing(Syntax(keyword), by: isFinal ? "class" : "final class")]
    if let attribute {
      changes.append(replacing(Syntax(attribute), by: "\(attribute.trimmedDescription) @MainActor"))
    }
    let text = "make it a final class" + (attribute == nil ? "" : " on the main actor")
    return FixIt(message: Message(id: "make-class", message: text), changes: changes)
  }

  private static func replacing(_ node: Syntax, by text: String) -> FixIt.Change {
    let new = TokenSyntax.identifier(text).with(\.leadingTrivia, node.leadingTrivia)
      .with(\.trailingTrivia, node.trailingTrivia)
    return .replace(oldNode: node, newNode: Syntax(new))
  }

  static func removing(_ attribute: AttributeSyntax, from declaration: some DeclGroupSyntax) -> FixIt {
    let kept = declaration.attributes.filter { element in
      if case .attribute(let other) = element { other.shortName != attribute.shortName } else { true }
    }
    return FixIt(
      message: Message(id: "remove-attribute", message: "remove '@\(attribute.shortName)'"),
      changes: [.replace(oldNode: Syntax(declaration.attributes), newNode: Syntax(kept))])
  }

  static func removingLazy(_ variable: VariableDeclSyntax) -> FixIt {
    removing([.lazy], from: variable, id: "remove-lazy", "remove 'lazy'")
  }

  static func removingStatic(_ variable: VariableDeclSyntax) -> FixIt {
    removing([.static, .class], from: variable, id: "remove-static", "remove 'static'")
  }

  private static func removing(
    _ modifiers: [Keyword], from variable: VariableDeclSyntax, id: String, _ text: String
  ) -> FixIt {
    var changed = variable
    changed.modifiers = changed.modifiers.filter { modifier in
      !modifiers.contains { modifier.name.tokenKind == .keyword($0) }
    }
    changed.leadingTrivia = variable.leadingTrivia
    return replacing(variable, by: Syntax(changed), id: id, text)
  }

  static func removing(_ attribute: AttributeSyntax, from variable: VariableDeclSyntax) -> FixIt {
    var changed = variable
    changed.attributes = changed.attributes.filter { element in
      if case .attribute(let other) = element { other.shortName != attribute.shortName } else { true }
    }
    changed.leadingTrivia = variable.leadingTrivia
    return replacing(
      variable, by: Syntax(changed), id: "remove-attribute", "remove '@\(attribute.shortName)'")
  }

  /// One declaration for each binding; nil when bindings share a type annotation or are tuples.
  static func splitting(_ variable: VariableDeclSyntax) -> FixIt? {
    var annotation: TypeAnnotationSyntax?
    var declarations: [VariableDeclSyntax] = []
    for binding in variable.bindings.reversed() {
      guard binding.pattern.is(IdentifierPatternSyntax.self), binding.accessorBlock == nil else { return nil }
      // In `var a, b: Int` the type of the last stands for those before it.
      if binding.typeAnnotation != nil {
        annotation = binding.typeAnnotation
      } else if binding.initializer != nil {
        annotation = nil
      } else if annotation == nil {
        return nil
      }
      var single = binding.with(\.trailingComma, nil)
      if single.typeAnnotation == nil && single.initializer == nil { single.typeAnnotation = annotation }
      var declaration = variable.with(\.bindings, [single.trimmed])
      declaration.leadingTrivia = declarations.count == variable.bindings.count - 1 ? [] : .newline
      declarations.insert(declaration, at: 0)
    }
    let text = declarations.map(\.trimmedDescription).joined(separator: "; ")
    let replacement = TokenSyntax.identifier(text).with(\.leadingTrivia, variable.leadingTrivia)
      .with(\.trailingTrivia, variable.trailingTrivia)
    return replacing(variable, by: Syntax(replacement), id: "split", "split the declaration")
  }

  private static func replacing(
    _ variable: VariableDeclSyntax, by changed: Syntax, id: String, _ text: String
  ) -> FixIt {
    FixIt(
      message: Message(id: id, message: text),
      changes: [.replace(oldNode: Syntax(variable), newNode: changed)])
  }
}
