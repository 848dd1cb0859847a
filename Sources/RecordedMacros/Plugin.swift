import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// What the compiler loads: the macros that `Projection` declares.
@main
struct RecordedMacrosPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    RecordedClassMacro.self,
    RecordedPropertyMacro.self,
    MarkerMacro.self,
  ]
}
