import EventLog

// Values that do not fit an event of the log. The core gets what the log gets, so such a value is reduced before
// the core applies the event.

/// The parts of values that were left out, because they were too large.
struct LargeValues {
  /// Those of the event that is being recorded, and of the definitions before it.
  private var replaced: [FittedEvent.Part] = []
  /// The properties and elements that were reported.
  private var reported: Set<Path> = []
  /// The most paths that are reported.
  private static let reportedMax = 200

  var isEmpty: Bool { replaced.isEmpty }

  fileprivate mutating func add(_ parts: [FittedEvent.Part]) { replaced += parts }

  /// Removes and returns the parts of the last event.
  fileprivate mutating func popParts() -> [FittedEvent.Part] {
    defer { replaced = [] }
    return replaced
  }

  /// Whether to report a path: it was not reported yet, and the limit is not reached.
  fileprivate mutating func isNew(_ path: Path) -> Bool {
    reported.count < Self.reportedMax && reported.insert(path).inserted
  }
}

extension EngineState {
  /// The event as the log can hold it.
  ///
  /// If a value does not fit, the objects in it get events of their own before it, with as much room each. What
  /// does not fit even so is left out, and reported when the event has been recorded.
  func fitted(_ body: Event.Body) throws(StateError) -> Event.Body {
    if body.sharesBlock { return body }
    if let fitted = FittedEvent(body), fitted.replaced.isEmpty { return fitted.body }
    var body = body
    if body.writtenPath.map({ $0.components.isEmpty && $0.root.isObject }) != true {
      body = body.mapValue { $0.separatingObjects { objects.define($0) } }
    }
    guard let fitted = FittedEvent(body) else {
      throw StateError(body.writtenPath, "it has too many parts for an event of the log")
    }
    largeValues.add(fitted.replaced)
    return fitted.body
  }

  /// The value that a set of a path would record, without the parts that do not fit.
  func fitted(_ value: Value, at path: @autoclosure () -> Path) -> Value {
    if value.sharesBlock { return value }
    guard case .set(_, let fitted, _)? = FittedEvent(.set(path(), value, sameValue: false))?.body else {
      return value
    }
    return fitted
  }

  /// Reports what was left out of the last event, once for each path.
  func reportLargeValues() {
    for part in largeValues.popParts() {
      var path = part.path
      if case .object(let object) = path.root { path = logged(path, of: object) }
      guard largeValues.isNew(path) else { continue }
      report("\(path) is too large for an event of the log, which has its size alone: \(part.bytes) bytes")
    }
  }
}

extension Path.Root {
  fileprivate var isObject: Bool {
    if case .object = self { true } else { false }
  }
}

extension Event.Body {
  /// Whether the value of the event, if it has one, is so small that any event can hold it.
  fileprivate var sharesBlock: Bool {
    switch self {
    case .set(_, let value, _), .splice(_, _, _, let value, _): value.sharesBlock
    default: true
    }
  }

  fileprivate func mapValue(_ transform: (Value) -> Value) -> Event.Body {
    switch self {
    case .set(let path, let value, let sameValue): .set(path, transform(value), sameValue: sameValue)
    case .splice(let path, let offset, let delete, let insert, let sameValue):
      .splice(path, offset: offset, delete: delete, insert: transform(insert), sameValue: sameValue)
    default: self
    }
  }
}

extension Value {
  /// The value with references in place of the objects that it defines, whose definitions go to the body.
  fileprivate func separatingObjects(_ define: (ObjectDefinition) -> Void) -> Value {
    switch self {
    case .object(var definition):
      definition.fields = definition.fields.mapValues { $0.separatingObjects(define) }
      define(definition)
      return .reference(definition.id)
    case .array(let elements) where definesObjects:
      return .array(elements.map { $0.separatingObjects(define) })
    case .map(let fields) where definesObjects: return .map(fields.mapValues { $0.separatingObjects(define) })
    default: return self
    }
  }
}
