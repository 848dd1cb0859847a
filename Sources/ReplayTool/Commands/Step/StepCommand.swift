import EventLog
import ReplayAnalysis

/// A line typed at the prompt of `step`, understood.
enum StepCommand {
  case forward(UInt64)
  case back(UInt64)
  case go(StepDebugger.Target)
  /// Nil repeats the last search.
  case next(StopCondition?)
  case previous(StopCondition?)
  case stop(StopCondition)
  case stops
  /// Nil for all.
  case delete(Int?)
  case goOn
  case goBack
  case here
  case why(String?)
  case cascade
  case state(Path?)
  case help(StepVerb?)
  case quit

  /// - Parameter isRoot: Whether the state has a root of this name.
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
    case "delete": self = .delete(try Self.count(rest).map { Int(clamping: $0) })
    case "why": self = .why(rest.isEmpty ? nil : rest)
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
