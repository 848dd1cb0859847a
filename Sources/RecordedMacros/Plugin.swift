import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct RecordedMacrosPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = []
}
