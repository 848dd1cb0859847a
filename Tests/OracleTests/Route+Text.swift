extension Route {
  /// The path as logs write it.
  var text: String {
    steps.reduce(root) { text, step in
      switch step {
      case .property(let name): text + (name.isIdentifier ? ".\(name)" : "[\(name.quoted)]")
      case .key(let name): text + "[\(name.quoted)]"
      case .index(let index): text + "[\(index)]"
      case .id(let id): text + "[id: \(id.json)]"
      case .count: text + "[#count]"
      case .order: text + "[#order]"
      case .exists: text + "[#exists]"
      }
    }
  }

  /// Reads a path; nil when it is malformed.
  init?(_ text: String) {
    var rest = text[...]
    root = String(rest.prefix { $0 != "." && $0 != "[" })
    steps = []
    rest = rest.dropFirst(root.count)
    while let first = rest.popFirst() {
      if first == "." {
        let name = rest.prefix { $0 != "." && $0 != "[" }
        rest = rest.dropFirst(name.count)
        steps.append(.property(String(name)))
        continue
      }
      var json = PlainParser(text: String(rest))
      guard first == "[", let step = json.step() else { return nil }
      rest = Substring(json.remainder)
      steps.append(step)
    }
  }
}

extension PlainParser {
  /// The text between brackets, and the closing bracket.
  fileprivate mutating func step() -> Step? {
    let step: Step
    if skip("#count") {
      step = .count
    } else if skip("#order") {
      step = .order
    } else if skip("#exists") {
      step = .exists
    } else if skip("id:") {
      guard let id = value() else { return nil }
      step = .id(id)
    } else {
      switch value() {
      case .int(let index): step = .index(Int(index))
      case .string(let name): step = .key(name)
      default: return nil
      }
    }
    return skip("]") ? step : nil
  }
}

extension String {
  var isIdentifier: Bool {
    !isEmpty && first?.isNumber == false && allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber }
  }
}
