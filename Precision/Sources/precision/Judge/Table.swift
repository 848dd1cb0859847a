/// Text in columns, the first of which is to the left and the others to the right.
struct Table {
  private var lines: [[String]]

  init(_ titles: [String]) { lines = [titles] }

  mutating func add(_ name: String, _ cells: [String]) { lines.append([name] + cells) }

  var text: String {
    let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      zip(line, widths).enumerated().map { column, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + padding : padding + cell.0
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}

extension Score {
  /// What a person reads.
  var text: String {
    [ruleTable, faultTable, healthyTable, summary].joined(separator: "\n\n")
  }

  private var ruleTable: String {
    var table = Table(["RULE", "SAID", "CAUSE", "SYMPTOM", "WRONG", "TRUE"])
    for rule in rules where rule.said > 0 {
      let right = rule.causes + rule.symptoms
      table.add(
        rule.rule,
        [rule.said, rule.causes, rule.symptoms, rule.said - right].map(String.init) + [
          share(right, rule.said)
        ])
    }
    return table.text
  }

  private var faultTable: String {
    var table = Table([
      "FAULT", "MADE", "INERT", "LED", "NAMED", "MISLED", "SILENT", "SLIGHT", "NOTED", "LED SHARE", "PRICED",
      "RUNS +-20 %",
      "TIME +-20 %",
    ])
    for fault in faults where fault.made > 0 { table.add(fault.kind, cells(fault)) }
    let all = faults.reduce(into: OfFault(kind: "all")) { $0.add($1) }
    table.add("all", cells(all))
    return table.text
  }

  private func cells(_ fault: OfFault) -> [String] {
    let counts = [
      fault.made, fault.inert, fault.led, fault.named, fault.misled, fault.silent, fault.silentSlight,
      fault.noted,
    ]
    return counts.map(String.init) + [share(fault.led, fault.made - fault.inert)]
      + [fault.priced, fault.runsRight, fault.timeRight].map(String.init)
  }

  private var healthyTable: String {
    var table = Table(["HEALTHY", "MADE", "SILENT", "SHARE"])
    let all = healthy.reduce(into: OfHealthy(kind: "all")) {
      ($0.made, $0.silent) = ($0.made + $1.made, $0.silent + $1.silent)
    }
    for kind in (healthy + [all]).filter({ $0.made > 0 }) + [mended] {
      table.add(kind.kind, ["\(kind.made)", "\(kind.silent)", share(kind.silent, kind.made)])
    }
    return table.text
  }

  private var summary: String {
    var lines = ["\(right) of \(said) findings are true: \(share(right, said))"]
    if countedOtherwise > 0 {
      lines.append(
        "in \(countedOtherwise) logs the tool counts other runs than the log has, so prices compare different things"
      )
    }
    if troubles > 0 { lines.append("without a verdict: \(troubles)") }
    return lines.joined(separator: "\n")
  }

  private func share(_ part: Int, _ whole: Int) -> String {
    guard whole > 0 else { return "-" }
    let tenths = (part * 1_000 + whole / 2) / whole
    return "\(tenths / 10).\(tenths % 10) %"
  }
}

extension Score.OfFault {
  fileprivate mutating func add(_ other: Self) {
    made += other.made
    inert += other.inert
    led += other.led
    named += other.named
    misled += other.misled
    silent += other.silent
    silentSlight += other.silentSlight
    noted += other.noted
    priced += other.priced
    runsRight += other.runsRight
    timeRight += other.timeRight
  }
}

extension Verdict {
  /// What was said, word for word.
  var text: String {
    var lines = [
      "\(index) \(kind), \(form.rawValue), \(hosting.rawValue), \(rows) rows, \(events) events: \(outcome)"
    ]
    if let saved {
      lines.append(
        "  mended it saves \(saved.runs) of \(cost.runs) runs, \(saved.time / 1_000) of \(cost.time / 1_000) us"
      )
    }
    lines += said.map { "  \($0.text)" }
    lines += notes.map { "  note: \($0.text)" }
    lines += saidOfMended.map { "  of the mended app: \($0.text)" }
    return lines.joined(separator: "\n")
  }

  private var outcome: String {
    if let trouble { return trouble }
    if !isFault { return isSilent ? "silent" : "said of a healthy app" }
    if isInert { return "inert" }
    return isLed ? "led" : hasCause ? "named, not first" : isSilent ? "silent" : "misled"
  }
}

extension Verdict.Said {
  fileprivate var text: String {
    "\(judgement.rawValue) \(rule): \(message)" + (advice.map { " fix: \($0)" } ?? "")
  }
}
