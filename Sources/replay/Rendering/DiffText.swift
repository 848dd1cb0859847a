import EventLog

extension RunDiff {
  func print(to console: Console, limit: LimitOptions) throws {
    if isIdentical { return try console.print("the runs are identical") }
    let style = console.style
    if let divergence {
      try console.print(style.heading("first divergence"))
      try console.print("  a  " + text(divergence.a, console))
      try console.print("  b  " + text(divergence.b, console))
    }
    try print(projections, title: "evaluations", noun: "projection", to: console, limit: limit)
    try print(paths, title: "sets", noun: "path", to: console, limit: limit)
    if state.isEmpty { return }
    try console.print(style.heading("state at the end"))
    let differences = limit.cut(state)
    for difference in differences.shown {
      let room = console.width.map { max(10, ($0 - difference.path.description.columns - 8) / 2) } ?? 60
      let change = "\(text(difference.a).cut(to: room)) -> \(text(difference.b).cut(to: room))"
      try console.print("  \(difference.path.description.shown)  \(change)")
    }
    try console.printHidden(differences.hidden, "difference")
  }

  private func print(
    _ counts: [Count], title: String, noun: String, to console: Console, limit: LimitOptions
  ) throws {
    if counts.isEmpty { return }
    try console.print(console.style.heading(title))
    let counts = limit.cut(counts)
    for count in counts.shown {
      try console.print(
        "  \(count.name.shown) \(count.a.grouped) -> \(count.b.grouped) \(title) (\(count.change))")
    }
    try console.printHidden(counts.hidden, noun)
  }

  private func text(_ event: Event?, _ console: Console) -> String {
    guard let event else { return "the run has ended" }
    let text = event.json().shown
    return console.width.map { text.cut(to: $0 - 5) } ?? text
  }

  private func text(_ json: JSON?) -> String {
    guard let json else { return "nothing" }
    var bytes: [UInt8] = []
    json.append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self).shown
  }
}
