import EventLog

/// A value computed from recorded state by code that may fail.
///
///     let total = session.derived("total") { try price(of: store.order) }
///     session.projection("Total") { _ in (try? total.value).map { "\($0)" } ?? "-" }
///
/// An error is an outcome like any other: it is kept until something that was read changes, published in the log as
/// `{"error":"..."}`, and wakes readers unless it is equal to the one before.
public final class ThrowingDerived<Value> {
  private let outcome: Derived<Outcome<Value>>

  init(_ outcome: Derived<Outcome<Value>>) { self.outcome = outcome }

  /// The value for the present state. Whoever reads it depends on it, also where it throws.
  ///
  /// - Throws: What the body threw, each time; ``DerivedCycle`` where it is read while it is computed.
  public var value: Value {
    get throws { try outcome.value.result.get() }
  }

  /// The name under which the log knows it.
  public var name: String { outcome.name }

  /// Ends it, as ``Derived/cancel()`` does.
  public func cancel() { outcome.cancel() }
}

extension Session {
  /// A value computed from recorded state, as by the function of this name whose body cannot throw. Its error is kept as
  /// its value would be: the body runs again once something that it read has changed.
  ///
  /// - Parameter name: Its name; its values and errors are published at `derived.name`.
  public func derived<Value>(
    _ name: String, tracking: Tracking = .element, fileID: String = #fileID, line: Int = #line,
    _ compute: @escaping () throws -> Value
  ) -> ThrowingDerived<Value> {
    ThrowingDerived(
      derived(name, tracking: tracking, fileID: fileID, line: line) { Outcome(Result(catching: compute)) })
  }
}

/// What came of a body that may throw.
struct Outcome<Value>: Equatable, RecordableValue, FallibleOutcome {
  let result: Result<Value, any Error>

  init(_ result: Result<Value, any Error>) { self.result = result }

  init(_ cycle: DerivedCycle) { result = .failure(cycle) }

  static func == (a: Outcome, b: Outcome) -> Bool {
    switch (a.result, b.result) {
    case (.success(let a), .success(let b)): isSame(a, b) ?? false
    case (.failure(let a), .failure(let b)): Sameness.dynamic(a, b) ?? false
    default: false
    }
  }

  func recordedValue(in context: inout EncodingContext) -> EventLog.Value {
    switch result {
    case .success(let value): context.encode(value)
    case .failure(let error): .map(["error": .string("\(error)")])
    }
  }
}

extension Outcome: CollectionHolder {
  static var heldType: Any.Type { Value.self }
  func noteReadOfAllHeld() { if case .success(let value) = result { noteReadOfAll(of: value) } }
}

/// A derived value that can be an error.
protocol FallibleOutcome {
  init(_ cycle: DerivedCycle)
}
