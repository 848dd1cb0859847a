import ArgumentParser
import EventLog
import ReplayAnalysis
import SystemPackage

struct Check: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares a run with a budget of evaluations: for CI.",
    discussion: """
      Example: replay check SampleLogs/chat-isolated.evlog \\
                 --budget SampleLogs/chat.budget.yaml
      Example: replay check run.evlog --budget budget.yaml --update
      Example: replay check run.evlog \\
                 --budget budget.yaml --baseline main.evlog --junit report.xml

      A budget is a YAML file of limits, each the most that is allowed:

        total:                     # the whole run
          evaluations: 400
        projections:
          ChatView:                # all its instances together
            evaluations: 301
            wasted: +10%           # against --baseline; so is +3
            time: 20ms
        cascades:
          set chat.tts.audioLevel: # any one such write and all it led to
            evaluations: 101
            fan_out: 1
        actions:
          Refresh:                 # any one such action and all it led to
            evaluations: 100
            until_settled: 2s      # to the end of the last run

      In names * stands for any characters; cascades are named as replay cascades does, and actions by their labels. \
      Limits are evaluations, wasted (evaluations with the same output as before), invalidations and time; of cascades \
      also fan_out, and of actions until_settled, but no invalidations. --update writes the limits that the run just keeps: \
      into a new file those of every projection, cascade and action, into an existing file only the limits that it has.

      The exit status is 1 when a limit is broken, or missing: when nothing in the run has its name, as after a rename, \
      unless the limit is 0. --allow-missing takes such a limit for kept, for a budget of several runs.
      """)

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(
    help: ArgumentHelp("The file of limits.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var budget: String

  @Option(
    help: ArgumentHelp("The run to which relative limits apply.", valueName: "log"),
    completion: .file(extensions: ["evlog"]))
  var baseline: String?

  @Flag(help: "Write the limits that this run just keeps.")
  var update = false

  @Flag(help: "Take limits of names that nothing in the run has for kept.")
  var allowMissing = false

  @Option(help: ArgumentHelp("Write the result as JUnit XML, too.", valueName: "file"), completion: .file())
  var junit: String?

  @OptionGroup var replacing: ReplaceOptions

  @OptionGroup var range: RangeOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var limit: LimitOptions
  @OptionGroup var memory: MemoryOptions

  func run(on console: Console) throws -> ToolStatus {
    let source = try LogSource(named: log, limits: memory.limits)
    if update, !Platform.exists(budget) {
      let run = try measures(source, Set(Budget.Scope.allCases), console)
      try OutputFile(budget, replacing: false, madeOf: [source.path]).write(BudgetUpdate.new(run, log: log))
      try console.print("\(budget.shown): written")
      return source.reportDamage(on: console)
    }
    let text = try Budget.text(ofFile: budget)
    let limits = try Budget(text, file: budget)
    if baseline == nil, let relative = limits.relative {
      throw ToolError(
        file: budget, line: relative.line, column: relative.column,
        "a limit against a baseline needs one; give --baseline LOG, or write a number")
    }
    let other = try baseline.map { try LogSource(named: $0, limits: memory.limits) }
    let report = try junit.map {
      try OutputFile(
        $0, replacing: replacing.replace, madeOf: [source.path, budget] + (other.map { [$0.path] } ?? []))
    }
    let scopes = Set(limits.limits.map(\.scope))
    let run = try measures(source, scopes, console)
    let before = try other.map { try measures($0, scopes, console) }
    let check = BudgetCheck(limits, run, baseline: before, allowsMissing: allowMissing, log: log)
    let damage = source.reportDamage(on: console).and(other?.reportDamage(on: console) ?? .done)
    if update { return try rewrite(text, limits, check, console).and(damage) }
    try report?.write(JUnit(check).text)
    try output.print(check, on: console) { try check.print(to: console, limit: limit) }
    return damage.and(check.broken + check.missing == 0 ? .done : .found)
  }

  private func measures(_ log: LogSource, _ scopes: Set<Budget.Scope>, _ console: Console) throws
    -> BudgetMeasures
  {
    try BudgetMeasures(log, range.selection(in: log), scopes, progress: console.progress)
  }

  private func rewrite(_ text: String, _ limits: Budget, _ check: BudgetCheck, _ console: Console) throws
    -> ToolStatus
  {
    let (text, changes) = BudgetUpdate.rewrite(text, limits, check)
    // The replaced file keeps its permissions.
    if changes > 0 { try OutputFile(budget, replacing: true, madeOf: []).write(text) }
    try console.print("\(budget.shown): \(Units.count(changes, "limit")) changed")
    for result in check.limits where result.isMissing {
      console.report("\(budget):\(result.line): \(result.absence); left as it is")
    }
    return .done
  }
}

extension BudgetCheck {
  /// Prints the broken limits as lines that a CI log can link to, then all limits as a table.
  fileprivate func print(to console: Console, limit: LimitOptions) throws {
    let style = console.style
    let count = Units.count(limits.count, "limit")
    var faults: [String] = []
    if broken > 0 { faults.append("\(broken.grouped) broken") }
    if missing > 0 { faults.append("\(missing.grouped) missing") }
    let verdict =
      switch (broken, missing) {
      case (0, 0): style.good("\(count) kept")
      case (_, 0): style.bad("\(broken.grouped) of \(count) broken")
      default: style.bad("of \(count) \(faults.joined(separator: ", "))")
      }
    try console.print("\(style.heading(log.shown)): \(verdict)")
    for result in limits where result.isBroken { try line(result, style.bad, result.sentence, console) }
    for result in limits where result.subject == nil {
      try line(result, result.isMissing ? style.bad : style.dim, result.absence, console)
    }
    try console.print()
    let table = Table(
      .init(title: ""), .text("WHAT"), .init(title: "LIMIT OF"), .number("LIMIT"), .number("ACTUAL"),
      .number("BASELINE"))
    let kept = limits.filter { !$0.isBroken && !$0.isMissing }
    let rows = limits.filter(\.isBroken) + limits.filter(\.isMissing) + kept
    try table.print(rows, "limit", limit, to: console) { result in
      [
        result.isBroken ? "broken" : result.isMissing ? "missing" : "kept", result.title, result.measure.text,
        result.text(result.limit), result.text(result.actual), result.baseline.map { result.text($0) } ?? "",
      ]
    }
  }

  /// A line that begins with a position in the budget file, in the form that editors and CI recognise.
  private func line(
    _ result: Result, _ paint: (String) -> String, _ text: String, _ console: Console
  ) throws {
    let position = "\(budget):\(result.line):".shown
    let lines = "\(position) \(text.shown.cut(to: 300))".wrapped(to: console.width.map { max(20, $0 - 2) })
    for (number, line) in lines.enumerated() {
      let head = number > 0 ? "  " : line.hasPrefix(position) ? position : ""
      try console.print(head + paint(String(number > 0 ? line[...] : line.dropFirst(head.count))))
    }
  }
}

extension BudgetCheck.Result {
  /// What the limit applies to.
  fileprivate var title: String {
    switch scope {
    case .total: "the whole run"
    case .projection, .cascade: subject ?? name
    case .action: "action \(Value.string(subject ?? name).json)"
    }
  }

  /// How the limit is broken, as text.
  var sentence: String {
    let excess = actual > limit ? " (\(text(actual - limit)) over)" : ""
    let worst = root.map { "; the one of event \($0)" } ?? ""
    return "\(title): \(measure.text) \(text(actual)), and the limit is \(text(limit))\(excess)\(worst)"
  }

  /// That nothing has its name, in words.
  fileprivate var absence: String {
    "nothing in the run is called \(name)\(Suggestion.text(nearest))"
  }

  fileprivate func text(_ amount: UInt64) -> String {
    measure.isTime ? Units.duration(amount) : amount.grouped
  }
}

extension Budget.Measure {
  fileprivate var text: String {
    switch self {
    case .fanOut: "fan-out"
    case .untilSettled: "time to the last run"
    default: rawValue
    }
  }
}

/// Writes a check as JUnit XML, with a test case for each limit.
private struct JUnit {
  private func escape(_ text: String) -> String { text.escapedForJUnit }

  private(set) var text = ""

  init(_ check: BudgetCheck) {
    text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites tests="\(check.limits.count)" failures="\(check.broken + check.missing)">
        <testsuite name="\(escape("replay check \(check.log)"))" tests="\(check.limits.count)" \
      failures="\(check.broken + check.missing)" errors="0" skipped="0" time="0">

      """
    for result in check.limits { add(result, check.budget) }
    text += "  </testsuite>\n</testsuites>\n"
  }

  private mutating func add(_ result: BudgetCheck.Result, _ file: String) {
    let group = result.scope == .total ? "total" : "\(result.scope.rawValue).\(result.name)"
    text += "    <testcase classname=\"\(escape(group))\" name=\"\(result.measure.rawValue)\""
    text += " file=\"\(escape(file))\" line=\"\(result.line)\" time=\"0\""
    guard result.isBroken || result.isMissing else {
      text += "/>\n"
      return
    }
    let sentence = escape(result.isMissing ? result.absence : result.sentence)
    text += ">\n      <failure message=\"\(sentence)\" type=\"budget\">"
    text += "\(escape(file)):\(result.line): \(sentence)</failure>\n    </testcase>\n"
  }
}

extension String {
  /// The text as a value of an XML attribute. XML cannot contain most control characters, so they are escaped as they are on
  /// the terminal.
  var escapedForJUnit: String {
    let scalars = shown.cut(to: 1000).unicodeScalars.map { scalar -> Unicode.Scalar in
      scalar.value & 0xFFFE == 0xFFFE ? "\u{FFFD}" : scalar
    }
    return String(String.UnicodeScalarView(scalars)).escapedForMarkup
  }
}
