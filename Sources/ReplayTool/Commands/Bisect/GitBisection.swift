import Foundation
import ReplayAnalysis

/// A bisection by git in a worktree of its own, so that the repository, its branches and files stay as they are.
///
/// git keeps what belongs to a bisection with the worktree, and it is gone with that.
final class GitBisection {
  /// What a commit is, in the terms of `git bisect`, and of the exit status of what `git bisect run` runs: 0, 1, 125.
  enum Verdict: String, Encodable { case good, bad, skip }

  struct Commit: Encodable, Equatable {
    var id: String
    var date: String
    var subject: String

    /// As much of the id as people write.
    var short: String { String(id.prefix(10)) }
  }

  /// Where the bisection stands.
  enum Step {
    case look(at: String)
    /// The first bad commit.
    case found(String)
    /// Only skipped commits are left, one of which is the first bad one.
    case undecided([String])
  }

  let good: String
  let bad: String
  /// The folder of the worktree, or that in it which stands for the folder in which the command was run.
  let folder: String
  private let repository: String
  private let worktree: String
  private let scratch: String
  /// The commits that could not be judged, and how many of them came last.
  private var skipped: Set<String> = []
  private var skippedInRow = 0

  /// Checks both ends, and makes the worktree at the bad one.
  ///
  /// - Parameters:
  ///   - directory: A folder of the repository.
  ///   - scratch: A folder that the caller removes, for the worktree and what git says.
  /// - Throws: `ToolError` with what git said.
  init(in directory: String, good: String, bad: String, scratch: String) throws {
    self.scratch = scratch
    repository = try Self.git(["rev-parse", "--show-toplevel"], in: directory, scratch).text
    let prefix = try Self.git(["rev-parse", "--show-prefix"], in: directory, scratch).text
    func id(_ name: String, _ option: String) throws -> String {
      let found = try Self.git(
        ["rev-parse", "--verify", "--quiet", "--end-of-options", "\(name)^{commit}"], in: directory, scratch,
        expecting: 0...1)
      if found.status == 0 { return found.text }
      throw ToolError("\(option) \(name.shown): there is no such commit")
    }
    self.good = try id(good, "--good")
    self.bad = try id(bad, "--bad")
    worktree = "\(scratch)/worktree"
    folder = prefix.isEmpty ? worktree : "\(worktree)/\(prefix)"
    let isAncestor = try Self.git(
      ["merge-base", "--is-ancestor", self.good, self.bad], in: repository, scratch, expecting: 0...1)
    guard isAncestor.status == 0, self.good != self.bad else {
      throw ToolError("--good \(good.shown) does not lie before --bad \(bad.shown)")
    }
    do {
      _ = try Self.git(
        ["worktree", "add", "--quiet", "--detach", worktree, self.bad], in: repository, scratch)
    } catch {
      remove()
      throw error
    }
  }

  /// Removes the worktree, and all that git knows of it.
  func remove() {
    let removed = try? Self.git(
      ["worktree", "remove", "--force", "--force", worktree], in: repository, scratch, expecting: 0...255)
    if removed?.status == 0 { return }
    try? FileManager.default.removeItem(atPath: worktree)
    _ = try? Self.git(["worktree", "prune"], in: repository, scratch)
  }

  /// Goes to a commit, whatever the commits before left in the files that git knows.
  func check(out commit: String) throws {
    try clean()
    _ = try Self.git(["checkout", "--quiet", "--force", "--detach", commit], in: worktree, scratch)
  }

  /// Begins; the first step.
  func begin() throws -> Step {
    try clean()
    _ = try Self.git(["bisect", "start", bad, good], in: worktree, scratch)
    return try step()
  }

  /// Goes on from what was found of the present commit.
  func mark(_ verdict: Verdict) throws -> Step {
    try clean()
    skippedInRow = verdict == .skip ? skippedInRow + 1 : 0
    if verdict == .skip { skipped.insert(try Self.git(["rev-parse", "HEAD"], in: worktree, scratch).text) }
    // It ends with status 2 if only skipped commits are left.
    _ = try Self.git(["bisect", verdict.rawValue], in: worktree, scratch, expecting: 0...2)
    return try step()
  }

  private func clean() throws {
    _ = try Self.git(["reset", "--quiet", "--hard"], in: worktree, scratch)
  }

  /// Where it stands, by the journal that git keeps.
  private func step() throws -> Step {
    let journal = try Self.git(["bisect", "log"], in: worktree, scratch).text
    let lines = journal.split(separator: "\n")
    func ids(_ title: String) -> [String] {
      lines.filter { $0.hasPrefix("# \(title): [") }.compactMap { line in
        line.split(separator: "[").dropFirst().first?.split(separator: "]").first.map(String.init)
      }
    }
    if let first = ids("first bad commit").last { return .found(first) }
    if lines.contains("# only skipped commits left to test") {
      return .undecided(ids("possible first bad commit"))
    }
    if let next = try besideSkipped() { try check(out: next) }
    return .look(at: try Self.git(["rev-parse", "HEAD"], in: worktree, scratch).text)
  }

  /// Where to look while there are skipped commits: as near to the middle as can be. git would go anywhere, which may cost builds.
  /// Of several in a row that do not build one has to get away, each time twice as far.
  private func besideSkipped() throws -> String? {
    if skipped.isEmpty { return nil }
    let all = try Self.git(
      ["rev-list", "--bisect-all", "refs/bisect/bad", "--not", "--glob=refs/bisect/good-*"], in: worktree,
      scratch)
    let ids = all.text.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
    let bad = try Self.git(["rev-parse", "refs/bisect/bad"], in: worktree, scratch).text
    let left = ids.filter { $0 != bad && !skipped.contains($0) }
    let away = skippedInRow > 1 ? 1 << min(skippedInRow - 1, 20) - 1 : 0
    return left.isEmpty ? nil : left[min(away, left.count - 1)]
  }

  /// What a commit is, for people.
  func commit(_ id: String) throws -> Commit {
    let fields = try Self.git(
      ["log", "-1", "--no-show-signature", "--date=short", "--format=%H%n%cd%n%s", id, "--"], in: repository,
      scratch
    ).text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    return Commit(id: id, date: fields.count > 1 ? fields[1] : "", subject: fields.count > 2 ? fields[2] : "")
  }

  /// The first of the commits on which it is based; nil if there is none.
  func parent(of commit: String) throws -> String? {
    let found = try Self.git(
      ["rev-parse", "--verify", "--quiet", "\(commit)^"], in: repository, scratch, expecting: 0...1)
    return found.status == 0 ? found.text : nil
  }

  // MARK: git

  /// Runs git, and returns what it printed. It is not interrupted: it is to leave the repository whole.
  ///
  /// Hooks are off, since they are for what the user does.
  private static func git(
    _ arguments: [String], in folder: String, _ scratch: String,
    expecting statuses: ClosedRange<Int32> = 0...0
  ) throws -> (status: Int32, text: String) {
    let files = ["output", "errors"].map { "\(scratch)/git-\($0)" }
    let handles = try files.map { path in
      guard FileManager.default.createFile(atPath: path, contents: nil),
        let handle = FileHandle(forWritingAtPath: path)
      else { throw ToolError("cannot write to \(scratch)") }
      return handle
    }
    defer { for handle in handles { try? handle.close() } }
    let settings = ["core.hooksPath=/dev/null", "advice.detachedHead=false", "gc.auto=0"]
    let status = try ChildProgram(
      words: ["git"] + settings.flatMap { ["-c", $0] } + arguments, directory: folder,
      environment: ["LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"],
      removed: ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"],
      output: handles[0], errors: handles[1]
    ).run { true }
    func text(_ path: String) -> String {
      let bytes = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
      let text = String(decoding: bytes, as: UTF8.self)
      return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
    if statuses.contains(status) { return (status, text(files[0])) }
    let said =
      text(files[1]).split(separator: "\n").first.map(String.init) ?? "it ended with status \(status)"
    throw ToolError("git \(arguments[0]): \(said.shown)")
  }
}
