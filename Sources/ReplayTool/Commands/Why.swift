import ArgumentParser
import EventLog
import ReplayAnalysis

struct Why: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows why a projection ran: its cause chain of writes, old -> new, back to the root.",
    discussion: """
      Example: replay why SampleLogs/list-element.evlog 'Row#42' \\
                 --at 'mark:bump row 7'

      Row stands for the instance of Row that ran last. Several writes that woke it are listed below each other; if \
      they have different causes, each has its own cause chain. If it was woken several times before it ran, the last time \
      comes first, and the others, which also are causes of the run, below "and since its last run". Also listed is what this run read that the last did \
      not, and the reverse.
      """)

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Argument(help: "The projection.", completion: .projections)
  var projection: String

  @Option(
    help: ArgumentHelp("The last evaluation up to here: \(Moment.form).", valueName: "moment"),
    completion: .moments, transform: Moment.read)
  var at: Moment?

  @Flag(help: "Show the call stack of every write that was recorded with one.")
  var stack = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var limit: LimitOptions
  @OptionGroup var memory: MemoryOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: log, limits: memory.limits)
    let chain = try WhyChain(of: projection, at: at, in: log, progress: console.progress)
    try output.print(chain, on: console) { try chain.print(to: console, limit: limit, stacks: stack) }
    return log.reportDamage(on: console)
  }
}

extension WhyChain {
  /// The limit applies to the writes of one invalidation, since a large transaction may have thousands, and to the
  /// runs that led to one another; of a longer chain both ends are printed.
  func print(to console: Console, limit: LimitOptions, stacks: Bool) throws {
    let text = WhyText(console: console, limit: limit, stacks: stacks)
    try text.print(steps, depth: 0)
    if let invalidatedAgain {
      console.report("event \(invalidatedAgain) invalidated it again, and it has not run since")
    }
    if let advice { console.report(advice.shown) }
  }
}

private struct WhyText {
  let console: Console
  let limit: LimitOptions
  let stacks: Bool

  func print(_ steps: [WhyStep], depth: Int) throws {
    let indent = String(repeating: " ", count: 4 * min(depth, 8))
    var writes = 0
    let hidden = hidden(of: steps)
    var position = -1
    while position + 1 < steps.count {
      position += 1
      let step = steps[position]
      if hidden.contains(position) {
        if position == hidden.lowerBound {
          writes = try finish(writes)
          try print(omitted: WhyStep(omitting: steps[hidden]), indent, hint: "; see --limit")
        }
        continue
      }
      if step.kind == .write { writes += 1 } else { writes = try finish(writes) }
      let margin = depth == 0 && position == 0 ? "" : indent + "  <- "
      switch step.kind {
      case .evaluation: try printEvaluation(step, margin, indent)
      case .followed:
        let parent = console.fit((step.parent ?? "").shown, beside: margin.count + 28)
        try console.print("\(margin)ran because its parent \(parent) did")
      case .invalidation:
        let facts = " invalidated at \(Units.moment(step.time ?? 0))"
        let event = "  event \(step.seq ?? 0)"
        let name = console.fit(
          (step.projection ?? "").shown, beside: margin.count + facts.count + event.count)
        try console.print(margin + name + facts + console.style.dim(event))
      case .write:
        if limit.limit > 0, writes > limit.limit { continue }
        try printWrite(step, indent)
        if let because = step.because { try print(because, depth: depth + 1) }
        let last = lastSimilar(to: position, in: steps)
        if last > position, let group = step.pathGroup {
          let text =
            "and \(Units.count(last - position, "write")) more to \(group.shown), up to event \(steps[last].seq ?? 0)"
          try console.print("\(indent)     " + console.style.dim(console.fit(text, beside: indent.count + 5)))
          position = last
        }
      case .origin:
        let event = step.seq.map { "  event \($0)" } ?? ""
        let site = step.site.map { "  at \($0.shown(most: 120))" } ?? ""
        let text = (step.text ?? "").shown
        // If the line is too narrow, the site is on a line of its own.
        let isWide = console.width.map { margin.count + (text + event + site).columns <= $0 } ?? true
        try console.print(
          margin + console.fit(text, beside: margin.count + event.columns)
            + console.style.dim(event + (isWide ? site : "")))
        if !isWide, !site.isEmpty { try print(facts: "in" + site.dropFirst(4), indent) }
      case .omitted: try print(omitted: step, indent, hint: "")
      }
    }
    _ = try finish(writes)
    for step in steps { try printOthers(of: step, depth: depth) }
  }

  /// The last of the writes that go on with what one write does, as the appends of a merge: they are of the same kind, to
  /// paths of one kind, in one transaction. Two are no more to read than a line about the second.
  private func lastSimilar(to first: Int, in steps: [WhyStep]) -> Int {
    guard limit.limit > 0, steps[first].transaction != nil, let group = steps[first].pathGroup else {
      return first
    }
    var last = first
    while last + 1 < steps.count, steps[last + 1].kind == .write, steps[last + 1].because == nil,
      steps[last + 1].event == steps[first].event, let transaction = steps[last + 1].transaction,
      transaction.wrappedValue == steps[first].transaction?.wrappedValue, steps[last + 1].pathGroup == group
    {
      last += 1
    }
    return last - first > 1 ? last : first
  }

  /// Prints what else had put the projection out of date since its last run.
  private func printOthers(of step: WhyStep, depth: Int) throws {
    guard let others = step.others else { return }
    let indent = String(repeating: " ", count: 4 * min(depth, 8))
    try console.print("\(indent)  and since its last run:")
    for other in limit.limit > 0 ? others.prefix(limit.limit) : others[...] {
      try print([other] + (other.because ?? []), depth: depth + 1)
    }
    let hidden = limit.limit > 0 ? max(0, others.count - limit.limit) : 0
    try console.printHidden(hidden + (step.moreOthers ?? 0), "invalidation")
  }

  /// The steps between the runs at both ends of a chain, as the limit wants it.
  private func hidden(of steps: [WhyStep]) -> Range<Int> {
    let runs = steps.indices.filter { steps[$0].kind == .evaluation }
    guard limit.limit > 0, runs.count > limit.limit else { return 0..<0 }
    let last = max(1, limit.limit / 2)
    return runs[max(1, limit.limit - last)]..<runs[runs.count - last]
  }

  private func print(omitted step: WhyStep, _ indent: String, hint: String) throws {
    let (runs, all) = (step.omittedRuns ?? 0, step.omitted ?? 0)
    let what = runs > 0 ? Units.count(runs, "more run") + " led to it" : Units.count(all, "more step")
    try console.print("\(indent)  <- " + console.style.dim("... \(what)\(hint) ..."))
  }

  /// Prints how many of the last group of writes the limit left out. Returns the count for the next group, 0.
  private func finish(_ writes: Int) throws -> Int {
    if limit.limit > 0 { try console.printHidden(max(0, writes - limit.limit), "write") }
    return 0
  }

  private func printEvaluation(_ step: WhyStep, _ margin: String, _ indent: String) throws {
    let output = step.changed.map { $0 ? ", output changed" : ", same output" } ?? ""
    let input = step.input.map { $0 == "changed" ? ", input changed" : ", same input" } ?? ""
    let facts =
      " evaluated at \(Units.moment(step.time ?? 0)) in \(Units.duration(step.duration ?? 0))\(output)\(input)"
    let event = "  event \(step.seq ?? 0)"
    let name = console.fit(
      (step.projection ?? "").shown, beside: margin.count + facts.count + event.count)
    try console.print(margin + console.style.heading(name) + facts + console.style.dim(event))
    let reads = [
      ("read for the first time", step.newReads), ("read no more", step.droppedReads),
      ("read of another object", step.replacedReads),
    ]
    for (what, paths) in reads {
      guard let paths else { continue }
      try print(facts: "\(what): \(list(paths, most: 5))", indent)
    }
  }

  private func printWrite(_ step: WhyStep, _ indent: String) throws {
    let change = change(step)
    let event = "  event \(step.seq ?? 0)"
    let site = step.site.map { "  at \($0.shown(most: 120))" } ?? ""
    let others = "\(indent)  <- \(step.event ?? "")   \(change)\(event)".columns
    // If the line is too narrow, the site is on a line of its own.
    let showsSite =
      console.width.map { others + site.columns + (step.path ?? "").shown.columns <= $0 } ?? true
    // Which property of which element: the ends of a path say more than its middle.
    let path = console.fit(
      (step.path ?? "").shown, beside: others + (showsSite ? site.columns : 0), keepsEnd: true)
    try console.print(
      "\(indent)  <- \(step.event ?? "") \(path)  \(change)"
        + console.style.dim(event + (showsSite ? site : "")))
    var facts = ["at \(Units.moment(step.time ?? 0))"]
    if !showsSite, !site.isEmpty { facts.append("in" + site.dropFirst(4)) }
    if let transaction = step.transaction {
      let label = transaction.wrappedValue.map { " \(Value.string($0).json.shown(most: 120))" }
      let site = step.transactionSite.map { " at \($0.shown(most: 120))" } ?? ""
      facts.append("in transaction\(label ?? "")\(site)")
    }
    if let writer = step.writer { facts.append("written by \(writer.shown(most: 60))") }
    if step.sameValue == true { facts.append("same value") }
    if let differences = step.differences {
      let text = differences.prefix(3).map { $0.shown(most: 60) }.joined(separator: ", ")
      let more = differences.count > 3 ? " and more" : ""
      facts.append(differences.isEmpty ? "another object of the same content" : "the object: \(text)\(more)")
    }
    if let reads = step.reads, !reads.isEmpty { facts.append("read as \(list(reads, most: 3))") }
    try print(facts: facts.joined(separator: ", "), indent)
    if let sentence = step.origin?.sentence {
      try console.print("\(indent)     " + console.fit(sentence, beside: indent.count + 5))
    }
    if stacks { try step.origin?.print(to: console, margin: "\(indent)       ") }
  }

  private func print(facts: String, _ indent: String) throws {
    try console.print("\(indent)     " + console.style.dim(console.fit(facts, beside: indent.count + 5)))
  }

  private func change(_ step: WhyStep) -> String {
    let room = min(40, console.width.map { max(8, ($0 - 36) / 2) } ?? 40)
    func text(_ value: PrintedJSON?) -> String {
      (value?.text.withPlainDates ?? "nothing").shown.cut(to: room)
    }
    if let offset = step.offset {
      // A short text is easier to read than an edit of it.
      guard let old = step.old?.text, let new = step.new?.text, old.hasPrefix("\""),
        max(old.columns, new.columns) <= room
      else { return "at \(offset): \(step.delete ?? 0) out, \(text(step.insert)) in" }
    }
    return "\(text(step.old)) -> \(text(step.new))"
  }

  private func list(_ texts: [String], most: Int) -> String {
    let shown = texts.prefix(most).map { $0.shown(most: 100) }.joined(separator: ", ")
    return shown + (texts.count > most ? " and \(texts.count - most) more" : "")
  }
}

extension WriteOrigin {
  /// The origin as text: `by ChatModel.tick() at Chat.swift:42, on thread main, in task refresh`; nil if
  /// nothing is known.
  fileprivate var sentence: String? {
    var facts: [String] = []
    if let function { facts.append("by " + function + (site.map { " at " + $0 } ?? "")) }
    if let thread { facts.append("on thread " + thread) }
    if let task { facts.append("in task " + task) }
    return facts.isEmpty ? nil : facts.joined(separator: ", ").shown
  }

  /// Prints a line for each call of the app's own code, and one for the library calls between two of these.
  fileprivate func print(to console: Console, margin: String) throws {
    for line in StackLine.lines(of: stack) {
      switch line {
      case .call(let frame):
        let name = frame.function ?? "0x" + String(frame.offset, radix: 16)
        let site = frame.site ?? frame.imageName
        try console.print(margin + name.shown(most: 120) + console.style.dim("  " + site.shown(most: 120)))
      case .folded(let frames): try console.print(margin + console.style.dim(Self.text(frames)))
      case .within(let frames):
        try console.print(margin + console.style.dim("within the first: " + Self.text(frames)))
      }
    }
  }

  /// A summary of library calls: `18 calls of Projection, EventLog and 2 more`.
  private static func text(_ frames: [StackFrame]) -> String {
    var modules: [String] = []
    for frame in frames {
      let module = frame.module ?? frame.imageName
      if !modules.contains(module) { modules.append(module) }
    }
    let more = modules.count > 3 ? " and \(modules.count - 3) more" : ""
    return Units.count(frames.count, "call") + " of "
      + (modules.prefix(3).joined(separator: ", ") + more).shown(most: 120)
  }
}

extension StackFrame {
  /// The name of the image's file, without its folder.
  fileprivate var imageName: String { image.split(separator: "/").last.map(String.init) ?? "?" }
}

extension WhyStep {
  /// The path of a write, with `[*]` for what names an element.
  fileprivate var pathGroup: String? { path.flatMap { try? Path(parsing: $0) }?.group }
}
