import EventLog

/// The input that a parent passes to a child.
///
/// Inputs are compared at run time with the rule used for properties. Inputs that are not `Equatable` are the
/// same if all their parts are, and if the log would record the same value for both. Parts that `CodingKeys`
/// omit and the contents of objects may differ.
class ChildInput {
  /// The recorded form of a value that is not `Equatable`, encoded when it was passed.
  fileprivate let recorded: Value?
  /// Whether it can be compared with another input.
  let isComparable: Bool
  /// Whether comparing it may take long.
  let mayTakeLong: Bool
  /// How long it took to encode it, in nanoseconds.
  let encodingTime: UInt64

  fileprivate init(recorded: Value?, isComparable: Bool, mayTakeLong: Bool, encodingTime: UInt64) {
    (self.recorded, self.isComparable) = (recorded, isComparable)
    (self.mayTakeLong, self.encodingTime) = (mayTakeLong, encodingTime)
  }

  /// Whether it is the same as the previous input; nil if there was none, or if they cannot be compared.
  func isSame(as other: ChildInput?) -> Bool? { nil }

  /// Whether it is compared by all its parts, because its type has no `==`.
  var isComparedByParts: Bool { recorded != nil && isComparable }

  /// The type of the input.
  var type: Any.Type { Never.self }
}

/// An input of one type.
final class InputBox<Input>: ChildInput {
  private let value: Input
  private let comparison: Comparison

  /// - Parameter last: The previous input, which may know how those of its type are compared.
  init(_ input: Input, after last: ChildInput? = nil) {
    value = input
    comparison = (last as? InputBox)?.comparison ?? Comparison(of: Input.self)
    if comparison.isKnown || Sameness.isComparable(input) {
      super.init(
        recorded: nil, isComparable: true, mayTakeLong: ComparingTime.mayBeLong(of: Input.self),
        encodingTime: 0)
      return
    }
    let began = TickClock.now()
    let objects = InputObjects()
    let recorded = Frame.untracked {
      var context = EncodingContext(objects: objects)
      return context.encode(input)
    }
    let isComparable = !objects.hasIncomparable && Frame.untracked { Sameness.ofParts(input, input) } != nil
    super.init(
      recorded: recorded, isComparable: isComparable, mayTakeLong: true,
      encodingTime: TickClock.now().since(began))
  }

  override func isSame(as other: ChildInput?) -> Bool? {
    guard let other else { return nil }
    guard let last = other as? InputBox else { return false }
    guard let recorded, let before = last.recorded else { return comparison.isSame(value, last.value) }
    if recorded != before { return false }
    guard isComparable, last.isComparable else { return nil }
    return Frame.untracked { Sameness.ofParts(value, last.value) }
  }

  /// Whether it is the same as an input that would be passed now; nil if they cannot be compared.
  func isSame(as next: Input) -> Bool? {
    recorded == nil ? comparison.isSame(value, next) : InputBox(next, after: self).isSame(as: self)
  }

  override var type: Any.Type { Swift.type(of: value) }
}

/// Encodes an object in an input as its identity only. Passing an object to a child records nothing of it.
private final class InputObjects: ObjectEncoding {
  /// Whether the input contains a value that cannot be compared.
  private(set) var hasIncomparable = false

  func value(of object: any RecordedObject, in context: inout EncodingContext) -> Value {
    .opaque(type: "object", identity: identity(of: object))
  }

  /// The object's address. Both inputs retain their objects, so no two of these share an address.
  func identity(of object: AnyObject) -> UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(object))) }

  func freshIdentity() -> UInt64 {
    hasIncomparable = true
    return 0
  }
}

extension Sameness {
  /// Whether ``dynamic(_:_:)`` can compare a value with others of its type.
  fileprivate static func isComparable(_ value: Any) -> Bool {
    guard let value = unwrapped(value) else { return true }
    return reference(value) != nil || value is any Equatable
  }

  /// Whether two values of one type have the same parts, at any depth; nil if a part cannot be compared.
  fileprivate static func ofParts(_ a: Any, _ b: Any, depth: Int = 0) -> Bool? {
    if let isSame = dynamic(a, b) { return isSame }
    guard let a = unwrapped(a), let b = unwrapped(b), type(of: a) == type(of: b),
      depth < EncodingContext.depthLimit, !EncodingContext.isAddress(type(of: a))
    else { return nil }
    let (parts, others) = (Mirror(reflecting: a), Mirror(reflecting: b))
    switch parts.displayStyle {
    case .collection, .dictionary: break
    // A custom mirror may omit parts.
    case .struct, .tuple, .enum: if a is any CustomReflectable { return nil }
    default: return nil
    }
    if parts.children.count != others.children.count { return false }
    // The description of a case without a payload is its name.
    if parts.displayStyle == .enum, parts.children.isEmpty {
      return a is any CustomStringConvertible ? nil : "\(a)" == "\(b)"
    }
    for (part, other) in zip(parts.children, others.children) {
      if part.label != other.label { return false }
      guard let isSame = ofParts(part.value, other.value, depth: depth + 1) else { return nil }
      if !isSame { return false }
    }
    return true
  }
}

extension EngineState {
  /// Notes in the log, once for each combination of name and type, that inputs are compared by their parts, when that has
  /// been done many times: the log has how long it takes, and this says of what. The number does not depend on the time, so
  /// that two recordings of the same have the same events.
  func countComparison(byPartsOf input: ChildInput, of child: Node) {
    let name = String(child.name.prefix { $0 != "#" })
    guard diagnostics.countComparison(ofInputOf: name, input.type) else { return }
    let label = MarkLabel.comparedByParts(child: name, type: String(describing: input.type)).text.asName
    recorder.emit(.mark(label: label), cause: engine.currentCause, site: child.madeAt)
  }

  /// Reports a child whose input cannot be compared, so that it runs whenever its parent does. It reports
  /// each combination of name and type once.
  func reportIncomparable(_ input: ChildInput, of child: Node) {
    let name = String(child.name.prefix { $0 != "#" })
    guard diagnostics.isNewInput(of: name, input.type) else { return }
    let reported = ReportedDiagnostic(incomparableInputOf: name, type: String(describing: input.type))
    report(reported.message, site: child.madeAt)
    appendDiagnostics()
  }
}

extension Node {
  /// The source location where the node was made, or that of its nearest parent with a known location.
  fileprivate var madeAt: String? { site ?? parent?.madeAt }
}
