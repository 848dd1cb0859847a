import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The accessors of a tracked property.
///
/// No access to the store is open while the registrar notifies: what it calls may read the property.
struct RecordedAccessors {
  private let property: RecordedStorage
  private let change: TokenSyntax
  private let previous: TokenSyntax
  private let hold: TokenSyntax
  /// What the setter is handed. The observers of the user stand in the setter: `newValue` there may mean a property.
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

  /// Observers that need a value from before or after the change get a copy of it, as in Swift itself; and so does a
  /// comparison of the user.
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

  /// Within its own observer a property that did not change must not run the observer again.
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

  /// The user's observer, called on the spot: as a closure, so that its `return` leaves only itself.
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
