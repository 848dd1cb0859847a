import EventLog

/// Fills in what only the state at the time tells: old and new values, and which reads are new. It goes through the
/// part of the log that the chain is in.
struct WhyDetails {
  private struct Write {
    var old: Value?
    var new: Value?
    var reads: [Path] = []
  }

  private let log: LogSource
  private let steps: [WhyStep]
  private let projection: String
  /// The evaluation that is asked about, and the one before.
  private let evaluation: UInt64?
  private let earlier: UInt64?
  /// For each write, the projection that reads it.
  private let readers: [UInt64: String]
  private var writes: [UInt64: Write] = [:]
  /// What the projection read in these evaluations, with the names that it had then.
  private var reads: [UInt64: [NamedRead]] = [:]

  private struct NamedRead {
    var path: Path
    var name: Path
  }

  init(
    _ steps: [WhyStep], of projection: String, earlier: UInt64?, readers: [UInt64: String], _ log: LogSource
  ) {
    self.log = log
    self.steps = steps
    self.projection = projection
    self.earlier = earlier
    self.readers = readers
    evaluation = steps.first?.kind == .evaluation ? steps.first?.seq : nil
  }

  mutating func filled() throws -> [WhyStep] {
    var seqs = Array(readers.keys)
    if let evaluation { seqs.append(evaluation) }
    if let first = seqs.min(), let last = seqs.max() { try look(from: first, to: last) }
    // The evaluation before may have been long ago.
    if let earlier, reads[earlier] == nil { try look(from: earlier, to: earlier) }
    return steps.map(fill)
  }

  /// Notes what events from one to another did.
  private mutating func look(from first: UInt64, to last: UInt64) throws {
    var run = LogRun(try part(from: first), [.state, .reads])
    let projection = run.id(ofProjection: projection)
    while run.row.seq < last, try run.next() {
      let seq = run.row.seq
      // What a projection reads is recorded before its evaluation ends.
      if seq == evaluation || seq == earlier { reads[seq] = namedReads(of: projection, &run) }
      guard let reader = readers[seq], let written = run.path else { continue }
      let path = run.tables.path(written)
      let id = run.id(ofProjection: reader)
      let matcher = run.registry.matcher(of: id)
      let before = run.state
      try run.carryOut()
      let after = run.state
      writes[seq] = Write(
        old: before.value(at: path), new: after.value(at: path),
        reads: matcher.map { matcher in
          matcher.matches(path, before: before, after: after).map { matcher.reads.name(of: $0, in: after) }
        } ?? [])
    }
  }

  private func namedReads(of projection: ProjectionID, _ run: inout LogRun) -> [NamedRead]? {
    guard let reads = run.registry.matcher(of: projection)?.reads else { return nil }
    let state = run.state
    return reads.paths.map { NamedRead(path: $0, name: reads.name(of: $0, in: state)) }
  }

  /// The log from an event on; from its beginning, where what the state there is made of cannot be read.
  private func part(from seq: UInt64) throws -> LogSource {
    // Damage is reported of the whole log, which was gone through before.
    let isOfPart = log.damage.isOfPart
    defer { log.damage.isOfPart = isOfPart }
    do {
      return try log.part(from: seq)
    } catch let error as LogError where error.code == .damaged {
      return log
    }
  }

  private func fill(_ step: WhyStep) -> WhyStep {
    var step = step
    if let seq = step.seq, step.kind == .write, let write = writes[seq] {
      step.old = write.old.map { PrintedJSON($0.json) }
      step.new = write.new.map { PrintedJSON($0.json) }
      step.reads = write.reads.map(\.description)
    }
    if let evaluation, step.kind == .evaluation, step.seq == evaluation, let reads = reads[evaluation],
      let before = earlier.flatMap({ self.reads[$0] })
    {
      step.newReads = difference(reads, without: before)
      step.droppedReads = difference(before, without: reads)
    }
    step.because = step.because?.map(fill)
    return step
  }

  private func difference(_ reads: [NamedRead], without others: [NamedRead]) -> [String]? {
    let others = Set(others.map(\.path))
    let rest = reads.filter { !others.contains($0.path) }.map(\.name.description)
    return rest.isEmpty ? nil : rest
  }
}
