import ArgumentParser
import EventLog
import ReplayAnalysis

struct TimelineCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline",
    abstract: "Shows what was invalidated, when, and by what.",
    discussion: """
      Example: replay timeline SampleLogs/list-trap.evlog \\
                 --projection 'Row#7' --path 'store.rows[*].count' --from 2ms

      A projection's name stands for all its instances, Row for Row#42; * stands for any characters. In a path * \
      stands for characters of one name, ** for any number of steps, [*] for any element. Quote them for the shell.

      With --path alone, a log that was closed and records its timeline is read only where the paths are written.
      """)

  @OptionGroup var input: InputOptions

  @OptionGroup var selection: SelectionOptions

  @Flag(help: "Tell how many blocks of the log were read.")
  var verbose = false

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: input.log)
    let filter = TimelineFilter(selection: try selection.selection(in: log))
    switch input.output.format {
    case .json:
      var lines = TimelineJSON(console)
      do {
        try filter.forEachEntry(of: log, progress: console.progress) { entry, run in
          if let entry { try lines.add(entry, of: &run) } else { try lines.settle() }
        }
      } catch {
        // What came before the fault is as good as ever.
        try lines.settle()
        throw error
      }
      try lines.settle()
    case .text:
      var text = TimelineText(console)
      do {
        try filter.forEachEntry(of: log, progress: console.progress) { entry, run in
          if let entry { try text.add(entry, of: &run) } else { try text.settle() }
        }
      } catch {
        try text.settle()
        throw error
      }
      try text.finish()
    }
    if verbose {
      let blocks = Units.count(log.blocks.count, "block")
      let state = log.damage.isOfPart ? ", after the state before them" : ""
      console.note("replay: \(log.blocksRead.grouped) of \(blocks) of events read\(state)")
    }
    return log.reportDamage(on: console)
  }
}
