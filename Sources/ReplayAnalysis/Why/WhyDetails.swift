import EventLog

/// Fills in the details that need the state at the time: old and new values, and which reads are new. It
/// replays the parts of the log that contain the chains; all chains of a cascade are filled in together.
struct WhyDetails {
  private struct Write {
    var old: Value?
    var new: Value?
    /// What differs between the objects that they refer to.
    var differences: [String]?
    /// For each projection whose reads are compared with this write, the reads that it affects.
    var reads: [ExactString: [Path]] = [:]
    /// The number of further reads, for each of these projections.
    var moreReads: [ExactString: Int] = [:]
  }

  /// The reads of an evaluation that the previous one did not have, and the reverse.
  private struct Difference {
    var new: [Path] = []
    /// By their names at this evaluation, or at the previous one if nothing leads there any more.
    var dropped: [Path] = []
    /// The numbers of further reads.
    var moreNew = 0
    var moreDropped = 0
    /// Whether it has all reads, so that it shows which names are of another object than before.
    var isWhole = false
  }

  /// Up to this number of new or dropped reads their names are compared.
  private static let comparedMax = 256

  private let log: LogSource
  /// The requested evaluations and the previous one of each, with their projections.
  private var evaluations: [UInt64: String] = [:]
  /// For each requested evaluation, the previous one.
  private var earlier: [UInt64: UInt64] = [:]
  /// The previous evaluations.
  private var isCompared: Set<UInt64> = []
  /// For each write, the projections that read the path.
  private var readers: [UInt64: Set<ExactString>] = [:]
  private var writes: [UInt64: Write] = [:]
  /// The reads of previous evaluations, until they are compared.
  private var reads: [UInt64: BoundReads] = [:]
  private var differences: [UInt64: Difference] = [:]
  /// For previous evaluations: the paths whose objects have no name any more, and the names that they had.
  private var nameless: [UInt64: Set<Path>] = [:]
  private var names: [UInt64: [Path: Path]] = [:]

  /// The length in characters at which values and paths are cut.
  private let textMax: Int
  /// The number of paths that are listed in a step; further ones are only counted.
  private let pathsMax: Int

  /// Returns the steps of each chain, filled in.
  ///
  /// - Parameters:
  ///   - textMax: Values and paths that are longer are cut; a value is then a text.
  ///   - pathsMax: How many paths of what a step reads are named, the first of them; the others are counted.
  static func fill(
    _ drafts: [WhyDraft], _ log: LogSource, textMax: Int = .max, pathsMax: Int = .max
  ) throws -> [[WhyStep]] {
    var details = WhyDetails(drafts, log, textMax: textMax, pathsMax: pathsMax)
    try details.look()
    return drafts.map { draft in draft.steps.map { details.fill($0, of: draft) } }
  }

  private init(_ drafts: [WhyDraft], _ log: LogSource, textMax: Int, pathsMax: Int) {
    self.log = log
    self.textMax = textMax
    self.pathsMax = pathsMax
    for draft in drafts {
      for step in draft.steps { addReaders(of: step) }
      guard let evaluation = draft.evaluation else { continue }
      evaluations[evaluation] = draft.projection
      guard let before = draft.earlier else { continue }
      evaluations[before] = draft.projection
      earlier[evaluation] = before
      isCompared.insert(before)
    }
  }

  private mutating func addReaders(of step: WhyStep) {
    if let seq = step.seq, let reader = step.reader { readers[seq, default: []].insert(ExactString(reader)) }
    for step in (step.because ?? []) + (step.others ?? []) { addReaders(of: step) }
  }

  private mutating func look() throws {
    let costs = log.startCosts()
    for part in costs.parts(of: Set(readers.keys).union(evaluations.keys).sorted(), { $0..<$0 }) {
      try look(from: part.events.lowerBound, to: part.events.upperBound)
    }
    for part in costs.parts(of: nameless.keys.sorted(), { $0..<$0 }) {
      try nameReads(from: part.events.lowerBound, to: part.events.upperBound)
    }
  }

  /// Finds the names that paths had at an evaluation, if they have none later.
  private mutating func nameReads(from first: UInt64, to last: UInt64) throws {
    var run = LogRun(try part(from: first), .state)
    while run.row.seq < last, try run.next() {
      let seq = run.row.seq
      guard let paths = nameless[seq] else { continue }
      var state = run.state
      for path in paths { names[seq, default: [:]][path] = state.currentName(of: path) }
    }
  }

  /// Replays a range, and records its writes and reads.
  private mutating func look(from first: UInt64, to last: UInt64) throws {
    var run = LogRun(try part(from: first), [.state, .reads])
    var kept: [ExactString: ProjectionID] = [:]
    for name in Set(names: evaluations.values) { kept[name] = run.keptID(ofProjection: name.string) }
    for name in readers.values.joined() where kept[name] == nil {
      kept[name] = run.keptID(ofProjection: name.string)
    }
    // What all others read took a fifth of this.
    run.keepReads(of: Array(kept.values))
    while run.row.seq < last, try run.next() {
      let seq = run.row.seq
      // What a projection reads is recorded before its evaluation ends.
      if let name = evaluations[seq], let id = kept[ExactString(name)],
        let reads = run.registry.reader(id)?.reads
      {
        apply(reads, at: seq, run.state)
      }
      if let readers = readers[seq], let written = run.path { try apply(written, readers, kept, &run) }
    }
  }

  private mutating func apply(_ now: BoundReads, at seq: UInt64, _ state: State) {
    if let earlier = earlier[seq], let before = reads.removeValue(forKey: earlier) {
      var state = state
      let (new, dropped) = (self.difference(now, without: before), self.difference(before, without: now))
      var difference = Difference()
      difference.isWhole = max(new.count, dropped.count) <= Self.comparedMax
      let most = difference.isWhole ? Self.comparedMax : pathsMax
      (difference.moreNew, difference.moreDropped) = (max(0, new.count - most), max(0, dropped.count - most))
      difference.new = new.prefix(most).map { state.currentName(of: $0) }
      difference.dropped = dropped.prefix(most).map { path in
        // What is gone has the name that it had.
        let name = state.currentName(of: path)
        if case .object = name.root { nameless[earlier, default: []].insert(name) }
        return name
      }
      differences[seq] = difference
    }
    if isCompared.contains(seq) { reads[seq] = now }
  }

  private mutating func apply(
    _ written: PathID, _ readers: Set<ExactString>, _ kept: [ExactString: ProjectionID], _ run: inout LogRun
  ) throws {
    let seq = run.row.seq
    let path = run.tables.path(written)
    var reads = TouchedReads(before: run.state)
    var positions: [ExactString: Range<Int>] = [:]
    for name in readers {
      positions[name] = kept[name].flatMap { run.registry.reader($0) }.map { reads.add($0) }
    }
    let touched = try run.positions(touchedIn: &reads)
    let old = run.state.value(at: path)
    try run.carryOut()
    var after = run.state
    var write = Write(old: old, new: after.value(at: path))
    if case .reference(let object)? = write.new {
      let former: NamedValues<Value>? =
        if case .reference(let old)? = old { after.objects[old]?.fields } else { nil }
      write.differences = after.objects[object].map { differences(from: former, to: $0.fields) }
    }
    for (name, positions) in positions {
      let found = touched.filter { positions.contains($0) }
      write.reads[name] = found.prefix(pathsMax).map { after.currentName(of: reads[$0]) }
      write.moreReads[name] = max(0, found.count - pathsMax)
    }
    writes[seq] = write
  }

  /// The properties of an object that differ from those of another, or all if there is none.
  private func differences(from old: NamedValues<Value>?, to new: NamedValues<Value>) -> [String] {
    var texts: [String] = []
    for (name, value) in new where old?[name] != value {
      let text = value.json.cutForReport(textMax)
      texts.append(
        old == nil
          ? "\(name) \(text)" : "\(name) \(old?[name]?.json.cutForReport(textMax) ?? "nothing") -> \(text)")
      if texts.count == pathsMax { break }
    }
    return texts
  }

  /// The log from an event on. If the state there cannot be read, the whole log.
  private func part(from seq: UInt64) throws -> LogSource {
    // Damage is reported for the whole log, which was read before.
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
      step.old = write.old.map { printed($0.json) }
      step.new = write.new.map { printed($0.json) }
      step.differences = write.differences
      let reader = step.reader.map { ExactString($0) }
      step.reads = (reader.flatMap { write.reads[$0] } ?? []).map { text($0) }
      step.moreReads = Self.count(reader.flatMap { write.moreReads[$0] })
    }
    if let seq = step.seq, step.kind == .evaluation, seq == draft.evaluation,
      let difference = differences[seq]
    {
      let former = draft.earlier.flatMap { self.names[$0] } ?? [:]
      let (new, dropped) = (difference.new, difference.dropped.map { former[$0] ?? $0 })
      // A path that leads to another object than before has two reads of one name.
      let replaced = difference.isWhole ? Set(new).intersection(dropped) : []
      (step.newReads, step.moreNewReads) = texts(new.filter { !replaced.contains($0) }, difference.moreNew)
      (step.droppedReads, step.moreDroppedReads) = texts(
        dropped.filter { !replaced.contains($0) }, difference.moreDropped)
      (step.replacedReads, step.moreReplacedReads) = texts(new.filter { replaced.contains($0) }, 0)
    }
    step.because = step.because?.map { fill($0, of: draft) }
    step.others = step.others?.map { fill($0, of: draft) }
    return step
  }

  private func difference(_ reads: BoundReads, without others: BoundReads) -> [Path] {
    reads.filter { !others.contains($0) }
  }

  private static func count(_ more: Int?) -> Int? { more == 0 ? nil : more }

  /// The first paths, and the number of the others; nil for none.
  private func texts(_ paths: [Path], _ more: Int) -> (shown: [String]?, more: Int?) {
    let shown = paths.prefix(pathsMax).map { text($0) }
    return (shown.isEmpty ? nil : shown, Self.count(paths.count - shown.count + more))
  }

  private func text(_ path: Path) -> String { path.description.cutForReport(textMax) }

  private func printed(_ json: String) -> PrintedJSON { .cut(json, to: textMax) }
}

extension WhyDraft {
  /// The evaluation that the chain begins with; nil if it begins with an invalidation.
  fileprivate var evaluation: UInt64? { steps.first?.kind == .evaluation ? steps.first?.seq : nil }
}
