import ArgumentParser
import EventLog
import ReplayAnalysis

struct WhyNotCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "why-not",
    abstract: "Shows why a projection did not run for a write, or shows old data.",
    discussion: """
      Example: replay why-not SampleLogs/list-element.evlog 'Row#42' \\
                 --write 'store.rows[*].count'

      It asks about the last write of that path, or with --at about the last one up to there. Of several reasons all are \
      listed: that it did run after all; that it had not begun, or had ended; that it does not read what was written, with \
      the nearest that it reads; that the write, or the transaction around it, left an equal value; that a derived value \
      between the two came out the same; that its parent ran, and ended it, skipped it for an equal input, or handed it \
      nothing; that it or its parent is out of date, and has not run yet.

      Without --write it also lists what is written near what the projection reads, and what is written and read by nobody.
      """)

  @OptionGroup var input: InputOptions

  @Argument(help: "The projection.", completion: .projections)
  var projection: String

  @Option(
    help: ArgumentHelp("The write: the last of a path like this.", valueName: "path-pattern"),
    completion: .writtenPaths, transform: PathPattern.read)
  var write: PathPattern?

  @Option(
    help: ArgumentHelp("The last write up to here: \(Moment.form).", valueName: "moment"),
    completion: .moments, transform: Moment.read)
  var at: Moment?

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: input.log, limits: input.limits)
    let answer = try WhyNot(projection, write: write, at: at, in: log, progress: console.progress)
    try input.output.print(answer, on: console) { try answer.print(to: console) }
    return log.reportDamage(on: console)
  }
}

extension WhyNot {
  func print(to console: Console) throws {
    try console.print(console.style.heading(console.fit(projection.shown, beside: 0)))
    if let write {
      let facts =
        "  at \(Units.moment(write.time)), event \(write.seq)" + (write.site.map { ", \($0)" } ?? "").shown
      let room = min(40, console.width.map { max(8, ($0 - 40) / 2) } ?? 40)
      let values = [write.old, write.new].map { ($0?.text ?? "nothing").shown.cut(to: room) }
      let change = "  \(values[0]) -> \(values[1])"
      let path = console.fit(write.path.shown, beside: change.columns + 13, keepsEnd: true)
      try console.print("  the write  \(path)\(change)")
      try console.print("           " + console.style.dim(console.fit(facts, beside: 11)))
    }
    for reason in reasons {
      try console.print(wrapping: reason.message.shown, "    ", first: "  - ")
      for path in reason.nearest ?? [] {
        try console.print("      reads " + console.fit(path.shown, beside: 12, keepsEnd: true))
      }
    }
    if let near, !near.isEmpty { try console.print("  written near what it reads:") }
    for write in near ?? [] { try print(write, to: console) }
    if let unreadPaths, !unreadPaths.isEmpty { try console.print("  written and read by nobody:") }
    for write in unreadPaths ?? [] { try print(write, to: console) }
  }

  private func print(_ write: NearWrite, to console: Console) throws {
    let facts = "  " + write.facts
    let path = console.fit(write.path.shown, beside: 4 + facts.columns, keepsEnd: true)
    try console.print("    " + path + console.style.dim(facts))
  }
}
