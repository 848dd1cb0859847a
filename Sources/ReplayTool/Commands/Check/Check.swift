import ArgumentParser
import EventLog
import ReplayAnalysis
import SystemPackage

struct Check: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Holds a run against a budget of evaluations: for CI.",
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

      In names * stands for any characters; cascades are named as replay cascades does. Limits are evaluations, wasted (evaluations with the same output as before), invalidations and time; of cascades \
      also fan_out. --update writes the limits that the run just keeps: into a new file those of every projection and \
      cascade, into a file that is there the numbers that it has. The exit status is 1 when a limit is broken.
      """)

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(
    help: ArgumentHelp("The file of limits.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var budget: String

  @Option(
    help: ArgumentHelp("The run that relative limits are about.", valueName: "log"),
    completion: .file(extensions: ["evlog"]))
  var baseline: String?

  @Flag(help: "Write the limits that this run just keeps.")
  var update = false

  @Option(help: ArgumentHelp("Write the result as JUnit XML, too.", valueName: "file"), completion: .file())
  var junit: String?

  @OptionGroup var replacing: ReplaceOptions

  @OptionGroup var range: RangeOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    let source = try LogSource(named: log)
    if update, !Platform.exists(budget) {
      let run = try measures(source, Set(Budget.Scope.allCases), console)
      try FileText.write(BudgetUpdate.new(run, log: log), to: budget, replacing: false, madeOf: [log])
      try console.print("\(budget.shown): written")
      return source.reportDamage(on: console)
    }
    let text = try FileText.read(budget)
    let limits = try Budget(text, file: budget)
    if baseline == nil, let relative = limits.relative {
      throw ToolError(
        file: budget, line: relative.line, column: relative.column,
        "a limit against a baseline needs one; give --baseline LOG, or write a number")
    }
    let report = try junit.map {
      try OutputFile(
        $0, replacing: replacing.replace, madeOf: [log, budget] + (baseline.map { [$0] } ?? []))
    }
    let scopes = Set(limits.limits.map(\.scope))
    let run = try measures(source, scopes, console)
    let other = try baseline.map { try LogSource(named: $0) }
    let before = try other.map { try measures($0, scopes, console) }
    let check = BudgetCheck(limits, run, baseline: before, log: log)
    let damage = source.reportDamage(on: console).and(other?.reportDamage(on: console) ?? .done)
    if update { return try rewrite(text, limits, check, console).and(damage) }
    if let report { try FileText.write(JUnit(check).text, to: report) }
    switch output.format {
    case .json: try console.print(json: check)
    case .text: try check.print(to: console, limit: limit)
    }
    return damage.and(check.broken == 0 ? .done : .found)
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
    // The file goes on being read by whoever read it before.
    if changes > 0 { try FileText.write(text, to: budget, replacing: true, madeOf: []) }
    try console.print("\(budget.shown): \(Units.count(changes, "limit")) changed")
    return .done
  }
}
