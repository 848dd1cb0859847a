/// What `step` says of its own commands.
struct StepHelp {
  let console: Console

  func printAll() throws {
    let width = StepVerb.all.map { title($0).count }.max() ?? 0
    for verb in StepVerb.all {
      let title = title(verb)
      try console.print(
        "  \(title)\(String(repeating: " ", count: width - title.count))  \(console.style.dim(verb.help))")
    }
    try console.print()
    try console.print(Self.conditions)
  }

  func print(_ verb: StepVerb) throws {
    try console.print("\(verb.name) \(verb.usage)")
    try console.print("  \(verb.help)")
    if !verb.short.isEmpty { try console.print("  short: \(verb.short.joined(separator: ", "))") }
    if verb.argument == .condition { try console.print(Self.conditions) }
  }

  private func title(_ verb: StepVerb) -> String {
    let short = verb.short.isEmpty ? "" : ", \(verb.short[0])"
    // Where they go is told by the help of the command itself.
    let usage = verb.usage.contains("|") ? " SEQ|TIME|..." : verb.usage.isEmpty ? "" : " \(verb.usage)"
    return verb.name + short + usage
  }

  private static let conditions = """
      A condition is one of
        woken PROJECTION   it is put out of date
        run PROJECTION     it runs
        change PATH        the value there differs from before
        write PATTERN      such a place is written
        mark [LABEL]       the app made a mark
      A projection alone means woken, a path alone change; for break they mean
      woken or run, and write.
    """
}
