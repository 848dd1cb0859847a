/// An `Optional` of any type, for code that knows a value at run time only.
protocol OptionalValue {
  /// What is inside, one level down.
  var wrappedValue: Any? { get }
  static var wrappedType: Any.Type { get }
}

extension Optional: OptionalValue {
  var wrappedValue: Any? { map { $0 as Any } }
  static var wrappedType: Any.Type { Wrapped.self }
}
