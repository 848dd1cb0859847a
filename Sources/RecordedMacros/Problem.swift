import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A diagnostic of the macros, with fix-its.
struct Problem {
  var node: Syntax
  var message: Message
  var fixIts: [FixIt] = []

  /// The text of a diagnostic or of a fix-it.
  struct Message: DiagnosticMessage, FixItMessage {
    var id: String
    var message: String
    var severity: DiagnosticSeverity = .error

    var diagnosticID: MessageID { MessageID(domain: "Recorded", id: id) }
    var fixItID: MessageID { diagnosticID }
  }
}

extension MacroExpansionContext {
  func diagnose(_ problem: Problem) {
    diagnose(Diagnostic(node: problem.node, message: problem.message, fixIts: problem.fixIts))
  }
}

// MARK: Kinds

extension Problem {
  /// `@Recorded` on something other than a class.
  static func needsClass(_ attribute: AttributeSyntax, _ declaration: some DeclGroupSyntax) -> Problem {
    var problem = Problem(
      node: Syntax(attribute),
      message: Message(
        id: "needs-class",
        message: "'@Recorded' needs a class: \(reason(against: declaration))"
      ))
    if let type = declaration.as(StructDeclSyntax.self) {
      problem.fixIts = [makingClass(type.structKeyword, type.modifiers)]
    } else if let type = declaration.as(ActorDeclSyntax.self) {
      problem.fixIts = [makingClass(type.actorKeyword, type.modifiers, onMainActorBy: attribute)]
    } else {
      problem.fixIts = [removing(attribute, from: declaration)]
    }
    return problem
  }

  /// `@Observable` on a class that is also `@Recorded`.
  static func observedTwice(_ observable: AttributeSyntax, on type: ClassDeclSyntax) -> Problem {
    Problem(
      node: Syntax(observable),
      message: Message(
        id: "observable",
        message: "'@Recorded' takes the place of '@Observable': both together would track each property twice"
      ),
      fixIts: [removing(observable, from: type)])
  }

  private static func reason(against declaration: some DeclGroupSyntax) -> String {
    if declaration.is(ActorDeclSyntax.self) {
      return "an actor's properties cannot be read in step with the log; use a class isolated to the actor"
    }
    let kind =
      if declaration.is(StructDeclSyntax.self) {
        "a struct"
      } else if declaration.is(EnumDeclSyntax.self) {
        "an enum"
      } else if declaration.is(ProtocolDeclSyntax.self) {
        "a protocol"
      } else {
        "an extension"
      }
    return "a log follows objects, and \(kind) has no identity"
  }

  /// A stored `var` that `@RecordedProperty` does not support.
  static func notTrackable(_ variable: VariableDeclSyntax) -> Problem {
    let name = variable.bindings.first?.pattern.names.first?.text ?? variable.bindings.trimmedDescription
    var fixIts: [FixIt] = []
    let message: Message
    if variable.hasModifier(.lazy) {
      message = Message(
        id: "lazy",
        message: "'@Recorded' cannot track the lazy property '\(name)': reading it would write it; "
          + "give it a value at once, or mark it '@RecordedIgnored'")
      fixIts = [removingLazy(variable), ignoring(variable)]
    } else if let wrapper = variable.propertyWrapper {
      message = Message(
        id: "wrapper",
        message: "'@Recorded' cannot track '\(name)' behind '@\(wrapper.shortName)'; "
          + "remove the wrapper, or mark the property '@RecordedIgnored'")
      fixIts = [removing(wrapper, from: variable), ignoring(variable)]
    } else if variable.bindings.count > 1 {
      message = Message(
        id: "bindings", message: "'@Recorded' tracks one property in each declaration; split this one")
      if let split = splitting(variable) { fixIts = [split] }
    } else {
      message = Message(
        id: "tuple",
        message: "'@Recorded' cannot track properties declared by a tuple pattern; declare each by its name")
    }
    return Problem(node: Syntax(variable), message: message, fixIts: fixIts)
  }

  /// A stored `static var`. With `@Observable` it compiles and is ignored, so here it causes only a
  /// remark.
  static func notRecorded(_ variable: VariableDeclSyntax) -> Problem {
    let name = variable.bindings.first?.pattern.names.first?.text ?? variable.bindings.trimmedDescription
    return Problem(
      node: Syntax(variable),
      message: Message(
        id: "static",
        message: "'@Recorded' does not record the static property '\(name)': a log follows objects; "
          + "make it a property of the object, or mark it '@RecordedIgnored'",
        severity: .remark),
      fixIts: [removingStatic(variable), ignoring(variable)])
  }

  /// An attribute without arguments that is not known. It may be a global actor, which is allowed, or a
  /// property wrapper, which is not. The compiler reports a wrapper, but its error does not explain what to
  /// do.
  static func takenForActor(_ variable: VariableDeclSyntax) -> Problem? {
    guard !variable.isConstant, let attribute = variable.isolation, !attribute.isActor else { return nil }
    return Problem(
      node: Syntax(attribute),
      message: Message(
        id: "actor",
        message: "'@Recorded' takes '@\(attribute.shortName)' for a global actor; "
          + "if it is a property wrapper, remove it, or mark the property '@RecordedIgnored'",
        severity: .remark),
      fixIts: [removing(attribute, from: variable), ignoring(variable)])
  }

  /// `@Redacted` on a declaration that is never logged.
  static func misplacedRedacted(_ attribute: AttributeSyntax, on variable: VariableDeclSyntax) -> Problem {
    let kind = variable.isInstance ? "a computed property" : "a static property"
    return Problem(
      node: Syntax(attribute),
      message: Message(
        id: "redacted", message: "'@Redacted' has no effect on \(kind): the log holds stored properties only",
        severity: .warning),
      fixIts: [removing(attribute, from: variable)])
  }
}

// MARK: Fix-its

extension Problem {
  /// Adds `@RecordedIgnored`.
  private static func ignoring(_ variable: VariableDeclSyntax) -> FixIt {
    var changed = variable
    changed.leadingTrivia = []
    changed.attributes.insert(.attribute("@RecordedIgnored "), at: changed.attributes.startIndex)
    changed.leadingTrivia = variable.leadingTrivia
    return replacing(variable, by: Syntax(changed), id: "ignore", "mark it '@RecordedIgnored'")
  }

  /// Changes another kind of type to a class; an actor becomes a class on the main actor.
  private static func makingClass(
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

  private static func removing(_ attribute: AttributeSyntax, from type: some DeclGroupSyntax) -> FixIt {
    let kept = type.attributes.filter { element in
      if case .attribute(let other) = element { other.shortName != attribute.shortName } else { true }
    }
    return FixIt(
      message: Message(id: "remove-attribute", message: "remove '@\(attribute.shortName)'"),
      changes: [.replace(oldNode: Syntax(type.attributes), newNode: Syntax(kept))])
  }

  private static func removingLazy(_ variable: VariableDeclSyntax) -> FixIt {
    removing([.lazy], from: variable, id: "remove-lazy", "remove 'lazy'")
  }

  private static func removingStatic(_ variable: VariableDeclSyntax) -> FixIt {
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

  private static func removing(_ attribute: AttributeSyntax, from variable: VariableDeclSyntax) -> FixIt {
    var changed = variable
    changed.attributes = changed.attributes.filter { element in
      if case .attribute(let other) = element { other.shortName != attribute.shortName } else { true }
    }
    changed.leadingTrivia = variable.leadingTrivia
    return replacing(
      variable, by: Syntax(changed), id: "remove-attribute", "remove '@\(attribute.shortName)'")
  }

  /// Splits the bindings into separate declarations; nil if bindings share a type annotation or are tuples.
  private static func splitting(_ variable: VariableDeclSyntax) -> FixIt? {
    var annotation: TypeAnnotationSyntax?
    var declarations: [VariableDeclSyntax] = []
    for binding in variable.bindings.reversed() {
      guard binding.pattern.is(IdentifierPatternSyntax.self), binding.accessorBlock == nil else { return nil }
      // In `var a, b: Int` the type also applies to the bindings before it.
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
