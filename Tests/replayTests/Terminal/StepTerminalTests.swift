#if os(Linux)
  import Foundation
  import Glibc
  import Testing

  /// The prompt of `step` in a real terminal, which must be afterwards as it was before.
  @Suite(.enabled(if: builtTool != nil, "replay is beside the tests")) struct StepTerminalTests {
    /// Starts the tool at its prompt.
    private func prompt(in workspace: Workspace) throws -> PseudoTerminal {
      let terminal = try PseudoTerminal(builtTool?.path ?? "", ["step", try workspace.log(screen)])
      try terminal.wait(for: "(0) ")
      try terminal.wait("single keys") { !Self.isLineByLine(terminal.mode) }
      return terminal
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
      // What `waitpid` tells of a program that a signal ended; Ctrl-C ends the prompt as ctrl-d does.
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
      terminal.send("\u{4}")
      #expect(try terminal.end() == 0)
    }
  }
#endif
