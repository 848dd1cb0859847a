import SwiftSyntax
import SwiftSyntaxMacros

/// What `@Recorded` stands for: ``RecordedMacro``, which observes and records, and ``RestoringMacro``.
package struct RecordedClassMacro: MemberMacro {
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
