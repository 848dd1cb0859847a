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
  @OptionGroup var action: ActionOption

  @Flag(help: "Tell how many blocks of the log were read.")
  var verbose = false

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: input.log, limits: input.limits)
    let selection = try selection.selection(in: log, action: action)
    console.limitOutput(to: input.limits, of: log)
    switch input.output.format {
    case .json:
      var lines = TimelineJSON(console)
      var filter = TimelineFilter(selection) { entry, run in
        if let entry { try lines.add(entry, of: &run) } else { try lines.settle() }
      }
      do { try filter.play(through: log, progress: console.progress) } catch {
        // The entries before the fault are valid, so they are printed.
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
      console.report("replay: \(log.blocksRead.grouped) of \(blocks) of events read\(state)")
    }
    return log.reportDamage(on: console)
  }
}

/// Prints the timeline as a table, entry by entry.
private struct TimelineText: ~Copyable {
  private let console: Console
  private var table: StreamedTable
  private var count = 0
  private var texts = ShownTexts()

  init(_ console: Console) {
    self.console = console
    table = StreamedTable(
      .number("SEQ"), .number("TIME"), .text("PROJECTION"), .text("WOKEN BY"), .number("CASCADE"),
      .number("DEPTH"))
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

  /// Appends the causes: `store.a (17), store.b (18) and 3 more`.
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

  /// Appends the path that an event wrote, and returns its width in columns.
  private mutating func appendCause(_ seq: UInt64, of run: inout LogRun) -> Int {
    // The event has no path if it is, for example, the end of a transaction.
    guard let path = run.writtenPath(of: seq) else { return append("event") }
    return texts.append(path, to: &table.bytes) { ShownText(run.tables.path(path).description) }
  }
}

/// Prints the timeline as JSON Lines.
private struct TimelineJSON: ~Copyable {
  private let console: Console
  private var lines = PrintedBytes()
  /// The names as JSON strings.
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

/// Caches the printed texts of a run's ids.
private struct ShownTexts: ~Copyable {
  private struct Span {
    var start: Int
    var count: Int
    var columns: Int
  }

  /// The position of each cached text; nil if it is not cached.
  private var projections = ProjectionMap<Span?>(default: nil)
  private var paths = PathMap<Span?>(default: nil)
  private var bytes = PrintedBytes()
  /// The epoch of the cached paths.
  private var epoch: UInt32 = 0
  private static let knownMax = 1 << 16
  /// The cache is emptied at this size, since texts of ended projections stay in it.
  private static let bytesMax = 8 << 20

  /// Appends the text of a projection, and returns its width in columns.
  @inline(__always)
  mutating func append(
    _ projection: ProjectionID, to output: inout PrintedBytes, _ make: () -> ShownText
  ) -> Int {
    if let span = projections[projection] { return append(span, to: &output) }
    let text = make()
    if projection.index < Self.knownMax {
      if bytes.count > Self.bytesMax { begin(epoch) }
      projections[projection] = mark(text)
    }
    output.append(text.bytes)
    return text.columns
  }

  /// Appends the text of a path, and returns its width in columns.
  @inline(__always)
  mutating func append(_ path: PathID, to output: inout PrintedBytes, _ make: () -> ShownText) -> Int {
    if let span = paths[path] { return append(span, to: &output) }
    let text = make()
    if path.epoch != epoch { begin(path.epoch) }
    if path.index < Self.knownMax { paths[path] = mark(text) }
    output.append(text.bytes)
    return text.columns
  }

  @inline(__always)
  private func append(_ span: Span, to output: inout PrintedBytes) -> Int {
    output.append(bytes, from: span.start, count: span.count)
    return span.columns
  }

  private mutating func mark(_ text: ShownText) -> Span {
    defer { bytes.append(text.bytes) }
    return Span(start: bytes.count, count: text.bytes.count, columns: text.columns)
  }

  /// Empties the cache. Path ids of an earlier epoch do not occur again.
  private mutating func begin(_ epoch: UInt32) {
    self.epoch = epoch
    paths = PathMap(default: nil)
    projections.removeAll()
    bytes.removeAll()
  }
}
