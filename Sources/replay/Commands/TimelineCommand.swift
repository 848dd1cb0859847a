import ArgumentParser
import EventLog

struct TimelineCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline",
    abstract: "Shows what was invalidated, when, and by what.",
    discussion: """
      Example: replay timeline SampleLogs/list-trap.evlog --projection 'Row#7' --path 'store.rows[*].count' --from 2ms

      A projection's name stands for all its instances, Row for Row#42; * stands for any characters. In a path * \
      stands for characters of one name, ** for any number of steps, [*] for any element. Quote them for the shell.

      With --path alone, a log that was closed and records its timeline is read only where the paths are written.
      """)

  @OptionGroup var input: InputOptions

  @OptionGroup var selection: SelectionOptions

  @Flag(help: "Tell how many blocks of the log were read.")
  var verbose = false

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(path: input.log)
    let filter = TimelineFilter(selection: try selection.selection(in: log))
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
