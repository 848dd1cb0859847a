import ArgumentParser
import ReplayAnalysis

struct Diff: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares two runs: where they part, what each did more, and the state at the end.",
    discussion: """
      Example: replay diff SampleLogs/chat-wide.evlog SampleLogs/chat-isolated.evlog
      Example: replay diff SampleLogs/catalog-single.evlog \\
                 SampleLogs/catalog-split.evlog --events --limit 2
      Example: replay diff before.evlog after.evlog \\
                 --fail-on more-evaluations:10% --ignore 'app.clock.**'

      What happened is compared, not when, how long it took, where in the source, or which number an object has. \
      Events that one run has more are told as such, and the others are compared all the same; events that do not \
      depend on each other may be in any order. --from and --to hold in each run by itself: a mark is a good start.

      The exit status is 1 when the runs differ; with --fail-on only when such a rule is broken: more-evaluations, \
      more-wasted, more-time or more-sets of any projection or kind of path or of all together, each with what is \
      allowed, as :10% or :100; state; events.
      """)

  @Argument(help: "The first log.", completion: .file(extensions: ["evlog"]))
  var a: String

  @Argument(help: "The second log.", completion: .file(extensions: ["evlog"]))
  var b: String

  @Flag(help: "Show what is in one run only event by event, as a unified diff; --limit is for its hunks.")
  var events = false

  @Option(
    help: ArgumentHelp("Leave out such paths and projections; may be given again.", valueName: "pattern"),
    completion: .paths)
  var ignore: [String] = []

  @Option(
    help: ArgumentHelp(
      "End with status 1 only if this rule is broken; may be given again.", valueName: "rule"))
  var failOn: [DiffRule] = []

  @Option(
    help: ArgumentHelp(
      "Tell projections whose evaluations take so much longer in the second.", valueName: "share"))
  var slowerThan = Share(0.5)

  @OptionGroup var output: OutputOptions
  @OptionGroup var selection: SelectionOptions
  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    let first = try LogSource(named: a)
    let second = try LogSource(named: b)
    let comparison = RunComparison(ignored: ignore, slower: slowerThan.share, rules: failOn)
    let (inFirst, inSecond) = (try selection.selection(in: first), try selection.selection(in: second))
    if let warning = BuildDifference.between(first.header, second.header).warning {
      console.note("replay: \(warning)")
    }
    var diff: RunDiff
    switch output.format {
    case .text where events:
      var lines = DiffEvents(first, second, hunksMax: limit.limit, console)
      diff = try comparison.compare(first, inFirst, second, inSecond, progress: console.progress) {
        try lines.add($0)
      }
      try lines.finish()
    case .text:
      diff = try comparison.compare(first, inFirst, second, inSecond, progress: console.progress)
      try diff.print(to: console, limit: limit)
    case .json:
      var hunks = DiffHunks(first, second, hunksMax: limit.limit)
      diff = try comparison.compare(first, inFirst, second, inSecond, progress: console.progress) {
        if events { hunks.add($0) }
      }
      if events { diff.hunks = hunks.hunks }
      try console.print(json: diff)
    }
    let damage = first.reportDamage(on: console).and(second.reportDamage(on: console))
    let isFound = failOn.isEmpty ? !diff.isIdentical : !diff.failures.isEmpty
    return damage.and(isFound ? .found : .done)
  }
}

/// A share of a whole, as `50%`.
struct Share: ExpressibleByArgument {
  let share: Double

  init(_ share: Double) { self.share = share }

  init?(argument: String) {
    let digits = argument.hasSuffix("%") ? argument.dropLast() : argument[...]
    guard let percent = Double(digits), percent >= 0, percent.isFinite else { return nil }
    share = percent / 100
  }

  var defaultValueDescription: String { "\(Int(share * 100))%" }
}

extension DiffRule: ExpressibleByArgument {
  package static var allValueStrings: [String] { Kind.allCases.map(\.rawValue) }
}
