import EventLog
import ReplayAnalysis

/// Prints the events that are in only one of two runs as a unified diff, while the runs are compared.
struct DiffEvents {
  private let a: LogSource
  private let b: LogSource
  private let console: Console
  /// The number of hunks to print; 0 for all.
  private let hunksMax: Int
  private var hunks = 0
  private(set) var hidden = 0
  /// The last events of both runs, which a hunk may begin with, and how many more belong to the last hunk.
  private var before: [(a: UInt64, b: UInt64)] = []
  private var after = 0
  private var isOpen = false

  private static let context = 3

  init(_ a: LogSource, _ b: LogSource, hunksMax: Int, _ console: Console) {
    self.a = a
    self.b = b
    self.hunksMax = hunksMax
    self.console = console
  }

  mutating func add(_ aligned: DiffAligner.AlignedEvent) throws {
    switch aligned {
    case .both(let first, let second, _):
      if after > 0 {
        after -= 1
        try print(" ", first, second, of: a)
        if after == 0 { isOpen = false }
      } else {
        before.append((first, second))
        if before.count > Self.context { before.removeFirst() }
      }
    case .onlyA(let seq):
      if try open(seq, nil) { try print("-", seq, nil, of: a) }
    case .onlyB(let seq):
      if try open(nil, seq) { try print("+", nil, seq, of: b) }
    }
  }

  /// Prints how many hunks were left out.
  func finish() throws { try console.printHidden(hidden, "hunk") }

  /// Begins a hunk, unless one is open. Returns false if it is beyond the limit.
  private mutating func open(_ first: UInt64?, _ second: UInt64?) throws -> Bool {
    if !isOpen {
      isOpen = true
      hunks += 1
      if hunks == hunksMax + 1, hunksMax > 0 { try console.flush() }
      if isShown {
        let start = before.first
        let starts = [(start?.a ?? first).map { "a \($0)" }, (start?.b ?? second).map { "b \($0)" }]
        try console.print(
          console.style.heading("@@ \(starts.compactMap { $0 }.joined(separator: ", ")) @@"))
        for (first, second) in before { try print(" ", first, second, of: a) }
      } else {
        hidden += 1
      }
      before = []
    }
    after = Self.context
    return isShown
  }

  private var isShown: Bool { hunksMax == 0 || hunks <= hunksMax }

  private func print(_ margin: String, _ first: UInt64?, _ second: UInt64?, of log: LogSource) throws {
    guard isShown, let seq = log === a ? first : second else { return }
    let line = console.fit("\(margin) \(log.namedEvent(seq)?.line ?? "event \(seq), which cannot be read")")
    try console.print(
      margin == "-" ? console.style.bad(line) : margin == "+" ? console.style.good(line) : line)
  }
}

extension Event {
  /// The event in one line: `set store.rows[0].count = 1`. Nothing in it can move the cursor.
  var line: String { line { $0.line } }

  /// The same, but if its value is long and begins like the other event's value, the part where they differ
  /// is shown.
  func line(beside other: Event?) -> String {
    guard let other = other?.body.writtenValue else { return line }
    return line { $0.line(beside: other) }
  }

  private func line(_ line: (Value) -> String) -> String {
    let text: String
    switch body {
    case .set(let path, let value, let sameValue):
      text = "set \(path.description.shown) = \(line(value))" + (sameValue ? " (same value)" : "")
    case .splice(let path, let offset, let delete, let insert, _):
      text = "splice \(path.description.shown) at \(offset): \(delete) out, \(line(insert)) in"
    case .remove(let path, _): text = "remove \(path.description.shown)"
    case .projection(let name, let parent, let tracking):
      text =
        "projection \(name.shown)" + (parent.map { " in \($0.shown)" } ?? "") + ", by \(tracking.rawValue)"
    case .reads(let name, let reads):
      let sentence = reads.sentence { paths in
        let names = paths.count > 5 ? Self.folded(paths) : paths.map(\.description.shown)
        return names.prefix(5).joined(separator: ", ")
          + (names.count > 5 ? " and \(names.count - 5) more" : "")
      }
      text = "\(name.shown) \(sentence)"
    case .invalidate(let name, _): text = "invalidate \(name.shown)"
    case .evaluate(let name, _, let changed, _, _):
      text = "evaluate \(name.shown)" + (changed.map { $0 ? ", output changed" : ", same output" } ?? "")
    case .dispose(let name): text = "dispose \(name.shown)"
    case .begin(let label): text = "begin" + (label.map { " \(Value.string($0).json.shown)" } ?? "")
    case .end: text = "end"
    case .mark(let label): text = "mark \(Value.string(label).json.shown)"
    case .action(let label): text = "action \(Value.string(label).json.shown)"
    case .finish(let outcome): text = "end of an action, which \(outcome.sentence)"
    }
    return text
  }
}

extension Event {
  /// The kinds of many paths, each with their number: `docs[*].path x 300`.
  fileprivate static func folded(_ paths: [Path]) -> [String] {
    var counts: [(kind: String, count: Int, first: Path)] = []
    var indices: [String: Int] = [:]
    for path in paths {
      let kind = path.group
      if let index = indices[kind] {
        counts[index].count += 1
      } else {
        indices[kind] = counts.count
        counts.append((kind, 1, path))
      }
    }
    return counts.map {
      $0.count == 1 ? $0.first.description.shown : "\($0.kind.shown) x \($0.count.grouped)"
    }
  }
}

extension Event.Body {
  fileprivate var writtenValue: Value? {
    switch self {
    case .set(_, let value, _), .splice(_, _, _, let value, _): value
    default: nil
    }
  }
}

extension Value {
  /// The value as JSON, cut if it is long.
  fileprivate var line: String { String(json.prefix(1_024)).withPlainDates.shown(most: 120) }

  fileprivate func line(beside other: Value) -> String {
    let (own, others) = (Array(json), Array(other.json))
    let common = zip(own, others).prefix { $0 == $1 }.count
    // Short values are shown whole: a reader sees where they differ.
    guard common > 48, common < own.count || common < others.count else { return line }
    return String(own.prefix(24)).shown + " … " + String(own.dropFirst(common - 12)).shown(most: 90)
  }
}

extension Reads {
  /// A description of the reads: `reads app.title`, or `now reads app.title, and no longer app.name`.
  func sentence(_ list: ([Path]) -> String) -> String {
    switch self {
    case .paths(let paths): "reads \(list(paths))"
    case .change(let added, let dropped) where dropped.isEmpty:
      added.isEmpty ? "reads what it did" : "now reads \(list(added))"
    case .change(let added, let dropped):
      (added.isEmpty ? "reads no longer" : "now reads \(list(added)), and no longer") + " \(list(dropped))"
    }
  }
}
