import ArgumentParser
import EventLog
import ReplayAnalysis

/// The options of most commands: the log, and the form of the output.
struct InputOptions: ParsableArguments {
  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @OptionGroup var output: OutputOptions
  @OptionGroup var memory: MemoryOptions

  var limits: ReadLimits { memory.limits }
}

extension LogSource {
  /// Opens a log that was named on the command line, by its path or as a session in a folder (see
  /// ``SessionArgument``). If there is no such file, the error suggests the nearest name.
  ///
  /// - Parameters:
  ///   - isScanned: Whether to read every block instead of trusting an index.
  ///   - needsState: Whether to refuse a log that begins in the middle of a session without the state at its
  ///     beginning.
  ///   - limits: How much the log may make its readers hold.
  convenience init(
    named argument: String, isScanned: Bool = false, needsState: Bool = true,
    limits: ReadLimits = .standard
  ) throws {
    let path = try SessionArgument.path(argument, limits: limits)
    do {
      try self.init(path: path, isScanned: isScanned, needsState: needsState, limits: limits)
    } catch {
      guard error.code == .io, ToolError(noFile: error) == nil else { throw error }
      throw ToolError(
        error.description + Suggestion.text(forFile: path, among: Platform.neighbours(of: path)))
    }
  }

  /// Prints what is missing to the standard error, and returns the matching exit status.
  func reportDamage(on console: Console) -> ToolStatus {
    guard let text = damage.text else { return .done }
    let read =
      damage.unreadSeq.map { damage.isOfPart ? nil : Int($0 - firstSeq) } ?? eventCount
    console.report("replay: \(text)" + (read.map { "; \(Units.count($0, "event")) before it read" } ?? ""))
    if let loss = UnreadEvents(self) {
      func events(_ spans: [UnreadEvents.Span]) -> String { spans.map(\.words).joined(separator: ", ") }
      var facts: [String] = []
      if !loss.lost.isEmpty { facts.append("lost: events \(events(loss.lost))") }
      if !loss.leftOut.isEmpty { facts.append("left out behind the damage: events \(events(loss.leftOut))") }
      console.report(
        "replay: \(facts.joined(separator: "; ")); replay recover \(path) saves what can be read")
    }
    return .damaged
  }
}

struct RangeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("From here on: \(Moment.form).", valueName: "moment"), completion: .moments,
    transform: Moment.read)
  var from: Moment?

  @Option(
    help: ArgumentHelp("Up to here, as --from.", valueName: "moment"), completion: .moments,
    transform: Moment.read)
  var to: Moment?

  /// The selected range of events.
  func selection(in log: LogSource) throws -> Selection { try Selection(from: from, to: to, in: log) }
}

/// The options that select projections and paths.
struct PatternOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Only these projections, as Row, 'Row#7' or '*Row*'.", valueName: "pattern"),
    completion: .projections)
  var projection: ProjectionPattern?

  @Option(
    help: ArgumentHelp("Only these paths, as 'store.rows[*].count' or 'store.**'.", valueName: "pattern"),
    completion: .paths, transform: PathPattern.read)
  var path: PathPattern?

  /// Whether an event is about such a projection or writes such a path; true without patterns.
  func matches(_ event: Event) -> Bool {
    if projection == nil, path == nil { return true }
    if let name = event.body.projectionName { return projection?.matches(name) ?? false }
    return event.body.writtenPath.flatMap { path?.matches($0) } ?? false
  }
}

/// The options that select a part of a run.
struct SelectionOptions: ParsableArguments {
  @OptionGroup var range: RangeOptions
  @OptionGroup var patterns: PatternOptions

  func selection(in log: LogSource, action: ActionOption? = nil, line: LineOption? = nil) throws -> Selection
  {
    try Selection(
      from: range.from, to: range.to, projection: patterns.projection, path: patterns.path,
      action: action?.action, line: line?.line, in: log)
  }
}

/// The option that selects what actions led to.
struct ActionOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only what actions with this label led to, as Refresh or 'GET *'.", valueName: "label"))
  var action: ProjectionPattern?
}

/// The option that selects the events of a line of the account.
struct LineOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only the runs or writes of this line of lint's account, as drew-same or write-same.",
      valueName: "line"),
    completion: .list(EventLine.names), transform: Self.read)
  var line: EventLine?

  private static func read(_ text: String) throws -> EventLine {
    if let line = EventLine(name: text) { return line }
    throw ValidationError(
      "there is no line \(text)\(Suggestion.text(for: text, among: EventLine.names)); expected one of "
        + EventLine.names.joined(separator: ", "))
  }
}

extension Moment: FormedArgument {}

extension ProjectionPattern: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}
