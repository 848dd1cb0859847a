extension BudgetCheck {
  /// The broken limits as lines that a CI log can link to, then all of them as a table.
  func print(to console: Console, limit: LimitOptions) throws {
    let style = console.style
    let count = Units.count(limits.count, "limit")
    let verdict =
      broken == 0 ? style.good("\(count) kept") : style.bad("\(broken.grouped) of \(count) broken")
    try console.print("\(style.heading(log.shown)): \(verdict)")
    for result in limits where result.isBroken {
      try console.print(
        "\(budget.shown):\(result.line): ".shown + style.bad(result.sentence.shown.cut(to: 300)))
    }
    for result in limits where result.subject == nil {
      try console.print(
        "\(budget.shown):\(result.line): "
          + style.dim("nothing in the run is called \(result.name)".shown.cut(to: 300)))
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
