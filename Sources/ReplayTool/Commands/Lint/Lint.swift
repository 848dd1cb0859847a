import ArgumentParser
import ReplayAnalysis

struct Lint: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds known bad shapes in a run, each with evidence and what its fix would save.",
    discussion: """
      Example: replay lint SampleLogs/chat-wide.evlog

      \(LintRule.allCases.map { Self.help($0) }.joined(separator: "\n"))

      Thresholds: \(LintThresholds.texts.joined(separator: ", ")). Change one with --threshold name=number.

      The exit status is 1 when something was found.
      """)

  /// A rule and what it means, set in: help and manual pages break lines themselves, but would begin the rest of one at
  /// the margin.
  private static func help(_ rule: LintRule) -> String {
    let sentences = [rule.summary, "If \(rule.condition)."].map { sentence in
      sentence.wrapped(to: 66).joined(separator: "\n    ")
    }
    return ([rule.rawValue] + sentences).joined(separator: "\n  ")
  }

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(help: "text for people, json for programs, sarif for code hosts and editors.")
  var format: Format = .text

  @Option(help: ArgumentHelp("Look for these only.", valueName: "rule"))
  var rule: [LintRule] = []

  @Option(help: ArgumentHelp("Do not look for these.", valueName: "rule"))
  var ignoreRule: [LintRule] = []

  @Option(help: ArgumentHelp("Change a threshold, as fan-out=20.", valueName: "name=number"))
  var threshold: [LintThreshold] = []

  @OptionGroup var range: RangeOptions
  @OptionGroup var limit: LimitOptions

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, sarif
  }

  func run(on console: Console) throws -> ToolStatus {
    let source = try LogSource(named: log)
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
    }
    return source.reportDamage(on: console).and(report.findings.isEmpty ? .done : .found)
  }
}

extension LintRule: ExpressibleByArgument {}

/// `fan-out=20`.
struct LintThreshold: ExpressibleByArgument {
  var field: WritableKeyPath<LintThresholds, Int> & Sendable
  var value: Int

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, let value = Int(parts[1]), (0...1_000_000).contains(value),
      let field = LintThresholds.names.first(where: { $0.key == parts[0] })?.value
    else { return nil }
    self.field = field
    self.value = value
  }
}

extension LintThresholds {
  /// `count=10`, each as it is unless it is changed.
  static var texts: [String] {
    names.map { "\($0.key)=\(LintThresholds()[keyPath: $0.value])" }
  }
}
