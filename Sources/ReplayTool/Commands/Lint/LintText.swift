import ReplayAnalysis

extension LintReport {
  func print(to console: Console, limit: LimitOptions) throws {
    if findings.isEmpty { return try console.print("nothing found") }
    let shown = limit.cut(findings)
    for (place, finding) in shown.shown.enumerated() {
      if place > 0 { try console.print() }
      try finding.print(to: console)
    }
    try console.print()
    try console.printHidden(shown.hidden, "finding")
    try console.print(Units.count(findings.count, "finding"))
  }
}

extension LintReport.Finding {
  fileprivate func print(to console: Console) throws {
    try console.print(console.style.heading(rule.rawValue))
    let width = console.width.map { max(20, $0 - 2) }
    for line in message.shown.wrapped(to: width) { try console.print("  " + line) }
    for line in evidence.text(site).shown.wrapped(to: width) {
      try console.print("  " + console.style.dim(line))
    }
    for line in "fix: \(rule.advice)".wrapped(to: width) { try console.print("  " + line) }
    let price = "  price: "
    let lines = whatIf.shown.commandLines(to: console.width.map { $0 - price.count })
    for (place, line) in lines.enumerated() {
      try console.print((place == 0 ? price : String(repeating: " ", count: price.count)) + line)
    }
  }
}

extension LintReport.Facts {
  /// `300 events 207, 310, 413 ... 31004; 30,300 evaluations, 30,000 wasted, 342.3 ms of 390.9 ms`.
  fileprivate func text(_ site: String?) -> String {
    var text = seqs.count == 1 && last == seqs[0] ? "event " : "events "
    text += seqs.map(String.init).joined(separator: ", ")
    if let known = seqs.last, last > known { text += writes > seqs.count + 1 ? " ... \(last)" : ", \(last)" }
    if let site { text += " at \(site)" }
    if evaluations == 0 { return text }
    return text + "; \(Units.duration(wastedTime)) of \(Units.duration(time)) wasted"
  }
}
