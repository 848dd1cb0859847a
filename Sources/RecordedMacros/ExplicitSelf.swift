import SwiftSyntax

/// Adds `self.` before a property's name in the body of its own observer, wherever the name is the property's.
///
/// The body moves into the property's setter, where a set of the bare name causes a warning. Where the body
/// has a declaration of the same name in scope, the name is left alone.
final class ExplicitSelf: SyntaxRewriter {
  private let name: String
  /// Whether a declaration in the body hides the property at this point.
  private var isHidden: Bool

  /// - Parameter parameter: The name of the observer's parameter.
  init(for name: String, besides parameter: String) {
    self.name = name
    isHidden = parameter == name
    super.init()
  }

  func rewrite(_ statements: CodeBlockItemListSyntax) -> CodeBlockItemListSyntax {
    isHidden ? statements : visit(statements)
  }

  // MARK: References

  override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
    guard !isHidden, node.argumentNames == nil, node.baseName.bareName == name else {
      return ExprSyntax(node)
    }
    var reference = node
    reference.leadingTrivia = []
    let access = MemberAccessExprSyntax(
      base: ExprSyntax("self"), declName: reference.with(\.trailingTrivia, []))
    return ExprSyntax(access).with(\.leadingTrivia, node.leadingTrivia)
      .with(\.trailingTrivia, node.trailingTrivia)
  }

  override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
    // Only the part before the dot can be the property.
    guard let base = node.base else { return ExprSyntax(node) }
    return ExprSyntax(node.with(\.base, visit(base)))
  }

  override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax { ExprSyntax(node) }

  // MARK: Declarations, from which on the name is theirs

  private func declare(_ token: TokenSyntax?) {
    if token?.bareName == name { isHidden = true }
  }

  override func visit(_ node: IdentifierPatternSyntax) -> PatternSyntax {
    declare(node.identifier)
    return PatternSyntax(node)
  }

  // An initializer does not see what it initializes.

  override func visit(_ node: PatternBindingSyntax) -> PatternBindingSyntax {
    let initializer = node.initializer.map { visit($0) }
    var result = node
    result.accessorBlock = node.accessorBlock.map { visit($0) }
    result.initializer = initializer
    result.pattern = visit(node.pattern)
    return result
  }

  override func visit(_ node: OptionalBindingConditionSyntax) -> OptionalBindingConditionSyntax {
    let initializer = node.initializer.map { visit($0) }
    return node.with(\.pattern, visit(node.pattern)).with(\.initializer, initializer)
  }

  override func visit(_ node: MatchingPatternConditionSyntax) -> MatchingPatternConditionSyntax {
    let initializer = visit(node.initializer)
    return node.with(\.pattern, visit(node.pattern)).with(\.initializer, initializer)
  }

  override func visit(_ node: FunctionDeclSyntax) -> DeclSyntax {
    declare(node.name)
    return scoped { super.visit(node) }
  }

  override func visit(_ node: FunctionParameterSyntax) -> FunctionParameterSyntax {
    defer { declare(node.secondName ?? node.firstName) }
    return super.visit(node)
  }

  override func visit(_ node: ClosureShorthandParameterSyntax) -> ClosureShorthandParameterSyntax {
    declare(node.name)
    return node
  }

  override func visit(_ node: ClosureParameterSyntax) -> ClosureParameterSyntax {
    declare(node.secondName ?? node.firstName)
    return node
  }

  /// A capture is left as it is, since `[value]` has no form with `self.`. In swift-syntax 600 it has no name and
  /// is an expression; in all versions its first token is the name.
  override func visit(_ node: ClosureCaptureSyntax) -> ClosureCaptureSyntax {
    declare(node.with(\.specifier, nil).firstToken(viewMode: .sourceAccurate))
    return node
  }

  // MARK: Scopes, at whose end the name is the property's again

  private func scoped<Node>(_ body: () -> Node) -> Node {
    let wasHidden = isHidden
    defer { isHidden = wasHidden }
    return body()
  }

  override func visit(_ node: CodeBlockItemListSyntax) -> CodeBlockItemListSyntax {
    scoped { super.visit(node) }
  }
  override func visit(_ node: WhileStmtSyntax) -> StmtSyntax { scoped { super.visit(node) } }
  override func visit(_ node: SwitchCaseSyntax) -> SwitchCaseSyntax { scoped { super.visit(node) } }
  override func visit(_ node: CatchClauseSyntax) -> CatchClauseSyntax { scoped { super.visit(node) } }
  override func visit(_ node: ClosureExprSyntax) -> ExprSyntax { scoped { super.visit(node) } }

  override func visit(_ node: ForStmtSyntax) -> StmtSyntax {
    let sequence = visit(node.sequence)
    return scoped {
      var result = node
      result.pattern = visit(node.pattern)
      result.sequence = sequence
      result.whereClause = node.whereClause.map { visit($0) }
      result.body = visit(node.body)
      return StmtSyntax(result)
    }
  }

  override func visit(_ node: IfExprSyntax) -> ExprSyntax {
    var result = node
    scoped {
      result.conditions = visit(node.conditions)
      result.body = visit(node.body)
    }
    switch node.elseBody {
    case .ifExpr(let next)?:
      if let rewritten = visit(next).as(IfExprSyntax.self) { result.elseBody = .ifExpr(rewritten) }
    case .codeBlock(let block)?: result.elseBody = .codeBlock(visit(block))
    case nil: break
    }
    return ExprSyntax(result)
  }

  override func visit(_ node: GuardStmtSyntax) -> StmtSyntax {
    let body = scoped { visit(node.body) }
    return StmtSyntax(node.with(\.conditions, visit(node.conditions)).with(\.body, body))
  }
}
