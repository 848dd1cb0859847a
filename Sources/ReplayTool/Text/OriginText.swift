import ReplayAnalysis

extension WriteOrigin {
  /// `by ChatModel.tick() at Chat.swift:42, on thread main, in task refresh`; nil if nothing is known.
  var sentence: String? {
    var facts: [String] = []
    if let function { facts.append("by " + function + (site.map { " at " + $0 } ?? "")) }
    if let thread { facts.append("on thread " + thread) }
    if let task { facts.append("in task " + task) }
    return facts.isEmpty ? nil : facts.joined(separator: ", ").shown
  }

  /// A line for each call.
  func print(to console: Console, margin: String) throws {
    for frame in stack {
      let name = frame.function ?? "0x" + String(frame.offset, radix: 16)
      let place = frame.site ?? String(frame.image.split(separator: "/").last ?? "?")
      try console.print(margin + name.shown(most: 120) + console.style.dim("  " + place.shown(most: 120)))
    }
  }
}
