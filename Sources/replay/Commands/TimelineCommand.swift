import ArgumentParser
import EventLog

struct TimelineCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline",
    abstract: "Shows what was invalidated, when, and by what.",
    discussion: """
      Example: replay timeline run.evlog --projection Row --path 'store.rows[*].count' --from 1.5s

      A projection's name stands for all its instances, Row for Row#42; * stands for any characters. In a path * \
      stands for characters of one name, ** for any number of steps, [*] for any element. Quote them for the shell.

      With --path alone, a log that was closed and records its timeline is read only where the paths are written.
      """)

  @OptionGroup var input: InputOptions

  @Option(help: ArgumentHelp("Only these projections.", valueName: "pattern"))
  var projection: String?

  @Option(help: ArgumentHelp("Only what a write to these paths woke.", valueName: "pattern"))
  var path: PathPattern?

  @Option(help: ArgumentHelp("From this event or time on, as 17 or 1.5s.", valueName: "moment"))
  var from: Moment?

  @Option(help: ArgumentHelp("Up to this event or time, as 17 or 1.5s.", valueName: "moment"))
  var to: Moment?

  @Flag(help: "Tell how many blocks of the log were read.")
  var verbose = false

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(path: input.log)
    let filter = TimelineFilter(
      projection: projection.map(ProjectionPattern.init), path: path, from: from, to: to)
    switch input.output.format {
    case .json:
      var lines = TimelineJSON(console)
      try filter.forEachEntry(of: log, progress: console.progress) { entry, run in
        if let entry { try lines.add(entry, of: &run) } else { try console.flush() }
      }
    case .text:
      var text = TimelineText(console)
      try filter.forEachEntry(of: log, progress: console.progress) { entry, run in
        if let entry { try text.add(entry, of: &run) } else { try text.settle() }
      }
      try text.finish()
    }
    if verbose {
      let blocks = Units.count(log.blocks.count, "block")
      console.note("replay: \(log.blocksRead.grouped) of \(blocks) of events read")
    }
    return log.reportDamage(on: console)
  }
}

extension PathPattern: ExpressibleByArgument {
  /// Takes the pattern as it was typed.
  public init?(argument: String) {
    guard let pattern = try? PathPattern(parsing: argument) else { return nil }
    self = pattern
  }
}
