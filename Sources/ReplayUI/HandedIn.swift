#if canImport(SwiftUI)
  import Projection
  import SwiftUI

  #if canImport(Combine)
    import Combine
  #else
    import OpenCombine
  #endif

  /// The input that a view gets from its parent: a copy of the view, or of the relevant part of it.
  ///
  /// Any two inputs are equal, so that this field has no influence on when SwiftUI runs a view, which SwiftUI
  /// decides by comparing the view's fields.
  struct HandedIn: Equatable {
    private let value: Any

    init(_ value: Any) { self.value = value }

    static func == (a: HandedIn, b: HandedIn) -> Bool { true }

    /// Whether it differs from the input of the last run; nil if that cannot be determined.
    ///
    /// `Equatable` values are compared by `==`, objects by identity, and other values by their parts;
    /// closures and bindings cannot be compared. State that SwiftUI itself gives to a view, such as `@State`,
    /// is not part of the input.
    ///
    /// Cost: a third of a microsecond if the view is unchanged and runs because of what it has read;
    /// otherwise mirrors of both values, which take some two microseconds a field.
    @MainActor func differs(from last: HandedIn?) -> Bool? {
      guard let last else { return nil }
      // The reads of a comparison must not make the view depend on them.
      return untracked { Self.areSame(last.value, value, depth: 0) }.map { !$0 }
    }

    /// The most nested levels of parts that are compared.
    private static let depthMax = 4

    /// Whether two values are the same; nil if that cannot be determined.
    @MainActor private static func areSame(_ a: Any, _ b: Any, depth: Int) -> Bool? {
      if haveSameBits(a, b) { return true }
      if type(of: a) != type(of: b) { return false }
      if let a = a as? any ObjectHolder, let b = b as? any ObjectHolder { return a.held === b.held }
      if a is any OwnProperty { return true }
      // Dynamic properties belong to SwiftUI or to the app, and comparing a collection would read all its
      // elements.
      if a is any DynamicProperty || a is any RecordedCollection { return nil }
      if type(of: a) is AnyClass { return false }
      if let a = a as? any Equatable { return areEqual(a, b) }
      let (parts, others) = (Mirror(reflecting: a), Mirror(reflecting: b))
      let isOfParts =
        [.struct, .tuple, .optional].contains(parts.displayStyle) && !(a is any CustomReflectable)
      guard isOfParts, depth < depthMax else { return nil }
      if parts.children.count != others.children.count { return false }
      var isKnown = true
      for (part, other) in zip(parts.children, others.children) {
        switch areSame(part.value, other.value, depth: depth + 1) {
        case true?: continue
        case false?: return false
        case nil: isKnown = false
        }
      }
      return isKnown ? true : nil
    }

    private static func areEqual<Value: Equatable>(_ a: Value, _ b: Any) -> Bool { (b as? Value) == a }

    /// Whether two values have the same bits. If not, they may still be equal, because there may be padding
    /// between fields.
    private static func haveSameBits<Value>(_ a: Value, _ b: Any) -> Bool {
      guard let b = b as? Value else { return false }
      return withUnsafeBytes(of: a) { a in withUnsafeBytes(of: b) { a.elementsEqual($0) } }
    }
  }

  /// A property of a view that refers to an object from its input.
  @MainActor private protocol ObjectHolder {
    var held: AnyObject { get }
  }

  extension ObservedObject: ObjectHolder {
    fileprivate var held: AnyObject { wrappedValue }
  }

  extension Bindable: ObjectHolder where Value: AnyObject {
    fileprivate var held: AnyObject { wrappedValue }
  }

  /// A property of a view whose value SwiftUI provides.
  private protocol OwnProperty {}

  extension State: OwnProperty {}
  extension StateObject: OwnProperty {}
  extension Environment: OwnProperty {}
  extension EnvironmentObject: OwnProperty {}
#endif
