import BenchSupport

/// Shows which costs grow faster than the work: operations on lists with a growing number of rows, with a
/// reader for each.
///
/// Every time is for a unit of work, a row or an operation, and should not depend on the number of rows.
struct ShapesTable {
  static let title = "shapes: time a row"
  private static let sizes = [1_000, 20_000, 100_000]
  /// If an operation takes longer than this, with its setup, it is not measured with more rows.
  private static let patience = Duration.seconds(20)

  private let rounds: Int
  private let isRecorded: Bool
  private let contender: String?

  /// - Parameter contender: Measures the shapes whose names contain this; nil for all.
  init(rounds: Int, isRecorded: Bool, only contender: String?) {
    self.rounds = rounds
    self.isRecorded = isRecorded
    self.contender = contender
  }

  func run() throws {
    let session = isRecorded ? "recorded to a file" : "session that records nothing"
    for shape in ListShape.allCases where contender.map(shape.rawValue.contains) ?? true {
      print("\n\(Self.title), or an operation; \(shape.rawValue); \(session)")
      let growth = "\(Self.sizes[1]) / \(Self.sizes[0])"
      line("", Self.sizes.map { "\($0) rows" }, growth: growth, "reader runs")
      for operation in shape.operations { try measure(operation, shape) }
    }
  }

  private func line(_ name: String, _ figures: [String], growth: String, _ runs: String) {
    let columns = figures.map { $0.padded(to: 32) }.joined(separator: " ")
    print("  \(name.padded(to: 58)) \(columns) \(growth.padded(to: 16)) \(runs)")
  }

  private func measure(_ operation: ListOperation, _ shape: ListShape) throws {
    var figures: [Figure] = []
    for size in Self.sizes where figures.last?.isTooSlow != true {
      figures.append(try measure(operation, shape, size))
    }
    let skipped = Array(repeating: "skipped", count: Self.sizes.count - figures.count)
    var growth = "unknown"
    if figures.count > 1 {
      let ratio = figures[1].spread.median / figures[0].spread.median
      growth = ratio > 1.5 ? "\(ratio.short) x GROWS" : "\(ratio.short) x"
    }
    line(
      "\(operation.name), \(operation.unit.text)", figures.map(\.text) + skipped, growth: growth,
      figures.last.map { "\($0.runs.short) \(operation.unit.text)" } ?? "")
  }

  /// Measures rounds for a second, and at least one round.
  private func measure(_ operation: ListOperation, _ shape: ListShape, _ size: Int) throws -> Figure {
    let clock = ContinuousClock()
    let began = clock.now
    var units = Double(operation.unit.times)
    if case .row = operation.unit { units *= Double(size) }
    var times: [Double] = []
    var runs = 0.0
    repeat {
      let list = try ReadList(
        shape, operation.rows(size + ReadList.spare), readers: size, isRecorded: isRecorded)
      if operation.start != .made { list.attach() }
      if operation.start == .read { list.readAll() }
      let work = operation.prepare(list)
      let before = list.runs
      times.append(clock.measure(work).nanoseconds / units)
      runs = Double(list.runs - before) / units
    } while times.count < rounds && clock.now - began < .seconds(1)
    let isTooSlow = (clock.now - began) / times.count > Self.patience
    return Figure(spread: Spread(times), rounds: times.count, runs: runs, isTooSlow: isTooSlow)
  }

  /// The measurement of an operation.
  private struct Figure {
    /// Nanoseconds a unit.
    var spread: Spread
    var rounds: Int
    /// How often readers ran, for each unit.
    var runs: Double
    var isTooSlow: Bool

    var text: String { rounds > 1 ? spread.text(unit: "ns") : "\(spread.median.short) ns" }
  }
}
