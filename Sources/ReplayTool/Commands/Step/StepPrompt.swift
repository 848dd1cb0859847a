import EventLog
import ReplayAnalysis

/// Carries out lines typed at the prompt of `step`, and prints what they ask for.
final class StepPrompt {
  let debugger: StepDebugger
  private let console: Console
  private let linesMax = 60

  init(_ log: LogSource, on console: Console) {
    debugger = StepDebugger(log, progress: console.progress, isInterrupted: { Platform.isInterrupted })
    self.console = console
  }

  /// Carries out one line; false when it was the last.
  ///
  /// - Throws: `StepError`, `AnalysisError`, `ToolError` or `LogError` where it cannot be carried out.
  func run(_ line: String) throws -> Bool {
    if line.trimmed.isEmpty || line.trimmed.hasPrefix("//") { return true }
    let isRoot: (String) -> Bool = { [debugger] in (try? debugger.state())?.roots[$0] != nil }
    switch try StepCommand(parsing: line, isRoot: isRoot) {
    case .forward(let count): try move { try $0.forward(count) }
    case .back(let count): try move { try $0.back(count) }
    case .go(let target): try move { try $0.go(to: target) }
    case .next(let condition): try move { try $0.find(condition, backwards: false) }
    case .previous(let condition): try move { try $0.find(condition, backwards: true) }
    case .goOn: try goOn(backwards: false)
    case .goBack: try goOn(backwards: true)
    case .here: try showPoint()
    case .stop(let condition): try show(debugger.add(condition))
    case .stops:
      if debugger.stops.isEmpty { try console.print("there are no stops; break and watch set some") }
      for stop in debugger.stops { try show(stop) }
    case .delete(let number): try debugger.delete(number)
    case .why(let name): try debugger.why(name).print(to: console, limit: LimitOptions.step, stacks: false)
    case .cascade: try debugger.cascade().print(to: console, limit: LimitOptions.step)
    case .state(let path): try showState(path)
    case .help(let verb):
      if let verb {
        try StepHelp(console: console).print(verb)
      } else {
        try StepHelp(console: console).printAll()
      }
    case .quit: return false
    }
    return true
  }

  func showPoint() throws { try StepText(console).print(debugger.point(), of: debugger) }

  private func move(_ body: (StepDebugger) throws -> Void) throws {
    try body(debugger)
    try showPoint()
  }

  private func goOn(backwards: Bool) throws {
    let found = try debugger.goOn(backwards: backwards)
    for stop in found { try console.print("stop \(stop.number): \(stop.condition)".shown.cut(to: width)) }
    if found.isEmpty { try console.print(backwards ? "back at the beginning" : "at the end") }
    try showPoint()
  }

  private func show(_ stop: StepDebugger.Stop) throws {
    try console.print("stop \(stop.number): \(stop.condition)".shown.cut(to: width))
  }

  /// The state as an outline, of which the first lines are shown.
  private func showState(_ path: Path?) throws {
    let state = try debugger.state()
    let tree: StateTree
    if let path {
      guard let value = state.value(at: path) else {
        throw StateCommand.missing(path, in: state, debugger.seq)
      }
      tree = StateTree(value, at: path, of: state)
    } else {
      tree = StateTree(rootsOf: state)
    }
    var text: [UInt8] = []
    let page = Console(width: width, style: console.style, output: { text += $0 }, errors: { _ in })
    try StateText.print(tree, named: path?.description, to: page)
    try page.flush()
    let lines = text.split(separator: 0x0A)
    for line in lines.prefix(linesMax) { try console.write(line + [0x0A]) }
    if lines.count > linesMax {
      let more = Units.count(lines.count - linesMax, "more line")
      try console.print(console.style.dim("and \(more); state PATH shows a part"))
    }
  }

  private var width: Int { console.width ?? 200 }
}

extension LimitOptions {
  /// What fits on a screen.
  fileprivate static var step: LimitOptions {
    var options = LimitOptions()
    options.limit = 20
    return options
  }
}
