import ArgumentParser
import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// The statements of the help must be true.
@Suite struct HelpTests {
  @Test func everyCommandHasAnExampleOnASampleThatWorks() throws {
    let workspace = try Workspace()
    // The examples of subcommands use the output of another command; their own tests run them.
    for command in Replay.configuration.subcommands
    where command.configuration.shouldDisplay && command.configuration.subcommands.isEmpty {
      let name = command._commandName
      let discussion = command.configuration.discussion.replacing(/\ \\\n +/, with: " ")
      let examples = discussion.split(separator: "\n").compactMap {
        $0.hasPrefix("Example: ") ? String($0.dropFirst(9)) : nil
      }
      // It writes files, and looks at no log; `SkillTests` runs it.
      if name == "skill" { continue }
      #expect(examples.contains { $0.contains("SampleLogs/") }, "\(name)")
      for example in examples
      where example.contains("SampleLogs/") && !example.contains(where: { "|>".contains($0) }) {
        let words = Self.words(example)
        #expect(words.prefix(2) == ["replay", name])
        // They run until they are interrupted or their input ends; their own tests run them as processes.
        if name == "serve" || name == "mcp" { continue }
        let arguments = zip(words.dropFirst(), words).map { word, previous in
          if word.hasPrefix("SampleLogs/") { return root + word }
          let isFile = previous == "-o" || [".evlog", ".html"].contains { word.hasSuffix($0) }
          return isFile ? workspace.file("\(UUID())-\(word)") : word
        }
        let run = ToolRun(Array(arguments))
        #expect(run.status == .done || run.status == .found, "\(example): \(run.errors)")
      }
    }
  }

  /// Splits a line like a shell, as far as the examples need it.
  private static func words(_ line: String) -> [String] {
    var words: [String] = []
    for (index, piece) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
      if index % 2 == 1 {
        words.append(String(piece))
      } else {
        words += piece.split(separator: " ").map(String.init)
      }
    }
    return words
  }

  @Test(arguments: ["bash", "zsh", "fish"]) func shellsCompleteEveryCommand(shell: String) {
    let run = ToolRun("--generate-completion-script", shell)
    #expect(run.status == .done)
    for name in Replay.commandNames where name != "manual" { #expect(run.output.contains(name)) }
  }

  @Test func namesOfTheLogAtHandAreCompleted() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen + #"{"kind":"mark","label":"half way"}"# + "\n")
    let completion = LogCompletion(["replay", "why", log], for: nil)
    #expect(completion.projections("R") == ["Row", "Row#7"])
    #expect(
      completion.paths("store.r") == [
        "store.rows", "store.rows[#count]", "store.rows[#order]", "store.rows[*].count",
        "store.rows[0].count", "store.rows[id: 7].count",
      ])
    #expect(completion.moments("m") == ["mark:half way"])
    #expect(LogCompletion(["replay", "why", "'\(log)'"], for: .zsh).moments("") == [#"mark\:half way"#])
    #expect(LogCompletion(["replay", "why"]).projections("").isEmpty)
    #expect(LogCompletion(["replay", "why", workspace.file("none.evlog")]).paths("").isEmpty)
  }

  @Test func shellsAreOfferedNothingThatTheyWouldRun() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      #"""
      {"kind":"set","path":"a","value":{"k\"x":1}}
      {"kind":"set","path":"a[\"k'y\"]","value":1}
      {"kind":"projection","projection":"$(touch x)"}
      {"kind":"projection","projection":"`touch x`"}
      {"kind":"projection","projection":"<(touch x)"}
      {"kind":"projection","projection":"`\u0301;touch x`"}
      {"kind":"projection","projection":"P\u001b"}
      {"kind":"projection","projection":"Plain"}

      """#)
    for shell in [CompletionShell.bash, .zsh, .fish] {
      #expect(LogCompletion(["replay", "why", log], for: shell).projections("") == ["Plain"])
    }
    #expect(LogCompletion(["replay", "why", log], for: .fish).paths("a[\"") == ["a[*]", #"a["k'y"]"#])
    // Bash removes a layer of quotes.
    #expect(
      LogCompletion(["replay", "why", log], for: .bash).paths("a[\"") == [#"a\[\*\]"#, #"a\[\"k\'y\"\]"#])
  }

  @Test func aMistypedCommandIsAnsweredWithTheNearest() {
    let run = ToolRun("cascade", "run.evlog")
    #expect(run.status == .refused)
    #expect(run.errors == "replay: there is no command cascade; did you mean cascades?\n")
  }

  @Test func whatIsNoCommandIsAnsweredWithWhatToType() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    #expect(ToolRun("help", "difff").errors == "replay: there is no command difff; did you mean diff?\n")
    #expect(
      ToolRun(log).errors == "replay: the command comes before the log, as in replay info \(log)\n")
    #expect(ToolRun("").errors == "replay: the command is empty; replay --help lists them\n")
    #expect(ToolRun("sdkfjhsdf").errors.hasSuffix("; replay --help lists them\n"))
    #expect(
      ToolRun("hot", log, "--projection", "Nope").errors.hasSuffix("; replay hot lists what there is\n"))
  }

  @Test(arguments: ["info", "tail", "verify", "compact", "export"])
  func aFolderIsNoLog(command: String) throws {
    let workspace = try Workspace()
    let output = ["compact", "export"].contains(command) ? ["-o", workspace.file("out")] : []
    let empty = ToolRun([command, workspace.path] + output)
    #expect(empty.status == .refused)
    #expect(empty.errors == "replay: \(workspace.path) is a folder, not a log\n")
    let log = try workspace.log(screen)
    #expect(
      ToolRun([command, workspace.path] + output).errors
        == "replay: \(workspace.path) is a folder, not a log; give one in it, as \(log)\n")
  }

  /// The argument parser breaks lines anywhere; lines of examples must fit, and end with a backslash if they
  /// continue.
  @Test func helpFitsATerminalAndItsExamplesCanBeCopied() {
    for command in Replay.configuration.subcommands where command.configuration.shouldDisplay {
      let name = Comment(rawValue: command._commandName)
      let lines = Replay.helpMessage(for: command, columns: 80).split(separator: "\n")
      for line in lines where !line.hasPrefix("USAGE: ") { #expect(line.count <= 80, name) }
      let discussion = command.configuration.discussion.split(separator: "\n")
      let rest = "           "
      for (line, next) in zip(discussion, discussion.dropFirst() + [""])
      where line.hasPrefix("Example: ") || line.hasPrefix(rest) {
        #expect(lines.contains(line), name)
        #expect(line.hasSuffix(" \\") == next.hasPrefix(rest), name)
      }
    }
  }

  @Test func theVersionIsTheNewestOfTheChangelog() throws {
    let changelog = try String(contentsOfFile: root + "CHANGELOG.md", encoding: .utf8)
    #expect(ToolRun("--version").output == "\(ToolVersion.version)\n")
    #expect(changelog.firstMatch(of: /## ([0-9.]+)/)?.1.description == ToolVersion.version)
  }

  @Test func theOverviewHasAtMostTenCommandsThatThereAre() {
    let lines = ToolRun([]).lines.filter { $0.hasPrefix("  replay ") }
    #expect((8...10).contains(lines.count))
    for line in lines { #expect(Replay.commandNames.contains(String(line.split(separator: " ")[1]))) }
  }

  @Test func progressTellsHowLongItWillTake() {
    #expect(ProgressLine.estimate(0.25, after: .seconds(3)) == ", about 9 s left")
    #expect(ProgressLine.estimate(0.1, after: .seconds(60)) == ", about 9 min left")
    #expect(ProgressLine.estimate(0.01, after: .seconds(60)).isEmpty)
    #expect(ProgressLine.estimate(1, after: .seconds(60)).isEmpty)
  }
}

private let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined() + "/"
