import ArgumentParser
import EventLog

struct Export: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a log in a form that other tools read.",
    discussion: """
      Example: replay export SampleLogs/scopes.evlog > scopes.jsonl
      Example: replay export SampleLogs/chat-wide.evlog --to perfetto > trace.json
      Example: replay export run.evlog --to sqlite -o run.db

      jsonl is one event a line, and import makes an equal log of it. csv has a header and an event a line, by RFC \
      4180. perfetto is a Chrome trace, which ui.perfetto.dev opens: tracks of runs, arrows for causes, rates. sqlite \
      is a database with tables and views, for which --output must be given. EXPORTS.md says what is in each.

      --from and --until take a part; here --to names the form.
      """)

  enum Form: String, ExpressibleByArgument, CaseIterable { case jsonl, csv, perfetto, sqlite }

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(help: "The form.")
  var to = Form.jsonl

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this file instead of the standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(help: ArgumentHelp("From here on: \(Moment.form).", valueName: "moment"), completion: .moments)
  var from: Moment?

  @Option(help: ArgumentHelp("Up to here, as --from.", valueName: "moment"), completion: .moments)
  var until: Moment?

  func validate() throws {
    if to == .sqlite, output == nil { throw ValidationError("--to sqlite needs a file; give --output") }
  }

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(path: log)
    let selection = try Selection(from: from, to: until, in: log)
    if let output {
      let place = OutputPlace(output)
      if to == .sqlite { try place.needsFile(for: "a database") }
      place.giveUp()
      do {
        try export(log, selection, to: place.temporary, console)
        try place.replace()
      } catch {
        place.giveUp()
        throw error
      }
      // It may be where this would be printed.
      if !place.isStream { try console.print("\(output.shown): written") }
    } else {
      try export(log, selection, ExportSink(console), console.progress)
    }
    return log.reportDamage(on: console)
  }

  private func export(_ log: LogSource, _ selection: Selection, to file: String, _ console: Console) throws {
    let name = output ?? file
    if to == .sqlite {
      return try SQLiteExport.run(log, selection, to: file, name: name, progress: console.progress)
    }
    let sink = try ExportSink(file: file, name: name)
    try export(log, selection, sink, console.progress)
    try sink.finish()
  }

  private func export(_ log: LogSource, _ selection: Selection, _ sink: ExportSink, _ progress: Progress)
    throws
  {
    defer { progress.finish() }
    func note(_ seq: UInt64) {
      guard seq & 4095 == 0 else { return }
      let (first, end) = (selection.seqs.lowerBound, selection.seqs.upperBound)
      progress.noteMany(seq - min(seq, first), of: end - first, "exporting \(log.path)")
    }
    switch to {
    case .jsonl:
      var lines = ExportLines(log)
      while try lines.next(), lines.seq < selection.seqs.upperBound {
        note(lines.seq)
        if lines.seq >= selection.seqs.lowerBound { try sink.write(lines.line) }
      }
    case .csv:
      var lines = CSVExport(try ExportRows(log, selection), isShown: sink.isTerminal)
      repeat {
        note(lines.seq)
        try sink.write(lines.line)
      } while lines.next()
    case .perfetto:
      var trace = PerfettoExport(try ExportRows(log, selection), of: log)
      try sink.write(PerfettoExport.head)
      repeat {
        note(trace.seq)
        try sink.write(trace.take())
      } while trace.next()
      try sink.write(trace.take() + PerfettoExport.tail)
    case .sqlite: break
    }
  }
}
