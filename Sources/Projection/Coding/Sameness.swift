/// Whether a set from `a` to `b` changes nothing; nil if the values cannot be compared, which counts as a
/// change.
///
/// `Equatable` values are compared by their type at run time. NaN counts as the same as NaN, and `0.0` as
/// `-0.0`. References are the same only if they refer to one object and, for an `Equatable` class, the object
/// equals itself. Optionals are compared by the values in them.
///
/// Cost: that of `==`, and some dynamic casts, which the overload for `Equatable` types avoids.
@usableFromInline
func isSame<T>(_ a: T, _ b: T) -> Bool? {
  // The most common types need no casts, which cost as much as a whole run of a small derived value.
  if T.self == Int.self { return unsafeBitCast(a, to: Int.self) == unsafeBitCast(b, to: Int.self) }
  if T.self == Bool.self { return unsafeBitCast(a, to: Bool.self) == unsafeBitCast(b, to: Bool.self) }
  if T.self == String.self { return unsafeBitCast(a, to: String.self) == unsafeBitCast(b, to: String.self) }
  // Two different objects are never the same, regardless of their class.
  if T.self is AnyClass, unsafeBitCast(a, to: AnyObject.self) !== unsafeBitCast(b, to: AnyObject.self) {
    return false
  }
  return Sameness.dynamic(a, b)
}

/// Whether a set from `a` to `b` changes nothing, by the same rule as the overload for any type.
///
/// Cost: that of `==`; for equal values, also a search for references in them.
@inlinable
func isSame<T: Equatable>(_ a: T, _ b: T) -> Bool { isSame(a, b, areEqual: a == b) }

/// The same, if the result of `==` is known.
@inlinable
func isSame<T: Equatable>(_ a: T, _ b: T, areEqual: Bool) -> Bool {
  if areEqual {
    // These types hold no references, so `==` alone decides.
    if T.self == Bool.self || T.self == Int.self || T.self == String.self || T.self == Double.self {
      return true
    }
    return Sameness.agree(a, b)
  }
  // Only a value that does not equal itself can be NaN.
  return a == a ? false : Sameness.areBothNaN(a, b)
}

/// Compares values of one type again and again, by the rule of ``isSame(_:_:)``.
///
/// What the type conforms to is looked up once, since that takes longer than most comparisons. Of a generic struct the type would
/// be looked up at each use.
struct Comparison {
  /// The `==` of the type, where it alone decides and ``isSame(_:_:)`` would look it up.
  private let areEqual: ((_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool)?
  /// Whether all values of the type can be compared with others, known from the type alone.
  let isKnown: Bool

  init<T>(of type: T.Type) {
    if type == Int.self || type == Bool.self || type == String.self {
      (areEqual, isKnown) = (nil, true)
      return
    }
    guard let type = type as? any Equatable.Type, !(type is AnyClass), type != AnyHashable.self,
      !(type is any OptionalValue.Type), !(type is any FloatingPoint.Type)
    else {
      (areEqual, isKnown) = (nil, false)
      return
    }
    func equality<E: Equatable>(of type: E.Type) -> (UnsafeRawPointer, UnsafeRawPointer) -> Bool {
      { $0.assumingMemoryBound(to: E.self).pointee == $1.assumingMemoryBound(to: E.self).pointee }
    }
    (areEqual, isKnown) = (equality(of: type), true)
  }

  /// Whether two values of the type are the same; nil if they cannot be compared.
  func isSame<T>(_ a: T, _ b: T) -> Bool? {
    guard let areEqual else { return Projection.isSame(a, b) }
    return withUnsafePointer(to: a) { a in withUnsafePointer(to: b) { b in areEqual(a, b) } }
  }
}

/// The rule of sameness for values whose type is known only at run time.
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

  /// Whether two equal values refer to the same object, or to none.
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

  /// Whether both are NaN, also within optionals.
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

  /// The value within any number of `Optional` and `AnyHashable` wrappers, or nil.
  static func unwrapped(_ value: Any) -> Any? {
    if let optional = value as? any OptionalValue { return optional.wrappedValue.flatMap(unwrapped) }
    if type(of: value) == AnyHashable.self, let hashable = value as? AnyHashable { return hashable.base }
    return value
  }

  /// The object if the value is a reference; nil for other values, which are not boxed.
  static func reference(_ value: Any) -> AnyObject? {
    type(of: value) is AnyClass ? value as AnyObject : nil
  }
}
