import ReplayAnalysis

extension BudgetCheck {
  /// The broken limits as lines that a CI log can link to, then all of them as a table.
  func print(to console: Console, limit: LimitOptions) throws {
    let style = console.style
    let count = Units.count(limits.count, "limit")
    let verdict =
      broken == 0 ? style.good("\(count) kept") : style.bad("\(broken.grouped) of \(count) broken")
    try console.print("\(style.heading(log.shown)): \(verdict)")
    for result in limits where result.isBroken { try line(result, style.bad, result.sentence, console) }
    for result in limits where result.subject == nil {
      try line(result, style.dim, "nothing in the run is called \(result.name)", console)
    }
    try console.print()
    var table = Table(
      .init(title: ""), .init(title: "WHAT", isFlexible: true), .init(title: "LIMIT OF"),
      .init(title: "LIMIT", alignment: .right), .init(title: "ACTUAL", alignment: .right),
      .init(title: "BASELINE", alignment: .right))
    let rows = limit.cut(limits.filter(\.isBroken) + limits.filter { !$0.isBroken })
    for result in rows.shown {
      table.add(
        result.isBroken ? "broken" : "kept", result.title, result.measure.text, result.text(result.limit),
        result.text(result.actual), result.baseline.map { result.text($0) } ?? "")
    }
    try table.print(to: console)
    try console.printHidden(rows.hidden, "limit")
  }

  /// A line that begins with a place in the budget, as editors and CI look for it.
  private func line(
    _ result: Result, _ paint: (String) -> String, _ text: String, _ console: Console
  ) throws {
    let place = "\(budget):\(result.line):".shown
    let lines = "\(place) \(text.shown.cut(to: 300))".wrapped(to: console.width.map { max(20, $0 - 2) })
    for (number, line) in lines.enumerated() {
      let head = number > 0 ? "  " : line.hasPrefix(place) ? place : ""
      try console.print(head + paint(String(number > 0 ? line[...] : line.dropFirst(head.count))))
    }
  }
}

extension BudgetCheck.Result {
  /// Whom it is about.
  var title: String {
    switch scope {
    case .total: "the whole run"
    case .projection, .cascade: subject ?? name
    }
  }

  /// What is wrong, in words.
  var sentence: String {
    let excess = actual > limit ? " (\(text(actual - limit)) over)" : ""
    let place = root.map { "; the one of event \($0)" } ?? ""
    return "\(title): \(measure.text) \(text(actual)), and the limit is \(text(limit))\(excess)\(place)"
  }

  func text(_ amount: UInt64) -> String { measure == .time ? Units.duration(amount) : amount.grouped }
}

extension Budget.Measure {
  var text: String { self == .fanOut ? "fan-out" : rawValue }
}
