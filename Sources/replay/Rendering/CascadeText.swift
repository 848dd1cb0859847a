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
    try console.print(console.style.heading("\(times)\(root)".shown) + console.style.dim("  \(place)"))
    var facts = [Units.count(evaluations, "evaluation"), Units.duration(time)]
    if wasted > 0 { facts.append("\(wasted.grouped) wasted") }
    facts += ["fan-out \(fanOut.grouped)", "depth \(depth)"]
    try console.print("  " + console.style.dim(facts.joined(separator: ", ")))
    for child in tree.children { try print(child, depth: 1, to: console) }
  }

  private func print(_ tree: CascadeTree, depth: Int, to console: Console) throws {
    let runs = max(tree.evaluations, tree.invalidations)
    var text = tree.name
    if tree.kind == .projection {
      if runs > 1 { text += " x \(runs.grouped)" }
      if tree.evaluations == 0 { text += " (woken, not evaluated)" }
    }
    try console.print(String(repeating: "  ", count: depth + 1) + text.shown)
    for child in tree.children { try print(child, depth: depth + 1, to: console) }
  }
}
