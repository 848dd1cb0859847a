import EventLog

/// A measurement in progress. Guarded by its engine's lock.
///
/// It builds a forest in which each entry lies below its cause: a run below the write that invalidated it, a
/// write below the run or transaction that made it.
final class Measurement {
  private(set) var report = MeasureReport()
  /// The index of the entry of each write, by the write's seq.
  private var writes: [UInt64: Int] = [:]
  /// The entries of nodes that were invalidated and have not run since, by the nodes' ids; nil for one that
  /// was not kept. The next run has all of them as its causes, and lies below the last one.
  private var invalidated: [Node.ID: [Int?]] = [:]
  /// The entries of the runs in progress, by their frames.
  private var running: [ObjectIdentifier: Int] = [:]
  /// The entries of the open transactions, outermost first; nil for one that was not kept.
  private var transactions: [Int?] = []

  /// The entry of the innermost run on this thread or of the innermost transaction, whichever began later.
  private var present: Int? {
    var frame = Frame.current
    while let now = frame, running[ObjectIdentifier(now)] == nil { frame = now.outer }
    let run = frame.flatMap { running[ObjectIdentifier($0)] }
    guard let run, let transaction = transactions.last ?? nil else { return run ?? transactions.last ?? nil }
    return max(run, transaction)
  }

  func markBegin(_ label: String?, site: String) {
    transactions.append(report.cascade.append(.transaction(label: label, site: site), below: present))
  }

  func markEnd() { _ = transactions.popLast() }

  fileprivate func appendWrite(_ body: Event.Body, over old: Value?, seq: UInt64) {
    writes[seq] = report.cascade.append(.write(body, old: old), below: present)
  }

  func markInvalidation(of node: Node, causes: [UInt64]) {
    report.invalidationsByInstance[node.name, default: 0] += 1
    let write = causes.last.flatMap { writes[$0] }
    invalidated[node.id, default: []].append(append(node, below: write))
  }

  func markStart(of node: Node, in frame: Frame) {
    let entries = invalidated.removeValue(forKey: node.id)
    for entry in entries?.dropLast() ?? [] {
      if let entry { report.cascade.setRun(.superseded, at: entry) }
    }
    running[ObjectIdentifier(frame)] = entries.map { $0.last ?? nil } ?? appendRun(of: node, in: frame)
  }

  /// Records that a run of a node has seen what put the node out of date meanwhile.
  func markSeen(by node: Node) {
    for entry in invalidated.removeValue(forKey: node.id) ?? [] {
      if let entry { report.cascade.setRun(.superseded, at: entry) }
    }
  }

  /// Records that a node ended: another one may get its id.
  func markEnd(of node: Node) { invalidated[node.id] = nil }

  /// Adds the entry of a run without invalidation: a run with its parent, a first run, or that of a callback
  /// for every set.
  private func appendRun(of node: Node, in frame: Frame) -> Int? {
    // The parent's run of a hosted projection has ended, so the entry goes below the write.
    let isAlone = node.parent == nil || node.hosting != nil && frame.outer == nil
    let write = isAlone ? frame.cause.flatMap { writes[$0] } : nil
    return append(node, below: write)
  }

  private func append(_ node: Node, below write: Int?) -> Int? {
    let entry = MeasuredCascade.Kind.projection(name: node.name, site: node.site, run: .none)
    return report.cascade.append(entry, below: write ?? present)
  }

  func markEvaluation(of node: Node, in frame: Frame, _ changed: Bool?) {
    report.evaluationsByInstance[node.name, default: 0] += 1
    if let entry = running[ObjectIdentifier(frame)] {
      report.cascade.setRun(.ended(isChanged: changed), at: entry)
    }
  }

  /// Attributes the writes in one frame to the run of another.
  func append(_ frame: Frame, continues run: Frame) {
    running[ObjectIdentifier(frame)] = running[ObjectIdentifier(run)]
  }

  func markEnd(of frame: Frame) { running[ObjectIdentifier(frame)] = nil }
}

extension Engine {
  /// Begins to measure runs on all threads.
  func beginMeasurement() -> Measurement {
    let measurement = Measurement()
    withLock { $0.measurements.append(measurement) }
    return measurement
  }

  /// Ends a measurement.
  func end(_ measurement: Measurement) {
    withLock { $0.measurements.removeAll { $0 === measurement } }
  }

  /// The report of a measurement. First runs what is out of date, so that it is counted.
  func report(of measurement: Measurement, on actor: (any Actor)?) -> MeasureReport {
    flushCollected(on: actor)
    return withLock { _ in measurement.report }
  }
}

extension EngineState {
  /// Records a mutation before it is applied.
  func measureWrite(_ body: Event.Body, over old: Value?, seq: UInt64) {
    for measurement in measurements { measurement.appendWrite(body, over: old, seq: seq) }
  }
}

/// How often projections ran and were invalidated during a measurement, and why.
public struct MeasureReport: Hashable, Sendable {
  /// The number of runs of each projection, by instance: `Row#42`.
  public package(set) var evaluationsByInstance: [String: Int] = [:]
  /// The number of invalidations of each projection by changes of what it had read, by instance.
  public package(set) var invalidationsByInstance: [String: Int] = [:]
  /// The writes and the runs that they caused.
  package var cascade = MeasuredCascade()

  /// The number of runs of a projection: of all instances of a group (`Row`), or of one instance (`Row#42`).
  public func evaluations(_ name: String) -> Int { Self.count(name, in: evaluationsByInstance) }

  /// The number of invalidations of a projection: of all instances of a group, or of one instance.
  public func invalidations(_ name: String) -> Int { Self.count(name, in: invalidationsByInstance) }

  /// The number of runs of all projections.
  public var totalEvaluations: Int { evaluationsByInstance.values.reduce(0, +) }

  /// Whether an instance has this name, or belongs to the group with this name.
  package static func isInstance(_ instance: String, of name: String) -> Bool {
    instance.utf8.starts(with: name.utf8)
      && [nil, 0x23].contains(instance.utf8.dropFirst(name.utf8.count).first)
  }

  private static func count(_ name: String, in counts: [String: Int]) -> Int {
    counts.reduce(0) { sum, entry in isInstance(entry.key, of: name) ? sum + entry.value : sum }
  }
}

/// The writes, transactions and runs of a measurement as a forest, in which each entry lies below its cause.
package struct MeasuredCascade: Hashable, Sendable {
  /// An entry of the forest.
  package struct Entry: Hashable, Sendable {
    /// The index of the entry that caused this one, which is smaller; nil for a root.
    package var parent: Int?
    package var kind: Kind
  }

  package enum Kind: Hashable, Sendable {
    /// A transaction of the app.
    case transaction(label: String?, site: String)
    /// A mutation, and the value before it.
    case write(Event.Body, old: Value?)
    /// A projection that was invalidated, or ran for another reason.
    case projection(name: String, site: String?, run: Run)
  }

  /// Whether a projection ran.
  package enum Run: Hashable, Sendable {
    /// It has not run.
    case none
    /// It did not run for this alone: it ran for another invalidation, and that run has seen this one.
    case superseded
    /// It ran. `isChanged` is whether its output differed from the last one; nil if they cannot be compared.
    case ended(isChanged: Bool?)
  }

  /// The entries, in order of time.
  package private(set) var entries: [Entry] = []
  /// The number of entries that were left out.
  package private(set) var omitted = 0

  private static let maximumEntries = 10_000

  package init() {}

  /// Adds an entry and returns its index; nil if there are too many entries.
  fileprivate mutating func append(_ kind: Kind, below parent: Int?) -> Int? {
    guard entries.count < Self.maximumEntries else {
      omitted += 1
      return nil
    }
    entries.append(Entry(parent: parent, kind: kind))
    return entries.count - 1
  }

  /// Sets whether a projection ran.
  fileprivate mutating func setRun(_ run: Run, at entry: Int) {
    if case .projection(let name, let site, _) = entries[entry].kind {
      entries[entry].kind = .projection(name: name, site: site, run: run)
    }
  }
}
