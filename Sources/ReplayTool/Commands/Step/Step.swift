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

      From a file or a pipe commands are read line by line, without a prompt; lines that begin with // are \
      skipped. A command that fails ends it with exit status 2.
      """)

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(help: ArgumentHelp("Take the commands from this file.", valueName: "file"), completion: .file())
  var commands: String?

  @OptionGroup var memory: MemoryOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: log, limits: memory.limits)
    let prompt = StepPrompt(log, on: console)
    if commands == nil, LineEditor.isPossible {
      try talk(prompt, console)
    } else {
      try obey(prompt, LineReader(path: commands ?? "-", limit: Self.commandBytesMax), on: console)
    }
    return log.reportDamage(on: console)
  }

  /// Far longer than any command.
  private static let commandBytesMax = 1 << 20

  /// Runs the commands of a file.
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

  /// Runs commands that are typed at a terminal.
  private func talk(_ prompt: StepPrompt, _ console: Console) throws {
    // SIGHUP is caught too: a terminal that closes may belong to a program that uses it again, so its
    // settings are restored.
    Interrupts.catchAll(hangingUp: true)
    let editor = try LineEditor(completing: StepCompletion(prompt.debugger).completions)
    // After the terminal is restored, the process ends by the signal that it got, so that its parent sees
    // why.
    defer {
      editor.close()
      Interrupts.endAsAsked()
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
      // Ctrl-C ends the running command, and must not affect the next line.
      Interrupts.forgetLast()
    }
  }

  private static func reason(_ error: any Error) -> String { "\(error)" }
}

/// Runs the commands that are typed at the prompt of `step`, and prints their results.
private final class StepPrompt {
  let debugger: StepDebugger
  private let console: Console
  private let linesMax = 60

  init(_ log: LogSource, on console: Console) {
    debugger = StepDebugger(log, progress: console.progress, isInterrupted: { Interrupts.isPending })
    self.console = console
  }

  /// Runs one command. Returns false if it ends the session.
  ///
  /// - Throws: `StepError`, `AnalysisError`, `ToolError` or `LogError` if the command fails.
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
    case .whyNot(let name): try debugger.whyNot(name).print(to: console)
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

  /// Prints the state as an outline, cut to the limit of lines.
  private func showState(_ path: Path?) throws {
    let report = try StateReport(
      of: path, in: debugger.state(), after: debugger.seq, of: debugger.log)
    var text: [UInt8] = []
    let page = Console(width: width, style: console.style, output: { text += $0 }, errors: { _ in })
    try StateText.print(report.state, named: report.path, to: page)
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
  /// As many lines as fit on a screen.
  fileprivate static var step: LimitOptions {
    var options = LimitOptions()
    options.limit = 20
    return options
  }
}

/// Prints the current event of `step`.
private struct StepText {
  private let console: Console
  private var style: Style { console.style }
  /// The columns to fit a line into. Not unlimited even without a terminal, since values may have any length.
  private var width: Int { console.width ?? 200 }
  private static let wokenMax = 8

  init(_ console: Console) { self.console = console }

  func print(_ point: StepPoint?, of debugger: StepDebugger) throws {
    guard let point else {
      let count = Units.count(debugger.log.eventCount, "event")
      return try console.print(style.heading("before the first event") + style.dim("  of \(count)"))
    }
    let event = point.event
    try console.print(
      style.heading("event \(event.seq)") + style.dim(" of \(debugger.lastSeq)")
        + "  at \(Units.moment(event.time))"
        + style.dim(context(of: point).shown.cut(to: max(10, width - 40))))
    try line(what(point))
    for woken in point.woken.prefix(Self.wokenMax) {
      let causes = woken.causes == [event.seq] ? "" : "  because of \(list(woken.causes))"
      try line("woke \(woken.projection)\(causes)")
    }
    let more = point.woken.count - Self.wokenMax
    if more > 0 { try line("and woke \(more.grouped) more") }
  }

  /// Prints text that may come from a log on a line of its own.
  private func line(_ text: String) throws { try console.print("  " + text.shown.cut(to: width - 2)) }

  private func context(of point: StepPoint) -> String {
    var parts: [String] = []
    if let cause = point.event.cause { parts.append("caused by \(cause)") }
    if point.root.depth > 1 { parts.append("root \(point.root.seq)") }
    if let span = point.transaction {
      let name = span.label.map { " \(Value.string($0).json)" } ?? ""
      parts.append("in transaction\(name) of \(span.begin)")
    }
    if let site = point.event.site { parts.append(site) }
    return parts.isEmpty ? "" : "  " + parts.joined(separator: ", ")
  }

  private func what(_ point: StepPoint) -> String {
    switch point.event.body {
    case .set(let path, _, let same):
      "set \(path)  \(text(point.old)) -> \(text(point.new))\(same ? "  same value" : "")"
    case .splice(let path, let offset, let delete, let insert, let same):
      "splice \(path)  at \(offset): \(delete) out, \(text(insert)) in\(same ? "  same value" : "")"
    case .remove(let path, let same): "remove \(path)  was \(text(point.old))\(same ? "  same value" : "")"
    case .projection(let name, let parent, let tracking):
      "projection \(name)\(parent.map { " in \($0)" } ?? ""), tracked by \(tracking.rawValue)"
    case .reads(let name, let reads): "\(name) \(reads.sentence { list($0.map(\.description)) })"
    case .invalidate(let name, let causes): "\(name) recorded as woken because of \(list(causes))"
    case .evaluate(let name, let duration, let changed, let inputChanged):
      "\(name) ran in \(Units.duration(duration))"
        + (changed.map { $0 ? ", output changed" : ", same output" } ?? "")
        + (inputChanged.map { $0 ? ", input changed" : ", same input" } ?? "")
    case .dispose(let name): "\(name) is gone"
    case .begin(let label): "begin\(label.map { " \(Value.string($0).json)" } ?? "")"
    case .end: "end of the transaction"
    case .mark(let label): "mark \(Value.string(label).json)"
    case .action(let label): "action \(Value.string(label).json)"
    case .finish(let outcome): "end of the action, which \(outcome.sentence)"
    }
  }

  private func text(_ value: Value?) -> String {
    (value?.json.withPlainDates ?? "nothing").cut(to: max(16, width / 3))
  }

  private func list(_ seqs: [UInt64]) -> String { list(seqs.map { String($0) }) }

  private func list(_ items: [String]) -> String {
    if items.isEmpty { return "nothing" }
    return items.prefix(4).joined(separator: ", ") + (items.count > 4 ? " and \(items.count - 4) more" : "")
  }
}
