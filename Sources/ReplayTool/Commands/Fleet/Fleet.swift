import ArgumentParser
import EventLog
import ReplayAnalysis

struct Fleet: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ranks what many sessions cost, and what got worse, from the tables of summarize.",
    discussion: """
      Example: replay fleet top summaries
      Example: replay fleet diff summaries@1.4 summaries@1.5
      Example: replay fleet report summaries -o fleet.html

      These questions need no engine; Fleet/questions has more, as SQL for DuckDB and Spark. A folder of tables may \
      be followed by @ and a version of the app, which is then looked at alone.
      """,
    subcommands: [FleetTop.self, FleetDiff.self, FleetCheck.self, FleetReportCommand.self, FleetPrune.self])
}

extension Console {
  /// Prints the commands that open the example sessions of a ranking's lines.
  func printSessions(_ examples: [FleetExample]) throws {
    if examples.isEmpty { return }
    try print()
    try print(style.heading("SESSIONS TO OPEN"))
    // The report of one session needs to be made only once, even for several events.
    var pages: [ExactString: String] = [:]
    var seen: Set<String> = []
    for example in examples {
      let page = pages[ExactString(example.log)] ?? "session-\(pages.count + 1).html"
      pages[ExactString(example.log)] = page
      let event = example.seq.map { "#event=\($0)" } ?? ""
      guard seen.insert(page + event).inserted else { continue }
      let line = "replay report \(example.log.quotedForShell) -o \(page)"
      try print("  \(line)" + style.dim(event.isEmpty ? "" : "  # then open \(page)\(event)"))
    }
  }

  /// Prints a note if there were more kinds or device classes than can be counted.
  func reportCrowd(_ isCrowded: Bool) {
    if isCrowded {
      report("replay: there are too many kinds or device classes; some kinds are not counted")
    }
  }
}

extension Double {
  /// Nanoseconds as text, in a suitable unit.
  var asDuration: String { Units.duration(UInt64(min(max(0, self), 9e18))) }
}
