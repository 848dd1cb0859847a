import SwiftSyntax

/// A property that carries `@RecordedProperty`, and the private store behind it.
struct RecordedStorage {
  let name: TokenSyntax
  /// The expression that gives the property's number in its class.
  let number: ExprSyntax
  let willSet: AccessorDeclSyntax?
  let didSet: AccessorDeclSyntax?
  /// What tells whether two values are the same: the argument of `@Compared`.
  let comparison: ExprSyntax?
  private let declaration: VariableDeclSyntax
  private let binding: PatternBindingSyntax

  /// The property, or nil when it is nothing that can be tracked: `@Recorded` has said why.
  init?(_ node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol) {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      !variable.isConstant, !variable.isLeftAlone, variable.isTrackable,
      let binding = variable.bindings.first, let name = binding.pattern.names.first,
      case .argumentList(let arguments)? = node.arguments, let argument = arguments.first
    else { return nil }
    let isRelative = argument.label?.text == "own"
    self.declaration = variable
    self.binding = binding
    self.name = name
    number = isRelative ? "Self._$first + \(argument.expression.trimmed)" : argument.expression.trimmed
    comparison = variable.attributes.first(.compared)?.firstArgument
    willSet = binding.observer(.willSet)
    didSet = binding.observer(.didSet)
  }

  var storageName: TokenSyntax { .identifier("_\(name.bareName)") }

  /// The store: the declaration without its observers, under another name and private.
  var storage: DeclSyntax {
    var result = declaration.trimmed
    result.leadingTrivia = []
    result.attributes = result.attributes.filter { element in
      guard case .attribute(let attribute) = element else { return true }
      // The store is used where the property's own availability says nothing.
      return !attribute.isNamed(.property) && !attribute.isNamed(.redacted) && !attribute.isNamed(.compared)
        && !["objc", "available"].contains(attribute.shortName)
    }
    result.attributes.insert(.attribute("@RecordedIgnored "), at: result.attributes.startIndex)
    let accessLevels: [Keyword] = [.open, .public, .package, .internal, .fileprivate, .private]
    let kept = result.modifiers.filter { modifier in
      !accessLevels.contains { modifier.name.tokenKind == .keyword($0) }
        && modifier.name.tokenKind != .keyword(.dynamic)
    }
    result.modifiers = [DeclModifierSyntax(name: .keyword(.private, trailingTrivia: .space))]
    result.modifiers.append(
      contentsOf: kept.map { $0.with(\.leadingTrivia, []).with(\.trailingTrivia, .space) })
    result.bindingSpecifier = .keyword(.var, trailingTrivia: .space)
    var binding = binding.trimmed
    binding.pattern = PatternSyntax(
      IdentifierPatternSyntax(
        identifier: storageName.with(\.trailingTrivia, binding.pattern.trailingTrivia)))
    binding.accessorBlock = nil
    binding.trailingComma = nil
    result.bindings = [binding.with(\.trailingTrivia, [])]
    return DeclSyntax(result)
  }
}
