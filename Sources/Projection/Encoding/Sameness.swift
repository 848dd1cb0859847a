/// Whether a set from `a` to `b` changes nothing, or nil when that cannot be told: then it is a change.
///
/// `Equatable` values are compared, as their type is at run time; two NaN are the same, and so are `0.0`
/// and `-0.0`. References to objects are the same only if they lead to one object and, for an `Equatable`
/// class, the object equals itself. `Optional` is looked through.
///
/// Cost: that of `==`, plus some dynamic casts. ``isSame(_:_:)-equatable`` spares the casts.
public func isSame<T>(_ a: T, _ b: T) -> Bool? {
  Sameness.dynamic(a, b)
}

/// Whether a set from `a` to `b` changes nothing; see `isSame(_:_:)` for the rule.
///
/// Cost: that of `==`, and, when that says that they are equal, a check for references in `Optional`.
@inlinable
public func isSame<T: Equatable>(_ a: T, _ b: T) -> Bool {
  if T.self == Bool.self || T.self == Int.self || T.self == String.self { return a == b }
  if a == b { return Sameness.agree(a, b) }
  return Sameness.areBothNaN(a, b)
}

/// The parts of the rule of sameness.
@usableFromInline
enum Sameness {
  /// The rule for values whose static type says nothing.
  static func dynamic(_ a: Any, _ b: Any) -> Bool? {
    switch (unwrapped(a), unwrapped(b)) {
    case (nil, nil): return true
    case (nil, _?), (_?, nil): return false
    case (let a?, let b?):
      if let a = reference(a) {
        guard let b = reference(b), a === b else { return false }
        guard let equatable = a as? any Equatable else { return true }
        return isEqual(equatable, b)
      }
      guard let a = a as? any Equatable else { return nil }
      return isEqual(a, b) || areBothNaN(a, b)
    }
  }

  /// Whether two equal values also agree in the object that they refer to, if they are references.
  @usableFromInline
  static func agree<T>(_ a: T, _ b: T) -> Bool {
    guard T.self is AnyObject.Type || T.self is any OptionalValue.Type || isExistential(T.self) else {
      return true
    }
    guard let a = unwrapped(a).flatMap(reference), let b = unwrapped(b).flatMap(reference) else {
      return true
    }
    return a === b
  }

  /// Whether both are NaN, perhaps in `Optional`.
  @inlinable
  static func areBothNaN<T>(_ a: T, _ b: T) -> Bool {
    if let a = a as? Double, let b = b as? Double { return a.isNaN && b.isNaN }
    if let a = a as? Float, let b = b as? Float { return a.isNaN && b.isNaN }
    return false
  }

  private static func isEqual<A: Equatable>(_ a: A, _ b: Any) -> Bool {
    guard let b = b as? A else { return false }
    return a == b
  }

  private static func isExistential<T>(_ type: T.Type) -> Bool {
    // `Any` and `AnyHashable` may hold a reference; the metatype of an existential is not a concrete one.
    type == AnyHashable.self
  }

  /// The value in any depth of `Optional`, or nil.
  static func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalValue else { return value }
    return optional.wrappedValue.flatMap(unwrapped)
  }

  /// The object, when the value is a reference to one. A struct is never boxed into one.
  static func reference(_ value: Any) -> AnyObject? {
    type(of: value) is AnyClass ? value as AnyObject : nil
  }
}

/// An `Optional` of any type.
protocol OptionalValue {
  var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
  var wrappedValue: Any? { self.map { $0 as Any } }
}
