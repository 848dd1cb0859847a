import Foundation
import LogGenerator
import SampleApps
import Testing

@testable import ReplayTool

/// `replay test` on the samples. What it prints are the sources of the target `GeneratedTests`, so that each is compiled and run
/// with all other tests. `make golden` writes them again.
@Suite struct TestGoldenTests {
  struct Generated: CustomTestStringConvertible, Sendable {
    /// The file, without its extension.
    let name: String
    let arguments: [String]

    var testDescription: String { name }
  }

  /// The samples that cannot be driven so: `DrivenSampleTests` says why the mail app cannot, and a drive of the other needs to be
  /// told how its episodes are made.
  private static let undriven = ["mailbox", "episodes-identity"]

  private static let chat = ["--mount", "ChatScreen(chat).mount(in: drive.session)"]

  static let all: [Generated] =
    sampleApps.filter { !undriven.contains($0.name) }.map { app in
      let mount = "_ = \(app)(in: drive.session)"
      return Generated(
        name: "\(app)", arguments: ["SampleLogs/\(app.name).evlog", "--no-attach", "--mount", mount])
    } + [
      // The counts that are predicted for the fix, and the fix.
      Generated(name: "ChatWideFixed", arguments: ["SampleLogs/chat-wide.evlog", "--finding", "1"] + chat),
      Generated(
        name: "ChatWideFixedView",
        arguments: ["SampleLogs/chat-wide.evlog", "--finding", "1", "--view", "MessageRow", "--xctest"] + chat
      ),
      Generated(
        name: "ChatIsolatedXCTest", arguments: ["SampleLogs/chat-isolated.evlog", "--xctest"] + chat),
    ]

  @Test(arguments: all) func printsWhatIsCompiled(generated: Generated) throws {
    try #require(isInRoot)
    let run = ToolRun(["test"] + generated.arguments)
    #expect(run.status == .done, "\(run.errors)")
    // As --output has it, of a file there.
    let text = run.output.replacing("(\"SampleLogs/", with: "(\"../../SampleLogs/")
    let file = folder + generated.name + ".swift"
    if isUpdating { try text.write(toFile: file, atomically: true, encoding: .utf8) }
    #expect(text == (try? String(contentsOfFile: file, encoding: .utf8)), "make golden")
  }

  @Test func nothingElseIsCompiled() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
    #expect(Set(files) == Set(Self.all.map { $0.name + ".swift" }))
  }
}

/// What a test has that `replay test` prints.
@Suite struct TestCommandTests {
  private func text(_ arguments: String...) throws -> String {
    let run = ToolRun(["test"] + arguments)
    try #require(run.status == .done, "\(run.errors)")
    return run.output
  }

  @Test func oneLineIsLeftToFillIn() throws {
    for arguments in [[], ["--no-attach"], ["--xctest"], ["--finding", "1"]] {
      let run = ToolRun(["test", sample("chat-wide")] + arguments)
      let holes = run.lines.filter { $0.contains("<#") }
      #expect(holes.count == 1 && holes[0].hasSuffix("#>"), "\(arguments)")
      #expect(
        run.output.contains("chat = try drive.attach(ChatViewModel.self") != arguments.contains("--no-attach")
      )
    }
    let mounted = try text(
      sample("chat-wide"), "--mount", "let screen = ChatScreen(chat)\nscreen.mount(in: drive.session)")
    #expect(!mounted.contains("<#"))
    #expect(mounted.contains("    let screen = ChatScreen(chat)\n    screen.mount(in: drive.session)\n"))
  }

  @Test func aViewIsExpectedAlone() throws {
    #expect(
      try text(sample("chat-wide"), "--view", "MessageRow").contains(
        #"expectEvaluations(["MessageRow": 15_050])"#))
    let none = ToolRun("test", sample("chat-wide"), "--view", "MesageRow")
    #expect(none.status == .refused && none.errors.contains("did you mean MessageRow?"))
  }

  @Test func aFindingIsExpectedFixedIfThatCanBePredicted() throws {
    let fixed = try text(sample("chat-wide"), "--finding", "1")
    #expect(fixed.contains(#""MessageRow": 0...50"#) && fixed.contains("others: 0...301"))
    #expect(fixed.contains("report.expectNoMore(than: .recorded)"))
    let late = ToolRun("test", sample("feed-stale"), "--finding", "1")
    #expect(late.status == .refused && late.errors.contains("nothing is predicted for finding 1"))
    #expect(ToolRun("test", sample("chat-wide"), "--finding", "9").errors.contains("there is no finding 9"))
  }

  @Test func aClassWithinAnotherIsSaid() throws {
    let log = sample("list-trap")
    #expect(try text(log).contains("drive.attach(Store.self"))
    #expect(
      try text(log, "--type", "store=ListTrap.Store").contains(
        #"drive.attach(ListTrap.Store.self, root: "store")"#))
    #expect(
      ToolRun("test", log, "--type", "stor=A").errors.contains("there is no root stor; did you mean store?"))
    for wrong in ["store", "store=", "store=a b", "store=A(", "store=A\n", "store=A;B", "store=A<B"] {
      #expect(ToolRun("test", log, "--type", wrong).status == .refused, "\(wrong)")
    }
  }

  @Test func whatIsAttachedLaterIsAttachedBehindTheViews() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      """
      {"kind":"set","path":"store","value":{"$object":"Store","count":0}}
      {"kind":"projection","projection":"List","site":"Shop/List.swift:7"}
      {"kind":"reads","projection":"List","paths":["store.count"]}
      {"kind":"evaluate","projection":"List","duration_ns":1}
      {"kind":"set","path":"cart","value":{"$object":"Cart","count":0}}
      {"kind":"set","path":"store.count","value":1}
      {"kind":"evaluate","projection":"List","duration_ns":1,"changed":true,"cause":6}

      """)
    let lines = ToolRun("test", log, "--mount", "mount(store)").lines.map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    let order = ["let store = try", "mount(store)", "let cart = try", "let report ="].map { start in
      lines.firstIndex { $0.hasPrefix(start) } ?? -1
    }
    #expect(order == order.sorted() && !order.contains(-1), "\(lines)")
    #expect(
      lines.contains("@testable import Shop")
        && lines.contains(#"report.expectEvaluations(["List": 2], others: 0)"#))
  }

  @Test func aFileNamesTheRecordingFromWhereItIs() throws {
    let workspace = try Workspace()
    try FileManager.default.createDirectory(
      atPath: workspace.file("Tests/AppTests"), withIntermediateDirectories: true)
    let log = try workspace.log(screen)
    let file = workspace.file("Tests/AppTests/ScreenTests.swift")
    #expect(ToolRun("test", log, "-o", file).status == .done)
    let written = try String(contentsOfFile: file, encoding: .utf8)
    #expect(written.contains(#"withDrivenRecording("../../run.evlog")"#))
    let again = ToolRun("test", log, "-o", file, "--xctest")
    #expect(again.status == .refused && again.errors.contains("--replace"), "\(again.errors)")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == written)
    #expect(ToolRun("test", log, "-o", file, "--xctest", "--replace").status == .done)
  }

  /// A log may come from anywhere, and what it holds is put into a program.
  @Test func namesInALogAreTextInATest() throws {
    let workspace = try Workspace()
    let harm = #"x\")\nfatalError()//\u2028\u202e\\(y)*/"#
    let log = try workspace.log(
      """
      {"kind":"set","path":"a","value":{"$object":"T>() }\\nfatalError()","x":1}}
      {"kind":"set","path":"import","value":{"$object":"é","x":1}}
      {"kind":"set","path":"a_b","value":{"$object":"Box<Array<Int>, B.C>","x":1}}
      {"kind":"projection","projection":"\(harm)","site":"a;b/x.swift:1"}
      {"kind":"reads","projection":"\(harm)","paths":["a.x"]}
      {"kind":"evaluate","projection":"\(harm)","duration_ns":1}

      """)
    let printed = try text(log, "--mount", "mount()")
    #expect(!printed.contains("\nfatalError"))
    #expect(printed.contains(#""x\")\u{a}fatalError()//\u{2028}\u{202e}\\(y)*/": 1"#), "\(printed)")
    #expect(printed.contains(#"let a = try drive.attach(<#its class#>.self, root: "a")"#))
    #expect(printed.contains(#"let importRoot = try drive.attach(<#its class#>.self, root: "import")"#))
    #expect(printed.contains("drive.attach(Box<Array<Int>, B.C>.self"))
    #expect(!printed.contains("@testable"))
  }

  @Test func whatCannotBeDrivenIsRefused() throws {
    let workspace = try Workspace()
    let bare = try workspace.log(#"{"kind":"mark","label":"a"}"# + "\n", "bare.evlog")
    #expect(ToolRun("test", bare).errors.contains("no object is attached"))
    let part = workspace.file("part.evlog")
    #expect(ToolRun("cut", sample("chat-wide"), "-o", part, "--from", "5s").status == .done)
    #expect(ToolRun("test", part).errors.contains("from its beginning"))
  }
}

/// Whether the files are written instead of compared.
private let isUpdating = ProcessInfo.processInfo.environment["GOLDEN"] == "update"
private let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/"
private let isInRoot = FileManager.default.changeCurrentDirectoryPath(root)
private let folder = root + "Tests/GeneratedTests/"
