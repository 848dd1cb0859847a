import ArgumentParser
import EventLog
import ReplayAnalysis

/// From where to where in a run.
struct RangeOptions: ParsableArguments {
  @Option(help: ArgumentHelp("From here on: \(Moment.form).", valueName: "moment"), completion: .moments)
  var from: Moment?

  @Option(help: ArgumentHelp("Up to here, as --from.", valueName: "moment"), completion: .moments)
  var to: Moment?

  /// The events between the two.
  func selection(in log: LogSource) throws -> Selection { try Selection(from: from, to: to, in: log) }
}

/// Which projections and paths are looked at.
struct PatternOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Only these projections, as Row, 'Row#7' or '*Row*'.", valueName: "pattern"),
    completion: .projections)
  var projection: ProjectionPattern?

  @Option(
    help: ArgumentHelp("Only these paths, as 'store.rows[*].count' or 'store.**'.", valueName: "pattern"),
    completion: .paths)
  var path: PathPattern?
}

/// The part of a run that is looked at: what most commands take.
struct SelectionOptions: ParsableArguments {
  @OptionGroup var range: RangeOptions
  @OptionGroup var patterns: PatternOptions

  func selection(in log: LogSource) throws -> Selection {
    try Selection(
      from: range.from, to: range.to, projection: patterns.projection, path: patterns.path, in: log)
  }
}

extension Moment: ExpressibleByArgument {}

extension ProjectionPattern: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}

extension PathPattern: ExpressibleByArgument {
  /// Takes the pattern as it was typed.
  public init?(argument: String) {
    guard let pattern = try? PathPattern(parsing: argument) else { return nil }
    self = pattern
  }
}
