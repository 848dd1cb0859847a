import ArgumentParser
import OrderedCollections
import ReplayAnalysis

struct Cascades: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ranks the writes that woke the most work, with the tree of what each woke.",
    discussion: """
      Example: replay cascades SampleLogs/chat-wide.evlog --limit 3
      Example: replay cascades SampleLogs/scopes.evlog \\
                 --by time --projection DetailView

      A projection that ran because its parent did is shown below its parent. Writes to paths of one kind that led to \
      the same tree are counted together: "MessageRow x 50" ran fifty times for each write, followed by the time of \
      all these runs, and how many had the same output as before. --from, --to and --path select the writes at the \
      roots, and --projection what was woken or ran.

      A projection that several writes woke before it ran is counted once, for the last of them; below the others it \
      is "superseded". One that has not run since is "not evaluated".

      What an action led to has the action at its root, however long it took and on whichever thread it ran, and all actions \
      with one label are one; --limit 0 lists each tree by itself, and --by-write has the writes at the roots, whichever action \
      they were part of.
      """)

  @OptionGroup var input: InputOptions
  @OptionGroup var selection: SelectionOptions
  @OptionGroup var action: ActionOption

  @Option(
    help: """
      Rank by the number of evaluations, by the time that they took, or by waste: the time of those with the same \
      output as before, then their number.
      """)
  var by = CascadeReport.Order.evaluations

  @Flag(help: "Put the writes of actions at the roots, and not the actions.")
  var byWrite = false

  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: input.log, limits: input.limits)
    var report = try CascadeReport(
      log, selection.selection(in: log, action: action), by: by, progress: console.progress)
    if byWrite { report = report.byWrite(rankedBy: by) }
    try input.output.print(report, on: console) { try report.print(to: console, limit: limit) }
    return log.reportDamage(on: console)
  }
}

extension CascadeReport.Order: ExpressibleByArgument {}

extension CascadeReport {
  func print(to console: Console, limit: LimitOptions) throws {
    if lines.isEmpty { return try console.print("nothing was woken") }
    let isWhole = limit.limit == 0
    let merged = isWhole ? [] : byAction
    let lines = isWhole ? lines : merged.map { Line(merging: $0.lines) }
    let similar = OrderedDictionary(grouping: lines.indices) { isWhole ? "\($0)" : lines[$0].views }
    let groups = limit.cut(similar.values.elements)
    for group in groups.shown {
      try lines[group[0]].print(to: console, isWhole ? nil : merged[group[0]].action, isWhole: isWhole)
      try print(similar: group.dropFirst().map { lines[$0] }, to: console)
    }
    try console.printHidden(groups.hidden + forgotten, "cascade")
  }

  /// Sums up the cascades of the same write to the same views, in other numbers.
  private func print(similar lines: [Line], to console: Console) throws {
    if lines.isEmpty { return }
    let (count, evaluations) = (lines.reduce(0) { $0 + $1.count }, lines.reduce(0) { $0 + $1.evaluations })
    let time = lines.reduce(UInt64(0)) { $0 + $1.time }
    let text =
      "and \(Units.count(count, "cascade")) of the same views in other numbers: \(Units.count(evaluations, "evaluation")),"
      + " \(Units.duration(time)); --limit 0 lists each"
    try console.print("    " + console.style.dim(console.fit(text, beside: 4)))
  }
}

extension CascadeReport.Line {
  /// What was written, and what ran or was invalidated, whatever the numbers.
  fileprivate var views: String {
    var names: Set<String> = []
    var waiting = tree
    while let next = waiting.popLast() {
      names.insert(next.name)
      waiting += next.children
    }
    return ([root] + names.sorted()).joined(separator: "\n")
  }

  /// How many lines of one tree are printed, unless all are asked for.
  private static let linesMax = 60

  /// - Parameter action: What the actions at the root led to; nil if there is none.
  fileprivate func print(to console: Console, _ action: SpanReport.Line?, isWhole: Bool) throws {
    let times = count > 1 ? "\(count.grouped) x " : ""
    let events = count > 1 ? "events \(first) to \(last)" : "event \(first)"
    let title = console.fit("\(times)\(root)".shown, beside: events.count + 2)
    try console.print(console.style.heading(title) + console.style.dim("  \(events)"))
    var facts = [Units.count(evaluations, "evaluation"), Units.duration(time)]
    if wasted > 0 { facts.append("\(wasted.grouped) wasted in \(Units.duration(wastedTime))") }
    if let action {
      facts.insert(Units.count(action.writes, "write"), at: 0)
      let (settled, isSpread) = (action.settled, action.count > 1)
      let longest = Units.duration(settled.longest)
      facts.append(
        isSpread
          ? "last run after \(Units.duration(settled.p50)), at most \(longest)" : "last run after \(longest)")
    } else {
      facts += ["fan-out \(fanOut.grouped)", "depth \(depth)"]
    }
    try console.print("  " + console.style.dim(console.fit(facts.joined(separator: ", "), beside: 2)))
    var lines: [String] = []
    for child in tree { child.add(to: &lines, count, depth: 2, below: [], console, isWhole: isWhole) }
    let shown = isWhole ? lines.count : Self.linesMax
    for line in lines.prefix(shown) { try console.print(line) }
    if lines.count > shown {
      try console.print(
        "    "
          + console.style.dim("and \(Units.count(lines.count - shown, "more line")); --limit 0 shows all"))
    }
  }
}

extension CascadeTree {
  /// What became of the invalidations for which nothing ran here.
  private var idle: String {
    let waiting = invalidations - superseded
    if evaluations > 0 { return superseded == 0 ? "" : " (\(superseded.grouped) superseded)" }
    if superseded == 0 { return " (woken, not evaluated)" }
    if waiting <= 0 { return " (superseded: ran with another write)" }
    return " (\(superseded.grouped) superseded, \(waiting.grouped) not evaluated)"
  }

  /// Adds the lines of a branch of the tree: its counts in each of `count` cascades, and the time of all of them together.
  ///
  /// - Parameter writes: The writes above it. One that leads to itself again and again is shown once.
  fileprivate func add(
    to lines: inout [String], _ count: Int, depth: Int, below writes: Set<String>, _ console: Console,
    isWhole: Bool
  ) {
    var facts: [String] = []
    var runs = ""
    if kind == .projection {
      let each = max(evaluations, invalidations) / max(1, count)
      if each > 1 { runs = " x \(each.grouped)" }
      if evaluations > 0 { facts.append(Units.duration(time)) }
      runs += idle
    }
    let waste = wasted == 0 ? "" : wasted == evaluations ? "all wasted" : "\(wasted.grouped) wasted"
    let tail = facts.joined() + (waste.isEmpty ? "" : (facts.isEmpty ? "" : ", ") + waste)
    // Deeper branches are no longer indented once at least 40 columns would not remain.
    let margin = min(2 * depth, console.width.map { max(0, $0 - 40) } ?? .max)
    let title =
      console.fit(name.shown, beside: margin + runs.count + (tail.isEmpty ? 0 : tail.count + 2)) + runs
    var line = String(repeating: " ", count: margin) + title
    if !facts.isEmpty { line += "  " + console.style.dim(facts.joined()) }
    if !waste.isEmpty { line += (facts.isEmpty ? "  " : console.style.dim(", ")) + console.style.bad(waste) }
    lines.append(line)
    let writes = kind == .write ? writes.union([name]) : writes
    for child in children {
      let rounds =
        child.kind == .write && writes.contains(child.name) && !isWhole ? child.rounds(of: child.name) : 0
      if rounds >= Self.roundsLeast {
        let work = child.work
        let text =
          "the same again, \(rounds.grouped) times within each other: \(Units.count(work.evaluations, "evaluation")),"
          + " \(Units.duration(work.time))"
        let margin = String(repeating: " ", count: margin + 2)
        lines.append(margin + console.style.dim(console.fit(text, beside: margin.count)))
      } else {
        child.add(to: &lines, count, depth: depth + 1, below: writes, console, isWhole: isWhole)
      }
    }
  }

  private static let roundsLeast = 3

  /// How often a write of this name is within another of its name here, at most.
  private func rounds(of name: String) -> Int {
    (kind == .write && self.name == name ? 1 : 0) + (children.map { $0.rounds(of: name) }.max() ?? 0)
  }

  /// The work of the whole branch.
  private var work: (evaluations: Int, time: UInt64) {
    var sum: (evaluations: Int, time: UInt64) = kind == .projection ? (evaluations, time) : (0, 0)
    for child in children {
      let work = child.work
      sum.evaluations += work.evaluations
      sum.time += work.time
    }
    return sum
  }
}
