import EventLog
import ReplayAnalysis

/// Shows what is in one of two runs only as a unified diff does, while the runs are gone through.
struct DiffEvents {
  private let a: LogSource
  private let b: LogSource
  private let console: Console
  /// How many hunks are shown; 0 for all.
  private let hunksMax: Int
  private var hunks = 0
  private(set) var hidden = 0
  /// Events in both that may come before a hunk, and how many more come after one.
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

  mutating func add(_ step: DiffAligner.Step) throws {
    switch step {
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

  /// Says what was left out.
  func finish() throws { try console.printHidden(hidden, "hunk") }

  /// Begins a hunk, unless one is open; false where it is one too many.
  private mutating func open(_ first: UInt64?, _ second: UInt64?) throws -> Bool {
    if !isOpen {
      isOpen = true
      hunks += 1
      if hunks == hunksMax + 1, hunksMax > 0 { try console.flush() }
      if isShown {
        let start = before.first
        let places = [(start?.a ?? first).map { "a \($0)" }, (start?.b ?? second).map { "b \($0)" }]
        try console.print(
          console.style.heading("@@ \(places.compactMap { $0 }.joined(separator: ", ")) @@"))
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
    let line = console.fit("\(margin) \(log.event(seq)?.line ?? "event \(seq), which cannot be read")")
    try console.print(
      margin == "-" ? console.style.bad(line) : margin == "+" ? console.style.good(line) : line)
  }
}
