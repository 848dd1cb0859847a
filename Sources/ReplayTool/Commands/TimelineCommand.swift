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
    let selection = try selection.selection(in: log)
    switch input.output.format {
    case .json:
      var lines = TimelineJSON(console)
      var filter = TimelineFilter(selection) { entry, run in
        if let entry { try lines.add(entry, of: &run) } else { try lines.settle() }
      }
      do { try filter.play(through: log, progress: console.progress) } catch {
        // What came before the fault is as good as ever.
        try lines.settle()
        throw error
      }
      try lines.settle()
    case .text:
      var text = TimelineText(console)
      var filter = TimelineFilter(selection, .lookback) { entry, run in
        if let entry { try text.add(entry, of: &run) } else { try text.settle() }
      }
      do { try filter.play(through: log, progress: console.progress) } catch {
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

/// The timeline as a table, printed as its entries come.
private struct TimelineText: ~Copyable {
  private let console: Console
  private var table: StreamedTable
  private var count = 0
  private var texts = ShownTexts()

  init(_ console: Console) {
    self.console = console
    table = StreamedTable(
      .init(title: "SEQ", alignment: .right), .init(title: "TIME", alignment: .right),
      .init(title: "PROJECTION", isFlexible: true), .init(title: "WOKEN BY", isFlexible: true),
      .init(title: "CASCADE", alignment: .right), .init(title: "DEPTH", alignment: .right))
  }

  mutating func add(_ entry: borrowing TimelineEntry, of run: inout LogRun) throws {
    count += 1
    table.bytes.appendDecimal(entry.seq)
    table.endCell()
    Units.appendMoment(entry.time, to: &table.bytes)
    table.endCell()
    let projection = entry.projection
    table.endCell(
      columns: texts.append(projection, to: &table.bytes) { ShownText(run.tables.name(projection)) })
    if entry.causes.only == entry.seq {
      table.endCell(columns: appendCause(entry.seq, of: &run))
    } else {
      addCauses(entry, of: &run)
    }
    table.bytes.appendDecimal(entry.cascade)
    table.endCell()
    table.bytes.appendDecimal(UInt64(entry.depth))
    table.endCell()
    try table.endRow(on: console)
  }

  /// Prints buffered rows, so that output is not delayed.
  mutating func settle() throws {
    try table.settle(on: console)
    try console.flush()
  }

  mutating func finish() throws {
    if count == 0 { return try console.print("nothing was invalidated") }
    try table.finish(on: console)
    try console.print(console.style.dim(Units.count(count, "invalidation")))
  }

  /// `store.a (17), store.b (18) and 3 more`.
  private mutating func addCauses(_ entry: borrowing TimelineEntry, of run: inout LogRun) {
    let causes = entry.causes.all
    var columns = 0
    for (position, seq) in causes.prefix(2).enumerated() {
      if position > 0 { columns += append(", ") }
      columns += appendCause(seq, of: &run)
      if seq != entry.seq { columns += append(" (\(seq))") }
    }
    if causes.count > 2 { columns += append(" and \(causes.count - 2) more") }
    table.endCell(columns: columns)
  }

  private mutating func append(_ text: String) -> Int {
    table.bytes.append(Array(text.utf8))
    return text.utf8.count
  }

  /// Adds the path that an event wrote, and returns its columns.
  private mutating func appendCause(_ seq: UInt64, of run: inout LogRun) -> Int {
    // It wrote nothing if it was for example the end of a transaction.
    guard let path = run.writtenPath(of: seq) else { return append("event") }
    return texts.append(path, to: &table.bytes) { ShownText(run.tables.path(path).description) }
  }
}

/// The timeline as JSON Lines.
private struct TimelineJSON: ~Copyable {
  private let console: Console
  private var lines = PrintedBytes()
  /// Names in quotes.
  private var texts = ShownTexts()

  init(_ console: Console) { self.console = console }

  mutating func add(_ entry: borrowing TimelineEntry, of run: inout LogRun) throws {
    lines.append("{\"seq\":")
    lines.appendDecimal(entry.seq)
    lines.append(",\"time_ns\":")
    lines.appendDecimal(entry.time)
    lines.append(",\"projection\":")
    let projection = entry.projection
    _ = texts.append(projection, to: &lines) { ShownText(quoting: run.tables.name(projection)) }
    lines.append(",\"causes\":[")
    if let cause = entry.causes.only {
      lines.appendDecimal(cause)
    } else {
      for (position, cause) in entry.causes.all.enumerated() {
        if position > 0 { lines.append(",") }
        lines.appendDecimal(cause)
      }
    }
    lines.append("],\"cascade\":")
    lines.appendDecimal(entry.cascade)
    lines.append(",\"depth\":")
    lines.appendDecimal(UInt64(entry.depth))
    lines.append("}\n")
    if lines.count > 1 << 15 { try write() }
  }

  /// Prints buffered rows, so that output is not delayed.
  mutating func settle() throws {
    try write()
    try console.flush()
  }

  private mutating func write() throws {
    try console.write(lines)
    lines.removeAll()
  }
}

/// The texts of a run's ids, each made once as long as there are not too many.
private struct ShownTexts: ~Copyable {
  private struct Span {
    var start: Int
    var count: Int
    var columns: Int
  }

  /// Where the texts are; nil where one is not known.
  private var projections = ProjectionMap<Span?>(default: nil)
  private var paths = PathMap<Span?>(default: nil)
  private var bytes = PrintedBytes()
  /// That of the paths whose texts are known.
  private var epoch: UInt32 = 0
  private static let knownMax = 1 << 16
  /// Texts of projections that are gone stay until there are so many bytes of all.
  private static let bytesMax = 8 << 20

  /// Adds the text of a projection, and returns its columns.
  @inline(__always)
  mutating func append(
    _ projection: ProjectionID, to output: inout PrintedBytes, _ make: () -> ShownText
  ) -> Int {
    if let span = projections[projection] { return append(span, to: &output) }
    let text = make()
    if projection.index < Self.knownMax {
      if bytes.count > Self.bytesMax { begin(epoch) }
      projections[projection] = note(text)
    }
    output.append(text.bytes)
    return text.columns
  }

  /// Adds the text of a path, and returns its columns.
  @inline(__always)
  mutating func append(_ path: PathID, to output: inout PrintedBytes, _ make: () -> ShownText) -> Int {
    if let span = paths[path] { return append(span, to: &output) }
    let text = make()
    if path.epoch != epoch { begin(path.epoch) }
    if path.index < Self.knownMax { paths[path] = note(text) }
    output.append(text.bytes)
    return text.columns
  }

  @inline(__always)
  private func append(_ span: Span, to output: inout PrintedBytes) -> Int {
    output.append(bytes, from: span.start, count: span.count)
    return span.columns
  }

  private mutating func note(_ text: ShownText) -> Span {
    defer { bytes.append(text.bytes) }
    return Span(start: bytes.count, count: text.bytes.count, columns: text.columns)
  }

  /// Forgets all texts: those of paths from before the ids of paths started over would only take room.
  private mutating func begin(_ epoch: UInt32) {
    self.epoch = epoch
    paths = PathMap(default: nil)
    projections.removeAll()
    bytes.removeAll()
  }
}
