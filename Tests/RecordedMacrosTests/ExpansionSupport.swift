import RecordedMacros
import SwiftParser
import SwiftSyntaxMacros
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// The macros that a test expands.
enum Expanding {
  /// `@Recorded` with the members it adds, but no accessors.
  case members
  /// The same, if the superclass is recorded already.
  case subclass
  /// `@RecordedProperty` alone.
  case property
  /// All macros, as in the compiler.
  case all

  var specs: [String: MacroSpec] {
    let markers = [
      "Redacted": MacroSpec(type: MarkerMacro.self), "RecordedIgnored": MacroSpec(type: MarkerMacro.self),
      "Compared": MacroSpec(type: MarkerMacro.self),
    ]
    let recorded = MacroSpec(type: RecordedMacro.self, conformances: ["RecordedObject"])
    let property = MacroSpec(type: RecordedPropertyMacro.self)
    return switch self {
    case .members: ["Recorded": recorded]
    case .subclass: ["Recorded": MacroSpec(type: RecordedMacro.self)]
    case .property: ["RecordedProperty": property]
    case .all: markers.merging(["Recorded": recorded, "RecordedProperty": property]) { $1 }
    }
  }
}

/// Compares the whole expansion, and all diagnostics, with the expected ones.
func expect(
  _ expanding: Expanding, _ source: String, expandsTo expected: String,
  diagnostics: [DiagnosticSpec] = [], applying fixIt: String? = nil, to fixed: String? = nil,
  at location: SourceLocation = #_sourceLocation
) {
  assertMacroExpansion(
    source, expandedSource: expected, diagnostics: diagnostics, macroSpecs: expanding.specs,
    applyFixIts: fixIt.map { [$0] }, fixedSource: fixed, indentationWidth: .spaces(2)
  ) { failure in
    Issue.record(Comment(rawValue: failure.message), sourceLocation: location)
  }
}

/// Looks for a part of an expansion, by default that of `@Recorded` on a class, and compares all diagnostics.
func expectMembers(
  _ source: String, contain part: String, of expanding: Expanding = .members,
  diagnostics: [DiagnosticSpec] = [],
  applying fixIt: String? = nil, to fixed: String? = nil, at location: SourceLocation = #_sourceLocation
) {
  let file = Parser.parse(source: source)
  let expanded = file.expand(
    macroSpecs: expanding.specs,
    contextGenerator: { syntax in
      BasicMacroExpansionContext(
        sharingWith: BasicMacroExpansionContext(
          sourceFiles: [file: .init(moduleName: "Tests", fullFilePath: "Tests.swift")]),
        lexicalContext: syntax.allMacroLexicalContexts())
    }, indentationWidth: .spaces(2)
  ).description
  #expect(expanded.contains(part), sourceLocation: location)
  expect(
    expanding, source, expandsTo: expanded, diagnostics: diagnostics, applying: fixIt, to: fixed, at: location
  )
}
