import EventLog

/// Neighbouring events that are in only one of two runs, with a few events around them that are in both.
package struct DiffHunk: Encodable, Sendable {
  /// The first events at which the runs differ.
  package struct Divergence: Encodable, Sendable {
    /// The event of each run; nil if that run had ended.
    @Nullable var a: PrintedJSON?
    @Nullable var b: PrintedJSON?
    /// The last events that both runs share before the difference, and the first that they share after it.
    var before: [PrintedJSON]
    var after: PrintedJSON?
    /// The first events of either run's set-up that the other does not have, if that differs too and comes before.
    package var setUp: SetUp?
    /// The same as events, as far as they can be read; not encoded.
    package var events = Events()

    enum CodingKeys: String, CodingKey {
      case a, b, before, after
      case setUp = "set_up"
    }
  }

  package struct SetUp: Encodable, Sendable {
    package var a: UInt64?
    package var b: UInt64?
  }

  package struct Events: Sendable {
    package var a: Event?
    package var b: Event?
    package var before: [Event] = []
    var after: Event?
    /// The seqs in the second run of the events in `before` and `after`.
    var beforeB: [UInt64] = []
    var afterB: UInt64?
  }

  package struct Line: Encodable, Sendable {
    enum Side: String, Encodable, Sendable { case a, b, both }

    var side: Side
    var event: PrintedJSON

    enum CodingKeys: String, CodingKey {
      case side = "in"
      case event
    }
  }

  package var lines: [Line]
  /// Lines that were left out because there were too many.
  package var hidden: Int
}

/// Finds the first difference between two runs, and the first after the set-up.
///
/// A build that attaches other objects, or makes other projections, differs from its first events on. What the app did
/// differently comes later.
struct DivergenceSearch {
  /// The first of the events it was given that are differences.
  private struct First {
    private(set) var before: [(a: UInt64, b: UInt64)] = []
    private(set) var a: UInt64?
    private(set) var b: UInt64?
    private(set) var after: (a: UInt64, b: UInt64)?

    static let contextMax = 3

    var isFound: Bool { a != nil || b != nil }

    mutating func append(_ aligned: DiffAligner.AlignedEvent) {
      if after != nil { return }
      switch aligned {
      case .both(let first, let second, _):
        if isFound { return after = (first, second) }
        before.append((first, second))
        if before.count > Self.contextMax { before.removeFirst() }
      case .onlyA(let seq): if a == nil { a = seq }
      case .onlyB(let seq): if b == nil { b = seq }
      }
    }
  }

  private let a: LogSource
  private let b: LogSource
  private var first = First()
  private var afterSetUp = First()
  /// How many differences were looked at.
  private var looks = 0
  private static let looksMax = 256

  init(_ a: LogSource, _ b: LogSource) { (self.a, self.b) = (a, b) }

  mutating func append(_ aligned: DiffAligner.AlignedEvent) {
    first.append(aligned)
    if !isSetUp(aligned) { afterSetUp.append(aligned) }
  }

  /// Whether it is an event of one run that attaches an object, or that belongs to a projection's first run, which
  /// nothing caused.
  private mutating func isSetUp(_ aligned: DiffAligner.AlignedEvent) -> Bool {
    guard !afterSetUp.isFound, looks < Self.looksMax else { return false }
    let event: Event?
    switch aligned {
    case .both: return false
    case .onlyA(let seq): event = a.event(seq)
    case .onlyB(let seq): event = b.event(seq)
    }
    looks += 1
    return switch event?.body {
    case .set(let path, _, _): path.components.isEmpty
    case .projection, .reads, .evaluate: event?.cause == nil
    default: false
    }
  }

  /// The first difference after the set-up, or else in it; nil if the runs are equal.
  func divergence() -> DiffHunk.Divergence? {
    if !first.isFound { return nil }
    let found = afterSetUp.isFound ? afterSetUp : first
    func event(_ seq: UInt64?, _ log: LogSource) -> Event? { seq.flatMap { log.namedEvent($0) } }
    func json(_ event: Event) -> PrintedJSON { PrintedJSON(event.json()) }
    let (one, other) = (event(found.a ?? found.after?.a, a), event(found.b ?? found.after?.b, b))
    let common = found.before.compactMap { pair in event(pair.a, a).map { (event: $0, b: pair.b) } }
    let before = common.map(\.event)
    let next = found.after.flatMap { event($0.a, a) }
    let isLater = found.a != first.a || found.b != first.b
    return DiffHunk.Divergence(
      a: one.map(json), b: other.map(json), before: before.map(json), after: next.map(json),
      setUp: isLater ? .init(a: first.a, b: first.b) : nil,
      events: .init(
        a: one, b: other, before: before, after: next, beforeB: common.map(\.b), afterB: found.after?.b))
  }
}

/// Collects the hunks of a comparison as its events arrive. It keeps only seqs; the events are read from the
/// logs later.
package struct DiffHunks {
  struct Draft {
    /// The number of aligned events before it in the comparison.
    var position: UInt64
    /// The events' seqs. For an event in both runs, `seq` is that in the first run, and `other` that in the
    /// second.
    var lines: [(side: DiffHunk.Line.Side, seq: UInt64, other: UInt64?)] = []
    /// Lines that were left out because there were too many.
    var hidden = 0
  }

  private let a: LogSource
  private let b: LogSource
  private let hunksMax: Int
  private let linesMax: Int
  private(set) var drafts: [Draft] = []
  /// The number of all hunks, including those that are not collected.
  private(set) var count = 0
  private var before: [(a: UInt64, b: UInt64)] = []
  private var after = 0
  private var position: UInt64 = 0
  /// How many events of both runs are kept before and after the events of a hunk.
  private static let contextMax = 3

  /// - Parameters:
  ///   - hunksMax: How many hunks are collected; 0 for all.
  ///   - linesMax: How many lines of each hunk are collected.
  package init(_ a: LogSource, _ b: LogSource, hunksMax: Int, linesMax: Int = 1000) {
    self.a = a
    self.b = b
    self.hunksMax = hunksMax
    self.linesMax = linesMax
  }

  /// The collected hunks. Lines whose events cannot be read count as hidden.
  package var hunks: [DiffHunk] {
    drafts.map { draft in
      var hunk = DiffHunk(lines: [], hidden: draft.hidden)
      for line in draft.lines {
        guard let event = event(line) else {
          hunk.hidden += 1
          continue
        }
        hunk.lines.append(.init(side: line.side, event: PrintedJSON(event.json())))
      }
      return hunk
    }
  }

  /// The event of a line; the first run's if it is in both.
  func event(_ line: (side: DiffHunk.Line.Side, seq: UInt64, other: UInt64?)) -> Event? {
    (line.side == .b ? b : a).namedEvent(line.seq)
  }

  package mutating func add(_ aligned: DiffAligner.AlignedEvent) {
    switch aligned {
    case .both(let first, let second, _):
      if after > 0 {
        after -= 1
        add(.both, first, second)
      } else {
        before.append((first, second))
        if before.count > Self.contextMax { before.removeFirst() }
      }
    case .onlyA(let seq): open(.a, seq)
    case .onlyB(let seq): open(.b, seq)
    }
    position += 1
  }

  private mutating func open(_ side: DiffHunk.Line.Side, _ seq: UInt64) {
    if after == 0 {
      count += 1
      if isKept {
        drafts.append(Draft(position: position))
        for pair in before { add(.both, pair.a, pair.b) }
      }
      before = []
    }
    after = Self.contextMax
    add(side, seq)
  }

  /// Whether the current hunk is collected.
  private var isKept: Bool { hunksMax == 0 || count <= hunksMax }

  private mutating func add(_ side: DiffHunk.Line.Side, _ seq: UInt64, _ other: UInt64? = nil) {
    guard isKept, let last = drafts.indices.last else { return }
    if drafts[last].lines.count < linesMax {
      drafts[last].lines.append((side, seq, other))
    } else {
      drafts[last].hidden += 1
    }
  }
}
