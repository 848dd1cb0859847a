import EventLog

/// The input that a parent passed to a child.
///
/// It is compared at run time as properties are; an input that is not `Equatable` is compared as the log would compare it, by
/// what of it can be recorded.
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
    isComparable = !objects.hasIncomparable
  }

  func isSame(as other: ChildInput?) -> Bool {
    guard let other else { return false }
    if let recorded, let last = other.recorded {
      return isComparable && other.isComparable && type == other.type && recorded == last
    }
    return compare(other.value) ?? false
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
}

extension EngineState {
  /// Reports a child whose input cannot be compared, so that it always runs with its parent; once for a name and a type. The
  /// log gets it as a mark, which `replay lint` finds.
  func reportIncomparable(_ input: ChildInput, of child: Node) {
    let name = String(child.name.prefix { $0 != "#" })
    let type = String(describing: input.type)
    guard diagnostics.isNewInput(of: name, type) else { return }
    let message =
      "\(name)'s input of type \(type) cannot be compared, so \(name) runs each time that its parent does; "
      + "hand in a type that is Equatable, or has no closures and other parts that cannot be recorded"
    diagnostics.report(message)
    recorder.emit(
      .mark(label: DiagnosticList.markPrefix + message), cause: engine.currentCause, site: child.madeAt)
  }
}

extension Node {
  /// Where the source makes it, or the nearest parent of which that is known.
  fileprivate var madeAt: String? { site ?? parent?.madeAt }
}
