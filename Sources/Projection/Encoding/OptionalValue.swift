/// An `Optional` of any type, for code that knows a value at run time only.
protocol OptionalValue {
  /// What is inside, one level down.
  var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
  var wrappedValue: Any? { map { $0 as Any } }
}
