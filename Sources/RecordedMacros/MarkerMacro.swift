import SwiftSyntax
import SwiftSyntaxMacros

/// `@RecordedIgnored` and `@Redacted`: they say something to `@Recorded` and expand to nothing.
package struct MarkerMacro: PeerMacro {
  package static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard node.isNamed(.redacted), let property = declaration.as(VariableDeclSyntax.self) else { return [] }
    if property.isStored && property.isInstance { return [] }
    context.diagnose(.misplacedRedacted(node, on: property))
    return []
  }
}
