import ArgumentParser
import EventLog
import ReplayAnalysis

struct EventsCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Lists the events of a log, each in one short line.",
    discussion: """
      Example: replay events SampleLogs/list-element.evlog --from 3000 \\
                 --kind set,evaluate

      With --action only what such actions led to is listed, with --line the runs or writes of a line of lint's account. \
      Values are cut, and many paths of one kind that a projection reads are folded: docs[*].path x 300. With --projection or \
      --path only events that are about such a projection, or write such a path, are listed. replay export prints events \
      in full.
      """)

  @OptionGroup var input: InputOptions
  @OptionGroup var selection: SelectionOptions
  @OptionGroup var action: ActionOption
  @OptionGroup var line: LineOption

  @Option(
    help: ArgumentHelp(
      "Only these kinds: \(EventKind.allCases.map(\.name).joined(separator: ", ")).", valueName: "kind,kind"),
    completion: .list(EventKind.allCases.map(\.name)), transform: Self.kinds)
  var kind: Set<EventKind>?

  @OptionGroup var limit: LimitOptions

  private static func kinds(_ text: String) throws -> Set<EventKind> {
    try Set(
      text.split(separator: ",").map { word in
        guard let kind = EventKind.allCases.first(where: { $0.name == word }) else {
          throw ValidationError(
            "there is no kind of events \(word)"
              + Suggestion.text(for: String(word), among: EventKind.allCases.map(\.name)))
        }
        return kind
      })
  }

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: input.log, limits: input.limits)
    let selection = try selection.selection(in: log, action: action, line: line)
    let seqs = selection.seqs
    var actions = try EventsOfActions(log, selection)
    let line = try EventsOfLine(log, selection.line, in: seqs, progress: console.progress)
    var (printed, next) = (0, seqs.lowerBound)
    events: while next < seqs.upperBound, let block = log.block(from: next) {
      let events = log.events(from: next)
      if events.isEmpty { break }
      for event in events where event.seq >= next && event.seq < seqs.upperBound && isMeant(event) {
        if let line, !line.contains(event.seq) { continue }
        if let isOfAction = try actions?.contain(event.seq), !isOfAction { continue }
        if limit.limit > 0, printed == limit.limit {
          console.report("there are more: --from \(event.seq) goes on, --limit 0 lists all")
          break events
        }
        try print(log.namedEvent(event.seq) ?? event, to: console)
        printed += 1
      }
      next = block.endSeq
    }
    if printed == 0 { console.report("no such event") }
    return log.reportDamage(on: console)
  }

  private func print(_ event: Event, to console: Console) throws {
    switch input.output.format {
    case .json: try console.write(Array((event.json(statesSameValue: true) + "\n").utf8))
    case .text:
      let facts = event.cause.map { "  <- \($0)" } ?? ""
      let start = "\(event.seq)  \(Units.moment(event.time))  "
      let line = console.fit(event.line, beside: start.columns + facts.columns)
      try console.print(console.style.dim(start) + line + console.style.dim(facts))
    }
  }

  private func isMeant(_ event: Event) -> Bool {
    if let kind, !kind.contains(event.body.kind) { return false }
    return selection.patterns.matches(event)
  }
}
