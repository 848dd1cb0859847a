import LogGenerator
import Projection
import Testing

/// Layers of derived values, each of which reads some values of the layer below, and others from run to run.
/// Their values are computed by brute force, and every run is checked by its reads: it saw the present
/// values, it had to run, it ran once, and no run is missing.
///
/// `REPLAY_SEED` begins with another seed.
@Suite struct LayeredGraphTests {
  private static let graphs: UInt64 = 6

  @Test func everyRunIsNeededAndNoneIsMissing() {
    for seed in RandomSessionTests.seed..<(RandomSessionTests.seed + Self.graphs) {
      let graph = LayeredGraph(seed: seed)
      guard let problem = graph.problem(graph.writes) else { continue }
      var writes = graph.writes
      var size = writes.count / 2
      while size > 0 {
        for start in stride(from: 0, to: writes.count, by: size).reversed() {
          let fewer = Array(writes[..<start] + writes.dropFirst(start + size))
          if graph.problem(fewer) != nil { writes = fewer }
        }
        size /= 2
      }
      Issue.record("seed \(seed): \(graph.problem(writes) ?? problem), after \(writes)")
      return
    }
  }
}

@Recorded private final class GraphSource {
  var value = 0
}

/// A graph made from a seed, and the writes to its sources.
private struct LayeredGraph {
  enum Write {
    case set(Int, Int)
    /// Later sets may undo some of these.
    case transaction([(source: Int, value: Int)])
    /// Ends a sink; values that only it read are no longer computed.
    case cancel(Int)
  }

  /// A derived value. The first of its inputs decides whether it reads the odd or the even ones of the others.
  struct Cell {
    let inputs: [Int]
    let isDynamic: Bool
    /// The result is divided by it, so that it is often the same.
    let divisor: Int
  }

  static let sources = 40
  static let layers = 6
  static let width = 20
  static let sinks = 12

  /// By layer; the first reads sources.
  let cells: [[Cell]]
  /// The cells of the last layer that each projection reads.
  let sinkInputs: [[Int]]
  let writes: [Write]

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    cells = (0..<Self.layers).map { layer in
      (0..<Self.width).map { _ in
        let below = layer == 0 ? Self.sources : Self.width
        return Cell(
          inputs: (0..<(2 + random.upTo(8))).map { _ in random.upTo(below - 1) },
          isDynamic: random.chance(60), divisor: random.pick([1, 1, 3, 10]))
      }
    }
    sinkInputs = (0..<Self.sinks).map { _ in (0...random.upTo(3)).map { _ in random.upTo(Self.width - 1) } }
    writes = (0..<60).map { _ in
      func source() -> Int { random.upTo(Self.sources - 1) }
      switch random.upTo(9) {
      case ..<4: return .set(source(), random.upTo(5))
      case 4: return .cancel(random.upTo(Self.sinks - 1))
      default:
        var sets = (0...random.upTo(12)).map { _ in (source: source(), value: random.upTo(5)) }
        if random.chance(50) { sets += sets.map { (source: $0.source, value: 0) } }
        return .transaction(sets)
      }
    }
  }

  /// The value of a cell, and the indices of what it reads in the layer below.
  func compute(_ cell: Cell, _ value: (Int) -> Int) -> Int {
    guard cell.isDynamic, let first = cell.inputs.first else {
      return cell.inputs.reduce(1) { $0 + value($1) } % 97 / cell.divisor
    }
    let parity = value(first) % 2
    let others = cell.inputs.dropFirst().enumerated().filter { $0.offset % 2 == parity }
    return others.reduce(parity) { $0 + value($1.element) } % 97 / cell.divisor
  }

  /// All values, by layer.
  func values(_ sources: [Int]) -> [[Int]] {
    var values: [[Int]] = []
    for layer in cells {
      let below = values.last ?? sources
      values.append(layer.map { compute($0) { below[$0] } })
    }
    return values
  }

  /// Plays writes to a session, and returns the first error.
  func problem(_ writes: [Write]) -> String? {
    let played = PlayedGraph(self)
    if let problem = played.problem() { return "at the beginning \(problem)" }
    for (number, write) in writes.enumerated() {
      played.perform(write)
      if let problem = played.problem() { return "write \(number): \(problem)" }
    }
    return nil
  }
}

/// A graph in a session, and the reads of its bodies.
private final class PlayedGraph {
  /// A derived value by its layer and index, or a sink in the layer after the last.
  struct Name: Hashable { var layer, index: Int }
  struct Read { var index, value: Int }

  let graph: LayeredGraph
  let session = Session()
  private let sources = (0..<LayeredGraph.sources).map { _ in GraphSource() }
  private var derived: [[Derived<Int>]] = []
  private var subscriptions: [ProjectionHandle] = []
  private var cancelled: Set<Int> = []
  /// The reads of each node's last run.
  private var lastReads: [Name: [Read]] = [:]
  /// The runs since the last check, each with the reads of the run before; nil if there was none.
  private var runs: [(name: Name, before: [Read]?)] = []
  /// The nodes that nothing depends on and that were out of date at some time since they last ran.
  private var stale: Set<Name> = []

  init(_ graph: LayeredGraph) {
    self.graph = graph
    for (number, source) in sources.enumerated() { session.attach(source, as: "s\(number)") }
    for (layer, cells) in graph.cells.enumerated() {
      let made = cells.enumerated().map { index, cell in
        session.derived("d\(layer).\(index)") { [unowned self] in
          run(Name(layer: layer, index: index)) { read in graph.compute(cell, read) }
        }
      }
      derived.append(made)
    }
    for (index, inputs) in graph.sinkInputs.enumerated() {
      subscriptions.append(
        session.projection("sink#\(index)") { [unowned self] _ in
          run(Name(layer: LayeredGraph.layers, index: index)) { read in inputs.reduce(0) { $0 + read($1) } }
        })
    }
  }

  private func run(_ name: Name, _ body: ((Int) -> Int) -> Int) -> Int {
    var reads: [Read] = []
    let result = body { index in
      let value = name.layer == 0 ? sources[index].value : derived[name.layer - 1][index].value
      reads.append(Read(index: index, value: value))
      return value
    }
    runs.append((name, lastReads[name]))
    lastReads[name] = reads
    return result
  }

  func perform(_ write: LayeredGraph.Write) {
    switch write {
    case .set(let source, let value): sources[source].value = value
    case .transaction(let sets):
      session.transaction { for set in sets { sources[set.source].value = set.value } }
    case .cancel(let sink):
      subscriptions[sink].cancel()
      cancelled.insert(sink)
    }
  }

  func problem() -> String? {
    defer { runs = [] }
    let below = sources.map(\.value)
    let values = graph.values(below)
    func value(_ read: Read, of name: Name) -> Int {
      name.layer == 0 ? below[read.index] : values[name.layer - 1][read.index]
    }
    func isCurrent(_ reads: [Read], of name: Name) -> Bool {
      reads.allSatisfy { value($0, of: name) == $0.value }
    }
    var seen: Set<Name> = []
    var lastSink = -1
    for (name, before) in runs {
      if !seen.insert(name).inserted { return "\(name) ran twice" }
      if let reads = lastReads[name], !isCurrent(reads, of: name) { return "\(name) saw former values" }
      if let before, isCurrent(before, of: name), !stale.contains(name) {
        return "\(name) ran although nothing that it read had changed"
      }
      stale.remove(name)
      guard name.layer == LayeredGraph.layers else { continue }
      if name.index < lastSink { return "\(name) ran after sink \(lastSink)" }
      if cancelled.contains(name.index) { return "\(name) ran after its end" }
      lastSink = name.index
    }
    let observed = observed()
    for (name, reads) in lastReads where !isCurrent(reads, of: name) {
      if observed.contains(name) { return "\(name) did not run" }
      stale.insert(name)
    }
    return nil
  }

  /// The living sinks, and everything that they read, directly or indirectly.
  private func observed() -> Set<Name> {
    var observed: Set<Name> = []
    var next = graph.sinkInputs.indices.filter { !cancelled.contains($0) }.map {
      Name(layer: LayeredGraph.layers, index: $0)
    }
    while let name = next.popLast() {
      guard observed.insert(name).inserted, name.layer > 0 else { continue }
      next += (lastReads[name] ?? []).map { Name(layer: name.layer - 1, index: $0.index) }
    }
    return observed
  }
}
