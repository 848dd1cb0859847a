import EventLog

/// Fills in what only the state at the time tells: old and new values, and which reads are new. It goes through the
/// part of the log that the chains are in; those of one cascade are filled in together.
struct WhyDetails {
  private struct Write {
    var old: Value?
    var new: Value?
    /// For each projection that is compared with it, what it reads there.
    var reads: [ExactString: [Path]] = [:]
  }

  /// What a projection read in an evaluation.
  private struct Seen {
    var reads: LiveReads
    /// What the paths were called then.
    var names: [Path: Path] = [:]
  }

  /// What an evaluation read that the one before had not, and the other way round.
  private struct Difference {
    var new: [Path]
    var dropped: [Path]
  }

  private let log: LogSource
  /// The evaluations that are asked about and those before them, and the projection of each.
  private var evaluations: [UInt64: String] = [:]
  /// For each evaluation that is asked about, the one before it.
  private var earlier: [UInt64: UInt64] = [:]
  /// For each write, the projections that read it.
  private var readers: [UInt64: Set<ExactString>] = [:]
  private var writes: [UInt64: Write] = [:]
  private var seen: [UInt64: Seen] = [:]
  private var differences: [UInt64: Difference] = [:]

  /// Going on so far costs about as much as to begin again at a checkpoint.
  private static let gapMax: UInt64 = 1 << 16

  /// The steps of each chain, filled in.
  static func fill(_ drafts: [WhyDraft], _ log: LogSource) throws -> [[WhyStep]] {
    var details = WhyDetails(drafts, log)
    try details.look()
    return drafts.map { draft in draft.steps.map { details.fill($0, of: draft) } }
  }

  private init(_ drafts: [WhyDraft], _ log: LogSource) {
    self.log = log
    for draft in drafts {
      for (write, reader) in draft.readers { readers[write, default: []].insert(ExactString(reader)) }
      guard let evaluation = draft.evaluation else { continue }
      evaluations[evaluation] = draft.projection
      guard let before = draft.earlier else { continue }
      evaluations[before] = draft.projection
      earlier[evaluation] = before
    }
  }

  private mutating func look() throws {
    var seqs = Set(readers.keys).union(evaluations.keys).sorted()[...]
    while let first = seqs.popFirst() {
      var last = first
      while let next = seqs.first, next - last <= Self.gapMax { last = seqs.removeFirst() }
      try look(from: first, to: last)
    }
  }

  /// Notes what events from one to another did.
  private mutating func look(from first: UInt64, to last: UInt64) throws {
    var run = LogRun(try part(from: first), [.state, .reads])
    var kept: [ExactString: ProjectionID] = [:]
    for name in evaluations.values where kept[ExactString(name)] == nil {
      kept[ExactString(name)] = run.keptID(ofProjection: name)
    }
    while run.row.seq < last, try run.next() {
      let seq = run.row.seq
      // What a projection reads is recorded before its evaluation ends.
      if let name = evaluations[seq], let id = kept[ExactString(name)],
        let reads = run.registry.matcher(of: id)?.reads
      {
        note(reads, at: seq, run.state)
      }
      if let readers = readers[seq], let written = run.path { try note(written, readers, &run) }
    }
  }

  private mutating func note(_ reads: LiveReads, at seq: UInt64, _ state: State) {
    var state = state
    if let before = earlier[seq].flatMap({ seen[$0] }) {
      differences[seq] = Difference(
        new: difference(reads, without: before.reads).map { reads.name(of: $0, in: &state) },
        dropped: difference(before.reads, without: reads).map { path in
          // What is gone has the name that it had.
          let name = before.reads.name(of: path, in: &state)
          if case .named = name.root { return name }
          return before.names[path] ?? name
        })
    }
    var now = Seen(reads: reads)
    if case .bound = reads {
      for path in reads.paths { now.names[path] = reads.name(of: path, in: &state) }
    }
    seen[seq] = now
  }

  private mutating func note(_ written: PathID, _ readers: Set<ExactString>, _ run: inout LogRun) throws {
    let seq = run.row.seq
    let path = run.tables.path(written)
    var matchers: [ExactString: ReadMatcher] = [:]
    for reader in readers {
      matchers[reader] = run.registry.matcher(of: run.id(ofProjection: reader.string))
    }
    let before = run.state
    try run.carryOut()
    var after = run.state
    var write = Write(old: before.value(at: path), new: after.value(at: path))
    for (reader, matcher) in matchers {
      let matches = matcher.matches(path, before: before, after: after)
      write.reads[reader] = matches.map { matcher.reads.name(of: $0, in: &after) }
    }
    writes[seq] = write
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

  private func fill(_ step: WhyStep, of draft: WhyDraft) -> WhyStep {
    var step = step
    if let seq = step.seq, step.kind == .write, let write = writes[seq] {
      step.old = write.old.map { PrintedJSON($0.json) }
      step.new = write.new.map { PrintedJSON($0.json) }
      step.reads = (draft.readers[seq].flatMap { write.reads[ExactString($0)] } ?? []).map(\.description)
    }
    if let seq = step.seq, step.kind == .evaluation, seq == draft.evaluation,
      let difference = differences[seq]
    {
      step.newReads = texts(difference.new)
      step.droppedReads = texts(difference.dropped)
    }
    step.because = step.because?.map { fill($0, of: draft) }
    return step
  }

  private func difference(_ reads: LiveReads, without others: LiveReads) -> [Path] {
    // One slot may be spelled in two ways, whether its path is bound or followed.
    let slots = if case .bound(let bound) = others { bound } else { BoundReads(others.paths) }
    return reads.filter { !slots.contains($0) }
  }

  private func texts(_ paths: [Path]) -> [String]? { paths.isEmpty ? nil : paths.map(\.description) }
}

extension WhyDraft {
  /// The evaluation that it begins with.
  fileprivate var evaluation: UInt64? { steps.first?.kind == .evaluation ? steps.first?.seq : nil }
}
