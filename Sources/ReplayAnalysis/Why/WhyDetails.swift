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
  /// What the projection read in these evaluations, and the state then, which has the names.
  private var reads: [UInt64: (reads: LiveReads, state: State)] = [:]

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
    let projection = run.keptID(ofProjection: projection)
    while run.row.seq < last, try run.next() {
      let seq = run.row.seq
      // What a projection reads is recorded before its evaluation ends.
      if seq == evaluation || seq == earlier { note(run.registry.matcher(of: projection)?.reads, &run) }
      guard let reader = readers[seq], let written = run.path else { continue }
      let path = run.tables.path(written)
      let id = run.id(ofProjection: reader)
      let matcher = run.registry.matcher(of: id)
      let before = run.state
      try run.carryOut()
      var after = run.state
      writes[seq] = Write(
        old: before.value(at: path), new: after.value(at: path),
        reads: matcher.map { matcher in
          let matches = matcher.matches(path, before: before, after: after)
          return matches.map { matcher.reads.name(of: $0, in: &after) }
        } ?? [])
    }
  }

  private mutating func note(_ reads: LiveReads?, _ run: inout LogRun) {
    if let reads { self.reads[run.row.seq] = (reads, run.state) }
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
    if let evaluation, step.kind == .evaluation, step.seq == evaluation, var now = reads[evaluation],
      var before = earlier.flatMap({ self.reads[$0] })
    {
      step.newReads = texts(difference(now.reads, without: before.reads)) {
        now.reads.name(of: $0, in: &now.state)
      }
      step.droppedReads = texts(difference(before.reads, without: now.reads)) { path in
        // What is gone has the name that it had.
        let name = before.reads.name(of: path, in: &now.state)
        if case .named = name.root { return name }
        return before.reads.name(of: path, in: &before.state)
      }
    }
    step.because = step.because?.map(fill)
    return step
  }

  private func difference(_ reads: LiveReads, without others: LiveReads) -> [Path] {
    // One slot may be spelled in two ways, whether its path is bound or followed.
    let slots = if case .bound(let bound) = others { bound } else { BoundReads(others.paths) }
    return reads.filter { !slots.contains($0) }
  }

  private func texts(_ paths: [Path], called name: (Path) -> Path) -> [String]? {
    paths.isEmpty ? nil : paths.map { name($0).description }
  }
}
