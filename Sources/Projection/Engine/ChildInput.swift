import EventLog

/// The input that a parent passed to a child.
///
/// It is compared at run time as properties are. One that is not `Equatable` is the same if each of its parts is, and if the log
/// would hold the same of it: a part that `CodingKeys` leave out may differ, and so may what an object holds.
final class ChildInput {
  private let value: Any
  private let compare: (Any) -> Bool?
  /// What the log would hold of a value that is not `Equatable`, as it was when it was handed in.
  private let recorded: Value?
  /// Whether it can be compared with another.
  let isComparable: Bool

  init<Input>(_ input: Input) {
    value = input
    compare = { other in (other as? Input).map { Sameness.dynamic(input, $0) } ?? false }
    if Sameness.isComparable(input) {
      (recorded, isComparable) = (nil, true)
      return
    }
    let objects = InputObjects()
    recorded = Frame.untracked {
      var context = EncodingContext(objects: objects)
      return context.encode(input)
    }
    isComparable = !objects.hasIncomparable && Frame.untracked { Sameness.ofParts(input, input) } != nil
  }

  /// Whether it is the same as the last; nil where there was none, and where they cannot be compared.
  func isSame(as other: ChildInput?) -> Bool? {
    guard let other else { return nil }
    guard let recorded, let last = other.recorded else { return compare(other.value) }
    if type != other.type || recorded != last { return false }
    guard isComparable, other.isComparable else { return nil }
    return Frame.untracked { Sameness.ofParts(value, other.value) }
  }

  /// Its type.
  var type: Any.Type { Swift.type(of: value) }
}

/// What objects are in an input: themselves. Nothing of them is recorded by being handed to a child.
private final class InputObjects: ObjectEncoding {
  /// Whether something was met that cannot be compared.
  private(set) var hasIncomparable = false

  func value(of object: any RecordedObject, in context: inout EncodingContext) -> Value {
    .opaque(type: "object", identity: identity(of: object))
  }

  /// Its address: both inputs retain what they are compared by.
  func identity(of object: AnyObject) -> UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(object))) }

  func freshIdentity() -> UInt64 {
    hasIncomparable = true
    return 0
  }
}

extension Sameness {
  /// Whether ``dynamic(_:_:)`` can compare a value with another of its type.
  fileprivate static func isComparable(_ value: Any) -> Bool {
    guard let value = unwrapped(value) else { return true }
    return reference(value) != nil || value is any Equatable
  }

  /// Whether two values of one type have the same parts, at any depth; nil where a part cannot be compared.
  fileprivate static func ofParts(_ a: Any, _ b: Any, depth: Int = 0) -> Bool? {
    if let isSame = dynamic(a, b) { return isSame }
    guard let a = unwrapped(a), let b = unwrapped(b), type(of: a) == type(of: b),
      depth < EncodingContext.depthLimit, !EncodingContext.isAddress(type(of: a))
    else { return nil }
    let (parts, others) = (Mirror(reflecting: a), Mirror(reflecting: b))
    switch parts.displayStyle {
    case .collection, .dictionary: break
    // A mirror that its type makes may leave parts out.
    case .struct, .tuple, .enum: if a is any CustomReflectable { return nil }
    default: return nil
    }
    if parts.children.count != others.children.count { return false }
    // A case without a payload shows its name alone.
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
  /// Reports a child whose input cannot be compared, so that it always runs with its parent; once for a name and a type. The
  /// log gets it as a mark, which `replay lint` finds.
  func reportIncomparable(_ input: ChildInput, of child: Node) {
    let name = String(child.name.prefix { $0 != "#" })
    guard diagnostics.isNewInput(of: name, input.type) else { return }
    let reported = ReportedDiagnostic(incomparableInputOf: name, type: String(describing: input.type))
    diagnostics.report(reported.message)
    recorder.emit(.mark(label: reported.label), cause: engine.currentCause, site: child.madeAt)
  }
}

extension Node {
  /// Where the source makes it, or the nearest parent of which that is known.
  fileprivate var madeAt: String? { site ?? parent?.madeAt }
}
