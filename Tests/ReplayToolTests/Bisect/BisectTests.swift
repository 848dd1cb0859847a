import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// `replay bisect`, as a process, on generated repositories. The program at each commit copies a log that was made before.
@Suite(
  .enabled(if: ToolShell.isPossible && isInstalled("git"), "replay is beside the tests, and there is git"))
struct BisectTests {
  private let workspace: Workspace
  private let log: String

  init() throws {
    workspace = try Workspace()
    log = try workspace.log(screen, "good.evlog")
    _ = try workspace.log(
      screen + #"{"kind":"evaluate","projection":"Row#7","duration_ns":50,"changed":false}"# + "\n",
      "worse.evlog")
    _ = try workspace.write(
      "projections:\n  Row:\n    evaluations: 3\n  List:\n    evaluations: 2\n", to: "budget.yaml")
  }

  /// Makes a repository in which each commit has a program, which since one of them drives a worse log, and in some does not build.
  /// Its commits have the same ids each time, by which git chooses where to go from one that is skipped.
  private func makeRepository(_ commits: Int = 200, worseSince planted: Int, broken: [Int] = []) throws {
    func data(_ text: String) -> String { "data \(text.utf8.count)\n\(text)\n" }
    var history = ""
    for number in 1...commits {
      let name = number < planted ? "good" : "worse"
      let act =
        broken.contains(number) ? "exit 1" : #"cp "$LOGS/\#(name).evlog" "$REPLAY_DRIVE_OUTPUT""#
      let program =
        "#!/bin/sh\npwd >>\"$LOGS/builds\"\ntest -n \"$REPLAY_DRIVE\" || exit 9\n\(act) # \(number)\n"
      history += "commit refs/heads/main\nmark :\(number)\n"
      history += "committer A Person <a@example.com> \(1_700_000_000 + 60 * number) +0000\n"
      history += data("Commit \(number)\n\nWith a body.")
      if number > 1 { history += "from :\(number - 1)\n" }
      history += "M 100755 inline app/run\n" + data(program)
    }
    _ = try workspace.write(history, to: "history")
    let made = try shell(
      "git init -q -b main repository && cd repository && git fast-import --quiet <../history && git reset -q --hard",
      in: workspace.path)
    #expect(made.status == 0, "\(made.errors)")
  }

  private func shell(_ script: String, in folder: String? = nil) throws -> ToolShell.Result {
    // The runs that are kept go with the workspace.
    try ToolShell(folder: folder ?? workspace.file("repository")).run(
      """
      export LOGS='\(workspace.path)' TMPDIR='\(workspace.path)/temporary' GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
      mkdir -p "$TMPDIR"

      """ + script)
  }

  private func bisect(_ options: String, good: String = "HEAD~199", program: String = "app/run") throws
    -> ToolShell.Result
  {
    try shell("replay bisect --good \(good) --bad HEAD '\(log)' \(options) -- \(program)")
  }

  private var builds: [String] {
    ((try? String(contentsOfFile: workspace.file("builds"), encoding: .utf8)) ?? "").split(separator: "\n")
      .map(String.init)
  }

  /// All that git keeps but objects, and what it says of the files. It may write a file of packed references where there are none.
  private func snapshot() throws -> String {
    try shell(
      """
      git rev-parse HEAD; git for-each-ref; git worktree list; git status --porcelain --ignored; \
      find . -type f ! -path './.git/objects/*' ! -path ./.git/index ! -path ./.git/packed-refs | sort | xargs -d '\\n' cksum
      """
    ).output
  }

  @Test(arguments: [2, 99, 137, 200])
  func ofTwoHundredCommitsTheWorseOneIsNamedWithinNineBuilds(planted: Int) throws {
    // Bisection looks there first.
    try makeRepository(worseSince: planted, broken: [100])
    let before = try snapshot()
    let run = try bisect("--budget ../budget.yaml")
    #expect(run.status == 1, "\(run.errors)")
    #expect(run.output.contains(" Commit \(planted)\n"))
    #expect(run.output.contains("Row: evaluations 4, and the limit is 3 (1 over)"))
    // An end that is one of the two runs around it is driven at last, to be compared.
    let ends = planted == 2 || planted == 200 ? 1 : 0
    #expect(builds.count - ends <= 9 && Set(builds).count == 1, "\(builds)")
    #expect(run.errors.contains("skip: drove nothing, and ended with status 1"))
    #expect(try snapshot() == before)
  }

  @Test func withoutABudgetTheGoodEndIsTheMeasure() throws {
    try makeRepository(worseSince: 137)
    let before = try snapshot()
    let run = try bisect("")
    #expect(run.status == 1 && run.output.contains(" Commit 137\n"), "\(run.errors)")
    #expect(run.output.contains("more-evaluations of Row: 3 -> 4"))
    #expect(run.output.contains("  Row  3 -> 4 evaluations"), "the runs around it are compared")
    #expect(builds.count <= 9)
    // Both runs are kept.
    let kept = try #require(run.errors.firstMatch(of: /the runs are (\S+) and (\S+)\n/))
    #expect(ToolRun("diff", String(kept.1), String(kept.2)).status == .found)
    #expect(try snapshot() == before)

    let json = try bisect("--format json")
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect((report["first"] as? [String: Any])?["subject"] as? String == "Commit 137")
    #expect((report["before"] as? [String: Any])?["subject"] as? String == "Commit 136")
    #expect(report["builds"] as? Int == builds.count / 2)
    #expect(report["diff"] is [String: Any])
  }

  @Test func whatCannotBeJudgedIsNamedWithTheRest() throws {
    try makeRepository(30, worseSince: 14, broken: [13, 14])
    let run = try bisect("--budget ../budget.yaml", good: "HEAD~29")
    #expect(run.status == 4, "\(run.errors)")
    for number in 13...15 { #expect(run.output.contains(" Commit \(number)\n"), "\(number)") }
    #expect(!run.output.contains(" Commit 12\n") && !run.output.contains(" Commit 16\n"))
  }

  @Test func theRepositoryIsAsItWasAlsoAfterCtrlC() throws {
    try makeRepository(20, worseSince: 9)
    // Changes of the user's, and a hook that would tell of a checkout.
    _ = try workspace.write("mine\n", to: "repository/app/run")
    _ = try workspace.write(
      "#!/bin/sh\ntouch \"\(workspace.path)/hook\"\n", to: "repository/.git/hooks/post-checkout")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: workspace.file("repository/.git/hooks/post-checkout"))
    let before = try snapshot()
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      let process = Process()
      process.executableURL = builtTool
      let program = ["sh", "-c", "echo $$ >'\(workspace.file("pid"))'; sleep 1000; true"]
      process.arguments = ["bisect", "--good", "HEAD~19", "--bad", "HEAD", log, "--"] + program
      process.currentDirectoryURL = URL(filePath: workspace.file("repository"))
      process.standardError = FileHandle.nullDevice
      try process.run()
      while (try? String(contentsOfFile: workspace.file("pid"), encoding: .utf8))?.hasSuffix("\n") != true {
        Thread.sleep(forTimeInterval: 0.02)
      }
      #expect(try snapshot() != before, "there is another worktree meanwhile")
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      #expect(process.terminationReason == .exit && process.terminationStatus == 2)
      #expect(try snapshot() == before)
      // What the program runs has ended too.
      let pid: Int32 = try #require(
        Int32(String(contentsOfFile: workspace.file("pid"), encoding: .utf8).dropLast()))
      while kill(-pid, 0) == 0 { Thread.sleep(forTimeInterval: 0.02) }
      try FileManager.default.removeItem(atPath: workspace.file("pid"))
    }
    #expect(!workspace.files.contains("hook"))
  }

  @Test func itRunsInTheSameFolderOfItsOwnWorktree() throws {
    try makeRepository(6, worseSince: 4)
    let run = try shell(
      "cd app && replay bisect --good HEAD~5 --bad HEAD '\(log)' -- sh -c 'pwd >>../../folders; ./run'")
    #expect(run.status == 1 && run.output.contains(" Commit 4\n"), "\(run.errors)")
    #expect(!builds.isEmpty && builds.allSatisfy { $0.hasSuffix("/worktree/app") }, "\(builds)")
  }

  @Test func whatCannotBeBisectedIsRefused() throws {
    try makeRepository(5, worseSince: 3)
    let before = try snapshot()
    for (arguments, words) in [
      ("--good HEAD~4 --bad nothing '\(log)' -- app/run", "--bad nothing: there is no such commit"),
      ("--good HEAD --bad HEAD~2 '\(log)' -- app/run", "does not lie before"),
      ("--good HEAD --bad HEAD '\(log)' -- app/run", "does not lie before"),
      ("--good=--help --bad HEAD '\(log)' -- app/run", "--good --help: there is no such commit"),
      ("--good HEAD~4 --bad HEAD '\(log)'", "comes after --"),
      ("--good HEAD~4 --bad HEAD none.evlog -- app/run", "none.evlog"),
      ("--good HEAD~4 --bad HEAD '\(log)' -- false", "drove nothing, and ended with status 1"),
      ("--good HEAD~4 --bad HEAD '\(log)' -- no-such-program", "drove nothing"),
      ("--good HEAD~4 --bad HEAD~3 '\(log)' -- app/run", "the bad end is not bad: 8 runs"),
      ("--good HEAD~1 --bad HEAD '\(log)' --budget ../budget.yaml -- app/run", "the good end is not good"),
      (
        "--good HEAD~4 --bad HEAD '\(log)' --budget ../budget.yaml --fail-on state -- app/run",
        "two ways to judge"
      ),
      ("--good HEAD~4 --bad HEAD '\(log)' --directory / -- app/run", "not a git repository"),
    ] {
      let run = try shell("replay bisect \(arguments)")
      #expect(run.status == 2 && run.errors.contains(words), "\(arguments): \(run.errors)")
    }
    #expect(try snapshot() == before)
  }
}
