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

  private let log: LogSource
  /// The evaluations that are asked about and those before them, and the projection of each.
  private var evaluations: [UInt64: String] = [:]
  /// For each write, the projections that read it.
  private var readers: [UInt64: Set<ExactString>] = [:]
  private var writes: [UInt64: Write] = [:]
  /// What the projection read in these evaluations, and the state then, which has the names.
  private var reads: [UInt64: (reads: LiveReads, state: State)] = [:]

  /// Further apart, two evaluations are looked at in two passes.
  private static let gapMax: UInt64 = 1 << 12

  /// The steps of each chain, filled in.
  static func fill(_ drafts: [WhyDraft], _ log: LogSource) throws -> [[WhyStep]] {
    var details = WhyDetails(drafts, log)
    try details.look(drafts)
    return drafts.map { draft in draft.steps.map { details.fill($0, of: draft) } }
  }

  private init(_ drafts: [WhyDraft], _ log: LogSource) {
    self.log = log
    for draft in drafts {
      for (write, reader) in draft.readers { readers[write, default: []].insert(ExactString(reader)) }
      if let evaluation = draft.evaluation { evaluations[evaluation] = draft.projection }
      if let earlier = draft.earlier { evaluations[earlier] = draft.projection }
    }
  }

  private mutating func look(_ drafts: [WhyDraft]) throws {
    let seqs = Array(readers.keys) + drafts.compactMap(\.evaluation)
    if let first = seqs.min(), let last = seqs.max() { try look(from: first, to: last) }
    // The evaluations before may have been long ago.
    var earlier = drafts.compactMap(\.earlier).filter { reads[$0] == nil }.sorted()[...]
    while let first = earlier.popFirst() {
      var last = first
      while let next = earlier.first, next - last <= Self.gapMax { last = earlier.removeFirst() }
      try look(from: first, to: last)
    }
  }

  /// Notes what events from one to another did.
  private mutating func look(from first: UInt64, to last: UInt64) throws {
    var run = LogRun(try part(from: first), [.state, .reads])
    var kept: [ExactString: ProjectionID] = [:]
    for name in evaluations.values where kept[name] == nil { kept[name] = run.keptID(ofProjection: name) }
    while run.row.seq < last, try run.next() {
      let seq = run.row.seq
      // What a projection reads is recorded before its evaluation ends.
      if reads[seq] == nil, let name = evaluations[seq], let id = kept[name] {
        note(run.registry.matcher(of: id)?.reads, &run)
      }
      guard writes[seq] == nil, let readers = readers[seq], let written = run.path else { continue }
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

  private func fill(_ step: WhyStep, of draft: WhyDraft) -> WhyStep {
    var step = step
    if let seq = step.seq, step.kind == .write, let write = writes[seq] {
      step.old = write.old.map { PrintedJSON($0.json) }
      step.new = write.new.map { PrintedJSON($0.json) }
      step.reads = (draft.readers[seq].flatMap { write.reads[ExactString($0)] } ?? []).map(\.description)
    }
    if let evaluation = draft.evaluation, step.kind == .evaluation, step.seq == evaluation,
      var now = reads[evaluation], var before = draft.earlier.flatMap({ reads[$0] })
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
    step.because = step.because?.map { fill($0, of: draft) }
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

extension WhyDraft {
  /// The evaluation that it begins with.
  fileprivate var evaluation: UInt64? { steps.first?.kind == .evaluation ? steps.first?.seq : nil }
}
