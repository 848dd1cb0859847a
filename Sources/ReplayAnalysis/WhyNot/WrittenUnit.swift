import EventLog
import Invalidation

/// A write and its unit: what it changed, and what it meant for a projection.
struct WrittenUnit {
  struct Subject {
    var name: String
    /// The projections that it is within, the nearest first.
    var ancestors: [String]
    /// The derived values that it reads.
    var derived: [String]
    /// Whether the unit invalidated it.
    var isInvalidated = false
    /// Set if it does not read what was written.
    var unread: Reason?
  }

  typealias Reason = WhyNot.Reason

  /// The projection; nil if none that matches lives at the write.
  private(set) var subject: Subject?
  private(set) var write: WhyNot.Write?
  /// The event that completes the change.
  private(set) var end: UInt64
  /// The names of the projections that the unit invalidated.
  private var hits: [String] = []
  /// Why the unit is no change.
  private(set) var reasons: [Reason] = []

  /// How many of the reads most like the write are named.
  private static let nearestMax = 3

  /// Nil if the write cannot be read.
  init?(of seq: UInt64, in log: LogSource, for pattern: ProjectionPattern) throws {
    end = seq
    var run = LogRun(try log.part(from: seq), [.hits, .lookback, .reads, .state, .lastingProjections])
    var transactions = OpenTransactions()
    let strand = log.event(seq)?.origin?.strand ?? 0
    /// The state before the transaction that the write is in.
    var before: State?
    while run.row.seq < seq, try run.next() {
      if transactions.depth(around: strand) == 0 { before = run.row.kind == .begin ? run.state : nil }
      transactions.apply(run.row.kind, on: run.row.origin.strand)
    }
    guard run.row.seq == seq, let written = run.path else { return nil }
    let path = run.tables.path(written)
    let id = Self.living(pattern, run)
    if let id { try look(at: id, path, &run) }
    let old = run.state.value(at: path)
    let isSame = run.row.isSameValue
    apply(&run)
    try run.carryOut()
    let new = run.state.value(at: path)
    let event = log.event(seq)
    write = WhyNot.Write(
      seq: seq, time: event?.time ?? 0, path: path.description,
      old: old.map { PrintedJSON.cut($0.json, to: 400) },
      new: new.map { PrintedJSON.cut($0.json, to: 400) }, site: event?.site)
    if isSame { reasons.append(Self.equal(seq, old, new)) }
    while transactions.depth(around: strand) > 0 {
      guard try run.next() else {
        reasons.append(
          Reason(
            kind: .open, seq: seq, message: "the transaction that the write is in never ended in this log"))
        break
      }
      transactions.apply(run.row.kind, on: run.row.origin.strand)
      apply(&run)
      end = run.row.seq
    }
    if let before, end > seq {
      try run.carryOut()
      if before.value(at: path) == run.state.value(at: path), !isSame {
        let message = "the transaction that ends at event \(end) left the value as it was before"
        reasons.append(Reason(kind: .undone, seq: end, message: message))
      }
    }
    if let name = subject?.name {
      let isInvalidated = invalidates(name)
      subject?.isInvalidated = isInvalidated
    }
  }

  /// Whether it invalidated a projection.
  func invalidates(_ name: String) -> Bool { hits.contains { $0.hasSameBytes(as: name) } }

  /// Whether a chain of causes leads back to it.
  func led(to chain: [UInt64]) -> Bool {
    chain.contains(end) || write.map { chain.contains($0.seq) } ?? false
  }

  private mutating func apply(_ run: inout LogRun) {
    for hit in run.hits { hits.append(run.tables.name(hit.projection)) }
  }

  /// The projection of this very name, or else the last instance of a group.
  private static func living(_ pattern: ProjectionPattern, _ run: borrowing LogRun) -> ProjectionID? {
    let living = run.registry.living.filter { pattern.matches(run.tables.name($0)) }
    return living.first { run.tables.name($0).hasSameBytes(as: pattern.text) } ?? living.last
  }

  /// Compares what a projection reads with what is about to be written.
  private mutating func look(at projection: ProjectionID, _ path: Path, _ run: inout LogRun) throws {
    let reader = run.registry.reader(projection)
    var state = run.state
    let names = (reader?.reads.paths ?? []).map { state.currentName(of: $0) }
    let derived = names.compactMap { path -> String? in
      guard path.root == .named("derived"), case .property(let name)? = path.components.first else {
        return nil
      }
      return name
    }
    subject = Subject(
      name: run.tables.name(projection), ancestors: run.ancestors(of: projection).map { run.tables.name($0) },
      derived: derived)
    var touched = TouchedReads(before: run.state)
    if let reader { _ = touched.add(reader) }
    guard try run.positions(touchedIn: &touched).isEmpty else { return }
    subject?.unread = Self.unread(path, names)
  }

  /// The sentence for a projection that does not read what was written, with the reads most like it: the same property
  /// of another object, or another of the same object.
  private static func unread(_ written: Path, _ reads: [Path]) -> Reason {
    if reads.isEmpty {
      return Reason(
        kind: .unread, seq: nil,
        message:
          "it reads nothing that the session records: what it shows may be in objects that are not recorded,"
          + " in an untracked block, or handed to it")
    }
    let last = written.components.last
    let alike = reads.filter { $0.components.last == last && last != nil }
    let beside = reads.filter { $0.root == written.root }
    let nearest = (alike.isEmpty ? beside.isEmpty ? reads : beside : alike).prefix(nearestMax).map(
      \.description)
    let of = alike.isEmpty ? "" : ": it reads the same of another object"
    return Reason(
      kind: .unread, seq: nil, message: "it does not read \(written)\(of)", nearest: Array(nearest))
  }

  private static func equal(_ seq: UInt64, _ old: Value?, _ new: Value?) -> Reason {
    if old == new { return Reason(kind: .equal, seq: seq, message: "the write set the value that was there") }
    var fields = ""
    if case .map(let a)? = old, case .map(let b)? = new {
      let names = Set(Array(a.keys) + Array(b.keys)).filter { a[$0] != b[$0] }.sorted()
      if !names.isEmpty {
        fields = ", though as recorded they differ in \(names.prefix(8).joined(separator: ", "))"
      }
    }
    return Reason(
      kind: .equal, seq: seq,
      message: "the property's own comparison calls the old and the new value equal"
        + (fields.isEmpty ? ", though as recorded they differ" : fields))
  }
}
