import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// What `@Recorded` cannot do, with what to do about it.
struct Problem {
  var node: Syntax
  var message: Message
  var fixIts: [FixIt] = []

  /// The text of a diagnostic or of a fix-it.
  struct Message: DiagnosticMessage, FixItMessage {
    var id: String
    var message: String
    var severity: DiagnosticSeverity = .error

    var diagnosticID: MessageID { MessageID(domain: "Recorded", id: id) }
    var fixItID: MessageID { diagnosticID }
  }
}

extension MacroExpansionContext {
  func diagnose(_ problem: Problem) {
    diagnose(Diagnostic(node: problem.node, message: problem.message, fixIts: problem.fixIts))
  }
}
