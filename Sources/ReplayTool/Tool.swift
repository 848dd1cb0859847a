import ArgumentParser
import EventLog
import ReplayAnalysis

/// The command-line tool: parses arguments, runs a command, and returns its exit status.
package enum Tool {
  /// Runs the tool with the process's arguments and standard streams, and ends the process.
  package static func main() -> Never {
    Platform.ignoreBrokenPipes()
    Interrupts.endCleanlyOnSignals()
    let status = run(Platform.arguments, on: .standard())
    Platform.exit(status.rawValue)
  }

  static func run(_ arguments: [String], on console: Console) -> ToolStatus {
    do {
      let status = try perform(arguments, on: console)
      try console.flush()
      return status
    } catch is Console.BrokenPipe {
      return .done
    } catch let error as ToolError {
      return refuse(error.isLocated ? "\(error)" : "replay: \(error)", on: console)
    } catch let error as AnalysisError {
      return refuse("replay: \(error)", on: console)
    } catch let error as LogError {
      let advice = error.code == .overLimit ? ": --limit-memory" : ""
      return refuse(
        "replay: \(ToolError(noFile: error)?.description ?? error.description)" + advice, on: console)
    } catch {
      return explain(error, on: console)
    }
  }

  private static func perform(_ arguments: [String], on console: Console) throws -> ToolStatus {
    if arguments.isEmpty {
      try Overview.print(to: console)
      return .done
    }
    try Replay.checkCommand(arguments)
    var command = try Replay.parseAsRoot(arguments)
    if let command = command as? any ToolCommand { return try command.run(on: console) }
    try command.run()
    return .done
  }

  private static func refuse(_ reason: String, on console: Console) -> ToolStatus {
    try? console.flush()
    console.report(reason)
    return .refused
  }

  /// Prints help and version to the standard output, and mistakes in the arguments to the standard error.
  private static func explain(_ error: any Error, on console: Console) -> ToolStatus {
    let message = Replay.fullMessage(for: error)
    guard Replay.exitCode(for: error).isSuccess else {
      console.explain(message)
      return .refused
    }
    do {
      try console.print(Replay.completed(message))
      try console.flush()
    } catch is Console.BrokenPipe {
    } catch { return refuse("replay: \(error)", on: console) }
    return .done
  }
}

extension Replay {
  /// A message of the argument parser. If it is the completion script for bash, adds the function that the
  /// script lacks.
  fileprivate static func completed(_ message: String) -> String {
    message == completionScript(for: .bash) ? message + wholeWords : message
  }

  /// Bash splits `mark:tap` into three words, so the parser's function does not see that a moment is being
  /// completed; nor does it recognise a quote within quotes.
  private static let wholeWords = #"""


    # Hands whole words to the function above, and takes from its answers what stays on the line.
    __replay_whole_words() {
        local piece rest="${COMP_LINE:0:COMP_POINT}"
        local -a words=()
        local -i last=-1
        for piece in "${COMP_WORDS[@]:0:COMP_CWORD}" ''; do
            if [[ "${last}" -lt 0 || "${rest}" = [[:space:]]* ]]; then
                rest="${rest#"${rest%%[![:space:]]*}"}"
                words[++last]=''
            fi
            words[last]+="${piece}"
            rest="${rest#"${piece}"}"
        done
        words[last]+="${rest}"
        local word="${words[last]#[\"\']}"
        local -r kept="${word%"${2}"}"
        [[ "${words[last]}" = \'* ]] && word="${word//\"/\\\"}"
        local -a COMP_WORDS=("${words[@]}" "${COMP_WORDS[@]:COMP_CWORD + 1}")
        local -i COMP_CWORD="${last}"
        _replay "${1}" "${word}" "${words[last - 1]}"
        COMPREPLY=("${COMPREPLY[@]#"${kept//[\\\"\']/}"}")
    }

    complete -o filenames -F __replay_whole_words replay
    """#
}
