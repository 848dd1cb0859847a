import EventLog

extension Session {
  /// Makes a value that is computed from recorded state, and kept until something that it has read changes.
  ///
  /// It is computed at its first read. When it is out of date, it is computed again at once if it has
  /// readers, otherwise at the next read. Its readers are invalidated only if the new value differs from the
  /// old one.
  ///
  /// Its values are published at the path `derived.name`. `tracking` is whether it depends on the elements,
  /// the properties or the objects that it reads.
  public func derived<Value>(
    _ name: String, tracking: Tracking = .element, fileID: String = #fileID, line: Int = #line,
    isolation: (any Actor)? = #isolation, _ compute: @escaping () -> Value
  ) -> Derived<Value> {
    Derived(
      engine: engine, name: name, tracking: tracking, site: engine.site(fileID, line), home: isolation,
      compute)
  }

  /// Makes a value that is computed from recorded state by a body that may throw. An error is kept like a
  /// value: the body runs again after something that it has read changed.
  ///
  /// Its values and errors are published at the path `derived.name`. `tracking` is whether it depends on the
  /// elements, the properties or the objects that it reads.
  public func derived<Value>(
    _ name: String, tracking: Tracking = .element, fileID: String = #fileID, line: Int = #line,
    isolation: (any Actor)? = #isolation, _ compute: @escaping () throws -> Value
  ) -> ThrowingDerived<Value> {
    ThrowingDerived(
      derived(name, tracking: tracking, fileID: fileID, line: line, isolation: isolation) {
        Outcome(Result(catching: compute))
      })
  }
}

/// A value that is computed from recorded state; see `Session.derived`.
///
/// It exists while it is retained, also by closures that read it, or while it has readers; at the latest
/// until it is cancelled or its session ends.
public final class Derived<Value> {
  private let engine: Engine
  private let node: Node
  private let output = OutputBox<Value>()
  private let compute: () -> Value

  init(
    engine: Engine, name: String, tracking: Tracking, site: String, home: (any Actor)?,
    _ compute: @escaping () -> Value
  ) {
    self.engine = engine
    self.compute = compute
    node = engine.makeTopLevel(name: name, tracking: tracking, site: site, home: home)
    engine.makeDerived(node)
    let isCollection = holdsCollections(Value.self)
    let mayTakeLong = ComparingTime.mayBeLong(of: Value.self)
    // Only the engine and the node run this closure, so both exist then.
    node.run = { [unowned(unsafe) engine, unowned(unsafe) node, output] frame in
      let new = compute()
      if isCollection { registerReadOfAll(of: new) }
      let redaction = engine.redaction(of: frame, publishedBy: node)
      func differs() -> Bool { output.differs(new) ?? true }
      let isChanged = redaction == .hidden || (mayTakeLong ? frame.timingComparison(differs) : differs())
      engine.withLock { _ in output.set(new) }
      if isChanged {
        engine.publish(engine.encode(new, redaction), of: node, cause: frame.cause)
      }
      return isChanged
    }
  }

  /// The present value. A reader depends on the value, not on what it was computed from. After the session is
  /// closed it is computed at each read.
  ///
  /// A value must not depend on itself, directly or indirectly; the session's diagnostics report one that
  /// does. If it is read while it is computed, the result is its last value; in its first computation the
  /// result is zero, empty, false or nil.
  ///
  /// - Precondition: A value whose type has no such blank value does not read itself in its first
  ///   computation. A value with a throwing body may: the read throws a ``DerivedCycle``.
  public var value: Value {
    if engine.isClosed { return computeForReader() }
    let state = engine.lock()
    if output.isSet, state.isCurrent(node) {
      // The read is registered before the value is taken, so that a change by another thread in between
      // counts as not seen.
      registerRead()
      let value = output.known
      engine.unlock()
      return value
    }
    let isEnded = node.isDisposed
    engine.unlock()
    if isEnded { return computeForReader() }
    let cycle = engine.pull(node)
    registerRead()
    if let cycle { return value(within: cycle) }
    // Another thread may be computing the first value. An optional is avoided, because its type would be
    // looked up at each read.
    _ = engine.lock()
    guard output.isSet else {
      engine.unlock()
      return computeForReader()
    }
    let value = output.known
    engine.unlock()
    return value
  }

  /// Its name in the log.
  public var name: String { node.name }

  /// Ends it: it is no longer kept up to date, and does not invalidate its readers any more. Each later read
  /// computes the value, and its reader depends on what that computation reads.
  public func cancel() { engine.cancel(node) }

  deinit { engine.abandon(node) }

  /// Registers a read of the value by the innermost run.
  @inline(__always)
  private func registerRead() {
    guard let frame = Frame.current, frame.isTracking, frame.engine === engine, frame.node !== node,
      let derived = node.derived
    else { return }
    frame.register(engine.withLock { $0.slot(of: derived) })
  }

  /// Computes the value only for the current reader.
  private func computeForReader() -> Value {
    if engine.isComputing(node) { return value(within: engine.cycle(backTo: node)) }
    let outer = Frame.current
    let frame = engine.withLock { _ in
      Frame(
        engine: engine, node: node, cause: engine.currentCause,
        isTracking: node.isDisposed && outer?.isTracking == true && outer?.engine === engine)
    }
    defer { if frame.isTracking { outer?.addReads(of: frame) } }
    return frame.run(compute)
  }

  /// The result of reading the value within its own computation.
  private func value(within cycle: DerivedCycle) -> Value {
    if let outcome = Value.self as? any FallibleOutcome.Type, let value = outcome.init(cycle) as? Value {
      return value
    }
    engine.report(cycle.description)
    guard let value = engine.withLock({ _ in output.value }) ?? blank() else {
      preconditionFailure("\(cycle); with a throwing body this would be an error")
    }
    return value
  }
}

/// A value that is computed from recorded state by code that may throw.
///
///     let total = session.derived("total") { try price(of: store.order) }
///     session.projection("Total") { _ in (try? total.value).map { "\($0)" } ?? "-" }
///
/// An error is kept until something that was read changes, is published in the log as `{"error":"..."}`, and
/// invalidates readers unless it equals the result before.
public final class ThrowingDerived<Value> {
  private let outcome: Derived<Outcome<Value>>

  fileprivate init(_ outcome: Derived<Outcome<Value>>) { self.outcome = outcome }

  /// The present value. A reader depends on it, even if the read throws.
  ///
  /// - Throws: The error of the body, at each read; ``DerivedCycle`` if it is read while it is computed.
  public var value: Value {
    get throws { try outcome.value.result.get() }
  }

  /// Its name in the log.
  public var name: String { outcome.name }

  /// Ends it, as ``Derived/cancel()`` does.
  public func cancel() { outcome.cancel() }
}

/// The value or error of a body that may throw.
private struct Outcome<Value>: Equatable, RecordableValue, FallibleOutcome {
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
  func registerReadOfAllHeld() { if case .success(let value) = result { registerReadOfAll(of: value) } }
}

/// A value that can be an error.
private protocol FallibleOutcome {
  init(_ cycle: DerivedCycle)
}

/// Zero, empty, false or nil, if the type has such a value; otherwise nil.
private func blank<T>(_ type: T.Type = T.self) -> T? {
  switch T.self {
  case is Void.Type: return () as? T
  case is Bool.Type: return false as? T
  case let type as any ExpressibleByNilLiteral.Type: return none(type) as? T
  case let type as any AdditiveArithmetic.Type: return zero(type) as? T
  case let type as any RangeReplaceableCollection.Type: return type.init() as? T
  case let type as any SetAlgebra.Type: return type.init() as? T
  case let type as any ExpressibleByDictionaryLiteral.Type: return empty(type) as? T
  default: return nil
  }
}

private func none<T: ExpressibleByNilLiteral>(_ type: T.Type) -> T { nil }

private func zero<T: AdditiveArithmetic>(_ type: T.Type) -> T { .zero }

private func empty<T: ExpressibleByDictionaryLiteral>(_ type: T.Type) -> T { [:] }
