import ArgumentParser
import ReplayAnalysis

struct FleetDiff: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Ranks what costs more in one set of sessions than in another.",
    discussion: """
      Example: replay fleet diff summaries@1.4 summaries@1.5
      Example: replay fleet diff monday tuesday --least 100

      Compared are the times of an average session. How much more is an interval: so far the difference goes when sessions \
      are drawn anew, at random, 2,000 times (a bootstrap; the same draws each time). What may be chance is left out, and \
      so is what fewer than --least sessions have. A line is of all devices where it got worse for every class of them, \
      else of one class. The exit status is 1 where something got worse, and 4 where that cannot be told: no session is \
      of such a version, or there are fewer than --least before or after.
      """)

  @Argument(
    help: ArgumentHelp("The tables before, or these and a version: summaries@1.4.", valueName: "before"),
    completion: .directory)
  var before: String

  @Argument(
    help: ArgumentHelp("The tables after, likewise.", valueName: "after"), completion: .directory)
  var after: String

  @Option(help: ArgumentHelp("How many sessions must have it.", valueName: "count"))
  var least = 30

  @Option(help: ArgumentHelp("How much more it must be, in percent of what it was.", valueName: "percent"))
  var growth = 5

  @Option(help: ArgumentHelp("The share of draws that the interval holds, in percent.", valueName: "percent"))
  var confidence = 99

  @OptionGroup var limit: LimitOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if least < 2 { throw ValidationError("--least must be 2 or more") }
    if !(0...100_000).contains(growth) { throw ValidationError("--growth must be from 0 to 100000") }
    if !(50...99).contains(confidence) { throw ValidationError("--confidence must be from 50 to 99") }
  }

  func run(on console: Console) throws -> ToolStatus {
    let readers = (try SummaryReader(before), try SummaryReader(after))
    let (first, second) = (
      try readers.0.tally(console.progress), try readers.1.tally(console.progress)
    )
    var options = FleetDifference.Options()
    options.sessionsMin = least
    options.growthMin = Double(growth) / 100
    options.confidence = Double(confidence) / 100
    let difference = FleetDifference(first, second, options)
    console.reportCrowd(difference.isCrowded)
    try output.print(difference, on: console) { try print(difference, to: console) }
    for (reader, tally) in [(readers.0, first), (readers.1, second)] where tally.sessionCount == 0 {
      console.report("replay: \(try reader.absence())")
    }
    if isUndecided(difference) { return .undecided }
    return difference.worse.isEmpty ? .done : .found
  }

  private func isUndecided(_ difference: FleetDifference) -> Bool {
    difference.sessions.contains { $0 < least }
  }

  private func print(_ difference: FleetDifference, to console: Console) throws {
    if isUndecided(difference) {
      return try console.print(
        "too few sessions to compare: \(difference.sessions[0].grouped) before and "
          + "\(difference.sessions[1].grouped) after, and --least is \(least)")
    }
    if difference.worse.isEmpty {
      try console.print("nothing got worse, as far as these sessions tell")
    } else {
      try printWorse(difference, to: console)
    }
    if !difference.newShapes.isEmpty { try printShapes(difference, to: console) }
    try console.printSessions(
      difference.worse.prefix(3).compactMap(\.example) + difference.newShapes.prefix(1).map(\.example))
    try console.print()
    try console.print(
      console.style.dim(
        "\(Units.count(difference.sessions[0], "session")) before, \(difference.sessions[1].grouped) after"))
  }

  private func printWorse(_ difference: FleetDifference, to console: Console) throws {
    let table = Table(
      .text("WORSE"), .init(title: "DEVICES"), .number("BEFORE"), .number("AFTER"),
      .init(title: "MORE, \(confidence) % BETWEEN"), .number("SESSIONS", leaves: 1))
    try table.print(difference.worse, "line", limit, to: console) { line in
      [
        "\(line.role.rawValue) \(line.kind)", line.isOfAll ? "all" : line.deviceClass ?? "not known",
        line.before.asDuration, line.after.asDuration, "\(line.low.asDuration) and \(line.high.asDuration)",
        line.sessions.grouped,
      ]
    }
  }

  private func printShapes(_ difference: FleetDifference, to console: Console) throws {
    try console.print()
    let table = Table(
      .text("NEW SHAPE BEGINS WITH"), .init(title: "HASH"), .number("COUNT"), .number("TIME"),
      .number("SESSIONS", leaves: 1))
    try table.print(difference.newShapes, "shape", limit, to: console) { shape in
      [shape.root ?? "", shape.hash, shape.count.grouped, Units.duration(shape.time), shape.sessions.grouped]
    }
  }
}
