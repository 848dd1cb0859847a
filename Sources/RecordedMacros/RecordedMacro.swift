import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Recorded`: adds the registrar, the table of properties and the conformance, and marks every stored
/// `var` with `@RecordedProperty`.
package struct RecordedMacro {
  package static var formatMode: FormatMode { .disabled }

  /// The namespace by which expansions name types: an app may have types with the names of the types
  /// themselves, and one with the name of the module.
  static let namespace = "_Replay"
}

extension RecordedMacro: MemberMacro {
  package static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let type = declaration.as(ClassDeclSyntax.self) else {
      context.diagnose(.needsClass(node, declaration))
      return []
    }
    if let observable = type.observableAttribute {
      context.diagnose(.observedTwice(observable, on: type))
      return RecordedMembers(of: type.withoutMembers, conformingTo: protocols).recording.map {
        DeclSyntax(text: $0)
      }
    }
    for problem in problems(in: type.memberBlock.members) { context.diagnose(problem) }
    return RecordedMembers(of: type, conformingTo: protocols).recording.map { DeclSyntax(text: $0) }
  }

  private static func problems(in members: MemberBlockItemListSyntax) -> [Problem] {
    members.flatMap { member -> [Problem] in
      if let variable = member.decl.as(VariableDeclSyntax.self) {
        if variable.isStoredStatic { return [.notRecorded(variable)] }
        if variable.isLeftAlone { return [] }
        if !variable.isTrackable { return [.notTrackable(variable)] }
        return Problem.takenForActor(variable).map { [$0] } ?? []
      }
      guard let condition = member.decl.as(IfConfigDeclSyntax.self) else { return [] }
      return condition.clauses.flatMap { clause -> [Problem] in
        if case .decls(let members)? = clause.elements { problems(in: members) } else { [] }
      }
    }
  }
}

extension ClassDeclSyntax {
  /// An `@Observable` attribute beside `@Recorded`. Both macros turn properties into accessors, so the
  /// compiler would report every property. If this attribute is present, only it is reported, and the class
  /// gets only its conformance.
  fileprivate var observableAttribute: AttributeSyntax? { attributes.first(.observable) }

  fileprivate var withoutMembers: ClassDeclSyntax { with(\.memberBlock.members, []) }
}

extension RecordedMacro: MemberAttributeMacro {
  package static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let type = declaration.as(ClassDeclSyntax.self), type.observableAttribute == nil,
      let variable = member.as(VariableDeclSyntax.self),
      variable.isTracked, !variable.attributes.contains(.property),
      let name = variable.bindings.first?.pattern.names.first
    else { return [] }
    let sameName = LoggedMember.all(in: type.memberBlock.members).flatMap(\.properties)
      .filter { $0.name.text == name.text && !$0.isConstant }
    // Two clauses of an `#if` may declare the same name, so the text identifies the property.
    let text = variable.trimmedDescription
    let sameText = sameName.first { $0.declaration.trimmedDescription == text }
    guard let property = sameText ?? sameName.first else { return [] }
    // The superclass's logged properties can be counted only at run time.
    let label = type.inheritanceClause == nil ? "" : "own: "
    return [AttributeSyntax(text: "RecordedProperty(\(label)\(property.number))")]
  }
}

extension RecordedMacro: ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    if protocols.isEmpty || !declaration.is(ClassDeclSyntax.self) { return [] }
    let availability = declaration.attributes.map { element in
      guard case .attribute(let attribute) = element, attribute.shortName == "available" else { return "" }
      return attribute.trimmedDescription + " "
    }
    let conformance: DeclSyntax = """
      \(raw: availability.joined())extension \(type.trimmed): nonisolated \(raw: namespace).RecordedObject {}
      """
    return conformance.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
  }
}

/// Adds the members that restore objects from a log and apply a log to live objects.
package struct RestoringMacro: MemberMacro {
  package static var formatMode: FormatMode { .disabled }

  package static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let type = declaration.as(ClassDeclSyntax.self) else { return [] }
    let known = type.observableAttribute == nil ? type : type.withoutMembers
    return RecordedMembers(of: known, conformingTo: protocols).restoring.map { DeclSyntax(text: $0) }
  }
}

/// The expansion of `@Recorded`: ``RecordedMacro``, which observes and records, and ``RestoringMacro``. They
/// are separate, so that tests can expand each of them alone.
package struct RecordedClassMacro: MemberMacro {
  package static var formatMode: FormatMode { .disabled }

  package static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    try RecordedMacro.expansion(
      of: node, providingMembersOf: declaration, conformingTo: protocols, in: context)
      + RestoringMacro.expansion(
        of: node, providingMembersOf: declaration, conformingTo: protocols, in: context)
  }
}

extension RecordedClassMacro: MemberAttributeMacro {
  package static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    try RecordedMacro.expansion(
      of: node, attachedTo: declaration, providingAttributesFor: member, in: context)
  }
}

extension RecordedClassMacro: ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    try RecordedMacro.expansion(
      of: node, attachedTo: declaration, providingExtensionsOf: type, conformingTo: protocols, in: context)
  }
}
