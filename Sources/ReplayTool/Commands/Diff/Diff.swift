import ArgumentParser
import EventLog
import ReplayAnalysis

struct Diff: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares two runs: where they diverge, what each did more, and the state at the end.",
    discussion: """
      Example: replay diff SampleLogs/chat-wide.evlog SampleLogs/chat-isolated.evlog
      Example: replay diff SampleLogs/catalog-single.evlog \\
                 SampleLogs/catalog-split.evlog --events --limit 2
      Example: replay diff before.evlog after.evlog \\
                 --fail-on more-evaluations:10% --ignore 'app.clock.**'
      Example: replay diff SampleLogs/chat-wide.evlog \\
                 SampleLogs/chat-isolated.evlog --html chat.html
      Example: replay diff before.evlog after.evlog --findings
      Example: replay diff monday.evlog tuesday.evlog wednesday.evlog

      What happened is compared, not when, how long it took, where in the source, or which number an object has. \
      Events that only one run has are reported as such, and the others are still compared; events that do not \
      depend on each other may be in any order. --from and --to apply to each run by itself: a mark is a good start.

      The exit status is 1 when the runs differ; with --fail-on only when such a rule is broken: more-evaluations, \
      more-wasted, more-time or more-sets of any projection or kind of path or of all together, each with what is \
      allowed, as :10% or :100; state; events.

      --html writes a page to look at and to share: the runs side by side, where they diverge, what woke what in each, \
      and the state at the end. What is in it is said at replay report. With --pages there is a page of each run beside \
      it, and links to these: for chat.html, chat-a.html and chat-b.html.

      Of three logs or more there is a table of the runs of each projection, with a column for each log under the commit \
      that its app noted, and what became worse first; --html writes it as a page. The exit status then is 0.
      """)

  @Argument(help: "The first log.", completion: .file(extensions: ["evlog"]))
  var a: String

  @Argument(help: "The second log.", completion: .file(extensions: ["evlog"]))
  var b: String

  @Argument(
    help: ArgumentHelp("More logs, for a table by run.", valueName: "more"),
    completion: .file(extensions: ["evlog"]))
  var others: [String] = []

  @Flag(help: "Show what is in one run only event by event, as a unified diff; --limit is for its hunks.")
  var events = false

  @Flag(
    help:
      "Say which findings of lint are gone, with what their change was to save and what it saved, and which are new."
  )
  var findings = false

  @Option(
    help: ArgumentHelp("Leave out such paths and projections; may be repeated.", valueName: "pattern"),
    completion: .paths)
  var ignore: [String] = []

  @Option(
    help: ArgumentHelp(
      "End with status 1 only if this rule is broken; may be repeated.", valueName: "rule"))
  var failOn: [DiffRule] = []

  @Option(
    help: ArgumentHelp(
      "Report projections whose evaluations take this much longer in the second run. (default: 50%)",
      valueName: "share"), transform: Share.read)
  var slowerThan = Share(0.5)

  @Option(
    help: ArgumentHelp("Write a page of the comparison to this file, too.", valueName: "file"),
    completion: .file())
  var html: String?

  @Flag(help: "Write a page of each run beside that of --html too, and link to them.")
  var pages = false

  @OptionGroup var page: PageOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var selection: SelectionOptions
  @OptionGroup var limit: LimitOptions
  @OptionGroup var memory: MemoryOptions

  func validate() throws {
    if !others.isEmpty,
      events || findings || pages || page.sources.source != nil || !ignore.isEmpty || !failOn.isEmpty
    {
      throw ValidationError(
        "--events, --findings, --ignore, --fail-on, --pages and --source are for two logs")
    }
    if events, findings, output.format == .text {
      throw ValidationError("--events and --findings are two texts")
    }
    if html == nil,
      page.values || page.redact != nil || page.replacing.replace || page.sources.source != nil || pages
    {
      throw ValidationError("--values, --redact, --source, --pages and --replace are for --html")
    }
  }

  func run(on console: Console) throws -> ToolStatus {
    if !others.isEmpty { return try compareAll(on: console) }
    let first = try LogSource(named: a, limits: memory.limits)
    let second = try LogSource(named: b, limits: memory.limits)
    let file = try html.map {
      try OutputFile($0, replacing: page.replacing.replace, madeOf: [first.path, second.path])
    }
    let ofRuns = try html.map { try pageFiles(beside: $0, of: [first, second]) } ?? []
    let sources = try page.sources.folder()
    // The page may go to the standard output, which then must hold nothing else.
    let isQuiet = file?.isStream ?? false
    let comparison = RunComparison(ignored: ignore, slower: slowerThan.share, rules: failOn)
    let (inFirst, inSecond) = (try selection.selection(in: first), try selection.selection(in: second))
    var draft = file.map { _ in DiffReport.Draft(first, second, of: (inFirst, inSecond)) }
    if let warning = BuildDifference.between(first.header, second.header).warning {
      console.report("replay: \(warning)")
    }
    func compare(_ body: (DiffAligner.AlignedEvent) throws -> Void = { _ in }) throws -> RunDiff {
      try comparison.compare(first, inFirst, second, inSecond, progress: console.progress) { aligned in
        draft?.add(aligned)
        try body(aligned)
      }
    }
    func changes() throws -> FindingChanges {
      try FindingChanges(first, in: inFirst.seqs, second, in: inSecond.seqs, progress: console.progress)
    }
    var diff: RunDiff
    var found: FindingChanges?
    switch output.format {
    case _ where isQuiet: diff = try compare()
    case .text where events:
      var lines = DiffEvents(first, second, hunksMax: limit.limit, console)
      diff = try compare { try lines.add($0) }
      try lines.finish()
    case .text:
      diff = try compare()
      try diff.print(to: console, limit: limit, isJudged: !failOn.isEmpty)
      if findings {
        found = try changes()
        try found?.print(to: console, limit: limit)
      }
    case .json:
      var hunks = DiffHunks(first, second, hunksMax: limit.limit)
      diff = try compare { if events { hunks.add($0) } }
      if events { diff.hunks = hunks.hunks }
      if findings {
        found = try changes()
        diff.findings = found
      }
      try console.print(json: diff)
    }
    if let file, let draft {
      let report = try draft.report(
        diff, findings: try found ?? changes(), ignoring: ignore, page.contents(besides: PageFile.diff.size),
        pages: pages ? ofRuns.map { $0.file.name.lastComponent } : nil, sources: sources?.chunk,
        progress: console.progress, pack: PageFile.pack)
      let title =
        page.redact == .paths
        ? "Two runs" : "\(first.path.lastComponent) and \(second.path.lastComponent)"
      let bytes = PageFile.diff.html(report.chunks, title: title)
      try write(bytes, to: file, isPartial: report.isPartial, on: console)
      for (log, file) in ofRuns {
        let (bytes, isPartial) = try page.page(of: log, sources, progress: console.progress)
        try write(bytes, to: file, isPartial: isPartial, on: console)
      }
    }
    let damage = first.reportDamage(on: console).and(second.reportDamage(on: console))
    let isFound = failOn.isEmpty ? !diff.isIdentical : !diff.failures.isEmpty
    return damage.and(isFound ? .found : .done)
  }
}

extension Diff {
  /// Of more than two logs, a table by run.
  private func compareAll(on console: Console) throws -> ToolStatus {
    let logs = try ([a, b] + others).map { try LogSource(named: $0, limits: memory.limits) }
    let file = try html.map {
      try OutputFile($0, replacing: page.replacing.replace, madeOf: logs.map(\.path))
    }
    let table = try RunsTable(
      try logs.map { ($0, try selection.selection(in: $0)) }, progress: console.progress)
    if file?.isStream != true {
      switch output.format {
      case .text: try table.print(to: console, limit: limit)
      case .json: try console.print(json: table)
      }
    }
    if let file {
      let chunk = try table.chunk(page.contents(besides: PageFile.runs.size), pack: PageFile.pack)
      try write(
        PageFile.runs.html([chunk], title: "\(logs.count) runs"), to: file, isPartial: false, on: console)
    }
    return logs.reduce(.done) { $0.and($1.reportDamage(on: console)) }
  }

  /// The files for the pages of both runs, if they are wanted.
  private func pageFiles(
    beside name: String, of logs: [LogSource]
  ) throws -> [(log: LogSource, file: OutputFile)] {
    if !pages { return [] }
    try OutputFile.expectFile(name, for: "a page with others beside it")
    let (stem, end) = name.hasSuffix(".html") ? (String(name.dropLast(5)), ".html") : (name, "")
    return try zip(logs, ["a", "b"]).map { log, side in
      let file = try OutputFile(
        "\(stem)-\(side)\(end)", replacing: page.replacing.replace, madeOf: logs.map(\.path))
      return (log, file)
    }
  }

  private func write(_ bytes: [UInt8], to file: OutputFile, isPartial: Bool, on console: Console) throws {
    try file.write(bytes)
    if output.format == .text {
      try page.report(file, bytes.count, isPartial: isPartial, on: console)
    } else {
      page.reportMissing(isPartial, on: console)
    }
  }
}

/// A share of a whole: `50%`.
struct Share: FormedArgument {
  static var form: String { "per cent, as 50% or 12.5" }

  let share: Double

  init(_ share: Double) { self.share = share }

  init?(argument: String) {
    let digits = argument.hasSuffix("%") ? argument.dropLast() : argument[...]
    guard let percent = Double(digits), percent >= 0, percent.isFinite else { return nil }
    share = percent / 100
  }
}

extension DiffRule: ExpressibleByArgument {
  package static var allValueStrings: [String] { Kind.allCases.map(\.rawValue) }
}

extension DiffRule.Failure {
  /// What is worse, as `more-evaluations of Row: 50 -> 100`.
  var sentence: String {
    func text(_ amount: Int) -> String { isOfTime ? Units.duration(UInt64(max(0, amount))) : amount.grouped }
    return "\(rule.shown)\(name.map { " of \($0.shown)" } ?? ""): \(text(a)) -> \(text(b))"
  }
}

extension FindingChanges {
  func print(to console: Console, limit: LimitOptions) throws {
    try print("gone", gone, to: console, limit)
    try print("new", new, to: console, limit)
    if gone.isEmpty, new.isEmpty { try console.print("the same findings: \(kept.grouped)") }
  }

  private func print(
    _ title: String, _ findings: [Line], to console: Console, _ limit: LimitOptions
  ) throws {
    if findings.isEmpty { return }
    try console.print(console.style.heading("findings \(title)"))
    let cut = limit.cut(findings)
    for finding in cut.shown {
      try console.print(
        wrapping: "\(finding.rule.rawValue): \(finding.message)".shown, "    ", first: "  ")
      guard let predicted = finding.predicted else { continue }
      let text =
        "predicted: \(Units.count(before.runs, "run")) -> \(predicted.runsText), \(Units.duration(before.time)) ->"
        + " \(Units.duration(predicted.time)); real: \(real.runsText), \(Units.duration(real.time))"
      try console.print(wrapping: text, "    ", in: console.style.dim)
    }
    try console.printHidden(cut.hidden, "finding")
  }
}

extension RunDiff {
  /// - Parameter isJudged: Whether rules say what is a failure; the last line then is the verdict.
  func print(to console: Console, limit: LimitOptions, isJudged: Bool = false) throws {
    try printDifferences(to: console, limit)
    for failure in failures { try console.print(console.style.bad("broken: ") + failure.sentence) }
    if !isJudged { return }
    let broken = Set(failures.map(\.rule)).count
    try console.print(
      broken == 0
        ? console.style.good("no rule is broken") : console.style.bad(Units.count(broken, "rule") + " broken")
    )
  }

  private func printDifferences(to console: Console, _ limit: LimitOptions) throws {
    if isIdentical, projections.isEmpty { return try printSame(to: console) }
    let style = console.style
    if let divergence {
      try console.print(style.heading("first divergence"))
      let (a, b) = (divergence.events.a, divergence.events.b)
      for event in divergence.events.before {
        try console.print(style.dim(console.fit("     \(event.line)")))
      }
      if let setUp = divergence.setUp {
        let events = [setUp.a.map { "event \($0) of a" }, setUp.b.map { "event \($0) of b" }].compactMap(
          \.self)
        let text = "     what is attached or made differs before: \(events.joined(separator: ", "))"
        try console.print(style.dim(console.fit(text)))
      }
      let ended = "the run has ended"
      try console.print("  \(style.bad("a"))  \(console.fit(a?.line(beside: b) ?? ended, beside: 5))")
      try console.print("  \(style.good("b"))  \(console.fit(b?.line(beside: a) ?? ended, beside: 5))")
    }
    try printProjections(to: console, limit)
    try printPaths(to: console, limit)
    if !state.isEmpty {
      try console.print(style.heading("state at the end"))
      let differences = limit.cut(state)
      for difference in differences.shown { try print(difference, to: console) }
      try console.printHidden(differences.hidden, "difference")
    }
    try printChangedPlaces(to: console)
    try console.print(style.dim(summary))
  }

  private func printChangedPlaces(to console: Console) throws {
    guard let changedPlaces else { return }
    let (first, second) = (changedPlaces.former, changedPlaces.latter)
    let text =
      "the writes of \(first.path.shown(most: 60)) and \(second.path.shown(most: 60)) changed places: events \(first.a) and"
      + " \(second.a) of a, \(second.b) and \(first.b) of b"
    try console.print(console.fit(text, beside: 0))
  }

  /// Runs with the same events may still break a rule: how long they took is not part of what is compared.
  private func printSame(to console: Console) throws {
    let times = evaluationTimes
    try console.print(
      failures.isEmpty
        ? "the runs are identical"
        : "the runs have the same events; \(Units.duration(times.a)) -> \(Units.duration(times.b)) of evaluations"
    )
    if alignment.moved > 0 {
      try console.print(
        console.style.dim(
          "\(Units.count(alignment.moved, "event")) in another order, which nothing depends on"))
      try printChangedPlaces(to: console)
    }
  }

  /// A line with the numbers of equal and different events.
  private var summary: String {
    var parts = ["\(Units.count(alignment.both, "event")) in both"]
    if alignment.onlyA > 0 { parts.append("\(alignment.onlyA.grouped) only in a") }
    if alignment.onlyB > 0 { parts.append("\(alignment.onlyB.grouped) only in b") }
    if alignment.moved > 0 { parts.append("\(alignment.moved.grouped) in another order") }
    return parts.joined(separator: ", ")
  }

  // MARK: Buckets

  private func printProjections(to console: Console, _ limit: LimitOptions) throws {
    for change in Change.buckets {
      let lines = projections.filter { $0.change == change }
      if lines.isEmpty { continue }
      try console.print(console.style.heading("projections \(change.title)"))
      let cut = limit.cut(lines)
      for line in cut.shown {
        var facts = [(change == .slower ? .new : change).counts(line.a, line.b, "evaluation")]
        if line.wastedA != line.wastedB {
          facts.append(change.text(line.wastedA.grouped, line.wastedB.grouped) + " wasted")
        }
        facts.append(change.text(Units.duration(line.timeA), Units.duration(line.timeB)))
        try print(line.name, facts, isSlower: line.isSlower, to: console)
      }
      try console.printHidden(cut.hidden, "projection")
    }
  }

  /// Prints a name and facts about it, on separate lines if one line is too narrow for both.
  private func print(_ name: String, _ facts: [String], isSlower: Bool, to console: Console) throws {
    // "Each run" because fewer, slower runs may take less time together.
    let slow = "each run slower"
    let all = facts + (isSlower ? [slow] : [])
    func styled(_ line: String) -> String {
      isSlower && line.hasSuffix(slow) ? line.dropLast(slow.count) + console.style.bad(slow) : line
    }
    let line = all.joined(separator: ", ")
    let room = console.width.map { $0 - line.count - 4 } ?? .max
    if name.shown.columns <= max(room, 0) { return try console.print("  \(name.shown)  \(styled(line))") }
    try console.print("  \(console.fit(name.shown, beside: 2))")
    for line in lines(all, of: (console.width ?? .max) - 4) { try console.print("    \(styled(line))") }
  }

  /// Joins facts into lines of at most this many columns.
  private func lines(_ facts: [String], of width: Int) -> [String] {
    var lines: [String] = []
    for (position, fact) in facts.enumerated() {
      let text = position + 1 < facts.count ? fact + "," : fact
      if let line = lines.last, line.count + 1 + text.count <= width {
        lines[lines.count - 1] = "\(line) \(text)"
      } else {
        lines.append(text)
      }
    }
    return lines
  }

  private func printPaths(to console: Console, _ limit: LimitOptions) throws {
    for change in Change.buckets {
      let lines = paths.filter { $0.change == change }
      if lines.isEmpty { continue }
      try console.print(console.style.heading("paths \(change.title)"))
      let cut = limit.cut(lines)
      for line in cut.shown {
        let counts = change.counts(line.a, line.b, "set")
        try console.print("  \(console.fit(line.path.shown, beside: counts.count + 4))  \(counts)")
      }
      try console.printHidden(cut.hidden, "path")
    }
  }

  // MARK: Values

  private func print(_ difference: StateDifference, to console: Console) throws {
    let path = console.fit(difference.path.description.shown, beside: 40)
    let room = console.width.map { max(10, ($0 - path.columns - 8) / 2) } ?? 60
    try console.print("  \(path)  \(text(difference.a, room)) -> \(text(difference.b, room))")
  }

  private func text(_ json: PrintedJSON?, _ room: Int) -> String {
    json?.text.withPlainDates.shown.cut(to: room) ?? "nothing"
  }
}

extension RunDiff.Change {
  fileprivate static let buckets: [RunDiff.Change] = [.gone, .new, .more, .less, .slower, .same]

  fileprivate var title: String {
    switch self {
    case .gone: "only in a"
    case .new: "only in b"
    case .more: "with more in b"
    case .less: "with less in b"
    case .slower: "slower in b"
    case .same: "with other outputs in b"
    }
  }

  /// What is in the run that has it, or in both.
  fileprivate func text(_ a: String, _ b: String) -> String {
    switch self {
    case .gone: a
    case .new: b
    default: "\(a) -> \(b)"
    }
  }

  fileprivate func counts(_ a: Int, _ b: Int, _ noun: String) -> String {
    text(self == .gone ? Units.count(a, noun) : a.grouped, Units.count(b, noun))
  }
}
