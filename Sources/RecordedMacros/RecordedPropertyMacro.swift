import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@RecordedProperty`: turns a stored `var` into accessors over a private store of the same type, as
/// `@Observable` does, and reports every access and mutation to the registrar.
package struct RecordedPropertyMacro {}

extension RecordedPropertyMacro: PeerMacro {
  package static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = RecordedStorage(node, declaration) else { return [] }
    return [property.storage]
  }
}

extension RecordedPropertyMacro: AccessorMacro {
  package static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = RecordedStorage(node, declaration) else { return [] }
    return RecordedAccessors(property, in: context).declarations
  }
}

/// A property with `@RecordedProperty`, and its private store.
private struct RecordedStorage {
  let name: TokenSyntax
  /// The expression for the property's number in its class.
  let number: ExprSyntax
  let willSet: AccessorDeclSyntax?
  let didSet: AccessorDeclSyntax?
  /// The user's comparison of two values, if any: the argument of `@Compared`.
  let comparison: ExprSyntax?
  private let declaration: VariableDeclSyntax
  private let binding: PatternBindingSyntax

  /// Creates the property; nil if it cannot be tracked, which `@Recorded` has diagnosed.
  init?(_ node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol) {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      variable.isTracked, let binding = variable.bindings.first, let name = binding.pattern.names.first,
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

  /// The store: the declaration without its observers, private and with another name.
  var storage: DeclSyntax {
    var result = declaration.trimmed
    result.leadingTrivia = []
    result.attributes = result.attributes.filter { element in
      guard case .attribute(let attribute) = element else { return true }
      // The store is also used in code that does not have the property's availability.
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

/// The accessors of a tracked property.
///
/// The store is not being accessed while the registrar notifies observers, because these may read the
/// property.
private struct RecordedAccessors {
  private let property: RecordedStorage
  private let change: TokenSyntax
  private let previous: TokenSyntax
  private let hold: TokenSyntax
  /// The parameter of the setter. It is not called `newValue`, because the user's observers are copied into
  /// the setter, where `newValue` may be a property.
  private let new: TokenSyntax

  init(_ property: RecordedStorage, in context: some MacroExpansionContext) {
    self.property = property
    change = context.makeUniqueName("change")
    previous = context.makeUniqueName("previous")
    hold = context.makeUniqueName("hold")
    let hasObservers = property.willSet != nil || property.didSet != nil
    new = hasObservers ? context.makeUniqueName("new") : "newValue"
  }

  var declarations: [AccessorDeclSyntax] {
    let accessors = [initialize, get, set]
    return canModifyInPlace ? accessors + [modify] : accessors
  }

  private var store: TokenSyntax { property.storageName }
  private var keyPath: ExprSyntax { "\\.\(property.name)" }
  private var number: ExprSyntax { property.number }

  private var initialize: AccessorDeclSyntax {
    """
    @storageRestrictions(initializes: \(store))
    init(initialValue) {
      \(store) = initialValue
    }
    """
  }

  private var get: AccessorDeclSyntax {
    """
    get {
      _$recorded.access(self, keyPath: \(keyPath), property: \(number))
      return \(store)
    }
    """
  }

  private var set: AccessorDeclSyntax {
    if property.willSet == nil && property.didSet == nil {
      return """
        set {
          let \(change) = \(willSet)
          \(store) = \(new)
          \(didSet)
        }
        """
    }
    return """
      set(\(new)) {
        let \(hold) = _$recorded.hold()
        let \(change) = \(willSet)
        guard _$observers.begin(\(number), isChange: \(change).isChange) else {
          \(store) = \(new)
          \(didSet)
          _$recorded.release(\(hold))
          return
        }
        defer {
          _$observers.end(\(number))
          _$recorded.release(\(hold))
        }
        \(raw: needsPrevious ? "let \(previous) = \(store)\n  " : "")\
      \(raw: call(property.willSet, "newValue", "\(new)").map { $0 + "\n  " } ?? "")\(store) = \(new)
        \(didSet)\
      \(raw: call(property.didSet, "oldValue", "\(previous)").map { "\n  " + $0 } ?? "")
      }
      """
  }

  private var willSet: ExprSyntax {
    "_$recorded.willSet(self, keyPath: \(keyPath), property: \(number), from: \(store), to: \(new)\(raw: comparison))"
  }

  private var comparison: String { property.comparison.map { ", by: \($0)" } ?? "" }

  private var didSet: ExprSyntax {
    "_$recorded.didSet(self, keyPath: \(keyPath), property: \(number), to: \(new), \(change))"
  }

  /// Whether the value can be modified in place. It cannot if observers or the user's comparison need a value
  /// from before or after the change, because they get a copy, as in Swift itself.
  private var canModifyInPlace: Bool {
    property.willSet == nil && !needsPrevious && property.comparison == nil
  }

  private var modify: AccessorDeclSyntax {
    """
    _modify {
      \(raw: keepingNested)var \(change) = _$recorded.willModify(self, keyPath: \(keyPath), property: \(number), from: \(store))
      _$recorded.beginEdits(of: &\(store), &\(change))
      defer {
        _$recorded.endEdits(of: &\(store), &\(change))
        \(raw: afterEdits)
      }
      yield &\(store)
      \(change).isComplete = true
    }
    """
  }

  /// Keeps the old value within the property's own observer, which must not run again if nothing has changed.
  private var keepingNested: String {
    property.didSet == nil ? "" : "let \(previous) = _$observers.ifRunning(\(number), \(store))\n  "
  }

  private var afterEdits: String {
    let report =
      "_$recorded.didModify(self, keyPath: \(keyPath), property: \(number), to: \(store), \(change))"
    guard let observer = call(property.didSet, "oldValue", "") else { return report }
    return """
      let \(hold) = _$recorded.hold()
          \(report)
          if _$observers.begin(\(number), isChange: _$recorded.isChange(from: \(previous), to: \(store))) {
            \(observer)
            _$observers.end(\(number))
          }
          _$recorded.release(\(hold))
      """
  }

  private var needsPrevious: Bool {
    guard let observer = property.didSet, let body = observer.body else { return false }
    return observer.parameters != nil
      || body.tokens(viewMode: .sourceAccurate).contains { $0.text == "oldValue" }
  }

  /// The user's observer as a closure that is called at once, so that a `return` in it leaves only the
  /// observer.
  private func call(
    _ observer: AccessorDeclSyntax?, _ defaultName: String, _ argument: String
  ) -> String? {
    guard let observer, let body = observer.body else { return nil }
    let parameter = observer.parameters?.name.text ?? defaultName
    let statements = ExplicitSelf(for: property.name, besides: parameter).rewrite(body.statements)
    let signature = defaultName == "oldValue" && !needsPrevious ? "() -> Void" : "(\(parameter)) -> Void"
    let value = defaultName == "oldValue" && !needsPrevious ? "" : argument
    return "_ = { \(signature) in\n    \(statements.trimmedDescription)\n  }(\(value))"
  }
}

/// Adds `self.` before a property's name in the body of its own observer.
///
/// The body moves into the property's setter, where the bare name causes a warning. A body that declares the
/// name itself is left unchanged.
private final class ExplicitSelf: SyntaxRewriter {
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
    // Only the part before the dot can be the property.
    guard let base = node.base else { return ExprSyntax(node) }
    return ExprSyntax(node.with(\.base, visit(base)))
  }

  override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax { ExprSyntax(node) }
}

/// Finds out whether a body declares the name itself.
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
  /// In swift-syntax 600 a capture `[value]` has no name and is an expression; in all versions its first
  /// token is the name.
  override func visit(_ node: ClosureCaptureSyntax) -> SyntaxVisitorContinueKind {
    declare(node.with(\.specifier, nil).firstToken(viewMode: .sourceAccurate))
  }
  override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
    declare(node.secondName ?? node.firstName)
  }
  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { declare(node.name) }
}
