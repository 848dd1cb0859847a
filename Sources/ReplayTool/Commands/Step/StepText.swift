import EventLog
import ReplayAnalysis

/// What `step` shows of the event where it is.
struct StepText {
  private let console: Console
  private var style: Style { console.style }
  /// Columns to fit a line into, where the output is no terminal either: values may be of any length.
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
    case .reads(let name, let paths):
      "\(name) reads \(list(paths.map(\.description)))"
    case .invalidate(let name, let causes): "\(name) recorded as woken because of \(list(causes))"
    case .evaluate(let name, let duration, let changed):
      "\(name) ran in \(Units.duration(duration))"
        + (changed.map { $0 ? ", output changed" : ", same output" } ?? "")
    case .dispose(let name): "\(name) is gone"
    case .begin(let label): "begin\(label.map { " \(Value.string($0).json)" } ?? "")"
    case .end: "end of the transaction"
    case .mark(let label): "mark \(Value.string(label).json)"
    }
  }

  private func text(_ value: Value?) -> String { (value?.json ?? "nothing").cut(to: max(16, width / 3)) }

  private func list(_ seqs: [UInt64]) -> String { list(seqs.map { String($0) }) }

  private func list(_ items: [String]) -> String {
    if items.isEmpty { return "nothing" }
    return items.prefix(4).joined(separator: ", ") + (items.count > 4 ? " and \(items.count - 4) more" : "")
  }
}
