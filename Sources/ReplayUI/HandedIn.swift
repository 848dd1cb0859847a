#if canImport(SwiftUI)
  import Projection
  import SwiftUI

  #if canImport(Combine)
    import Combine
  #else
    import OpenCombine
  #endif

  /// What the parent of a view handed in to it: a copy of the view, or of the part of it that matters.
  ///
  /// Any two are equal, so that SwiftUI, which compares the fields of a view, runs one that has this when it would without.
  struct HandedIn: Equatable {
    private let value: Any

    init(_ value: Any) { self.value = value }

    static func == (a: HandedIn, b: HandedIn) -> Bool { true }

    /// Whether it differs from what was handed in to the last run; nil where that cannot be told.
    ///
    /// Values are compared where they are `Equatable`, objects by which they are, and others by their parts; closures and
    /// bindings cannot be. What SwiftUI itself gives to a view, as `@State`, is not handed in.
    ///
    /// Cost: a third of a microsecond if it is the very same view, which runs for what it has read; else mirrors of both, which
    /// take some two microseconds a field.
    @MainActor func differs(from last: HandedIn?) -> Bool? {
      guard let last else { return nil }
      // What a comparison reads is no reason to run.
      return untracked { Self.areSame(last.value, value, depth: 0) }.map { !$0 }
    }

    /// The most levels of parts that are compared.
    private static let depthMax = 4

    /// Whether two values are the same; nil where that cannot be told.
    @MainActor private static func areSame(_ a: Any, _ b: Any, depth: Int) -> Bool? {
      if haveSameBits(a, b) { return true }
      if type(of: a) != type(of: b) { return false }
      if let a = a as? any ObjectHolder, let b = b as? any ObjectHolder { return a.held === b.held }
      if a is any OwnProperty { return true }
      // What its parts are is up to SwiftUI, or to the app; and of a collection all elements would count as read.
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

    /// Whether two values are copies of one. The other way round is not certain: there may be bits between the fields.
    private static func haveSameBits<Value>(_ a: Value, _ b: Any) -> Bool {
      guard let b = b as? Value else { return false }
      return withUnsafeBytes(of: a) { a in withUnsafeBytes(of: b) { a.elementsEqual($0) } }
    }
  }

  /// A property of a view that refers to an object which is handed in.
  @MainActor private protocol ObjectHolder {
    var held: AnyObject { get }
  }

  extension ObservedObject: ObjectHolder {
    fileprivate var held: AnyObject { wrappedValue }
  }

  extension Bindable: ObjectHolder where Value: AnyObject {
    fileprivate var held: AnyObject { wrappedValue }
  }

  /// A property of a view that SwiftUI gives its value.
  private protocol OwnProperty {}

  extension State: OwnProperty {}
  extension StateObject: OwnProperty {}
  extension Environment: OwnProperty {}
  extension EnvironmentObject: OwnProperty {}
#endif
