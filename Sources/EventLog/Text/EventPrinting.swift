extension Event {
  /// The event as one JSON line, without the line break.
  ///
  /// `same_value` is written when it is true, or always when `statesSameValue`: a reader that finds none
  /// computes it, and for a property with a comparator of its own could come to another answer.
  public func json(statesSameValue: Bool = false) -> String {
    var output: [UInt8] = []
    appendJSON(to: &output, statesSameValue: statesSameValue)
    return String(decoding: output, as: UTF8.self)
  }

  /// Adds the event as one JSON line, without the line break; see ``json(statesSameValue:)``.
  public func appendJSON(to output: inout [UInt8], statesSameValue: Bool = false) {
    output.appendText("{\"seq\":\(seq),\"time_ns\":\(time),\"kind\":\"\(body.kind)\"")
    let sameValue = output.appendFields(of: body)
    if let sameValue, sameValue || statesSameValue { output.appendText(",\"same_value\":\(sameValue)") }
    if let cause { output.appendText(",\"cause\":\(cause)") }
    if let site { output.appendField("site", site) }
    if let thread = origin?.thread { output.appendField("thread", thread) }
    if let task = origin?.task { output.appendField("task", task) }
    if let stack = origin?.stack { output.appendField("stack", stack) }
    output.append(0x7D)
  }
}

extension Event.Body {
  /// The name of the kind in JSON.
  public var kind: String {
    switch self {
    case .set: "set"
    case .splice: "splice"
    case .remove: "remove"
    case .projection: "projection"
    case .reads: "reads"
    case .invalidate: "invalidate"
    case .evaluate: "evaluate"
    case .dispose: "dispose"
    case .begin: "begin"
    case .end: "end"
    case .mark: "mark"
    }
  }
}

extension Array<UInt8> {
  /// Adds the fields that the kind has of its own, and returns `same_value` if it has that.
  fileprivate mutating func appendFields(of body: Event.Body) -> Bool? {
    switch body {
    case .set(let path, let value, let sameValue):
      appendField("path", path.description)
      appendText(",\"value\":")
      appendValue(value)
      return sameValue
    case .splice(let path, let offset, let delete, let insert, let sameValue):
      appendField("path", path.description)
      appendText(",\"offset\":\(offset),\"delete\":\(delete),\"insert\":")
      appendValue(insert)
      return sameValue
    case .remove(let path, let sameValue):
      appendField("path", path.description)
      return sameValue
    case .projection(let name, let parent, let tracking):
      appendField("projection", name)
      if let parent { appendField("parent", parent) }
      appendField("tracking", tracking.rawValue)
    case .reads(let projection, let paths):
      appendField("projection", projection)
      appendText(",\"paths\":")
      appendArray(paths) { $0.appendQuoted($1.description) }
    case .invalidate(let projection, let causes):
      appendField("projection", projection)
      appendText(",\"causes\":")
      appendArray(causes) { $0.appendText(String($1)) }
    case .evaluate(let projection, let duration, let changed):
      appendField("projection", projection)
      appendText(",\"duration_ns\":\(duration)")
      if let changed { appendText(",\"changed\":\(changed)") }
    case .dispose(let projection): appendField("projection", projection)
    case .begin(let label): if let label { appendField("label", label) }
    case .end: break
    case .mark(let label): appendField("label", label)
    }
    return nil
  }

  fileprivate mutating func appendField(_ name: StaticString, _ text: String) {
    appendText(",\"\(name)\":")
    appendQuoted(text)
  }
}
