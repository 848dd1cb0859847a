import EventLog

/// Fills in what only the state at the time tells: old and new values, and which reads are new. It goes through the log
/// once.
struct WhyDetails {
  private struct Detail {
    var old: Value?
    var new: Value?
    var reads: [Path] = []
  }

  private let steps: [WhyStep]
  private let projection: String
  /// The evaluation that is asked about; 0 where there is none.
  private let evaluation: UInt64
  /// For each write, who reads it.
  private let readers: [UInt64: String]
  private var replay: LedgerReplay
  private var details: [UInt64: Detail] = [:]
  /// What the evaluation read, and the one before.
  private var reads: [Path]?
  private var earlier: [Path]?

  init(_ steps: [WhyStep], of projection: String, readers: [UInt64: String], _ log: LogSource) {
    self.steps = steps
    self.projection = projection
    self.readers = readers
    evaluation = steps.first?.kind == .evaluation ? steps.first?.seq ?? 0 : 0
    replay = LedgerReplay(log)
  }

  mutating func filled() throws -> [WhyStep] {
    let last = max(evaluation, readers.keys.max() ?? 0)
    while replay.seq < last, replay.hasMore {
      let seq = replay.row.seq
      if replay.row.kind == .evaluate, replay.isAbout(projection) { noteReads(at: seq) }
      guard let reader = readers[seq], let path = replay.path else {
        try replay.step()
        continue
      }
      let before = replay.state
      try replay.step()
      let after = replay.state
      let reads = replay.matcher(of: reader)?.matches(path, before: before, after: after) ?? []
      details[seq] = Detail(old: before.value(at: path), new: after.value(at: path), reads: reads)
    }
    return steps.map(fill)
  }

  /// What a projection reads is recorded before its evaluation ends.
  private mutating func noteReads(at seq: UInt64) {
    let current = replay.matcher(of: projection)?.reads
    if seq == evaluation { reads = current } else { earlier = current }
  }

  private func fill(_ step: WhyStep) -> WhyStep {
    var step = step
    if let seq = step.seq, step.kind == .write, let detail = details[seq] {
      step.old = detail.old.map { PrintedJSON($0.json) }
      step.new = detail.new.map { PrintedJSON($0.json) }
      step.reads = detail.reads.map(\.description)
    }
    if step.kind == .evaluation, step.seq == evaluation, let reads, let earlier {
      step.newReads = difference(reads, without: earlier)
      step.droppedReads = difference(earlier, without: reads)
    }
    step.because = step.because?.map(fill)
    return step
  }

  private func difference(_ paths: [Path], without others: [Path]) -> [String]? {
    let others = Set(others)
    let rest = paths.filter { !others.contains($0) }.map(\.description)
    return rest.isEmpty ? nil : rest
  }
}
