import ArgumentParser
import EventLog
import ReplayAnalysis

struct StateCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "state",
    abstract: "Shows the state after an event, or at a time.",
    discussion: """
      Example: replay state SampleLogs/list-element.evlog 'store.rows[id: 42]' \\
                 --at 'mark:bump row 7'
      Example: replay state SampleLogs/list-element.evlog --since 3000

      With --since only what differs from the state after that moment is shown.

      An object is shown where it is first met; wherever it is met again stands {"$ref":"path"}.
      """)

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Argument(help: "Only the value at this path.", completion: .paths)
  var path: String?

  @Option(
    name: .customLong("path"),
    help: ArgumentHelp("The same as the argument, as other commands have it.", valueName: "path"),
    completion: .paths)
  var pathOption: String?

  @Option(
    help: ArgumentHelp("After this: \(Moment.form).", valueName: "moment"), completion: .moments,
    transform: Moment.read)
  var at: Moment?

  @Option(
    help: ArgumentHelp("Only what differs from the state after this, as --at.", valueName: "moment"),
    completion: .moments, transform: Moment.read)
  var since: Moment?

  @OptionGroup var output: OutputOptions
  @OptionGroup var memory: MemoryOptions

  func run(on console: Console) throws -> ToolStatus {
    if path != nil, pathOption != nil { throw ToolError("give one path, not two") }
    let wanted = try (path ?? pathOption).map { try Self.parse($0) }
    let log = try LogSource(named: log, limits: memory.limits)
    if let since {
      let changes = try StateChanges(of: wanted, since: since, at: at, in: log)
      try output.print(changes, on: console) { try changes.print(to: console) }
    } else {
      let report = try StateReport(of: wanted, at: at, in: log)
      try output.print(report, on: console) {
        try StateText.print(report.state, named: report.path, to: console)
      }
    }
    return log.reportDamage(on: console)
  }

  static func parse(_ text: String) throws -> Path {
    do { return try Path(parsing: text) } catch {
      throw ToolError("\(text): \(error.reason), at column \(error.column)")
    }
  }
}

extension StateChanges {
  fileprivate func print(to console: Console) throws {
    if differences.isEmpty { return try console.print("the same after event \(since) and event \(seq)") }
    let room = min(60, console.width.map { max(8, ($0 - 36) / 2) } ?? 60)
    for difference in differences {
      let values = [difference.a, difference.b].map {
        ($0?.text.withPlainDates ?? "nothing").shown.cut(to: room)
      }
      let change = "  \(values[0]) -> \(values[1])"
      let path = console.fit(difference.path.description.shown, beside: change.columns, keepsEnd: true)
      try console.print(path + change)
    }
    try console.print(
      console.style.dim(
        "\(Units.count(differences.count, "difference")) between event \(since) and event \(seq)"))
  }
}

/// Prints a state as an outline, indented by two columns for each level.
enum StateText {
  static func print(_ tree: StateTree, named name: String?, to console: Console) throws {
    if let name { return try print(name.shown, tree, depth: 0, to: console) }
    guard case .fields(let roots) = tree else { return }
    if roots.isEmpty { return try console.print("there is no state yet") }
    for (root, value) in roots { try print(root.shown, value, depth: 0, to: console) }
  }

  private static func print(_ name: String, _ tree: StateTree, depth: Int, to console: Console) throws {
    let margin = String(repeating: "  ", count: depth) + name
    switch tree {
    case .fields(let fields) where !fields.isEmpty:
      try console.print("\(margin):")
      for (key, value) in fields { try print(key.shown, value, depth: depth + 1, to: console) }
    case .elements(let elements) where !elements.isEmpty:
      try console.print("\(margin): \(console.style.dim(Units.count(elements.count, "element")))")
      for (index, value) in elements.enumerated() {
        try print("[\(index)]", value, depth: depth + 1, to: console)
      }
    default:
      let text = tree.json.text.withPlainDates.shown
      let room = console.width.map { max(10, $0 - margin.columns - 2) }
      try console.print("\(margin): \(room.map { text.cut(to: $0) } ?? text)")
    }
  }
}
