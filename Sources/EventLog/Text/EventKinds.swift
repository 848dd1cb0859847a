/// Which fields each kind needs and which it may have.
extension EventFields {
  private static let common: Set<Name> = [.seq, .time, .kind, .cause, .site, .thread, .task, .stack]

  func event() throws(TextError) -> ParsedEvent {
    guard let kind else { throw TextError(.field, column: 1, "the event has no \"kind\"") }
    var parsed = ParsedEvent(body: try body(kind: kind.text, column: kind.column))
    parsed.seq = numbers[.seq]
    parsed.time = numbers[.time]
    parsed.cause = numbers[.cause]
    parsed.site = texts[.site]
    parsed.origin = Origin(thread: texts[.thread], task: texts[.task], stack: texts[.stack])
    parsed.sameValue = flags[.sameValue]
    return parsed
  }

  private func body(kind: String, column: Int) throws(TextError) -> Event.Body {
    let sameValue = flags[.sameValue] ?? false
    switch kind {
    case "set":
      try check(needs: [.path, .value], allows: [.sameValue])
      return .set(try written(), value ?? .null, sameValue: sameValue)
    case "splice":
      try check(needs: [.path, .offset, .delete, .insert], allows: [.sameValue])
      return .splice(
        try written(), offset: try extent(.offset), delete: try extent(.delete), insert: try inserted(),
        sameValue: sameValue)
    case "remove":
      try check(needs: [.path], allows: [.sameValue])
      return .remove(try written(), sameValue: sameValue)
    case "projection":
      try check(needs: [.projection], allows: [.parent, .tracking])
      return .projection(name: projection, parent: texts[.parent], tracking: tracking ?? .element)
    case "reads":
      try check(needs: [.projection, .paths])
      return .reads(projection: projection, paths: paths)
    case "invalidate":
      try check(needs: [.projection, .causes])
      return .invalidate(projection: projection, causes: causes)
    case "evaluate":
      try check(needs: [.projection, .duration], allows: [.changed])
      return .evaluate(
        projection: projection, duration: numbers[.duration] ?? 0, changed: flags[.changed])
    case "dispose":
      try check(needs: [.projection])
      return .dispose(projection: projection)
    case "begin":
      try check(allows: [.label])
      return .begin(label: texts[.label])
    case "end":
      try check()
      return .end
    case "mark":
      try check(needs: [.label])
      return .mark(label: texts[.label] ?? "")
    default:
      throw TextError(.field, column: column, "unknown kind \(Value.string(kind).json)")
    }
  }

  private func check(needs: Set<Name> = [], allows: Set<Name> = []) throws(TextError) {
    let extra = columns.filter { name, _ in
      !needs.contains(name) && !allows.contains(name) && !Self.common.contains(name)
    }
    if let (name, column) = extra.min(by: { $0.value < $1.value }) {
      throw TextError(
        .field, column: column, "\"\(name.rawValue)\" does not belong to the kind \"\(kind?.text ?? "")\"")
    }
    if let missing = needs.filter({ columns[$0] == nil }).map(\.rawValue).min() {
      throw TextError(
        .field, column: kind?.column ?? 1, "the kind \"\(kind?.text ?? "")\" needs \"\(missing)\"")
    }
  }

  private var projection: String { texts[.projection] ?? "" }

  private func written() throws(TextError) -> Path {
    let path = path ?? Path(root: .named(""))
    if path.components.contains(where: \.isAspect) {
      throw TextError(.field, column: columns[.path] ?? 1, "an aspect such as [#count] can only be read")
    }
    return path
  }

  private func extent(_ name: Name) throws(TextError) -> Int {
    if let extent = Int(exactly: numbers[name] ?? 0) { return extent }
    throw TextError(.range, column: columns[name] ?? 1, "\"\(name.rawValue)\" is too large")
  }

  private func inserted() throws(TextError) -> Value {
    switch value {
    case .string(let text): return .string(text)
    case .array(let elements): return .array(elements)
    default:
      throw TextError(.field, column: columns[.insert] ?? 1, "\"insert\" must be a string or an array")
    }
  }
}
