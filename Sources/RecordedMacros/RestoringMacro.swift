import SwiftSyntax
import SwiftSyntaxMacros

/// The members by which objects are restored from a log, and live ones follow one.
package struct RestoringMacro: MemberMacro {
  package static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let type = declaration.as(ClassDeclSyntax.self) else { return [] }
    return RecordedMacro.members(of: type, conformingTo: protocols).restoring(type)
  }
}
