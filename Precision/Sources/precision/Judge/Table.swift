/// A table in Markdown, which a person can read as it is. The first column is to the left, and the others to the right.
struct Table {
  private var lines: [[String]]

  init(_ titles: [String]) { lines = [titles] }

  mutating func add(_ name: String, _ cells: [String]) { lines.append([name] + cells) }

  var text: String {
    let widths = lines[0].indices.map { column in max(lines.map { $0[column].count }.max() ?? 0, 3) }
    let rule = widths.enumerated().map { column, width in
      column == 0 ? String(repeating: "-", count: width) : String(repeating: "-", count: width - 1) + ":"
    }
    return ([lines[0], rule] + lines.dropFirst()).map { line in
      let cells = zip(line, widths).enumerated().map { column, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + padding : padding + cell.0
      }
      return "| " + cells.joined(separator: " | ") + " |"
    }.joined(separator: "\n")
  }
}

extension Score {
  /// What a person reads.
  var text: String {
    [ruleTable, table(of: faults + [allFaults], "fault"), table(of: forms, "form"), healthyTable, summary]
      .joined(separator: "\n\n")
  }

  private var ruleTable: String {
    var table = Table([
      "rule", "said", "true", "of these symptoms", "true", "missed", "price +-20 %", "no price", "true notes",
      "said of mended",
    ])
    for rule in rules where rule.said + rule.missed + rule.notes + rule.saidOfMended > 0 {
      table.add(
        rule.rule + (rule.isKnown ? "" : " (unknown here)"),
        [
          "\(rule.said)", "\(rule.right)", "\(rule.symptoms)", share(rule.right, rule.said), "\(rule.missed)",
          of(rule.pricedRight, rule.costly), "\(rule.costly - rule.priced)", of(rule.trueNotes, rule.notes),
          "\(rule.saidOfMended)",
        ])
    }
    return table.text
  }

  private func table(of faults: [OfFaults], _ title: String) -> String {
    var table = Table([
      title, "made", "inert", "led", "named", "misled", "silent", "slight", "noted", "led", "price +-20 %",
    ])
    for fault in faults where fault.made > 0 {
      let counts = [
        fault.made, fault.inert, fault.led, fault.named, fault.misled, fault.silent, fault.silentSlight,
        fault.noted,
      ]
      table.add(
        fault.name,
        counts.map(String.init) + [share(fault.led, fault.judged), of(fault.pricedRight, fault.costly)])
    }
    return table.text
  }

  private var healthyTable: String {
    var table = Table(["healthy", "made", "silent", "silent"])
    for kind in (healthy + [allHealthy, mended]).filter({ $0.made > 0 }) {
      table.add(kind.name, ["\(kind.made)", "\(kind.silent)", share(kind.silent, kind.made)])
    }
    return table.text
  }

  private var summary: String {
    let faults = allFaults
    var lines = [
      "\(right) of \(said) findings are true: \(share(right, said)), to be 90 %",
      "silent on healthy apps: \(share(allHealthy.silent, allHealthy.made)), to be 98 %; on mended ones: \(share(mended.silent, mended.made))",
      "the first finding leads to the fault: \(share(faults.led, faults.judged)); misled: \(share(faults.misled, faults.judged)); silent: \(share(faults.silent, faults.judged))",
      "price within 20 %, where a finding that leads to the fault should have one: \(share(faults.pricedRight, faults.costly))",
    ]
    lines += rules.filter(\.shouldBeNote).map { rule in
      "\(rule.rule) should be a note: \(share(rule.right, rule.said)) of what it says is true, and not 80 %"
    }
    if countedOtherwise > 0 {
      lines.append(
        "in \(countedOtherwise) logs the tool counts other runs than the log has, so prices compare different things"
      )
    }
    if troubles > 0 { lines.append("without a verdict: \(troubles)") }
    return lines.joined(separator: "\n")
  }

  private func of(_ part: Int, _ whole: Int) -> String { whole > 0 ? "\(part) of \(whole)" : "-" }

  private func share(_ part: Int, _ whole: Int) -> String {
    guard whole > 0 else { return "-" }
    // Rounded down, so that 90 % is no less.
    let tenths = part * 1_000 / whole
    return "\(tenths / 10).\(tenths % 10) %"
  }
}

extension Verdict {
  /// What was said, word for word.
  var text: String {
    var lines = ["\(name): \(outcome)"]
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

  private var name: String {
    if let log { return log }
    return "\(index) \(kind), \(form.rawValue), \(hosting.rawValue), \(rows) rows, \(events) events"
  }

  var outcome: String {
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
