import EventLog

/// The alignment of two runs: stretches of events that both have, and of events that only one has.
///
/// Both runs are laid along one axis of steps. An event in both runs is one step of both; an event in one run
/// is a step in which the other stands still. While there are few stretches, each holds one sort of steps.
/// When there are too many, each pair of neighbours is merged, and this repeats, so memory is bounded.
struct DiffStretches {
  struct Stretch {
    /// The last event of each run before this stretch; if there is none, the seq before the first compared
    /// event.
    var a: UInt64
    var b: UInt64
    var both: UInt32 = 0
    var onlyA: UInt32 = 0
    var onlyB: UInt32 = 0

    fileprivate var width: UInt32 { both + onlyA + onlyB }

    fileprivate mutating func add(_ other: Stretch) {
      both += other.both
      onlyA += other.onlyA
      onlyB += other.onlyB
    }
  }

  private(set) var stretches: [Stretch] = []
  /// The number of steps.
  private(set) var count: UInt64 = 0
  private var isOfBoth = false
  private var lastA: UInt64
  private var lastB: UInt64
  /// All stretches but the last have at least this many steps.
  private var widthMin: UInt32 = 1
  private let most: Int

  /// - Parameter first: The first compared event of each run.
  init(from first: (a: UInt64, b: UInt64) = (1, 1), most: Int = 1 << 14) {
    (lastA, lastB) = (first.a - min(first.a, 1), first.b - min(first.b, 1))
    self.most = most
  }

  mutating func add(_ aligned: DiffAligner.AlignedEvent) {
    let isBoth = if case .both = aligned { true } else { false }
    if stretches.last.map({ isBoth != isOfBoth && $0.width >= widthMin }) ?? true {
      if stretches.count >= most { join() }
      stretches.append(Stretch(a: lastA, b: lastB))
    }
    isOfBoth = isBoth
    count += 1
    let last = stretches.count - 1
    switch aligned {
    case .both(let a, let b, _):
      stretches[last].both += 1
      (lastA, lastB) = (max(lastA, a), max(lastB, b))
    case .onlyA(let seq):
      stretches[last].onlyA += 1
      lastA = max(lastA, seq)
    case .onlyB(let seq):
      stretches[last].onlyB += 1
      lastB = max(lastB, seq)
    }
  }

  private mutating func join() {
    for index in 0..<stretches.count / 2 {
      stretches[index] = stretches[2 * index]
      stretches[index].add(stretches[2 * index + 1])
    }
    if stretches.count % 2 == 1 { stretches[stretches.count / 2] = stretches[stretches.count - 1] }
    stretches.removeSubrange(((stretches.count + 1) / 2)...)
    widthMin *= 2
  }

  private struct Header: Encodable {
    var steps: UInt64
    /// Whether each stretch holds only one sort of steps.
    var isExact: Bool

    enum CodingKeys: String, CodingKey {
      case steps
      case isExact = "exact"
    }
  }

  /// The stretches as columns.
  func file() throws -> [UInt8] {
    var columns = ReportColumns()
    columns.add("a", stretches.map(\.a), isGrowing: true)
    columns.add("b", stretches.map(\.b), isGrowing: true)
    columns.add("both", stretches.map(\.both))
    columns.add("only_a", stretches.map(\.onlyA))
    columns.add("only_b", stretches.map(\.onlyB))
    return try columns.file(Header(steps: count, isExact: widthMin == 1))
  }
}
