import SwiftCompilerPlugin
import SwiftSyntax
import SwiftSyntaxMacros

/// The compiler plug-in: the macros that `Projection` declares.
@main
struct RecordedMacrosPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    RecordedClassMacro.self,
    RecordedPropertyMacro.self,
    MarkerMacro.self,
  ]
}

/// `@RecordedIgnored`, `@Redacted` and `@Compared`: markers for the other macros, which expand to nothing.
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
