import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// What is no file, or has a name that is no text, or is longer than any disk.
@Suite(.enabled(if: ToolShell.isPossible, "replay is beside the tests, and timeout installed"))
struct OddFilesTests {
  private let workspace: Workspace
  private let shell: ToolShell

  init() throws {
    workspace = try Workspace()
    shell = ToolShell(folder: workspace.path)
    _ = try workspace.log(screen)
    _ = try workspace.write("total:\n  evaluations: 300\n", to: "budget.yaml")
  }

  /// Commands that read the log `LOG`.
  private static let commands = [
    "info LOG", "timeline LOG", "state LOG", "tail LOG", "cascades LOG", "why LOG List", "hot LOG",
    "diff LOG LOG",
    "diff run.evlog LOG", "lint LOG", "what-if LOG --tracking element", "check LOG --budget budget.yaml",
    "report LOG -o page.html", "serve LOG --no-open", "verify LOG", "export LOG",
    "export LOG --format sqlite -o run.db", "compact LOG", "cut LOG --from 2 -o cut.evlog",
    "merge LOG run.evlog -o both.evlog", "recover LOG", "drive LOG -- true",
  ]

  // MARK: What is no file

  @Test(arguments: commands) func aPipeADeviceAndAFolderAreNoLogs(command: String) throws {
    for (make, log, kind) in [
      ("mkfifo pipe.evlog", "pipe.evlog", "pipe"), (":", "/dev/zero", "device"),
      ("mkdir folder.evlog", "folder.evlog", "folder"),
    ] {
      let result = try shell.run("\(make); replay \(command.replacing("LOG", with: log))")
      #expect(result.status == 2, "\(log): \(result.status) \(result.output) \(result.errors)")
      #expect(result.errors.contains("a \(kind)"), "\(log): \(result.errors)")
    }
  }

  @Test func aPipeWithTheNameOfAFurtherFileIsNoPartOfTheLog() throws {
    for command in ["info", "verify", "export", "tail --from 1", "recover"] {
      let result = try shell.run("rm -f run.0002.evlog; mkfifo run.0002.evlog; replay \(command) run.evlog")
      #expect(result.status == 0, "\(command): \(result.errors)")
    }
  }

  @Test func aFolderIsSearchedForLogsOnceAndForFilesOnly() throws {
    let result = try shell.run(
      """
      mkdir -p logs/a/b logs/c && cp run.evlog logs/a/b/x.evlog && cp run.evlog logs/c/y.evlog
      ln -s .. logs/a/up && ln -s ../../c logs/a/b/0-c && ln -s . logs/self && mkfifo logs/pipe.evlog
      ln -s /dev/zero logs/zero.evlog && ln -s nowhere logs/dangling.evlog
      replay summarize logs -o tables --format jsonl
      """)
    #expect(result.status == 3, "\(result.errors)")
    // Copies are one session, and its log is the first by path.
    #expect(result.output.contains("2 logs in 1 partition, 1 copy left out, 1 failure"), "\(result.output)")
    #expect(
      LogFolder.logs(in: workspace.file("logs"))
        == ["a/b/x", "c/y", "dangling"].map { workspace.file("logs/\($0).evlog") })
    #expect(LogFolder.logs(in: workspace.file("logs/a")).count == 3, "what a link leads out to is found too")
  }

  @Test func aPipeInAFolderOfTablesIsAnError() throws {
    let result = try shell.run(
      """
      replay summarize run.evlog -o t --format jsonl && mkfifo "$(ls -d t/sessions/*/*)/part.FORM" && replay fleet top t
      """.replacing("FORM", with: "jsonl"))
    #expect(result.status == 2 && result.errors.contains("a pipe"), "\(result.errors)")
  }

  // MARK: Names that are no text

  @Test func aNameThatIsNotUTF8IsOpened() throws {
    let name = #"$(printf 'd\351j\340/r\377n.evlog')"#
    let result = try shell.run(
      """
      log="\(name)"; mkdir -p "$(dirname "$log")"; cp run.evlog "$log"
      replay info "$log" && replay export "$log" -o "$log.jsonl" && replay import "$log.jsonl" -o "$log.new.evlog" \
        && replay verify "$log.new.evlog" && replay compact "$log" && replay cut "$log" --from 3 -o "$log.part.evlog" \
        && replay report "$log" -o "$log.html" && replay tail "$log" --from 1 && replay diff "$log" run.evlog
      """)
    #expect(result.status == 0, "\(result.output)\n\(result.errors)")
    #expect(result.output.contains(#"d\xe9j\xe0/r\xffn.evlog"#), "\(result.output)")
    let base = try shell.run("replay export run.evlog --format sqlite -o \"\(name).db\"")
    #expect(base.status == 2 && base.errors.contains("must be UTF-8"), "\(base.errors)")
    // Each in the one folder of that name.
    #expect(
      try shell.run("ls d*/ | wc -l").output.contains("6")
        && shell.run("ls -d d* | wc -l").output.contains("1"))
  }

  @Test func aNameThatIsNotUTF8IsFoundInAFolderAndInAList() throws {
    let result = try shell.run(
      """
      mkdir logs && cp run.evlog "logs/$(printf 'r\\377n.evlog')"
      replay summarize logs -o a --format jsonl && find logs -type f | replay summarize --files-from - -o b
      replay summarize 'logs/*' -o c
      replay fleet top a | grep 'replay report' | head -1 | sed "s|replay|$REPLAY|" > open && bash open && ls session-1.html
      """)
    #expect(result.status == 0, "\(result.output)\n\(result.errors)")
    #expect(
      result.output.split(separator: "\n").filter { $0.contains("1 log in 1 partition") }.count == 3,
      "\(result.output)")
  }

  @Test func namesAreConvertedAndBack() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for round in 0..<2000 {
      // Bytes of valid characters, of the characters that stand for bytes, and any others.
      let parts: [[UInt8]] = [
        Array("é🗂️".utf8), [0xF4, 0x8F, 0xBA, 0x80], [0xF4, 0x8F], [0xE2, 0x82], Array("run".utf8),
      ]
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        bytes +=
          Bool.random(using: &random)
          ? parts.randomElement(using: &random) ?? [] : [UInt8.random(in: 1...255, using: &random)]
      }
      let name = FileName.string(bytes)
      #expect(FileName.bytes(name) == bytes, "round \(round), seed \(seed)")
      #expect(name.cName == bytes.map { CChar(bitPattern: $0) } + [0])
      if let text = String(validating: bytes, as: UTF8.self),
        !text.unicodeScalars.contains(where: FileName.isEscape)
      {
        #expect(name == text)
      }
    }
  }

  // MARK: Lines

  @Test func aLineHasALimit() throws {
    let commands = [
      ("import - -o out.evlog", "<stdin>:1:1:"), ("summarize --files-from - -o t", "<stdin>:1:1:"),
      ("import FILE -o out.evlog", "endless:1:1:"), ("check run.evlog --budget FILE", "endless:1:1:"),
    ]
    for (command, start) in commands {
      // A hole of a terabyte is a file without a line break that never ends.
      let result = try shell.run(
        "truncate -s 1T endless; replay \(command.replacing("FILE", with: "endless")) < endless")
      #expect(result.status == 2, "\(command): \(result.status) \(result.errors)")
      #expect(
        result.errors.hasPrefix(start) && result.errors.contains("long"), "\(command): \(result.errors)")
    }
  }

  @Test func aListOfPathsIsOneALine() throws {
    let result = try shell.run(#"printf 'run.evlog\0other.evlog\0' | replay summarize --files-from - -o t"#)
    #expect(
      result.status == 2 && result.errors.hasPrefix("<stdin>:1:1: a path has a zero byte"), "\(result.errors)"
    )
    let fine = try shell.run(#"printf '\r\nrun.evlog\r\n' | replay summarize --files-from - -o t"#)
    #expect(fine.status == 0, "\(fine.errors)")
  }

  // MARK: Holes

  @Test(arguments: ["truncate -s 1T run.evlog", "truncate -s -9 run.evlog; truncate -s 1T run.evlog"])
  func aHoleOfATerabyteIsATornEnd(make: String) throws {
    for command in [
      "info", "verify", "export", "timeline", "hot", "tail --from 1", "recover -o saved.evlog", "recover",
    ] {
      let result = try shell.run(
        "cp run.evlog log.evlog; \(make.replacing("run.evlog", with: "log.evlog")); replay \(command) log.evlog"
      )
      // What is left of an index is a finding of verify.
      let isFinding = command == "verify" && result.status == 1
      #expect(result.status == 3 || isFinding, "\(command): \(result.status) \(result.errors)")
    }
    #expect(try shell.run("replay verify log.evlog && ls -s log.evlog.torn").status == 0)
    #expect(try shell.run("replay export log.evlog | wc -l").output.contains("22"))
  }

  @Test func blocksBehindAHoleOfATerabyteAreFound() throws {
    let result = try shell.run(
      """
      cp run.evlog log.evlog; truncate -s 1T log.evlog; cat run.evlog >> log.evlog
      replay info log.evlog; replay recover log.evlog
      """)
    #expect(result.status == 3 || result.status == 0, "\(result.status) \(result.errors)")
    #expect(result.output.contains("damaged"), "\(result.output)")
  }

  @Test func aHoleWithoutALogIsNone() throws {
    for command in ["info", "verify", "export", "recover"] {
      let result = try shell.run("truncate -s 1T none.evlog; replay \(command) none.evlog")
      #expect(result.status == 2, "\(command): \(result.status) \(result.errors)")
    }
  }
}
