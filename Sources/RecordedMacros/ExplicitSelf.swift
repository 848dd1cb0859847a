import SwiftSyntax

/// Writes `self.` before a property's name in the body of its own observer.
///
/// The body moves into the property's setter, where the bare name draws a warning. A body that declares
/// the name itself is left as it is.
final class ExplicitSelf: SyntaxRewriter {
  private let name: TokenSyntax
  private var isShadowed: Bool

  init(for name: TokenSyntax, besides parameter: String) {
    self.name = name
    isShadowed = parameter == name.text
    super.init()
  }

  func rewrite(_ statements: CodeBlockItemListSyntax) -> CodeBlockItemListSyntax {
    let finder = DeclarationFinder(name: name.bareName)
    finder.walk(statements)
    if isShadowed || finder.isFound { return statements }
    return rewrite(Syntax(statements)).as(CodeBlockItemListSyntax.self) ?? statements
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
    guard node.argumentNames == nil, node.baseName.bareName == name.bareName else { return ExprSyntax(node) }
    var reference = node
    reference.leadingTrivia = []
    let access = MemberAccessExprSyntax(
      base: ExprSyntax("self"), declName: reference.with(\.trailingTrivia, []))
    return ExprSyntax(access).with(\.leadingTrivia, node.leadingTrivia)
      .with(\.trailingTrivia, node.trailingTrivia)
  }

  override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
    // Only what stands before the dot can be the property.
    guard let base = node.base else { return ExprSyntax(node) }
    return ExprSyntax(node.with(\.base, visit(base)))
  }

  override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax { ExprSyntax(node) }
}

/// Tells whether a body declares a name of its own.
private final class DeclarationFinder: SyntaxVisitor {
  private let name: String
  private(set) var isFound = false

  init(name: String) {
    self.name = name
    super.init(viewMode: .sourceAccurate)
  }

  private func declare(_ token: TokenSyntax?) -> SyntaxVisitorContinueKind {
    if token?.bareName == name { isFound = true }
    return .visitChildren
  }

  override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
    declare(node.identifier)
  }
  override func visit(_ node: ClosureShorthandParameterSyntax) -> SyntaxVisitorContinueKind {
    declare(node.name)
  }
  override func visit(_ node: ClosureParameterSyntax) -> SyntaxVisitorContinueKind {
    declare(node.secondName ?? node.firstName)
  }
  override func visit(_ node: ClosureCaptureSyntax) -> SyntaxVisitorContinueKind { declare(node.name) }
  override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
    declare(node.secondName ?? node.firstName)
  }
  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { declare(node.name) }
}
