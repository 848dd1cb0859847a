import ArgumentParser
import ReplayAnalysis

struct Lint: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds known bad shapes in a run, each with evidence and what its fix would save.",
    discussion: """
      Example: replay lint SampleLogs/chat-wide.evlog

      \(LintRule.allCases.map { Self.help($0) }.joined(separator: "\n"))

      Thresholds: \(LintThresholds.texts.joined(separator: ", ")). Change one with --threshold name=number.

      What is wrong whatever it costs comes first: stale answers, hidden changes, rival writes, loops, diagnostics. Then \
      come costs, the dearest first. Each change is predicted over this log, alone and on top of the better ones; a finding \
      whose work these save already is one of their alternatives. Notes are what no change would pay for.

      The last line accounts for all runs: each was needed, or needless for one reason, or that cannot be told, as of a \
      body without a value. The same is said of writes where some were needless. Where no finding explains most of the \
      needless time, the largest lines are named, each with the command that shows its runs and no others. \
      These options of hot and events show each line: \(EventLine.names.joined(separator: ", ")).

      The exit status is 1 when something was found that is worth a change.
      """)

  /// The help text of a rule, indented and broken into lines here: help and manual pages would begin the
  /// further lines at the margin.
  private static func help(_ rule: LintRule) -> String {
    let sentences = [rule.summary, "If \(rule.condition)."].map { sentence in
      sentence.wrapped(to: 66).joined(separator: "\n    ")
    }
    return ([rule.rawValue] + sentences).joined(separator: "\n  ")
  }

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(
    help: "text for people, json for programs, sarif for code hosts and editors, xcode for warnings in Xcode."
  )
  var format: Format = .text

  @Option(help: ArgumentHelp("Look for these only.", valueName: "rule"))
  var rule: [LintRule] = []

  @Option(help: ArgumentHelp("Do not look for these.", valueName: "rule"))
  var ignoreRule: [LintRule] = []

  @Option(
    help: ArgumentHelp("Change a threshold, as fan-out=20.", valueName: "name=number"),
    transform: LintThreshold.read)
  var threshold: [LintThreshold] = []

  @OptionGroup var range: RangeOptions
  @OptionGroup var limit: LimitOptions
  @OptionGroup var memory: MemoryOptions

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, sarif, xcode
  }

  func run(on console: Console) throws -> ToolStatus {
    let source = try LogSource(named: log, limits: memory.limits)
    var thresholds = LintThresholds()
    for threshold in threshold { thresholds[keyPath: threshold.field] = threshold.value }
    let rules = (rule.isEmpty ? LintRule.allCases : LintRule.allCases.filter(rule.contains))
      .filter { !ignoreRule.contains($0) }
    let report = try LintReport(
      source, rules, thresholds, in: range.selection(in: source).seqs, progress: console.progress)
    switch format {
    case .text: try report.print(to: console, limit: limit)
    case .json: try console.print(json: report)
    case .sarif: try console.print(json: SARIF(report, of: log))
    case .xcode: for finding in report.findings { try console.print(finding.warning(in: log)) }
    }
    return source.reportDamage(on: console).and(report.isWorthChanging ? .found : .done)
  }
}

extension LintRule: ExpressibleByArgument {}

/// `fan-out=20`.
struct LintThreshold {
  var field: WritableKeyPath<LintThresholds, Int> & Sendable
  var value: Int

  static func read(_ text: String) throws -> LintThreshold {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else { throw ValidationError("expected a threshold and a number, as fan-out=20") }
    let name = parts[0]
    guard let field = LintThresholds.names.first(where: { $0.key == name })?.value else {
      let names = LintThresholds.names.map(\.key)
      throw ValidationError(
        "there is no threshold \(name)\(Suggestion.text(for: name, among: names)); expected one of "
          + names.joined(separator: ", "))
    }
    let isShare = LintThresholds.shares.contains(name)
    let range = isShare ? 0...100 : 0...1_000_000
    guard let value = Int(parts[1]), range.contains(value) else {
      throw ValidationError(
        isShare ? "\(name) is in per cent: expected 0 to 100" : "expected a whole number from 0 to 1,000,000")
    }
    return LintThreshold(field: field, value: value)
  }
}

extension LintThresholds {
  /// All thresholds with their defaults, as `count=10`.
  static var texts: [String] {
    names.map { "\($0.key)=\(LintThresholds()[keyPath: $0.value])" }
  }
}

extension LintReport.Sites {
  /// The lines that the log has.
  var all: [String] { [write, view].compactMap(\.self) }
}

extension LintReport.Finding {
  /// `Chat.swift:12: warning: ...`, as Xcode shows it at the line.
  fileprivate func warning(in log: String) -> String {
    let place = sites.all.first { SourceLine($0) != nil } ?? "\(log):1"
    return "\(place): \(isNote ? "note" : "warning"): \(message) \(advice) [\(rule.rawValue)]".shown
  }
}

extension LintReport {
  /// The account comes last, so that no text ends with less than all runs.
  fileprivate func print(to console: Console, limit: LimitOptions) throws {
    if !findings.isEmpty { try printFindings(to: console, limit) }
    try printUnexplained(to: console)
    if !isWorthChanging { try printNearMisses(to: console) }
    if let notJudged { try console.print(wrapping: notJudged.shown, "") }
    if let account { try console.print(wrapping: account.summary.shown, "") }
  }

  private func printFindings(to console: Console, _ limit: LimitOptions) throws {
    let shown = limit.cut(findings)
    for (position, finding) in shown.shown.enumerated() {
      if position > 0 { try console.print() }
      try finding.print(to: console)
    }
    try console.print()
    try console.printHidden(shown.hidden, "finding")
    let notes = findings.count(where: \.isNote)
    var counts: [String] = []
    if findings.count > notes { counts.append(Units.count(findings.count - notes, "finding")) }
    if notes > 0 { counts.append(Units.count(notes, "note")) }
    try console.print(counts.joined(separator: ", "))
  }

  private func printUnexplained(to console: Console) throws {
    let lines = unexplained.prefix(Self.linesShown)
    let words = [
      findings.isEmpty ? "nothing found" : nil,
      lines.isEmpty ? nil : "most of the time that is not known to be needed:",
    ].compactMap(\.self)
    if !words.isEmpty { try console.print(words.joined(separator: "; ")) }
    for line in lines { try line.print(to: console) }
  }

  private static let linesShown = 3

  private func printNearMisses(to console: Console) throws {
    if nearMisses.isEmpty { return }
    try console.print("nearest to a finding:")
    for miss in nearMisses { try console.print(wrapping: miss.shown, "  ") }
  }
}

extension RunAccount.Line {
  /// What the runs are, and the commands that show them and why the longest ran.
  fileprivate func print(to console: Console) throws {
    let runs = "\(Units.count(self.runs, "run")) \(line.phrase), \(Units.duration(time))"
    try console.print(wrapping: runs.shown, "  ")
    try console.print(command: command, after: "    ")
    // A name may be longer than a line, and the first command shows the same runs.
    let isShort = why.shown.commandLines(to: console.width.map { $0 - 4 }).allSatisfy {
      $0.columns <= (console.width ?? .max) - 4
    }
    if isShort { try console.print(command: why, after: "    ") }
  }
}

extension Console {
  /// Prints a command in as many lines as it needs, which together are one command.
  fileprivate func print(command: String, after margin: String) throws {
    let lines = command.shown.commandLines(to: width.map { $0 - margin.count })
    for (position, line) in lines.enumerated() {
      try print((position == 0 ? margin : String(repeating: " ", count: margin.count)) + line)
    }
  }
}

extension LintReport.Finding {
  func print(to console: Console) throws {
    try console.print(console.style.heading(rule.rawValue) + (isNote ? console.style.dim(" note") : ""))
    func print(_ text: String, dim: Bool = false) throws {
      try console.print(wrapping: text.shown, "  ", in: dim ? console.style.dim : { $0 })
    }
    try print(message)
    try print(facts, dim: true)
    try print("fix: \(advice)")
    if let saving {
      try print(changes.isEmpty ? "without it: \(saving)" : "predicted: \(saving)")
    }
    if whatIf.isEmpty { return }
    if predicted == nil {
      try print("what this saves was not predicted, since the log is long or has many findings:")
    }
    try console.print(command: whatIf, after: "  try: ")
    for alternative in alternatives.prefix(Self.alternativesShown) {
      let saving = Self.saving(alternative.predicted, of: baseline ?? .zero)
      try print("or: \(alternative.change.commandWords): predicted: \(saving)", dim: true)
    }
  }

  private static let alternativesShown = 3

  /// What the change saves, or would save; nil if that was not predicted.
  var saving: String? {
    guard let baseline, let predicted else { return nil }
    return Self.saving(predicted, of: baseline)
  }

  /// `4,805 runs -> 465, 120.3 ms -> 11.2 ms`. Derived values that a change adds stand beside the runs.
  private static func saving(_ predicted: LintReport.Price, of baseline: LintReport.Price) -> String {
    "\(Units.count(baseline.runs, "run")) -> \(predicted.runsText), \(Units.duration(baseline.time)) -> "
      + Units.duration(predicted.time)
  }

  /// A finding's events, sites and totals: `events 207, 310, 413 ... 31004 at Chat.swift:12, seen by Chat.swift:40; 342.3 ms
  /// of 390.9 ms wasted`.
  private var facts: String {
    var text = events.count == 1 && lastEvent == events[0] ? "event " : "events "
    text += events.map(String.init).joined(separator: ", ")
    if let known = events.last, lastEvent > known {
      text += evidence.writes > events.count + 1 ? " ... \(lastEvent)" : ", \(lastEvent)"
    }
    if let write = sites.write { text += " at \(write)" }
    if let view = sites.view, view != sites.write {
      text += sites.write == nil ? " at \(view)" : ", seen by \(view)"
    }
    if evidence.evaluations == 0 { return text }
    let time = Units.duration(evidence.time)
    if evidence.wasted == 0, evidence.unknown == evidence.evaluations || changes.isEmpty {
      return "\(text); \(time)"
    }
    return text + "; \(Units.duration(evidence.wastedTime)) of \(time) wasted"
  }
}

extension String {
  /// A shell command with its options on further lines if it is longer than this many columns. Copied
  /// together, the lines are still one command.
  func commandLines(to width: Int?) -> [String] {
    guard let width, columns > width else { return [self] }
    var lines: [String] = []
    for part in commandParts {
      // A line that continues ends with a space and a backslash, which take two columns.
      if lines.count > 1, let line = lines.last, line.columns + 1 + part.columns + 2 <= width {
        lines[lines.count - 1] = "\(line) \(part)"
      } else {
        lines.append(lines.isEmpty ? part : "  \(part)")
      }
    }
    return lines.dropLast().map { $0 + " \\" } + lines.suffix(1)
  }

  /// The command, and each option with its argument.
  private var commandParts: [String] {
    var parts = [""]
    var word = ""
    var (isQuoted, isEscaped) = (false, false)
    func endWord() {
      if word.hasPrefix("-"), word.count > 1 { parts.append("") }
      parts[parts.count - 1] += (parts[parts.count - 1].isEmpty ? "" : " ") + word
      word = ""
    }
    for character in self {
      if character == " ", !isQuoted, !isEscaped {
        endWord()
        continue
      }
      word.append(character)
      if character == "'", !isEscaped { isQuoted.toggle() }
      isEscaped = character == "\\" && !isQuoted && !isEscaped
    }
    endWord()
    return parts
  }
}
