import ArgumentParser
import EventLog
import ReplayAnalysis

struct Step: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Goes through a run forwards and backwards, at a prompt.",
    discussion: """
      Example: replay step run.evlog
      Example: printf 'next ChatView\\nwhy\\n' | replay step SampleLogs/chat-wide.evlog

      At the prompt help lists the commands: forward and back, go to an event, a time or a mark, next and previous \
      where a projection is woken or a value changes, break and watch with continue and reverse-continue, and why, \
      state and cascade of where it is. Tab completes them, and paths and projections. An empty line repeats the last \
      command, Ctrl-R searches those before, and ~/.editrc sets the keys.

      From a file or a pipe commands are read line by line, without a prompt; lines that begin with // are passed \
      over. One that cannot be carried out ends it with exit status 2.
      """)

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(help: ArgumentHelp("Take the commands from this file.", valueName: "file"), completion: .file())
  var commands: String?

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: log)
    let prompt = StepPrompt(log, on: console)
    if commands == nil, LineEditor.isPossible {
      try talk(prompt, console)
    } else {
      try obey(prompt, LineReader(path: commands ?? "-"), on: console)
    }
    return log.reportDamage(on: console)
  }

  /// Carries out the lines of a file.
  private func obey(_ prompt: StepPrompt, _ lines: LineReader, on console: Console) throws {
    while let line = try lines.next() {
      do {
        guard try prompt.run(String(decoding: line, as: UTF8.self)) else { return }
      } catch let error as Console.BrokenPipe {
        throw error
      } catch {
        throw ToolError(file: commands ?? "<stdin>", line: lines.lineNumber, column: 1, Self.reason(error))
      }
    }
  }

  /// Asks at a terminal for one line after the other.
  private func talk(_ prompt: StepPrompt, _ console: Console) throws {
    // A terminal that is closed is left as it was, too: it may be a program's, and be used again.
    Platform.catchInterrupts(hangingUp: true)
    let editor = try LineEditor(completing: StepCompletion(prompt.debugger).completions)
    // Ends the process by the signal that asked for it, so that its parent sees why, once the terminal is as it was.
    defer {
      editor.close()
      Platform.endAsAsked()
    }
    try console.print("\(prompt.debugger.log.path.shown): type help for the commands")
    try prompt.showPoint()
    var last = ""
    while true {
      try console.flush()
      guard let line = editor.readLine(prompt: "(\(prompt.debugger.seq)) ") else { return }
      if !line.trimmed.isEmpty { last = line }
      do {
        guard try prompt.run(last) else { return }
      } catch let error as Console.BrokenPipe {
        throw error
      } catch {
        try console.print(console.style.bad(Self.reason(error).shown))
      }
      // Ctrl-C ends what a command does, not the next line.
      Platform.forgetInterrupt()
    }
  }

  private static func reason(_ error: any Error) -> String { "\(error)" }
}
