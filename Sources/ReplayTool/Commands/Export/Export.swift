import ArgumentParser
import EventLog
import ReplayAnalysis
import SystemPackage

struct Export: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a log in a form that other tools read.",
    discussion: """
      Example: replay export SampleLogs/scopes.evlog > scopes.jsonl
      Example: replay export SampleLogs/scopes.evlog --format perfetto > trace.json
      Example: replay export run.evlog --format sqlite -o run.db

      jsonl is one event a line, and import makes an equal log of it. csv has a header and an event a line, by RFC \
      4180. perfetto is a Chrome trace, which ui.perfetto.dev opens: tracks of runs, arrows for causes, rates. sqlite \
      is a database with tables and views, for which --output must be given. EXPORTS.md says what is in each.
      """)

  enum Form: String, ExpressibleByArgument, CaseIterable { case jsonl, csv, perfetto, sqlite }

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(help: "The form.")
  var format = Form.jsonl

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this file instead of the standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @OptionGroup var replacing: ReplaceOptions
  @OptionGroup var memory: MemoryOptions

  @Flag(
    help: "Begin jsonl with a line that has the program and the metadata of the log, which import takes over."
  )
  var header = false

  @OptionGroup var range: RangeOptions

  func validate() throws {
    if header, format != .jsonl { throw ValidationError("--header belongs to --format jsonl") }
    if format == .sqlite, output == nil {
      throw ValidationError("--format sqlite needs a file; give --output")
    }
  }

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: log, needsState: false, limits: memory.limits)
    let selection = try range.selection(in: log)
    console.limitOutput(to: memory.limits, of: log)
    if let output {
      if format == .sqlite {
        try OutputFile.expectFile(output, for: "a database")
        // SQLite takes names as text.
        if output.unicodeScalars.contains(where: FileName.isEscape) {
          throw ToolError("cannot write \(output): the name of a database must be UTF-8")
        }
      }
      let file = try OutputFile(output, replacing: replacing.replace, madeOf: [log.path])
      if format == .sqlite {
        try SQLiteExport.run(log, selection, to: file, progress: console.progress)
      } else {
        let sink = try ExportSink(file, memory.limits.textBytes(ofFile: log.reader.byteCount))
        try export(log, selection, sink, console.progress)
        try sink.finish()
      }
      try file.finish()
      // This message must not mix with an export that goes to the standard output.
      if !file.isStream { try console.print("\(output.shown): written") }
    } else {
      try export(log, selection, ExportSink(console), console.progress)
    }
    if log.hasLostState {
      console.report(
        "replay: \(log.path.shown): the state before event \(log.firstSeq) is not in it; every write says whether its "
          + "value was the same")
    }
    return log.reportDamage(on: console)
  }

  private func export(
    _ log: LogSource, _ selection: Selection, _ sink: ExportSink, _ progress: AnalysisProgress
  )
    throws
  {
    defer { progress.finish() }
    func count(_ seq: UInt64) {
      guard seq & 4095 == 0 else { return }
      let (first, end) = (selection.seqs.lowerBound, selection.seqs.upperBound)
      progress.report(seq - min(seq, first), of: end - first, "exporting \(log.path)")
    }
    switch format {
    case .jsonl:
      if header { try sink.write(Array("\(log.header.jsonLine)\n".utf8)) }
      let lines = ExportLines(log)
      while try lines.next(), lines.seq < selection.seqs.upperBound {
        count(lines.seq)
        if lines.seq >= selection.seqs.lowerBound { try sink.write(lines.line) }
      }
    case .csv:
      let lines = try CSVExport(log, selection)
      repeat {
        count(lines.seq)
        try sink.write(lines.line)
      } while try lines.next()
    case .perfetto:
      let trace = try PerfettoExport(log, selection)
      try sink.write(PerfettoExport.head)
      repeat {
        count(trace.seq)
        try sink.write(trace.popBytes())
      } while try trace.next()
      try sink.write(trace.popBytes() + PerfettoExport.tail)
    case .sqlite: break
    }
  }
}

/// The destination of an export: the command's output, or a file.
private final class ExportSink {
  private let put: ([UInt8]) throws -> Void
  private let file: FileDescriptor?
  private let name: String
  private var buffer: [UInt8] = []
  /// How many bytes the file may still take.
  private var room = UInt64.max

  init(_ console: Console) {
    put = { try console.write($0) }
    file = nil
    name = ""
  }

  /// Creates the file, which may take so many bytes.
  init(_ output: OutputFile, _ room: UInt64) throws {
    self.room = room
    name = output.name
    let file = try output.open()
    self.file = file
    put = { _ = try file.writeAll($0) }
  }

  deinit { try? file?.close() }

  func write(_ bytes: [UInt8]) throws {
    guard file != nil else { return try put(bytes) }
    buffer += bytes
    if buffer.count > 1 << 16 { try finish() }
  }

  /// Writes what is still buffered.
  func finish() throws {
    try room.reduce(by: buffer.count)
    do { try put(buffer) } catch let error as Errno {
      throw ToolError("cannot write \(name): \(error)")
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
