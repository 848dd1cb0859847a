import EventLog

/// Events that are in one of two runs only, with those around them that are in both.
package struct DiffHunk: Encodable, Sendable {
  /// The first events of a hunk that are not the same.
  package struct Divergence: Encodable, Sendable {
    /// Nil where a run had ended.
    @Nullable var a: PrintedJSON?
    @Nullable var b: PrintedJSON?
    /// What both did before, and the first that they did again.
    var before: [PrintedJSON]
    var after: PrintedJSON?
    /// The same as events, as far as they can be read; not part of what is encoded.
    package var events = Events()

    enum CodingKeys: CodingKey { case a, b, before, after }
  }

  package struct Events: Sendable {
    package var a: Event?
    package var b: Event?
    package var before: [Event] = []
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

/// Finds the first hunk.
struct DivergenceSearch {
  private var before: [UInt64] = []
  private var a: UInt64?
  private var b: UInt64?
  private var after: (a: UInt64, b: UInt64)?

  static let contextMax = 3

  mutating func note(_ step: DiffAligner.Step) {
    if after != nil { return }
    switch step {
    case .both(let first, let second, _):
      if a != nil || b != nil { return after = (first, second) }
      before.append(first)
      if before.count > Self.contextMax { before.removeFirst() }
    case .onlyA(let seq): if a == nil { a = seq }
    case .onlyB(let seq): if b == nil { b = seq }
    }
  }

  /// What was found; nil where nothing differs.
  func divergence(_ logA: LogSource, _ logB: LogSource) -> DiffHunk.Divergence? {
    if a == nil, b == nil { return nil }
    func event(_ seq: UInt64?, _ log: LogSource) -> Event? { seq.flatMap { log.namedEvent($0) } }
    func json(_ event: Event) -> PrintedJSON { PrintedJSON(event.json()) }
    let (first, second) = (event(a ?? after?.a, logA), event(b ?? after?.b, logB))
    let before = before.compactMap { event($0, logA) }
    let after = after.flatMap { event($0.a, logA) }
    return DiffHunk.Divergence(
      a: first.map(json), b: second.map(json), before: before.map(json), after: after.map(json),
      events: .init(a: first, b: second, before: before))
  }
}

/// Collects what is in one of two runs only, while the runs are gone through.
package struct DiffHunks {
  private let a: LogSource
  private let b: LogSource
  private let hunksMax: Int
  package private(set) var hunks: [DiffHunk] = []
  private var before: [UInt64] = []
  private var after = 0
  private var isOpen = false
  private static let linesMax = 1000
  /// How many events in both stand before and after those of a hunk.
  private static let contextMax = 3

  /// - Parameter hunksMax: How many are collected; 0 for all.
  package init(_ a: LogSource, _ b: LogSource, hunksMax: Int) {
    self.a = a
    self.b = b
    self.hunksMax = hunksMax
  }

  package mutating func add(_ step: DiffAligner.Step) {
    switch step {
    case .both(let first, _, _):
      if after > 0 {
        after -= 1
        add(.both, first, a)
        if after == 0 { isOpen = false }
      } else {
        before.append(first)
        if before.count > Self.contextMax { before.removeFirst() }
      }
    case .onlyA(let seq): open { $0.add(.a, seq, $0.a) }
    case .onlyB(let seq): open { $0.add(.b, seq, $0.b) }
    }
  }

  private mutating func open(_ body: (inout DiffHunks) -> Void) {
    if !isOpen {
      if hunksMax > 0, hunks.count == hunksMax { return }
      isOpen = true
      hunks.append(DiffHunk(lines: [], hidden: 0))
      for seq in before { add(.both, seq, a) }
      before = []
    }
    after = Self.contextMax
    body(&self)
  }

  private mutating func add(_ side: DiffHunk.Line.Side, _ seq: UInt64, _ log: LogSource) {
    guard let last = hunks.indices.last else { return }
    guard hunks[last].lines.count < Self.linesMax, let event = log.namedEvent(seq) else {
      return hunks[last].hidden += 1
    }
    hunks[last].lines.append(.init(side: side, event: PrintedJSON(event.json())))
  }
}
