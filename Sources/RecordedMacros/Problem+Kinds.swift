import SwiftDiagnostics
import SwiftSyntax

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

  /// A stored `var` that has no single place to track.
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

  /// A stored `static var`: `@Observable` passes over it without a word, so it compiles here too.
  static func notRecorded(_ variable: VariableDeclSyntax) -> Problem {
    let name = variable.bindings.first?.pattern.names.first?.text ?? variable.bindings.trimmedDescription
    return Problem(
      node: Syntax(variable),
      message: Message(
        id: "static",
        message: "'@Recorded' does not record the static property '\(name)': a log follows objects; "
          + "make it a property of the object, or mark it '@RecordedIgnored'",
        severity: .warning),
      fixIts: [removingStatic(variable), ignoring(variable)])
  }

  /// An attribute without arguments that nobody has heard of may be a global actor, which is welcome, or a
  /// property wrapper, which is not. The compiler will know; its error does not say what to do.
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

  /// `@Redacted` on something that the log never sees.
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
