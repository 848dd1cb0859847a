import LogGenerator

#if os(Linux)
  import Foundation
  import Glibc
  import Testing

  /// The prompt of `step` in a real terminal, which must have its old settings afterwards.
  @Suite(.enabled(if: builtTool != nil, "replay is beside the tests")) struct StepTerminalTests {
    /// Starts the tool at its prompt, in a locale without Unicode and without a user's settings.
    private func prompt(in workspace: Workspace, _ log: String = screen) throws -> PseudoTerminal {
      let terminal = try PseudoTerminal(
        builtTool?.path ?? "", ["step", try workspace.log(log)],
        environment: ["HOME": workspace.path, "EDITRC": workspace.file(".editrc"), "LC_ALL": "C"])
      try terminal.wait(for: "(0) ")
      try terminal.wait("single keys") { !Self.isLineByLine(terminal.mode) }
      return terminal
    }

    /// The tool's output after the keys, up to the prompt that follows this text.
    private func answer(to keys: String, with text: String, at terminal: PseudoTerminal) throws -> String {
      let before = terminal.output.utf8.count
      func written() -> String { String(decoding: terminal.output.utf8.dropFirst(before), as: UTF8.self) }
      terminal.send(keys)
      try terminal.wait("\(text) and a prompt after \(keys)") {
        let written = written()
        return written.contains(text) && written.hasSuffix(") ") && !Self.isLineByLine(terminal.mode)
      }
      return written()
    }

    /// Presses keys and then Return, and expects the tool to have read this word, which is no command.
    private func expect(_ keys: String, give word: String, at terminal: PseudoTerminal) throws {
      let answer = try answer(to: keys + "\r", with: "; try help", at: terminal)
      #expect(answer.contains("there is no command \(word);"), "\(keys.debugDescription)")
    }

    private static func isLineByLine(_ mode: termios) -> Bool {
      let flags = tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
      return mode.c_lflag & flags == flags && mode.c_iflag & tcflag_t(ICRNL) != 0
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP]) func aSignalAtThePromptLeavesTheTerminalAsItWas(
      signal: Int32
    ) throws {
      let workspace = try Workspace()
      let terminal = try prompt(in: workspace)
      terminal.send("next Ro")
      try terminal.wait(for: "next Ro")
      terminal.send(signal: signal)
      // The status that `waitpid` returns for a program that a signal ended; Ctrl-C ends the prompt as Ctrl-D
      // does.
      #expect(try terminal.end() == (signal == SIGINT ? 0 : signal))
      #expect(Self.isLineByLine(terminal.mode))
      #expect(terminal.output.hasSuffix("\r\n"))
    }

    @Test(arguments: ["quit\r", "\u{4}", "half a line\u{3}quit\r", "nonsense\r\u{4}"])
    func theEndLeavesTheTerminalAsItWas(keys: String) throws {
      let workspace = try Workspace()
      let terminal = try prompt(in: workspace)
      terminal.send(keys)
      #expect(try terminal.end() == 0)
      #expect(Self.isLineByLine(terminal.mode))
    }

    @Test func outputIsReadWithoutTheRawMode() throws {
      let workspace = try Workspace()
      let terminal = try prompt(in: workspace)
      terminal.send("next Row#7\r")
      try terminal.wait(for: "(11) ")
      // Lines end with a carriage return only where the terminal still adds one.
      #expect(terminal.output.replacing("\r\n", with: "").contains("\n") == false)
      // Without single keys, Ctrl-D would not reach the tool as one.
      try terminal.wait("single keys") { !Self.isLineByLine(terminal.mode) }
      terminal.send("\u{4}")
      #expect(try terminal.end() == 0)
    }

    @Test func keysEditTheLine() throws {
      let workspace = try Workspace()
      let terminal = try prompt(in: workspace)
      let lines: KeyValuePairs = [
        "zb\(left)X": "zXb", "yc\u{1}a\u{5}d": "aycd", "yc\u{1B}[Ha\u{1B}[Fe": "ayce",
        "yc\u{1B}[1~a\u{1B}[4~d\u{1B}OHz": "zaycd", "abz\u{7F}\u{8}1": "a1", "abz\u{1}\u{1B}[3~\u{4}2": "2z",
        "abc\(left)\(left)\u{B}3": "a3", "abc4\(left)\u{15}": "4", "one two  \u{17}\u{17}x": "x",
        "é\u{7F}日本\(left)\u{7F}": "本", "日本語\u{1}🙂": "🙂日本語", "ab\u{1B}[1;5C\u{1B}[5~\u{1B}[15~c": "abc",
        "half\u{3}whole": "whole",
      ]
      for (keys, word) in lines { try expect(keys, give: word, at: terminal) }
      let long = (0..<100).map { "\($0)z" }.joined()
      try expect("\(long)\u{1}zz", give: "zz" + long, at: terminal)
    }

    @Test func earlierLinesComeBack() throws {
      let workspace = try Workspace()
      let terminal = try prompt(in: workspace)
      try expect("zone", give: "zone", at: terminal)
      try expect("ztwo", give: "ztwo", at: terminal)
      try expect("\(up)\(up)", give: "zone", at: terminal)
      try expect("zth\(up)\(down)ree", give: "zthree", at: terminal)
      try expect("zthree", give: "zthree", at: terminal)
      try expect("\(up)\(up)", give: "zone", at: terminal)
      try expect("\u{12}zth", give: "zthree", at: terminal)
      try expect("", give: "zthree", at: terminal)
    }

    @Test func tabGoesOnAsFarAsThereIsOneWay() throws {
      let workspace = try Workspace()
      let terminal = try prompt(in: workspace)
      _ = try answer(to: "go 12\r", with: "(12)", at: terminal)
      let listed = try answer(to: "brea\t\t\u{3}", with: "^C", at: terminal)
      #expect(listed.contains("break   breaks\r\n"), "\(listed.debugDescription)")
      try expect("zz\t", give: "zz", at: terminal)
      terminal.send("nex\tSpi\t\r")
      try terminal.wait(for: "(16) ")
    }

    @Test func ofAHostileNameNothingReachesTheTerminal() throws {
      let workspace = try Workspace()
      let terminal = try prompt(
        in: workspace,
        #"""
        {"kind":"projection","projection":"P\u001b[35m\u202eQ","tracking":"element"}

        """#)
      _ = try answer(to: "go 1\r", with: "(1)", at: terminal)
      let listed = try answer(to: "why P\t\u{3}", with: "^C", at: terminal)
      #expect(listed.contains(#"P\u{1b}[35m\u{202e}Q"#), "\(listed.debugDescription)")
      #expect(!terminal.output.contains("\u{1B}[35m"))
      #expect(!terminal.output.unicodeScalars.contains("\u{202E}"))
    }

    @Test func settingsOfTheUserTakeEffect() throws {
      let workspace = try Workspace()
      _ = try workspace.write("bind -v\n", to: ".editrc")
      let terminal = try prompt(in: workspace)
      try expect("zone\u{1B}0iX", give: "Xzone", at: terminal)
      try expect("half\u{3}zz", give: "zz", at: terminal)
      terminal.send("qui\t\r")
      #expect(try terminal.end() == 0)
    }
  }

  private let (up, down, left) = ("\u{1B}[A", "\u{1B}[B", "\u{1B}[D")
#endif
