import EventLog

extension WhyChain {
  /// The limit is for the writes of one invalidation: a large transaction may have thousands.
  func print(to console: Console, limit: LimitOptions, stacks: Bool) throws {
    var writes = 0
    for (position, step) in steps.enumerated() {
      if case .write = step { writes += 1 } else { writes = try finish(writes, to: console, limit) }
      let margin = position == 0 ? "" : "  <- "
      switch step {
      case .evaluation(let evaluation):
        let output = evaluation.changed.map { $0 ? ", output changed" : ", same output" } ?? ""
        try console.print(
          margin + console.style.heading(evaluation.projection.shown)
            + " evaluated at \(Units.moment(evaluation.time)) in \(Units.duration(evaluation.duration))\(output)"
            + console.style.dim("  event \(evaluation.seq)"))
      case .followed(let parent):
        try console.print("\(margin)ran because its parent \(parent.shown) did")
      case .invalidation(let entry, let time):
        try console.print(
          "\(margin)\(entry.projection.shown) invalidated at \(Units.moment(time))"
            + console.style.dim("  event \(entry.seq)"))
      case .write(let write):
        if limit.limit == 0 || writes <= limit.limit { try write.print(to: console, stack: stacks) }
      case .origin(let text): try console.print(margin + text.shown)
      }
    }
    _ = try finish(writes, to: console, limit)
    if let advice { console.note(advice.shown) }
  }

  /// Says how many writes in a row the limit left out, and begins to count anew.
  private func finish(_ writes: Int, to console: Console, _ limit: LimitOptions) throws -> Int {
    if limit.limit > 0 { try console.printHidden(max(0, writes - limit.limit), "write") }
    return 0
  }
}

extension WhyChain.Write {
  fileprivate func print(to console: Console, stack: Bool) throws {
    var place = console.style.dim("  event \(event.seq)")
    if let site = event.site { place += "  at \(site.shown)" }
    try console.print("  <- \(event.body.kind) \(path.description.shown)  \(change(console))\(place)")
    var facts = ["at \(Units.moment(event.time))"]
    if isInTransaction {
      facts.append("in transaction" + (transaction.map { " \(Value.string($0).json)" } ?? ""))
    }
    if event.body.sameValue == true { facts.append("same value") }
    if !reads.isEmpty {
      let shown = reads.prefix(3).map(\.description).joined(separator: ", ")
      facts.append("read as " + shown + (reads.count > 3 ? " and \(reads.count - 3) more" : ""))
    }
    try console.print("     " + console.style.dim(facts.joined(separator: ", ").shown))
    if let sentence = origin?.sentence { try console.print("     " + sentence) }
    if stack { try origin?.print(to: console, margin: "       ") }
  }

  private func change(_ console: Console) -> String {
    if case .splice(_, let offset, let delete, let insert, _) = event.body {
      return "at \(offset): \(delete) out, \(insert.json.shown.cut(to: 40)) in"
    }
    func text(_ value: Value?) -> String { (value?.json ?? "nothing").shown.cut(to: 40) }
    return "\(text(old)) -> \(text(new))"
  }
}
