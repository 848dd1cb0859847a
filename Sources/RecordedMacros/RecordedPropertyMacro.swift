import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@RecordedProperty`: turns a stored `var` into accessors over a private store of the same type, as
/// `@Observable` does, and reports every access and mutation to the registrar.
package struct RecordedPropertyMacro {}

extension RecordedPropertyMacro: PeerMacro {
  package static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = RecordedStorage(node, declaration) else { return [] }
    return [property.storage]
  }
}

extension RecordedPropertyMacro: AccessorMacro {
  package static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = RecordedStorage(node, declaration) else { return [] }
    return RecordedAccessors(property, in: context).declarations
  }
}
