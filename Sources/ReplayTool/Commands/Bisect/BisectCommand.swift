import ArgumentParser
import EventLog
import Foundation
import ReplayAnalysis

struct BisectCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "bisect",
    abstract:
      "Finds the commit since which a recording runs worse: drives it at commits that git bisect chooses.",
    discussion: """
      Example: replay bisect --good v1.2 --bad HEAD run.evlog -- \\
                 swift test --filter theChatStaysQuiet
      Example: replay bisect --good v1.2 --bad HEAD \\
                 SampleLogs/chat-wide.evlog --budget chat.budget.yaml -- \\
                 swift run chat | less

      The program is run at each commit as replay drive runs it. A commit is bad if a limit of the budget is broken; \
      without a budget if a rule of replay diff is, against the run at the good end: by default that no projection runs \
      more often. It is left out if the program ends with status 125, drives nothing, or writes a log without an end: \
      most often since it does not build.

      The commits are checked out in a worktree of its own, in a folder among temporary files; the repository's \
      files, branches and settings stay as they are, also if this is interrupted. Builds are made there, so the first \
      takes as long as any first one.

      At the end there is the first bad commit, and replay diff of the run before it and its own. The exit status \
      is 1 if it was found, and 4 if only commits are left that could not be judged.
      """)

  @Option(help: ArgumentHelp("A commit that is good.", valueName: "commit"))
  var good: String

  @Option(help: ArgumentHelp("A later commit that is bad.", valueName: "commit"))
  var bad: String

  @Argument(help: "The recording.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(
    help: ArgumentHelp("Judge by these limits, as replay check.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var budget: String?

  @Option(
    help: ArgumentHelp(
      "Judge by this rule, as replay diff; may be repeated. (default: more-evaluations)", valueName: "rule"))
  var failOn: [DiffRule] = []

  @Option(
    help: ArgumentHelp("The folder in a repository to work for.", valueName: "folder"), completion: .directory
  )
  var directory = "."

  @Argument(
    parsing: .postTerminator, help: ArgumentHelp("The program and its arguments.", valueName: "program"))
  var program: [String] = []

  @OptionGroup var format: OutputOptions
  @OptionGroup var limit: LimitOptions
  @OptionGroup var memory: MemoryOptions

  func validate() throws {
    if budget != nil, !failOn.isEmpty {
      throw ValidationError("--budget and --fail-on are two ways to judge")
    }
  }

  func run(on console: Console) throws -> ToolStatus {
    if program.isEmpty {
      throw ToolError("the program to run comes after --, as in replay bisect ... -- swift test")
    }
    let recording = try LogSource(named: log, limits: memory.limits)
    let limits = try budget.map { try Budget(Budget.text(ofFile: $0), file: $0) }
    let rules = failOn.isEmpty ? [DiffRule(argument: "more-evaluations")].compactMap(\.self) : failOn
    let scratch = FileManager.default.temporaryDirectory.appending(path: "replay-bisect-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    Interrupts.catchAll(hangingUp: true)
    let isWanted = { !Interrupts.isPending && Demand.isWanted() }
    let search = CommitSearch(
      try GitBisection(in: directory, good: good, bad: bad, scratch: scratch.path),
      CommitJudge(
        recording, program: program, budget: limits, rules: rules, limits: memory.limits, into: scratch.path,
        while: isWanted), while: isWanted, on: console)
    do {
      defer { search.end() }
      let result = try search.run()
      let diff = try search.compare(result, limits: memory.limits, console.progress)
      let report = BisectReport(result, search, diff)
      try format.print(report, on: console) { try report.print(to: console, limit: limit) }
      try search.keep(result, of: recording)
      return result.first == nil ? .undecided : .found
    } catch  where !isWanted() {
      throw ToolError("it was interrupted; the repository is as it was")
    }
  }
}

/// A bisection from its beginning to the first bad commit.
private final class CommitSearch {
  struct Outcome {
    /// The first bad commit; nil if it is one of several that could not be judged.
    var first: GitBisection.Commit?
    var candidates: [GitBisection.Commit] = []
    /// The commit before it whose run it is compared with.
    var before: GitBisection.Commit?
  }

  let judge: CommitJudge
  private(set) var findings: [CommitJudge.Finding] = []
  private let git: GitBisection
  private let isWanted: () -> Bool
  fileprivate let console: Console

  /// More candidates than one looks at.
  private static let candidatesMost = 100

  init(_ git: GitBisection, _ judge: CommitJudge, while isWanted: @escaping () -> Bool, on console: Console) {
    (self.git, self.judge, self.isWanted, self.console) = (git, judge, isWanted, console)
  }

  func end() { git.remove() }

  func run() throws -> Outcome {
    if judge.needsGood {
      try git.check(out: git.good)
      try judge.begin(at: git.good, in: git.folder)
      console.report("replay: \(git.good.prefix(10)) is the good end")
    }
    var step = try git.begin()
    while true {
      if !isWanted() { throw CancellationError() }
      switch step {
      case .look(let commit): step = try git.mark(look(at: commit).verdict)
      case .found(let commit): return try found(commit)
      case .undecided(let commits):
        return Outcome(candidates: try commits.prefix(Self.candidatesMost).map { try git.commit($0) })
      }
    }
  }

  private func look(at commit: String) throws -> CommitJudge.Finding {
    let finding = try judge.judge(commit, in: git.folder)
    findings.append(finding)
    console.report("replay: \(commit.prefix(10)) \(finding.verdict.rawValue): \(finding.reason)")
    return finding
  }

  /// Makes sure of the commit that is left, which may be the bad end, and finds what to compare it with.
  private func found(_ commit: String) throws -> Outcome {
    if judge.logs[commit] == nil {
      try git.check(out: commit)
      let finding = try look(at: commit)
      if finding.verdict != .bad { throw ToolError("the bad end is not bad: \(finding.reason)") }
    }
    var before = git.good
    if let parent = try git.parent(of: commit), parent != before {
      try git.check(out: parent)
      // It was judged before, unless it is on another line of a merge.
      if try judge.judge(parent, in: git.folder).verdict != .skip { before = parent }
    }
    if judge.logs[before] == nil {
      try git.check(out: before)
      let finding = try judge.judge(before, in: git.folder)
      if finding.verdict != .good { throw ToolError("the good end is not good: \(finding.reason)") }
    }
    return Outcome(first: try git.commit(commit), before: try git.commit(before))
  }

  /// What differs in the runs around the first bad commit.
  func compare(_ outcome: Outcome, limits: ReadLimits, _ progress: AnalysisProgress) throws -> RunDiff? {
    guard let first = outcome.first, let before = outcome.before, let earlier = judge.logs[before.id],
      let later = judge.logs[first.id]
    else { return nil }
    let a = try LogSource(path: earlier, limits: limits)
    let b = try LogSource(path: later, limits: limits)
    return try RunComparison().compare(
      a, Selection(in: a), b, Selection(in: b), progress: progress)
  }
}

extension CommitSearch {
  /// Keeps the runs around the first bad commit, among temporary files.
  fileprivate func keep(_ outcome: Outcome, of recording: LogSource) throws {
    let name = URL(filePath: recording.path).deletingPathExtension().lastPathComponent
    let kept = try [outcome.before, outcome.first].compactMap { commit -> String? in
      guard let commit, let path = judge.logs[commit.id] else { return nil }
      let free = "\(name)-\(commit.short)-\(UUID().uuidString).evlog"
      let place = FileManager.default.temporaryDirectory.appending(path: free).path
      try FileManager.default.moveItem(atPath: path, toPath: place)
      return place
    }
    if kept.count == 2 { console.report("replay: the runs are \(kept[0]) and \(kept[1])") }
  }
}

private struct BisectReport: Encodable {
  /// The first bad commit; nil if it is one of the candidates.
  @Nullable var first: GitBisection.Commit?
  /// The one before it, of which the diff's first run is.
  @Nullable var before: GitBisection.Commit?
  var candidates: [GitBisection.Commit]
  var findings: [CommitJudge.Finding]
  /// How often the program was run.
  var builds: Int
  @Nullable var diff: RunDiff?

  init(_ outcome: CommitSearch.Outcome, _ search: CommitSearch, _ diff: RunDiff?) {
    (first, before, candidates) = (outcome.first, outcome.before, outcome.candidates)
    (findings, builds) = (search.findings, search.judge.builds)
    self.diff = diff
  }

  func print(to console: Console, limit: LimitOptions) throws {
    func line(_ commit: GitBisection.Commit) -> String {
      console.fit("\(commit.short)  \(commit.date)  \(commit.subject.shown)")
    }
    let skipped = findings.count { $0.verdict == .skip }
    let effort = Units.count(builds, "build") + (skipped > 0 ? ", \(skipped.grouped) of no use" : "")
    if let first, let before {
      try console.print(console.style.heading("first bad commit") + "  after \(effort)")
      try console.print("  " + line(first))
      if let reason = findings.last(where: { $0.commit == first.id })?.reason {
        try console.print("  " + console.fit(reason, beside: 2))
      }
      try console.print(
        console.style.heading("a is the run before it") + ", at \(before.short); b is its own")
      try diff?.print(to: console, limit: limit)
    } else {
      try console.print(
        console.style.heading("one of these is the first bad commit")
          + "  after \(effort); none can be judged")
      let cut = limit.cut(candidates)
      for commit in cut.shown { try console.print("  " + line(commit)) }
      try console.printHidden(cut.hidden, "commit")
    }
  }
}
