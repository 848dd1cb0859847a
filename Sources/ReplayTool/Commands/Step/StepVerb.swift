import ReplayAnalysis

/// A word that can be typed at the prompt of `step`.
struct StepVerb {
  /// What follows the word, as far as it can be completed.
  enum Argument { case nothing, condition, path, projection, verb }

  let name: String
  /// Shorter words for it.
  let short: [String]
  /// How its arguments are written.
  let usage: String
  let help: String
  var argument = Argument.nothing

  static let all = [
    StepVerb(
      name: "forward", short: ["f", "step", "s"], usage: "[COUNT]", help: "go on by one event, or by several"),
    StepVerb(name: "back", short: ["b"], usage: "[COUNT]", help: "go back by one event, or by several"),
    StepVerb(
      name: "go", short: ["g"], usage: "SEQ | TIME | mark:LABEL | start | end",
      help: "go to an event, a time as 1.5s, or mark:LABEL"),
    StepVerb(
      name: "next", short: ["n"], usage: "[CONDITION]",
      help: "go on to where something is woken or changes", argument: .condition),
    StepVerb(
      name: "previous", short: ["p"], usage: "[CONDITION]", help: "the same, backwards", argument: .condition),
    StepVerb(
      name: "break", short: ["br"], usage: "CONDITION", help: "stop there when continuing",
      argument: .condition),
    StepVerb(
      name: "watch", short: ["w"], usage: "PATH", help: "stop where the value at a path changes",
      argument: .path),
    StepVerb(name: "breaks", short: [], usage: "", help: "list where continuing stops"),
    StepVerb(name: "delete", short: ["d"], usage: "[NUMBER]", help: "forget one of them, or all"),
    StepVerb(name: "continue", short: ["c"], usage: "", help: "go on to the next stop, or to the end"),
    StepVerb(
      name: "reverse-continue", short: ["rc"], usage: "",
      help: "go back to the stop before, or to the beginning"),
    StepVerb(name: "here", short: ["h"], usage: "", help: "show again where this is"),
    StepVerb(
      name: "why", short: [], usage: "[PROJECTION]",
      help: "why what is woken here ran, or a projection last", argument: .projection),
    StepVerb(
      name: "cascade", short: ["ca"], usage: "", help: "all that the root of this event's causes led to"),
    StepVerb(
      name: "state", short: ["st"], usage: "[PATH]", help: "the state after this event, or a part of it",
      argument: .path),
    StepVerb(
      name: "help", short: ["?"], usage: "[COMMAND]", help: "this list, or one command", argument: .verb),
    StepVerb(name: "quit", short: ["q", "exit"], usage: "", help: "end"),
  ]

  /// The verb that a word stands for: its name, a short form, or the beginning of one name alone.
  static func named(_ word: String) throws(StepError) -> StepVerb {
    if let verb = all.first(where: { $0.name == word || $0.short.contains(word) }) { return verb }
    let begun = all.filter { $0.name.hasPrefix(word) }
    if begun.count == 1 { return begun[0] }
    if begun.count > 1 {
      throw StepError("\(word) may be \(begun.map(\.name).joined(separator: ", "))")
    }
    throw StepError(
      "there is no command \(word)" + Suggestion.text(for: word, among: all.map(\.name)) + "; try help")
  }
}
