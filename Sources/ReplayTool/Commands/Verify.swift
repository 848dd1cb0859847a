import ArgumentParser
import EventLog
import ReplayAnalysis

struct Verify: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Checks every block of a log, and derives its timeline again to compare it with the recorded one.",
    discussion: """
      Example: replay verify SampleLogs/chat-wide.evlog SampleLogs/scopes.evlog

      It checks the checksums and hashes of all blocks, that indexes and checkpoints agree with the events, that the \
      numbers of events have no gaps, and that every evaluation that names a cause has a reason. --blocks lists the \
      blocks. The exit status is 1 when something does not agree.
      """)

  @Argument(help: "The logs to check.", completion: .file(extensions: ["evlog"]))
  var logs: [String]

  @Flag(help: "List every block with its offset, size and content.")
  var blocks = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var limit: LimitOptions
  @OptionGroup var memory: MemoryOptions

  func run(on console: Console) throws -> ToolStatus {
    var status = ToolStatus.done
    for path in logs {
      let log = try LogSource(named: path, isScanned: true, limits: memory.limits)
      let verification = try Verification(log, progress: console.progress)
      switch output.format {
      case .json:
        try console.print(json: VerificationReport(verification, listsBlocks: blocks))
      case .text:
        try verification.print(to: console, limit: limit)
        if blocks { try verification.printBlocks(to: console) }
      }
      status = status.and(log.reportDamage(on: console)).and(verification.isSound ? .done : .found)
    }
    return status
  }
}

extension Verification {
  fileprivate func print(to console: Console, limit: LimitOptions) throws {
    let style = console.style
    let verdict =
      isSound
      ? agreement(style)
      : style.bad(Units.count(findingCount + check.findings.count, "mismatch", "mismatches"))
    try console.print("\(style.heading(path.shown)): \(verdict)")
    try console.print("  " + integrity)
    try console.print("  \(Units.count(events, "event")) in sequence")
    try console.print("  " + timeline)
    try console.print(
      "  \(explained.grouped) of \(Units.count(evaluations, "evaluation")) with a cause explained")
    let faults = limit.cut(check.findings)
    for fault in faults.shown { try console.print("  at byte \(fault.byteOffset): \(fault.reason.shown)") }
    try console.printHidden(faults.hidden, "mismatch")
    let findings = limit.cut(findings)
    for finding in findings.shown { try console.print("  " + finding.text.shown) }
    try console.printHidden(findingCount - findings.shown.count, "mismatch")
  }

  /// Prints every block of the file.
  fileprivate func printBlocks(to console: Console) throws {
    var table = StreamedTable(
      .number("BYTE"), .number("SIZE"), .number("PAYLOAD"), .init(title: "KIND"), .number("EVENTS"),
      .number("FIRST SEQ"), .number("TIME"))
    for block in check.blocks {
      table.add(String(block.offset))
      table.add(String(block.compressedSize))
      table.add(String(block.payloadSize))
      table.add(block.kindName)
      table.add(block.eventCount.grouped)
      table.add(String(block.firstSeq))
      table.add(Units.moment(block.baseTime))
      try table.endRow(on: console)
    }
    try table.finish(on: console)
  }

  private func agreement(_ style: Style) -> String {
    switch check.tail {
    case .clean: style.good("agrees")
    case .open: "was not closed; what is there " + style.good("agrees")
    case .torn: style.bad("torn") + "; what can be read agrees"
    case .damaged: style.bad("damaged") + "; what can be read agrees"
    }
  }

  private var integrity: String {
    let whole = "\(Units.count(check.blocks.count, "block")) whole"
    var others: [String] = []
    if check.indexes > 0 { others.append(Units.count(check.indexes, "index", "indexes")) }
    if check.checkpoints > 0 { others.append(Units.count(check.checkpoints, "checkpoint")) }
    if others.isEmpty { return whole }
    let isOne = others.count == 1 && check.indexes + check.checkpoints == 1
    return "\(whole); \(others.joined(separator: " and ")) \(isOne ? "agrees" : "agree") with them"
  }

  private var timeline: String {
    if recorded == 0, derived > 0 {
      return "\(Units.count(derived, "invalidation")) derived; the log records none to compare with"
    }
    let missing = lost > 0 ? "; \(lost.grouped) of the last event lost with the end of the log" : ""
    return "\(matched.grouped) of \(Units.count(recorded, "recorded invalidation")) derived again\(missing)"
  }
}

extension Verification.Finding {
  fileprivate var text: String {
    switch self {
    case .unrecorded(let entry):
      "event \(entry.seq) invalidates \(entry.projection) because of \(entry.causes); not recorded so"
    case .underived(let entry):
      "event \(entry.seq) recorded to invalidate \(entry.projection) because of \(entry.causes); it does not"
    case .misplaced(let seq, let projection, let cause):
      "event \(seq) invalidates \(projection) because of event \(cause), but does not follow it, in the order of creation"
    case .unexplained(let seq, let projection, let cause):
      "event \(seq): \(projection) ran because of event \(cause), which gave it no reason to"
    }
  }
}
