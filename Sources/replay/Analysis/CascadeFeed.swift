import EventLog
import Projection

/// Sorts the events of a run into cascades, and gives each away when nothing joins it any more.
///
/// Effects follow their causes closely, so a cascade that nothing joined for ``patience`` events is taken for
/// complete. An event that joins it later all the same begins another with the same root.
struct CascadeFeed {
  /// How many events a cascade is kept open after the last that joined it.
  static let patience: UInt64 = 1 << 14

  private let log: LogSource
  private var open: [UInt64: (cascade: Cascade, joined: UInt64)] = [:]
  private var transactions = Transactions()
  private var parents: [String: String] = [:]
  /// Projections that have not run yet.
  private var fresh: Set<String> = []
  private var swept: UInt64 = 0

  init(_ log: LogSource) {
    self.log = log
    for event in log.base?.projections.asEvents() ?? [] {
      if case .projection(let name, let parent, _) = event { parents[name] = parent }
    }
  }

  /// Takes in the next step of a run, and returns the evaluation that it is, if it is one.
  @discardableResult
  mutating func add(_ step: Run.Step, of run: Run) -> Cascade.Evaluation? {
    let event = step.event
    transactions.note(event)
    for invalidation in step.invalidations {
      join(invalidation.cascade, unit: invalidation.seq, at: event.seq) { $0.add(invalidation) }
    }
    switch event.body {
    case .projection(let name, let parent, _):
      parents[name] = parent
      fresh.insert(name)
    case .dispose(let name):
      // Its children keep their ancestors in the cascades that they are in.
      parents[name] = nil
      fresh.remove(name)
    case .invalidate(let name, let causes):
      let entry = TimelineComparison.Entry(seq: event.cause ?? event.seq, projection: name, causes: causes)
      join(run.root(of: entry.seq), unit: entry.seq, at: event.seq) { $0.addRecorded(entry) }
    case .evaluate(let name, let duration, let changed):
      let cause = event.cause.map { unit($0) }
      let evaluation = Cascade.Evaluation(
        seq: event.seq, time: event.time, projection: name, parent: parents[name], duration: duration,
        changed: changed, cause: cause, isFirst: fresh.remove(name) != nil)
      if let cause {
        let parents = parents
        join(run.root(of: event.seq), unit: cause, at: event.seq) {
          $0.add(evaluation, ancestors: parents)
        }
      }
      return evaluation
    default: break
    }
    return nil
  }

  /// The cascades that are complete, in the order of their roots; all of them when the run is at its end.
  mutating func completed(at seq: UInt64, isEnd: Bool = false) -> [Cascade] {
    // Looking through all that are open is worth it only now and then.
    guard isEnd || seq >= swept + Self.patience / 4 else { return [] }
    swept = seq
    let roots = open.filter { isEnd || $0.value.joined + Self.patience < seq }.keys.sorted()
    return roots.compactMap { open.removeValue(forKey: $0)?.cascade }
  }

  /// The event that a cause stands for: a recorded invalidation stands for what it was found after.
  private func unit(_ cause: UInt64) -> UInt64 {
    if let event = log.event(cause), case .invalidate = event.body, let unit = event.cause { return unit }
    return cause
  }

  private mutating func join(
    _ root: UInt64, unit: UInt64, at seq: UInt64, _ body: (inout Cascade) -> Void
  ) {
    var entry = open.removeValue(forKey: root) ?? (Cascade(root: root), seq)
    addChain(from: unit, to: &entry.cascade)
    body(&entry.cascade)
    entry.joined = seq
    open[root] = entry
  }

  /// Adds an event that led to others, and those that led to it.
  private func addChain(from first: UInt64, to cascade: inout Cascade) {
    var next: UInt64? = first
    while let seq = next, cascade.units[seq] == nil, let event = log.event(seq) {
      let cause = event.cause.map { unit($0) }
      cascade.add(
        Cascade.Unit(event: event, cause: cause, transaction: transactions.transaction(endedBy: seq)))
      next = seq == cascade.root ? nil : cause
    }
  }
}

extension LogSource {
  /// Goes through a run and gives every cascade when it is complete.
  func forEachCascade(progress: Progress, _ body: (Cascade) throws -> Void) throws {
    var run = Run(self, progress: progress)
    var feed = CascadeFeed(self)
    while let step = try run.next() {
      feed.add(step, of: run)
      for cascade in feed.completed(at: step.event.seq) { try body(cascade) }
    }
    for cascade in feed.completed(at: .max, isEnd: true) { try body(cascade) }
  }
}
