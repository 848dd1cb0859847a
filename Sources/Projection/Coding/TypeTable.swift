import EventLog

/// What was found out about types, once for each: to look up a conformance, a layout or a name takes longer than to
/// record a number.
struct TypeTable<Fact: Sendable>: Sendable {
  private let known = Lock<[ObjectIdentifier: Fact]>([:])

  /// The fact about a type. Cost: a hash, after the first call for the type.
  @inline(__always)
  func fact(of type: Any.Type, _ find: () -> Fact) -> Fact {
    let key = ObjectIdentifier(type)
    if let fact = known.withLock({ $0[key] }) { return fact }
    // This is outside the lock, because it may ask about the parts of the type.
    let fact = find()
    known.withLock { $0[key] = fact }
    return fact
  }
}
