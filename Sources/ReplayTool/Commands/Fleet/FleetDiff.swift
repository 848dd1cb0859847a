import ArgumentParser
import ReplayAnalysis

struct FleetDiff: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Ranks what costs more in one set of sessions than in another.",
    discussion: """
      Example: replay fleet diff summaries@1.4 summaries@1.5
      Example: replay fleet diff monday tuesday --least 100 --per minute

      Compared are the times of an average session, as if both sets had the same mix of devices: class by class, added up by \
      the share that each class has in both together. The costliest 2 % of the sessions that have something count as the \
      next. How much more is an interval; all that is compared is corrected for its number, so that at most --fdr of what \
      is listed is chance. A line is of all devices where it got worse for every class that has enough sessions, of one \
      class, or of the average where it cannot be told of which. What only one of the sets has is listed apart.

      Where nothing got worse, it says how many times the cost would have been found, for half of the kinds and for 9 in 10: \
      with so many sessions, less may go unseen.

      The exit status is 1 where something got worse, and 4 where that cannot be told: no session is of such a version, or \
      fewer than --least are before or after.
      """)

  @Argument(
    help: ArgumentHelp("The tables before, or these and a version: summaries@1.4.", valueName: "before"),
    completion: .directory)
  var before: String

  @Argument(
    help: ArgumentHelp("The tables after, likewise.", valueName: "after"), completion: .directory)
  var after: String

  @OptionGroup var options: FleetOptions
  @OptionGroup var limit: LimitOptions
  @OptionGroup var output: OutputOptions

  func run(on console: Console) throws -> ToolStatus {
    let compared = try options.compare(before, after, on: console)
    console.reportCrowd(compared.difference.isCrowded)
    try output.print(compared.difference, on: console) { try print(compared, to: console) }
    for absence in compared.absences { console.report("replay: \(absence)") }
    return compared.status
  }

  private func print(_ compared: FleetOptions.Compared, to console: Console) throws {
    let difference = compared.difference
    if compared.isUndecided {
      try console.print(
        "too few sessions to compare: \(difference.compared[0].grouped) before and "
          + "\(difference.compared[1].grouped) after, and --least is \(compared.least)")
      return try printSides(compared, to: console)
    }
    if difference.worse.isEmpty {
      try console.print("nothing got worse, as far as these sessions tell")
      if let detectable = difference.detectable { try console.print(console.style.dim(detectable.sentence)) }
    } else {
      try print(difference.worse, "WORSE", "MORE", to: console)
    }
    if !difference.better.isEmpty {
      try console.print()
      try print(difference.better, "BETTER", "LESS", to: console)
    }
    for (changes, title) in [
      (difference.new, "NEW"), (difference.gone, "GONE"), (difference.renamed, "RENAMED"),
    ]
    where !changes.isEmpty { try print(changes, title, to: console) }
    if !difference.newShapes.isEmpty { try printShapes(difference, to: console) }
    try console.printSessions(
      difference.worse.prefix(3).compactMap(\.example) + difference.new.prefix(1).compactMap(\.example)
        + difference.newShapes.prefix(1).map(\.example))
    try printSides(compared, to: console)
  }

  /// Prints how many sessions were compared, and what was not.
  private func printSides(_ compared: FleetOptions.Compared, to console: Console) throws {
    let difference = compared.difference
    try console.print()
    try console.print(
      console.style.dim(
        "\(Units.count(difference.sessions[0], "session")) before, \(difference.sessions[1].grouped) after"
          + (difference.unit == .session ? "" : "; costs are per \(difference.unit.rawValue)")))
    let others = zip(difference.sessions, difference.compared).map { $0 - $1 }
    if others != [0, 0] {
      try console.print(
        console.style.dim(
          "\(others[0].grouped) before and \(others[1].grouped) after not compared: the other side has too few of their kind"
        ))
    }
    if !compared.dimensions.isEmpty {
      let names = compared.dimensions.map { $0.dropFirst(SummaryTable.dimensionPrefix.count) }
      try console.print(console.style.dim("told apart by \(names.joined(separator: ", "))"))
    }
    for (losses, side) in zip(difference.leftOut, ["before", "after"]) { try console.print(losses, side) }
  }

  private func print(
    _ lines: [FleetDifference.Line], _ title: String, _ direction: String, to console: Console
  ) throws {
    let isLess = direction == "LESS"
    let share = Units.rate(options.confidence)
    let table = Table(
      .text(title), .init(title: "DEVICES"), .number("BEFORE"), .number("AFTER"),
      .init(title: "\(direction), \(share) % BETWEEN"), .number("P95 BEFORE"), .number("AFTER"),
      .number("SESSIONS", leaves: 1))
    try table.print(lines, "line", limit, to: console) { line in
      let (low, high) = isLess ? (-line.high, -line.low) : (line.low, line.high)
      return [
        "\(line.role.rawValue) \(line.kind)", line.devices, line.before.asDuration, line.after.asDuration,
        "\(low.asDuration) and \(high.asDuration)", line.p95Before.asDuration, line.p95After.asDuration,
        line.sessions[1].grouped,
      ]
    }
  }

  private func print(_ changes: [FleetDifference.Change], _ title: String, to console: Console) throws {
    try console.print()
    let isRenamed = title == "RENAMED"
    let table = Table(
      .text(title), .number("COST"), .number("SESSIONS", leaves: isRenamed ? 0 : 1),
      .init(title: isRenamed ? "BEFORE" : ""))
    try table.print(changes, "line", limit, to: console) { change in
      [
        "\(change.role.rawValue) \(change.kind)", change.cost.asDuration, change.sessions.grouped,
        change.other ?? "",
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

extension FleetDifference.Line {
  /// The devices that the line is of, as text.
  var devices: String { scope == .device ? deviceClass ?? "not known" : scope.rawValue }
}
