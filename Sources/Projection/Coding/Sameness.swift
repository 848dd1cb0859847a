/// Whether a set from `a` to `b` changes nothing; nil if the values cannot be compared, which counts as a change.
///
/// `Equatable` values are compared as their type is at run time. Two NaN are the same, and so are `0.0` and
/// `-0.0`. References are the same only if they lead to one object and, for an `Equatable` class, the object
/// equals itself. Values in an `Optional` are compared.
///
/// Cost: that of `==`, and some dynamic casts, which the overload for `Equatable` types spares.
@usableFromInline
func isSame<T>(_ a: T, _ b: T) -> Bool? {
  // The commonest types need no casts, which cost as much as a whole run of a small derived value.
  if T.self == Int.self { return unsafeBitCast(a, to: Int.self) == unsafeBitCast(b, to: Int.self) }
  if T.self == Bool.self { return unsafeBitCast(a, to: Bool.self) == unsafeBitCast(b, to: Bool.self) }
  if T.self == String.self { return unsafeBitCast(a, to: String.self) == unsafeBitCast(b, to: String.self) }
  // Two objects differ, whatever their class is.
  if T.self is AnyClass, unsafeBitCast(a, to: AnyObject.self) !== unsafeBitCast(b, to: AnyObject.self) {
    return false
  }
  return Sameness.dynamic(a, b)
}

/// Whether a set from `a` to `b` changes nothing; the rule is that of the overload for any type.
///
/// Cost: that of `==`; for equal values, also a search for references in them.
@inlinable
func isSame<T: Equatable>(_ a: T, _ b: T) -> Bool {
  if a == b {
    // These types hold no references, so `==` alone decides.
    if T.self == Bool.self || T.self == Int.self || T.self == String.self || T.self == Double.self {
      return true
    }
    return Sameness.agree(a, b)
  }
  // Only what does not equal itself can be NaN.
  return a == a ? false : Sameness.areBothNaN(a, b)
}

/// The rule of sameness for values whose type is known at run time only.
@usableFromInline
enum Sameness {
  static func dynamic(_ a: Any, _ b: Any) -> Bool? {
    switch (unwrapped(a), unwrapped(b)) {
    case (nil, nil): return true
    case (nil, _?), (_?, nil): return false
    case (let a?, let b?):
      if let a = reference(a) {
        guard let b = reference(b), a === b else { return false }
        guard let equatable = a as? any Equatable else { return true }
        return areEqual(equatable, b)
      }
      guard let equatable = a as? any Equatable else { return nil }
      return areEqual(equatable, b) || areBothNaN(a, b)
    }
  }

  /// Whether two values that are equal refer to one object, or to none.
  @usableFromInline
  static func agree<T>(_ a: T, _ b: T) -> Bool {
    guard T.self is AnyClass || T.self is any OptionalValue.Type || T.self == AnyHashable.self else {
      return true
    }
    guard let a = unwrapped(a).flatMap(reference), let b = unwrapped(b).flatMap(reference) else {
      return true
    }
    return a === b
  }

  /// Whether both are NaN, in `Optional` or not.
  @usableFromInline
  static func areBothNaN<T>(_ a: T, _ b: T) -> Bool {
    guard let a = unwrapped(a) as? any FloatingPoint, let b = unwrapped(b) as? any FloatingPoint else {
      return false
    }
    return a.isNaN && b.isNaN
  }

  private static func areEqual<A: Equatable>(_ a: A, _ b: Any) -> Bool {
    guard let b = b as? A else { return false }
    return a == b
  }

  /// The value inside any depth of `Optional` and `AnyHashable`, or nil.
  static func unwrapped(_ value: Any) -> Any? {
    if let optional = value as? any OptionalValue { return optional.wrappedValue.flatMap(unwrapped) }
    if type(of: value) == AnyHashable.self, let hashable = value as? AnyHashable { return hashable.base }
    return value
  }

  /// The object, when the value is a reference. Never boxes a value into one.
  static func reference(_ value: Any) -> AnyObject? {
    type(of: value) is AnyClass ? value as AnyObject : nil
  }
}
