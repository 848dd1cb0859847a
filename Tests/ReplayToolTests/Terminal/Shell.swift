import LogGenerator

#if os(Linux)
  import Foundation
  import Testing

  /// A shell in a terminal, with the tool's completions loaded as its users load them.
  struct Shell {
    private let terminal: PseudoTerminal
    private let answer: String

    init(_ name: String, in workspace: Workspace) throws {
      let tool = try #require(builtTool)
      answer = workspace.file("answer")
      var environment = [
        "HOME": workspace.path, "ZDOTDIR": workspace.path, "XDG_CONFIG_HOME": workspace.path,
        "XDG_DATA_HOME": workspace.path, "WORK": workspace.path,
      ]
      environment["PATH"] =
        "\(tool.deletingLastPathComponent().path):" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
      let start = try workspace.write(Self.start[name] ?? "", to: name == "zsh" ? ".zshrc" : "start")
      let arguments =
        switch name {
        case "bash": ["--noprofile", "--rcfile", start, "-i"]
        case "zsh": ["-d", "-i"]
        default: ["--no-config", "-i", "--init-command", "source \(start)"]
        }
      terminal = try PseudoTerminal(name, arguments, environment: environment)
      try terminal.wait("the prompt of \(name)") {
        FileManager.default.fileExists(atPath: workspace.file("ready"))
      }
    }

    /// The last word of a line, as the shell would pass it to the tool, after Tab was pressed at the end of
    /// the line.
    func lastWord(of line: String) throws -> String {
      try? FileManager.default.removeItem(atPath: answer)
      terminal.send(line + "\t\u{0F}")
      try terminal.wait("Tab after \(line)") { FileManager.default.fileExists(atPath: answer) }
      return try String(contentsOfFile: answer, encoding: .utf8)
    }

    /// What each shell reads when it starts: Ctrl-O prints the last word of the line, and empties the line.
    private static let start = [
      "bash": """
      cd "$WORK"
      source <(replay --generate-completion-script bash)
      tell() {
        words=('')
        eval "words=($READLINE_LINE)"
        printf %s "${words[${#words[@]} - 1]}" >next
        mv next answer
        READLINE_LINE=
      }
      bind -x '"\\C-o": tell'
      bind 'set enable-bracketed-paste off'
      PROMPT_COMMAND='touch ready'
      """,
      "zsh": """
      cd $WORK
      mkdir functions
      replay --generate-completion-script zsh >functions/_replay
      fpath=($WORK/functions $fpath)
      autoload -Uz compinit
      compinit -D -u
      tell() {
        print -rn -- "${${(@Q)${(z)BUFFER}}[-1]}" >next
        mv next answer
        BUFFER=
      }
      zle -N tell
      bindkey '^O' tell
      zle-line-init() { touch ready }
      zle -N zle-line-init
      """,
      "fish": """
      cd $WORK
      replay --generate-completion-script fish | source
      function tell
        commandline | read --local --tokenize --array words
        printf %s $words[-1] >next
        mv next answer
        commandline ''
      end
      bind \\co tell
      function fish_prompt
        touch ready
      end
      """,
    ]
  }
#endif
