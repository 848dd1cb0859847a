import EventLog

/// Events that are in one of two runs only, with those around them that are in both.
struct DiffHunk: Encodable, Sendable {
  /// The first events of a hunk that are not the same.
  struct Divergence: Encodable, Sendable {
    /// Nil where a run had ended.
    @Nullable var a: PrintedJSON?
    @Nullable var b: PrintedJSON?
    /// What both did before, and the first that they did again.
    var before: [PrintedJSON]
    var after: PrintedJSON?
    /// The same for people, as far as the events can be read; not part of what is encoded.
    var lines = Lines()

    enum CodingKeys: CodingKey { case a, b, before, after }
  }

  struct Lines: Sendable {
    var a: String?
    var b: String?
    var before: [String] = []
    var after: String?
  }

  struct Line: Encodable, Sendable {
    enum Side: String, Encodable, Sendable { case a, b, both }

    var side: Side
    var event: PrintedJSON

    enum CodingKeys: String, CodingKey {
      case side = "in"
      case event
    }
  }

  var lines: [Line]
  /// Lines that were left out because there were too many.
  var hidden: Int
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
    func event(_ seq: UInt64?, _ log: LogSource) -> Event? { seq.flatMap { log.event($0) } }
    func json(_ event: Event) -> PrintedJSON { PrintedJSON(event.json()) }
    let (first, second) = (event(a ?? after?.a, logA), event(b ?? after?.b, logB))
    let before = before.compactMap { event($0, logA) }
    let after = after.flatMap { event($0.a, logA) }
    return DiffHunk.Divergence(
      a: first.map(json), b: second.map(json), before: before.map(json), after: after.map(json),
      lines: .init(
        a: first?.line(beside: second), b: second?.line(beside: first), before: before.map(\.line),
        after: after?.line))
  }
}
