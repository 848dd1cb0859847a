import EventLog
import Foundation
import ReplayAnalysis

/// Drives the recording at commits, and judges what was driven: by a budget, or by the run at the good end.
final class CommitJudge {
  /// What was found of a commit.
  struct Finding: Encodable {
    var commit: String
    var verdict: GitBisection.Verdict
    /// Why, in a few words.
    var reason: String
  }

  private let recording: String
  private let program: [String]
  private let budget: Budget?
  private let rules: [DiffRule]
  private let limits: ReadLimits
  private let folder: String
  private let isWanted: () -> Bool
  /// The run at the good end, if it is needed to judge.
  private var good: LogSource?
  /// The logs of the commits that could be driven.
  private(set) var logs: [String: String] = [:]
  /// How often the program was run.
  private(set) var builds = 0

  /// - Parameters:
  ///   - folder: Where new logs are written.
  ///   - isWanted: Whether to go on.
  init(
    _ recording: LogSource, program: [String], budget: Budget?, rules: [DiffRule], limits: ReadLimits,
    into folder: String, while isWanted: @escaping () -> Bool
  ) {
    self.recording = URL(filePath: recording.path).standardizedFileURL.path
    (self.program, self.budget, self.rules, self.limits) = (program, budget, rules, limits)
    (self.folder, self.isWanted) = (folder, isWanted)
  }

  /// Whether the run at the good end has to be known before others can be judged.
  var needsGood: Bool { budget.map { $0.relative != nil } ?? true }

  /// Takes the good end for the measure.
  ///
  /// - Throws: `ToolError` if it cannot be driven, or is not good.
  func begin(at commit: String, in place: String) throws {
    good = try drive(commit, in: place).get()
    let finding = try judge(commit, in: place)
    if finding.verdict != .good { throw ToolError("the good end is not good: \(finding.reason)") }
  }

  /// Drives the recording at a commit, which is checked out in a folder, unless it was driven before; and judges the run.
  func judge(_ commit: String, in place: String) throws -> Finding {
    let log: LogSource
    switch try drive(commit, in: place) {
    case .success(let driven): log = driven
    case .failure(let error): return Finding(commit: commit, verdict: .skip, reason: "\(error)")
    }
    let broken = try broken(log)
    let count = try RecordedProgram(log).evaluations.reduce(0) { $0 + $1.count }
    return Finding(
      commit: commit, verdict: broken == nil ? .good : .bad,
      reason: broken ?? Units.count(count, "run"))
  }

  /// What is worse in a run than it may be; nil if nothing is.
  private func broken(_ log: LogSource) throws -> String? {
    if let budget {
      let scopes = Set(budget.limits.map(\.scope))
      func measures(_ log: LogSource) throws -> BudgetMeasures {
        try BudgetMeasures(log, Selection(in: log), scopes, progress: .hidden)
      }
      let check = BudgetCheck(budget, try measures(log), baseline: try good.map(measures), log: log.path)
      // The worst is said. What no run of this name has may be of an older version of the program.
      return check.limits.first { $0.isBroken }?.sentence
    }
    guard let good else { return nil }
    let diff = try RunComparison(rules: rules).compare(good, Selection(in: good), log, Selection(in: log))
    return diff.failures.first { $0.name != nil }?.sentence ?? diff.failures.first?.sentence
  }

  /// Runs the program at a commit; the new log, or why there is none.
  private func drive(_ commit: String, in place: String) throws -> Result<LogSource, ToolError> {
    if let path = logs[commit] { return .success(try LogSource(path: path, limits: limits)) }
    guard Platform.isFolder(place) else { return .failure(ToolError("the folder is not there")) }
    let path = "\(folder)/\(commit).evlog"
    builds += 1
    let status = try ChildProgram(
      words: program, directory: place,
      environment: [DriveNames.recording: recording, DriveNames.output: path]
    ).run(while: isWanted)
    // As with git bisect run, a program may say that this commit cannot be judged.
    if status == 125 { return .failure(ToolError("ended with status 125")) }
    guard Platform.exists(path), let log = try? LogSource(path: path, limits: limits) else {
      return .failure(ToolError("drove nothing, and ended with status \(status)"))
    }
    if let damage = log.damage.text { return .failure(ToolError("its log is not whole: \(damage)")) }
    if try RecordedProgram(log).evaluations.isEmpty { return .failure(ToolError("nothing ran")) }
    logs[commit] = path
    return .success(log)
  }
}
