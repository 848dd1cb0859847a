import EventLog

/// A measurement under way, guarded by its engine's lock.
///
/// What happens hangs below what was under way when it happened, or below the write that asked for it.
final class Measurement {
  private(set) var report = MeasureReport()
  /// Where each write is in the cascade.
  private var writes: [UInt64: Int] = [:]
  /// Who was woken and has not run since.
  private var woken: [Node.ID: Int] = [:]
  private var running: [ObjectIdentifier: Int] = [:]
  private var transactions: [Int?] = []

  /// What runs on this thread, or the open transaction, whichever began last.
  private var present: Int? {
    var frame = Frame.current
    while let now = frame, running[ObjectIdentifier(now)] == nil { frame = now.outer }
    let run = frame.flatMap { running[ObjectIdentifier($0)] }
    guard let run, let transaction = transactions.last ?? nil else { return run ?? transactions.last ?? nil }
    return max(run, transaction)
  }

  func noteBegin(_ label: String?, site: String) {
    transactions.append(report.cascade.append(.transaction(label: label, site: site), below: present))
  }

  func noteEnd() { _ = transactions.popLast() }

  func noteWrite(_ body: Event.Body, over old: Value?, seq: UInt64) {
    writes[seq] = report.cascade.append(.write(body, old: old), below: present)
  }

  func noteInvalidation(of node: Node, causes: [UInt64]) {
    report.invalidationsByInstance[node.name, default: 0] += 1
    let write = causes.last.flatMap { writes[$0] }
    woken[node.id] = append(node, below: write)
  }

  func noteStart(of node: Node, in frame: Frame) {
    running[ObjectIdentifier(frame)] = woken.removeValue(forKey: node.id) ?? appendRun(of: node, in: frame)
  }

  /// A run that no change of what it read has asked for: it follows its parent, is its first, or hears of every set.
  private func appendRun(of node: Node, in frame: Frame) -> Int? {
    let write = node.parent == nil ? frame.cause.flatMap { writes[$0] } : nil
    return append(node, below: write)
  }

  private func append(_ node: Node, below write: Int?) -> Int? {
    let entry = Cascade.Kind.projection(name: node.name, site: node.site, run: .none)
    return report.cascade.append(entry, below: write ?? present)
  }

  func noteEvaluation(of node: Node, in frame: Frame, _ changed: Bool?) {
    report.evaluationsByInstance[node.name, default: 0] += 1
    if let entry = running[ObjectIdentifier(frame)] {
      report.cascade.setRun(.ended(isChanged: changed), at: entry)
    }
  }

  /// What is done in one frame belongs to the run of another.
  func note(_ frame: Frame, continues run: Frame) {
    running[ObjectIdentifier(frame)] = running[ObjectIdentifier(run)]
  }

  func noteEnd(of frame: Frame) { running[ObjectIdentifier(frame)] = nil }
}

extension Engine {
  func beginMeasurement() -> Measurement {
    let measurement = Measurement()
    lock.withLock {
      // Whatever waits was written before.
      settle()
      measurements.append(measurement)
    }
    return measurement
  }

  func end(_ measurement: Measurement) {
    lock.withLock { measurements.removeAll { $0 === measurement } }
  }

  /// What was measured, with all that is out of date by now.
  func report(of measurement: Measurement) -> MeasureReport {
    flushCollected()
    return lock.withLock { measurement.report }
  }

  /// Notes a mutation that is about to be recorded. Called under the lock, with a state that is settled.
  func measureWrite(_ body: Event.Body, over old: Value?, seq: UInt64) {
    for measurement in measurements { measurement.noteWrite(body, over: old, seq: seq) }
  }

  /// Notes a set of a scalar by its slot, and puts the value into the core's state. Called under the lock.
  func putMeasured(_ value: Value, isSame: Bool, in slot: UnsafeMutablePointer<Slot>, seq: UInt64) {
    guard let place = slot.pointee.place, case .object(let id) = place.owner else { return }
    var path = core.state.path(of: id)
    for case .name(let name) in place.steps { path = path.appending(.property(name)) }
    measureWrite(.set(path, value, sameValue: isSame), over: slot.pointee.value, seq: seq)
    core.put(value, at: place)
  }
}
