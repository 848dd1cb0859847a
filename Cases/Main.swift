import EventLog
import Foundation
import Projection
import ReplayAnalysis

/// Records the cases, asks the analyses, and prints a table: whether the cause came first, whether the predicted saving is
/// that of the fix, and whether nothing is said of what is well.
///
///     swift run cases            all
///     swift run cases NAME ...   some, with what was said
///     swift run cases --into DIR [NAME ...]
///
/// With a folder it only records, for `Cases/agent.py`: each program, the bad one twice, and `cases.json`, the key.
@main struct Main {
  static func main() throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    let kept = arguments.first == "--into" && arguments.count > 1 ? URL(filePath: arguments[1]) : nil
    if kept != nil { arguments.removeFirst(2) }
    let names = Set(arguments)
    let cases = Case.all.filter { names.isEmpty || names.contains($0.name) }
    guard !cases.isEmpty else {
      print("cases: \(Case.all.map(\.name).joined(separator: ", "))")
      exit(64)
    }
    if let kept { return try record(cases, into: kept) }
    let folder = FileManager.default.temporaryDirectory.appending(path: "replay-cases-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var scores = Scores()
    for one in cases { try scores.add(Score(one, in: folder, isTold: !names.isEmpty)) }
    print(scores.table)
  }

  private static func record(_ cases: [Case], into folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for one in cases {
      for (variant, program) in [("bad", one.bad), ("again", one.bad), ("fixed", one.fixed)] {
        _ = try one.record(variant, program, into: folder)
      }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(cases.map(Key.init)).write(to: folder.appending(path: "cases.json"))
  }
}

/// A case without its programs: what its user says, and what names the cause.
private struct Key: Encodable {
  var name: String
  var bug: String
  var rule: String?
  /// The view or the path that the first finding is about, or the view that shows old data.
  var subject: String
  var write: String?
  var reason: String?

  init(_ one: Case) {
    (name, bug) = (one.name, one.bug)
    switch one.answer {
    case .lint(let rule, let subject): (self.rule, self.subject) = (rule.rawValue, subject)
    case .whyNot(let view, let write, let kind): (subject, self.write, reason) = (view, write, kind.rawValue)
    }
  }
}

extension Case {
  /// Records a program of the case, and returns the log.
  fileprivate func record(_ variant: String, _ program: Program, into folder: URL) throws -> URL {
    let file = folder.appending(path: "\(name)-\(variant).evlog")
    let session = try Session(recordingTo: file)
    program(session)
    try session.close()
    return file
  }
}

/// What the analyses said of one case.
struct Score {
  let name: String
  /// Whether the cause came first; and what did.
  let isFound: Bool
  let said: String
  /// The predicted and the real saving in per cent of the time, or of the runs where the time is short; nil if the first
  /// finding has no change that is predicted.
  let predicted: Double?
  let real: Double
  /// What was said of the fixed and of the healthy program.
  let aboutFixed: [String]
  let aboutHealthy: [String]

  init(_ one: Case, in folder: URL, isTold: Bool) throws {
    func record(_ variant: String, _ program: Case.Program) throws -> LogSource {
      try LogSource(path: one.record(variant, program, into: folder).path)
    }
    func lint(_ log: LogSource) throws -> [LintReport.Finding] {
      try LintReport(log, LintRule.allCases, LintThresholds(), in: 0..<(.max)).findings.filter { !$0.isNote }
    }
    name = one.name
    let bad = try record("bad", one.bad)
    let fixed = try record("fixed", one.fixed)
    let healthy = try record("healthy", one.healthy)
    let findings = try lint(bad)
    switch one.answer {
    case .lint(let rule, let subject):
      said = findings.first.map { "\($0.rule.rawValue) \($0.projection ?? $0.path ?? "")" } ?? "nothing"
      isFound =
        findings.first.map { $0.rule == rule && [$0.projection, $0.path].contains(subject) } ?? false
    case .whyNot(let view, let path, let kind):
      let reasons = try WhyNot(view, write: path.map { try PathPattern(parsing: $0) }, in: bad).reasons
      said = reasons.first.map { "\($0.kind.rawValue) \(view)" } ?? "nothing"
      isFound = reasons.first?.kind == kind
    }
    let (before, after) = (try Self.runs(of: bad), try Self.runs(of: fixed))
    let isShort = before.time < 2_000_000
    func saving(_ price: LintReport.Price) -> Double {
      isShort
        ? 100 * Double(before.runs - price.runs) / Double(max(1, before.runs))
        : 100 * (Double(before.time) - Double(price.time)) / Double(max(1, before.time))
    }
    real = saving(after)
    predicted = findings.first?.predicted.map { saving($0) }
    func text(_ findings: [LintReport.Finding]) -> [String] {
      findings.map { "\($0.rule.rawValue) \($0.projection ?? $0.path ?? "")" }
    }
    aboutFixed = text(try lint(fixed))
    aboutHealthy = text(try lint(healthy))
    guard isTold else { return }
    print("\(one.name): \(one.bug)")
    for finding in findings { print("  \(finding.rule.rawValue): \(finding.message) \(finding.advice)") }
  }

  private static func runs(of log: LogSource) throws -> LintReport.Price {
    var price = LintReport.Price.zero
    try LogReader(path: log.path).forEachEvent { event in
      guard case .evaluate(_, let duration, _, _, _) = event.body else { return }
      price.runs += 1
      price.time += duration
    }
    return price
  }

  /// Whether the prediction is within twenty points of what the fix saved.
  var isPriced: Bool? { predicted.map { abs($0 - real) <= 20 } }
  var isSilent: Bool { aboutFixed.isEmpty && aboutHealthy.isEmpty }
}

/// The scores of all cases, as a table in Markdown.
struct Scores {
  private var scores: [Score] = []

  mutating func add(_ score: Score) { scores.append(score) }

  var table: String {
    var lines = [
      "| case | said first | cause | saved: predicted, real | said of what is well |",
      "|---|---|---|---|---|",
    ]
    for score in scores {
      let price = score.predicted.map { "\(Self.percent($0)), \(Self.percent(score.real))" } ?? ""
      let others =
        score.aboutFixed.map { "fixed: \($0)" } + score.aboutHealthy.map { "healthy: \($0)" }
      lines.append(
        "| \(score.name) | \(score.said) | \(score.isFound ? "yes" : "**no**") |"
          + " \(score.isPriced == false ? "**\(price)**" : price) | \(others.joined(separator: ", ")) |")
    }
    let priced = scores.compactMap(\.isPriced)
    let well = scores.flatMap { [$0.aboutFixed.isEmpty, $0.aboutHealthy.isEmpty] }
    lines += [
      "",
      "Cause first: \(scores.count(where: \.isFound)) of \(scores.count). Price within 20 points:"
        + " \(priced.count { $0 }) of \(priced.count). Silent on \(well.count { $0 }) of \(well.count) fixed and healthy"
        + " programs.",
    ]
    return lines.joined(separator: "\n")
  }

  private static func percent(_ value: Double) -> String { "\(Int(value.rounded())) %" }
}
