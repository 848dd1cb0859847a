extension Verification {
  func print(to console: Console, limit: LimitOptions) throws {
    let style = console.style
    let verdict =
      isSound ? style.good("agrees") : style.bad(Units.count(findingCount, "mismatch", "mismatches"))
    try console.print("\(style.heading(path.shown)): \(verdict)")
    try console.print("  \(Units.count(events, "event")) in sequence")
    try console.print("  " + timeline)
    try console.print(
      "  \(explained.grouped) of \(Units.count(evaluations, "evaluation")) with a cause explained")
    let findings = limit.cut(findings)
    for finding in findings.shown { try console.print("  " + finding.text.shown) }
    try console.printHidden(findingCount - findings.shown.count, "mismatch")
  }

  private var timeline: String {
    if recorded == 0, derived > 0 {
      return "\(Units.count(derived, "invalidation")) derived; the log records none to compare with"
    }
    let missing = lost > 0 ? "; \(lost.grouped) of the last event lost with the end of the log" : ""
    return "\(matched.grouped) of \(Units.count(recorded, "recorded invalidation")) derived again\(missing)"
  }
}

extension Verification.Finding {
  fileprivate var text: String {
    switch self {
    case .unrecorded(let entry):
      "event \(entry.seq) invalidates \(entry.projection) because of \(entry.causes); not recorded so"
    case .underived(let entry):
      "event \(entry.seq) recorded to invalidate \(entry.projection) because of \(entry.causes); it does not"
    case .unexplained(let evaluation):
      "event \(evaluation.seq): \(evaluation.projection) ran because of event \(evaluation.cause ?? 0), "
        + "which gave it no reason to"
    }
  }
}
