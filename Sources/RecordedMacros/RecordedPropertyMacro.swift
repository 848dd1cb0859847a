import SwiftSyntax
import SwiftSyntaxMacros

/// `@RecordedProperty`: turns a stored `var` into accessors over a private store of the same type, as
/// `@Observable` does, and reports every access and mutation to the registrar.
package struct RecordedPropertyMacro {
  package static var formatMode: FormatMode { .disabled }
}

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
  /// The name as written, including backticks.
  let name: String
  /// The name without backticks.
  let bareName: String
  /// The expression for the property's number in its class.
  let number: String
  let willSet: AccessorDeclSyntax?
  let didSet: AccessorDeclSyntax?
  /// The user's comparison of two values, if any: the argument of `@Compared`.
  let comparison: String?
  private let declaration: VariableDeclSyntax
  private let binding: PatternBindingSyntax

  /// Creates the property; nil if it cannot be tracked, which `@Recorded` has diagnosed.
  init?(_ node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol) {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      variable.isTracked, let binding = variable.bindings.first, let name = binding.pattern.names.first,
      case .argumentList(let arguments)? = node.arguments, let argument = arguments.first
    else { return nil }
    self.declaration = variable
    self.binding = binding
    self.name = name.text
    bareName = name.bareName
    let index = argument.expression.trimmedDescription
    number = argument.label?.text == "own" ? "Self._$first + \(index)" : index
    comparison = variable.attributes.first(.compared)?.firstArgument?.trimmedDescription
    willSet = binding.observer(.willSet)
    didSet = binding.observer(.didSet)
  }

  var storageName: String { "_\(bareName)" }

  /// The store: the declaration without its observers, private and with another name.
  var storage: DeclSyntax {
    let type = binding.typeAnnotation?.trimmedDescription ?? ""
    let initializer = binding.initializer.map { " " + $0.trimmedDescription } ?? ""
    return DeclSyntax(
      text: "\(attributes)private \(modifiers)var \(storageName)\(type)\(initializer)")
  }

  /// The attributes of the store.
  private var attributes: String {
    declaration.attributes.reduce(into: "") { text, element in
      switch element {
      case .attribute(let attribute):
        // The store is also used in code that does not have the property's availability.
        if attribute.isNamed(.property) || attribute.isNamed(.redacted) || attribute.isNamed(.compared)
          || ["objc", "available"].contains(attribute.shortName)
        {
          return
        }
        text += attribute.trimmedDescription + " "
      case .ifConfigDecl(let condition): text += "\n\(condition.trimmedDescription)\n"
      }
    }
  }

  /// The modifiers of the store, besides `private`.
  private var modifiers: String {
    declaration.modifiers.reduce(into: "") { text, modifier in
      switch modifier.name.tokenKind {
      case .keyword(.open), .keyword(.public), .keyword(.package), .keyword(.internal),
        .keyword(.fileprivate), .keyword(.private), .keyword(.dynamic):
        return
      default: text += modifier.trimmedDescription + " "
      }
    }
  }
}

/// The accessors of a tracked property.
///
/// The store is not being accessed while the registrar notifies observers, because these may read the
/// property.
private struct RecordedAccessors {
  private let property: RecordedStorage
  private let change: String
  private let previous: String
  private let hold: String
  /// The parameter of the setter. It is not called `newValue`, because the user's observers are copied into
  /// the setter, where `newValue` may be a property.
  private let new: String

  init(_ property: RecordedStorage, in context: some MacroExpansionContext) {
    self.property = property
    change = context.makeUniqueName("change").text
    previous = context.makeUniqueName("previous").text
    hold = context.makeUniqueName("hold").text
    let hasObservers = property.willSet != nil || property.didSet != nil
    new = hasObservers ? context.makeUniqueName("new").text : "newValue"
  }

  var declarations: [AccessorDeclSyntax] {
    let accessors = [initialize, get, set]
    return (canModifyInPlace ? accessors + [modify] : accessors).map { AccessorDeclSyntax(text: $0) }
  }

  private var store: String { property.storageName }
  /// The first arguments of every call of the registrar.
  private var subject: String { "self, keyPath: \\.\(property.name), property: \(property.number)" }
  private var number: String { property.number }

  private var initialize: String {
    """
    @storageRestrictions(initializes: \(store))
    init(initialValue) {
      \(store) = initialValue
    }
    """
  }

  private var get: String {
    """
    get {
      _$recorded.access(\(subject))
      return \(store)
    }
    """
  }

  private var set: String {
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
        \(needsPrevious ? "let \(previous) = \(store)\n  " : "")\
      \(call(property.willSet, "newValue", new).map { $0 + "\n  " } ?? "")\(store) = \(new)
        \(didSet)\
      \(call(property.didSet, "oldValue", previous).map { "\n  " + $0 } ?? "")
      }
      """
  }

  private var willSet: String {
    let comparison = property.comparison.map { ", by: \($0)" } ?? ""
    return "_$recorded.willSet(\(subject), from: \(store), to: \(new)\(comparison))"
  }

  private var didSet: String { "_$recorded.didSet(\(subject), to: \(new), \(change))" }

  /// Whether the value can be modified in place. It cannot if observers or the user's comparison need a value
  /// from before or after the change, because they get a copy, as in Swift itself.
  private var canModifyInPlace: Bool {
    property.willSet == nil && !needsPrevious && property.comparison == nil
  }

  private var modify: String {
    """
    _modify {
      \(keepingNested)var \(change) = _$recorded.willModify(\(subject), from: \(store))
      _$recorded.beginEdits(of: &\(store), &\(change))
      defer {
        _$recorded.endEdits(of: &\(store), &\(change))
        \(afterEdits)
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
    let report = "_$recorded.didModify(\(subject), to: \(store), \(change))"
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
    let statements = ExplicitSelf(for: property.bareName, besides: parameter).rewrite(body.statements)
    let signature = defaultName == "oldValue" && !needsPrevious ? "() -> Void" : "(\(parameter)) -> Void"
    let value = defaultName == "oldValue" && !needsPrevious ? "" : argument
    return "_ = { \(signature) in\n    \(statements.trimmedDescription)\n  }(\(value))"
  }
}
