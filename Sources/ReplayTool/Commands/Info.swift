import ArgumentParser
import ReplayAnalysis

struct Info: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows what is in a log: events, time, objects, projections, bytes.",
    discussion: """
      Example: replay info SampleLogs/chat-wide.evlog

      Of a log of up to 32 MB it looks at each block, so that damage shows. Of a larger one that was closed it reads the \
      index alone, and says so: replay verify reads all of it. Of a log that a program is writing it says that too.
      """)

  /// Reading this many bytes takes less than a second.
  private static let checkedMost: UInt64 = 32 << 20

  @OptionGroup var input: InputOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: input.log, limits: input.limits)
    let summary = LogSummary(log, checkingUpTo: Self.checkedMost)
    try input.output.print(summary, on: console) { try summary.print(to: console, path: log.path) }
    return log.reportDamage(on: console)
  }
}

extension LogSummary {
  fileprivate func print(to console: Console, path: String) throws {
    let style = console.style
    func line(_ title: String, _ text: String) throws {
      try console.print(style.dim(title + String(repeating: " ", count: max(1, 13 - title.count))) + text)
    }
    try console.print(style.heading(path.shown))
    let unchecked = isChecked ? "" : " by its index; its blocks were not read: replay verify reads them"
    try line(
      "state",
      isClean
        ? style.good("clean") + style.dim(unchecked)
        : (state == .recording ? style.good(state.words) : style.bad(state.words)) + ": "
          + (damage ?? "").shown)
    switch index {
    case .none: break
    case .believed: try line("index", "opened by it")
    case .refused:
      try line("index", style.bad("does not agree with the blocks") + ": read without it; verify tells more")
    }
    if !program.isEmpty { try line("program", program.shown) }
    for (key, value) in metadata.fields.prefix(Self.metadataShown) { try line(key.shown, value.shown) }
    let more = metadata.fields.count - Self.metadataShown
    if more > 0 {
      try line("", style.dim("and \(Units.count(more, "more line")) of metadata; see --format json"))
    }
    let each = events > 0 ? ", \(Units.tenths(bytes, of: UInt64(events))) bytes an event" : ""
    try line("size", "\(Units.bytes(bytes)) in \(Units.count(blocks, "block"))\(each)")
    try line("time", Units.duration(duration))
    try line("objects", objects.grouped)
    try line("projections", projections.grouped)
    try line("events", events.grouped)
    for (kind, count) in kinds.fields { try console.print("  \(kind.shown) \(count.grouped)") }
  }
}

extension LogDamage.State {
  fileprivate var words: String {
    switch self {
    case .open: "not closed"
    case .recording: "being recorded"
    case .clean, .torn, .damaged: rawValue
    }
  }
}
