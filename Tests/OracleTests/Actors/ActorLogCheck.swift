import EventLog
import Foundation
import LogGenerator

/// Compares a log with what the actors of a program know of their writes.
struct ActorLogCheck {
  private let workers: [ActorWorker]
  private let entries: [String: ActorLedger.Entry]
  /// Whether the log may lack what came last.
  private let isCutShort: Bool

  init(_ workers: [ActorWorker], _ ledger: ActorLedger, isCutShort: Bool) {
    self.workers = workers
    entries = ledger.entries
    self.isCutShort = isCutShort
  }

  /// What is wrong in a log.
  func wrong(in url: URL) throws -> [String] {
    let log = try ActorLog(url)
    var wrong: [String] = []
    do { try RecordedInvalidations.check(log: url.path) } catch {
      wrong.append("recorded and derived invalidations differ: \(error)")
    }
    wrong += log.unbalanced
    // What another actor is in the middle of when a session is closed has no end.
    if !isCutShort { wrong += log.neverEnded }
    let start = log.events.firstIndex { $0.body == .mark(label: "ready") } ?? 0
    let events = log.events[start...].dropFirst()

    // What comes again and again is compared in order; labels are there once.
    var expected = expectedInOrder()
    var seen: Set<String> = []
    for event in events {
      let transactions = log.transactions(around: event)
      if let place = place(of: event, in: log), let last = transactions.last, entries[last]?.place != place {
        wrong.append("\(log.text(event)) of the \(place) is within \(last) of another actor")
      }
      switch event.body {
      case .set(let path, let value, _):
        wrong += compare(event, named: path.description, value, with: &expected, log)
      case .evaluate(let name, _, _, _, _):
        wrong += compare(event, named: name, nil, with: &expected, log)
        wrong += compareReasons(of: event, log)
      case .action(let label), .mark(let label), .begin(.some(let label)):
        guard let entry = entries[label] else { continue }
        if !seen.insert(label).inserted { wrong.append("\(log.text(event)) is there twice") }
        if !entry.why.chains.contains(log.actions(above: event)) {
          wrong.append(
            "\(log.text(event)) belongs to \(entry.why.chains), and has \(log.actions(above: event))")
        }
        if transactions != entry.transactions {
          wrong.append("\(log.text(event)) is within \(transactions), and was made in \(entry.transactions)")
        }
      case .finish:
        guard let label = event.cause.flatMap({ log.label(of: $0) }), let entry = entries[label] else {
          continue
        }
        if transactions != entry.transactions {
          wrong.append("the end of \(label) is within \(transactions), and was made in \(entry.transactions)")
        }
      default: break
      }
    }
    if isCutShort { return wrong }
    wrong += entries.keys.filter { !seen.contains($0) }.map { "\($0) is not in the log" }
    wrong += expected.filter { !$0.value.isEmpty }.map { "the log lacks \($0.value.count) of \($0.key)" }
    return wrong
  }

  // MARK: What comes in order

  private struct Expected {
    var value: Int?
    var why: ActorWhy?
    /// Nil if it is not known.
    var transactions: [String]?
  }

  /// By path and projection.
  private func expectedInOrder() -> [String: ArraySlice<Expected>] {
    var expected: [String: ArraySlice<Expected>] = [:]
    for worker in workers {
      for property in DeskProperty.allCases {
        expected[property.path(at: worker.place)] =
          worker.writes[property.rawValue].map {
            Expected(value: $0.value, why: $0.why, transactions: $0.transactions)
          }[...]
      }
      for run in worker.runs {
        expected[run.name, default: []].append(Expected(why: run.why, transactions: run.transactions))
      }
      for derived in worker.derived {
        expected["derived.\(derived.name)"] =
          derived.published.map { Expected(value: $0.value, why: $0.why) }[...]
      }
    }
    return expected
  }

  private func compare(
    _ event: Event, named name: String, _ value: Value?, with expected: inout [String: ArraySlice<Expected>],
    _ log: ActorLog
  ) -> [String] {
    guard let list = expected[name] else {
      // Callbacks are compared by what they write.
      let isKnown = value == nil ? name.contains("View") || name.contains("Hosted") : name.contains(".")
      return isKnown ? ["\(log.text(event)) was made by nobody"] : []
    }
    guard let next = list.first else { return ["\(log.text(event)) is one too many"] }
    expected[name] = list.dropFirst()
    if let value, let wanted = next.value, value != .int(Int64(wanted)) {
      return ["\(log.text(event)) should have the value \(wanted)"]
    }
    var wrong: [String] = []
    let actions = log.actions(above: event)
    if let why = next.why, !why.chains.contains(actions) {
      wrong.append("\(log.text(event)) belongs to \(why.chains), and has \(actions)")
    }
    let transactions = log.transactions(around: event)
    if let wanted = next.transactions, wanted != transactions {
      wrong.append("\(log.text(event)) is within \(transactions), and was made in \(wanted)")
    }
    return wrong
  }

  /// The writes that put a projection out of date are of the actor that made it.
  private func compareReasons(of event: Event, _ log: ActorLog) -> [String] {
    log.reasons(of: event).compactMap { reason in
      guard let place = place(of: event, in: log), let other = self.place(of: reason, in: log), place != other
      else {
        return nil
      }
      return "\(log.text(event)) ran because of \(log.text(reason))"
    }
  }

  /// The actor whose event it is, as its name or path says.
  private func place(of event: Event, in log: ActorLog) -> ActorPlace? {
    let name: String
    switch event.body {
    case .set(let path, _, _), .splice(let path, _, _, _, _), .remove(let path, _): name = path.description
    case .projection(let projection, _, _), .reads(let projection, _), .invalidate(let projection, _),
      .evaluate(let projection, _, _, _, _), .dispose(let projection):
      name = projection
    case .begin(let label): return label.flatMap { entries[$0]?.place }
    case .action(let label), .mark(let label): return entries[label]?.place
    case .finish: return event.cause.flatMap { log.label(of: $0) }.flatMap { entries[$0]?.place }
    case .end: return nil
    }
    let own = name.hasPrefix("derived.") ? String(name.dropFirst("derived.".count)) : name
    return ActorPlace.allCases.first { own.hasPrefix($0.name) }
  }
}

/// The events of a log, with the transactions and actions that they are in.
struct ActorLog {
  private(set) var events: [Event] = []
  /// What does not fit in transactions.
  private(set) var unbalanced: [String] = []
  private(set) var neverEnded: [String] = []
  private var bySeq: [UInt64: Event] = [:]
  private var around: [UInt64: [String]] = [:]
  /// For each run the writes that put the projection out of date since the run before.
  private var reasons: [UInt64: [UInt64]] = [:]

  init(_ url: URL) throws {
    var open: [Int: [String?]] = [:]
    var causes: [String: [UInt64]] = [:]
    try LogReader(path: url.path).forEachEvent { event in
      let strand = event.origin?.strand ?? 0
      events.append(event)
      bySeq[event.seq] = event
      around[event.seq] = open[strand, default: []].compactMap { $0 }
      switch event.body {
      case .begin(let label):
        open[strand, default: []].append(label)
        if strand == 1, label != nil { unbalanced.append("\(text(event)) is on the strand of the session") }
      case .end:
        if open[strand, default: []].popLast() == nil { unbalanced.append("\(text(event)) ends nothing") }
      case .invalidate(let name, let writes): causes[name, default: []] += writes
      case .evaluate(let name, _, _, _, _): reasons[event.seq] = causes.removeValue(forKey: name)
      default: break
      }
    }
    for (strand, labels) in open where labels.contains(where: { $0 != nil }) {
      neverEnded.append("\(labels) of strand \(strand) never ended")
    }
  }

  /// The labels of the transactions that its own strand has open, the outermost first.
  func transactions(around event: Event) -> [String] { around[event.seq] ?? [] }

  /// The labels of the actions in its chain of causes, the nearest first.
  func actions(above event: Event) -> [String] {
    chain(above: event).compactMap { label(of: $0.seq) }
  }

  /// The events in its chain of causes, the nearest first.
  func chain(above event: Event) -> [Event] {
    var chain: [Event] = []
    var cause = event.cause
    while let seq = cause, let event = bySeq[seq] {
      chain.append(event)
      cause = event.cause
    }
    return chain
  }

  func label(of seq: UInt64) -> String? {
    guard case .action(let label)? = bySeq[seq]?.body else { return nil }
    return label
  }

  func reasons(of run: Event) -> [Event] { (reasons[run.seq] ?? []).compactMap { bySeq[$0] } }

  func text(_ event: Event) -> String {
    "event \(event.seq) on strand \(event.origin?.strand ?? 0), \(event.body)"
  }
}
