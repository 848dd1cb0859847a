import EventLog
import ReplayAnalysis

/// A parsed command of `step`.
enum StepCommand {
  case forward(UInt64)
  case back(UInt64)
  case go(StepDebugger.Target)
  /// Nil repeats the last search.
  case next(StopCondition?)
  case previous(StopCondition?)
  case stop(StopCondition)
  case stops
  /// The number of the breakpoint; nil deletes all.
  case delete(Int?)
  case goOn
  case goBack
  case here
  case why(String?)
  case whyNot(String)
  case cascade
  case state(Path?)
  case help(StepVerb?)
  case quit

  /// - Parameter isRoot: Returns whether the state has a root with this name.
  init(parsing line: String, isRoot: (String) -> Bool) throws(StepError) {
    let (word, rest) = line.firstWord
    let verb = try StepVerb.named(word)
    func condition(breaks: Bool) throws(StepError) -> StopCondition {
      try StopCondition(parsing: rest, isRoot: isRoot, breaks: breaks)
    }
    switch verb.name {
    case "forward": self = .forward(try Self.count(rest) ?? 1)
    case "back": self = .back(try Self.count(rest) ?? 1)
    case "go": self = .go(try Self.target(rest))
    case "next": self = .next(rest.isEmpty ? nil : try condition(breaks: false))
    case "previous": self = .previous(rest.isEmpty ? nil : try condition(breaks: false))
    case "break": self = .stop(try condition(breaks: true))
    case "watch":
      if rest.isEmpty { throw StepError("watch what? a path, as watch store.isLoading") }
      self = .stop(.change(try StopCondition.path(rest)))
    case "delete": self = .delete(try Self.count(rest).map { Int($0) })
    case "why": self = .why(rest.isEmpty ? nil : rest)
    case "why-not":
      if rest.isEmpty { throw StepError("why not what? a projection, as why-not Row#7") }
      self = .whyNot(rest)
    case "state": self = .state(rest.isEmpty ? nil : try StopCondition.path(rest))
    case "help": self = .help(rest.isEmpty ? nil : try StepVerb.named(rest))
    case let name:
      guard rest.isEmpty else { throw StepError("\(name) takes nothing more: \(rest)") }
      self = Self.plain[name] ?? .quit
    }
  }

  private static let plain: [String: StepCommand] = [
    "breaks": .stops, "continue": .goOn, "reverse-continue": .goBack, "here": .here, "cascade": .cascade,
    "quit": .quit,
  ]

  private static func count(_ text: String) throws(StepError) -> UInt64? {
    if text.isEmpty { return nil }
    guard let count = UInt64(text), count > 0 else { throw StepError("\(text) is no number of 1 or more") }
    return count
  }

  private static func target(_ text: String) throws(StepError) -> StepDebugger.Target {
    switch text {
    case "start": return .start
    case "end": return .end
    default:
      guard let moment = Moment(argument: text) else {
        throw StepError("go where? an event as 17, a time as 1.5s, mark:LABEL, start or end")
      }
      return .moment(moment)
    }
  }
}

/// A command word of `step`.
struct StepVerb {
  /// What follows the word, for completion.
  enum Argument { case nothing, condition, path, projection, verb }

  let name: String
  /// Its short forms.
  let short: [String]
  /// The form of its arguments.
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
    StepVerb(name: "delete", short: ["d"], usage: "[NUMBER]", help: "delete one of them, or all"),
    StepVerb(name: "continue", short: ["c"], usage: "", help: "go on to the next stop, or to the end"),
    StepVerb(
      name: "reverse-continue", short: ["rc"], usage: "",
      help: "go back to the stop before, or to the beginning"),
    StepVerb(name: "here", short: ["h"], usage: "", help: "show again where this is"),
    StepVerb(
      name: "why", short: [], usage: "[PROJECTION]",
      help: "why what was woken here ran, or a projection ran last", argument: .projection),
    StepVerb(
      name: "why-not", short: ["wn"], usage: "PROJECTION",
      help: "why it did not run for the last write here", argument: .projection),
    StepVerb(
      name: "cascade", short: ["ca"], usage: "", help: "all that the root of this event's causes led to"),
    StepVerb(
      name: "state", short: ["st"], usage: "[PATH]", help: "the state after this event, or a part of it",
      argument: .path),
    StepVerb(
      name: "help", short: ["?"], usage: "[COMMAND]", help: "this list, or one command", argument: .verb),
    StepVerb(name: "quit", short: ["q", "exit"], usage: "", help: "end"),
  ]

  /// The verb that a typed word means: by its name, a short form, or a prefix that no other name has.
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

/// Prints the help of `step`.
struct StepHelp {
  let console: Console

  func printAll() throws {
    let width = StepVerb.all.map { title($0).count }.max() ?? 0
    for verb in StepVerb.all {
      let title = title(verb)
      try console.print(
        "  \(title)\(String(repeating: " ", count: width - title.count))  \(console.style.dim(verb.help))")
    }
    try console.print()
    try console.print(Self.conditions)
  }

  func print(_ verb: StepVerb) throws {
    try console.print("\(verb.name) \(verb.usage)")
    try console.print("  \(verb.help)")
    if !verb.short.isEmpty { try console.print("  short: \(verb.short.joined(separator: ", "))") }
    if verb.argument == .condition { try console.print(Self.conditions) }
  }

  private func title(_ verb: StepVerb) -> String {
    let short = verb.short.isEmpty ? "" : ", \(verb.short[0])"
    // The command's own help lists the targets.
    let usage = verb.usage.contains("|") ? " SEQ|TIME|..." : verb.usage.isEmpty ? "" : " \(verb.usage)"
    return verb.name + short + usage
  }

  private static let conditions = """
      A condition is one of
        woken PROJECTION   it is put out of date
        run PROJECTION     it runs
        change PATH        the value there differs from before
        write PATTERN      such a place is written
        mark [LABEL]       the app made a mark
      A projection alone means woken, a path alone change; for break they mean
      woken or run, and write.
    """
}
