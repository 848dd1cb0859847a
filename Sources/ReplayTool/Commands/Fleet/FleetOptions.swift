import ArgumentParser
import ReplayAnalysis

/// Which sessions are compared, and by what measure.
struct FleetOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The app, if the tables have sessions of several.", valueName: "name"))
  var app: String?

  @Option(help: "Give costs per session, per minute of it, or per write.")
  var per: FleetUnit = .session

  @Option(
    help: ArgumentHelp(
      "Also compare only sessions with the same of this dimension (dim.NAME of the metadata); again for more, none for "
        + "none. By default those that nearly all sessions have, with few values.", valueName: "dimension"))
  var by: [String] = []

  @Option(help: ArgumentHelp("How many sessions must have it.", valueName: "count"))
  var least = 30

  @Option(help: ArgumentHelp("How much more it must be, in percent of what it was.", valueName: "percent"))
  var growth = 5

  @Option(help: ArgumentHelp("How much more it must be, in microseconds.", valueName: "us"))
  var floor = 1

  @Option(help: ArgumentHelp("How sure the interval holds the difference, in percent.", valueName: "percent"))
  var confidence = 99.0

  @Option(help: ArgumentHelp("The share of what is listed that may be chance.", valueName: "share"))
  var fdr = 0.05

  func validate() throws {
    if least < 2 { throw ValidationError("--least must be 2 or more") }
    if !(0...100_000).contains(growth) { throw ValidationError("--growth must be from 0 to 100000") }
    if !(0...1_000_000_000).contains(floor) { throw ValidationError("--floor must be from 0 to 1000000000") }
    if !(50...99.999).contains(confidence) { throw ValidationError("--confidence must be from 50 to 99.999") }
    if !(fdr > 0 && fdr <= 0.5) { throw ValidationError("--fdr must be above 0, and at most 0.5") }
  }

  var difference: FleetDifference.Options {
    var options = FleetDifference.Options()
    options.sessionsMin = least
    options.growthMin = Double(growth) / 100
    options.floor = Double(floor) * 1_000
    options.confidence = confidence / 100
    options.discovery = fdr
    options.tellsDetectable = true
    return options
  }

  /// What two sets of tables have, compared.
  struct Compared {
    let difference: FleetDifference
    let least: Int
    /// The columns of dimensions of which only equal ones were compared.
    let dimensions: [String]
    /// Why one of the sets has no sessions.
    let absences: [String]

    /// Whether there are too few sessions to tell anything.
    var isUndecided: Bool { difference.compared.contains { $0 < least } }

    var status: ToolStatus { isUndecided ? .undecided : difference.worse.isEmpty ? .done : .found }
  }

  /// - Throws: `ToolError` if the tables cannot be read.
  func compare(_ before: String, _ after: String, on console: Console) throws -> Compared {
    let readers = [try SummaryReader(before, app: app), try SummaryReader(after, app: app)]
    let dimensions = try dimensions(readers)
    let tallies = try readers.map { try $0.tally(console.progress, per: per, by: dimensions) }
    let absences = try zip(readers, tallies).filter { $1.sessionCount == 0 }.map { try $0.0.absence() }
    return Compared(
      difference: FleetDifference(tallies[0], tallies[1], difference), least: least, dimensions: dimensions,
      absences: absences)
  }

  private func dimensions(_ readers: [SummaryReader]) throws -> [String] {
    let sides = try readers.map { try $0.dimensions() }
    if by.isEmpty {
      return Set(sides.flatMap(\.of.keys)).sorted().filter { name in
        sides.allSatisfy { side in
          guard let of = side.of[name] else { return false }
          return of.count * 10 >= side.sessions * 9 && of.values.count <= Self.valuesMax
        }
      }
    }
    if by == ["none"] { return [] }
    return try by.map { name in
      let column = SummaryTable.dimensionPrefix + name.lowercased()
      guard sides.contains(where: { $0.of[column] != nil }) else {
        let known = Set(sides.flatMap(\.of.keys)).sorted().map {
          $0.dropFirst(SummaryTable.dimensionPrefix.count)
        }
        throw ToolError(
          "no session has a dimension \(name)"
            + (known.isEmpty ? "" : "; there are \(known.joined(separator: ", "))"))
      }
      return column
    }
  }

  /// With more values there would be too few sessions of each.
  private static let valuesMax = 8
}

extension FleetUnit: ExpressibleByArgument {}

extension Console {
  /// Prints what a set of sessions lacks.
  func print(_ losses: FleetLosses, _ side: String) throws {
    var parts: [String] = []
    if losses.partial > 0 {
      parts.append(
        "\(Units.count(losses.partial, "session")) not counted: the log is not whole, or has nothing to divide by"
      )
    }
    let failed = losses.failures.values.reduce(0, +)
    if failed > 0 {
      let codes = losses.failures.sorted { $0.key < $1.key }.map { "\($0.value.grouped) \($0.key)" }
      parts.append("\(Units.count(failed, "failure")): \(codes.joined(separator: ", "))")
    }
    for part in parts { try print(style.dim(side.isEmpty ? part : "\(side): \(part)")) }
  }
}
