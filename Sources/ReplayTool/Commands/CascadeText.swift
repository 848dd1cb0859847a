import ReplayAnalysis

extension CascadeReport {
  func print(to console: Console, limit: LimitOptions) throws {
    if lines.isEmpty { return try console.print("nothing was woken") }
    let lines = limit.cut(lines)
    for line in lines.shown { try line.print(to: console) }
    try console.printHidden(lines.hidden + forgotten, "cascade")
  }
}

extension CascadeReport.Line {
  fileprivate func print(to console: Console) throws {
    let times = count > 1 ? "\(count.grouped) x " : ""
    let place = count > 1 ? "events \(first) to \(last)" : "event \(first)"
    let title = console.fit("\(times)\(root)".shown, beside: place.count + 2)
    try console.print(console.style.heading(title) + console.style.dim("  \(place)"))
    var facts = [Units.count(evaluations, "evaluation"), Units.duration(time)]
    if wasted > 0 { facts.append("\(wasted.grouped) wasted") }
    facts += ["fan-out \(fanOut.grouped)", "depth \(depth)"]
    try console.print("  " + console.style.dim(facts.joined(separator: ", ")))
    for child in tree { try child.print(count, depth: 2, to: console) }
  }
}

extension CascadeTree {
  /// A branch of so many cascades, with what one of them ran and what all of them took.
  fileprivate func print(_ count: Int, depth: Int, to console: Console) throws {
    var facts: [String] = []
    var runs = ""
    if kind == .projection {
      let each = max(evaluations, invalidations) / max(1, count)
      if each > 1 { runs = " x \(each.grouped)" }
      if evaluations == 0 { runs += " (woken, not evaluated)" } else { facts.append(Units.duration(time)) }
    }
    let waste = wasted == 0 ? "" : wasted == evaluations ? "all wasted" : "\(wasted.grouped) wasted"
    let tail = facts.joined() + (waste.isEmpty ? "" : (facts.isEmpty ? "" : ", ") + waste)
    // A tree that is deeper than the terminal is wide goes straight down at its edge.
    let margin = min(2 * depth, console.width.map { max(0, $0 - 40) } ?? .max)
    let title =
      console.fit(name.shown, beside: margin + runs.count + (tail.isEmpty ? 0 : tail.count + 2)) + runs
    var line = String(repeating: " ", count: margin) + title
    if !facts.isEmpty { line += "  " + console.style.dim(facts.joined()) }
    if !waste.isEmpty { line += (facts.isEmpty ? "  " : console.style.dim(", ")) + console.style.bad(waste) }
    try console.print(line)
    for child in children { try child.print(count, depth: depth + 1, to: console) }
  }
}
