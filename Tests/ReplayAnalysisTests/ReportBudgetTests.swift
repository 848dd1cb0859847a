import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// Pages with little room, and logs that are expensive to begin in the middle.
@Suite struct ReportBudgetTests {
  /// A log in small blocks.
  private func log(_ count: Int, checkpoints: Bool, seed: UInt64, in workspace: Workspace) throws -> LogSource
  {
    var session = ValidSession(seed: seed)
    var options = LogOptions()
    options.blockEvents = 16
    options.checkpoints = checkpoints
    options.checkpointEvents = 64
    options.replacesExisting = true
    let path = workspace.file("run-\(checkpoints).evlog")
    let writer = try LogWriter(creating: path, options: options)
    for event in session.events(count) { try writer.append(event) }
    try writer.close()
    return try LogSource(path: path)
  }

  @Test(arguments: [1_000, 5_000, 20_000, 60_000, 1_000_000]) func aReportIsNoLargerThanItMayBe(budget: Int)
    throws
  {
    let workspace = try Workspace()
    let seed = testSeed()
    let source = try log(1500, checkpoints: true, seed: seed, in: workspace)
    let whole = try RunReport(source, .init(hasValues: true, budget: 100_000_000)) { $0 }
    #expect(!whole.isPartial, "TEST_SEED=\(seed)")
    let report = try RunReport(source, .init(hasValues: true, budget: budget)) { $0 }
    let size = report.chunks.dropFirst().reduce(0) { $0 + $1.packed.count }
    #expect(report.chunks.first?.name == "report" && size <= budget, "TEST_SEED=\(seed): \(size)")
    let all = whole.chunks.reduce(0) { $0 + $1.packed.count }
    #expect(budget >= 1_000_000 || all > budget, "the log is too small for this test: \(all)")
    if all > budget { #expect(report.isPartial, "TEST_SEED=\(seed): \(all)") }
    // Each chunk may take no more than a share, so all chunks together need more room than they take.
    let ample = try RunReport(source, .init(hasValues: true, budget: 16 * all)) { $0 }
    #expect(!ample.isPartial && ample.chunks.map(\.name) == whole.chunks.map(\.name), "TEST_SEED=\(seed)")
    let main = try Main(report)
    let names = Set(report.chunks.map(\.name))
    #expect(main.slices.allSatisfy { names.contains("rows-\($0[0])") }, "TEST_SEED=\(seed)")
    #expect(main.states.allSatisfy { names.contains("state-\($0[0])") }, "TEST_SEED=\(seed)")
    #expect(main.chains.allSatisfy { names.contains("chains-\($0[0])") }, "TEST_SEED=\(seed)")
  }

  /// By the count alone there is room for all events; with their packed size there is not.
  @Test(arguments: [false, true]) func whereNotAllEventsFitThoseAroundWhatTookLongestAreThere(hasValues: Bool)
    throws
  {
    let workspace = try Workspace()
    let seed = testSeed()
    let source = try log(16_000, checkpoints: true, seed: seed, in: workspace)
    // Of the budget, so much is for events: three quarters of it, less the states, and of that again three quarters.
    let budget = Int(Double(8 * 16_000 + 8) / (0.75 * 0.75 * (hasValues ? 0.6 : 1)))
    let report = try RunReport(source, .init(hasValues: hasValues, budget: budget)) { $0 }
    let size = report.chunks.dropFirst().reduce(0) { $0 + $1.packed.count }
    #expect(report.isPartial && size <= budget, "TEST_SEED=\(seed): \(size)")
    let main = try Main(report)
    #expect(main.slices.count > 1, "TEST_SEED=\(seed): \(main.slices)")
    for sight in main.sights.prefix(2) {
      #expect(
        main.slices.contains { $0[0] <= sight.worst && sight.worst < $0[1] },
        "TEST_SEED=\(seed): \(sight.worst) is not in \(main.slices)")
    }
    for (slice, next) in zip(main.slices, main.slices.dropFirst()) {
      #expect(slice[1] <= next[0], "TEST_SEED=\(seed): \(main.slices)")
    }
  }

  /// The parts of the chunk `report` that these tests read.
  private struct Main: Decodable {
    struct Sight: Decodable {
      var worst: UInt64

      enum CodingKeys: String, CodingKey { case worst = "worst_seq" }
    }

    var slices: [[UInt64]]
    var states: [[UInt64]]
    var chains: [[UInt64]]
    var sights: [Sight]

    init(_ report: RunReport) throws {
      self = try JSONDecoder().decode(Main.self, from: Data(report.chunks[0].packed))
    }
  }

  /// That nothing ran is known without searching; it does not count as a lack of room.
  @Test func aCascadeInWhichNothingRanHasNoChains() throws {
    let workspace = try Workspace()
    let path = try workspace.log(
      """
      {"kind":"set","path":"store","value":{"$object":"S","x":1,"y":1}}
      {"kind":"projection","projection":"P","tracking":"element"}
      {"kind":"reads","projection":"P","paths":["store.x","store.y"]}
      {"kind":"evaluate","projection":"P","duration_ns":5}
      {"kind":"set","path":"store.x","value":2}
      {"kind":"invalidate","projection":"P","causes":[5],"cause":5}
      {"kind":"evaluate","projection":"P","duration_ns":5,"cause":5,"changed":true}
      {"kind":"set","path":"store.y","value":2}
      {"kind":"invalidate","projection":"P","causes":[8],"cause":8}
      """, "run.evlog")
    let report = try RunReport(LogSource(path: path), .init(hasValues: false, budget: 1_000_000)) { $0 }
    let chunk = try #require(report.chunks.first { $0.name == "why" })
    struct Shape: Decodable {
      struct Chain: Decodable { var projection: String }
      var chains: [Chain?]
    }
    let shapes = try JSONDecoder().decode([Shape?].self, from: Data(chunk.packed))
    let chains = try shapes.map { try #require($0).chains.compactMap { $0?.projection } }
    #expect(chains.count >= 2 && chains.contains(["P"]) && chains.contains([]), "\(chains)")
  }

  @Test func aLogWithoutCheckpointsHasTheSameReport() throws {
    let workspace = try Workspace()
    let seed = testSeed()
    var chunks: [[String: [UInt8]]] = []
    for checkpoints in [true, false] {
      let source = try log(1200, checkpoints: checkpoints, seed: seed, in: workspace)
      let report = try RunReport(source, .init(hasValues: true, budget: 10_000_000)) { $0 }
      chunks.append(Dictionary(uniqueKeysWithValues: report.chunks.map { ($0.name, $0.packed) }))
    }
    // The report itself has the size of the file.
    for name in chunks[0].keys where name != "report" {
      #expect(chunks[0][name] == chunks[1][name], "TEST_SEED=\(seed): \(name)")
    }
    #expect(chunks[0].keys == chunks[1].keys, "TEST_SEED=\(seed)")
  }

  @Test func aPartIsDearWhereThereIsNoCheckpoint() throws {
    let workspace = try Workspace()
    let near = try log(1000, checkpoints: true, seed: 7, in: workspace).startCosts()
    let far = try log(1000, checkpoints: false, seed: 7, in: workspace).startCosts()
    // From the last checkpoint on, and from the beginning.
    #expect(near.cost(of: 1000) <= 600)
    #expect(far.cost(of: 1000) >= 900)
  }

  /// A page of two runs, the second from a given event on.
  private func diff(from seqs: (a: UInt64, b: UInt64), budget: Int, seed: UInt64) throws -> DiffReport {
    let workspace = try Workspace()
    let a = try log(600, checkpoints: true, seed: seed, in: workspace)
    let b = try log(600, checkpoints: false, seed: seed, in: workspace)
    var selections = (a: try Selection(in: a), b: try Selection(in: b))
    selections.a.seqs = seqs.a..<selections.a.seqs.upperBound
    selections.b.seqs = seqs.b..<selections.b.seqs.upperBound
    var draft = DiffReport.Draft(a, b, of: selections)
    let found = try RunComparison().compare(a, selections.a, b, selections.b) { draft.add($0) }
    let findings = try FindingChanges(a, in: selections.a.seqs, b, in: selections.b.seqs)
    return try draft.report(
      found, findings: findings, ignoring: [], .init(hasValues: false, budget: budget)
    ) { $0 }
  }

  @Test(arguments: [2_000, 10_000, 30_000, 1_000_000]) func aPageOfTwoRunsSaysWhichChunksItHas(budget: Int)
    throws
  {
    let seed = testSeed()
    let report = try diff(from: (1, 1), budget: budget, seed: seed)
    struct Main: Decodable {
      var has_stretches: Bool
      var has_tree: Bool
    }
    let main = try JSONDecoder().decode(Main.self, from: Data(report.chunks[0].packed))
    let names = Set(report.chunks.map(\.name))
    #expect(main.has_tree == names.contains("tree"), "TEST_SEED=\(seed)")
    #expect(main.has_stretches == names.contains("stretches"), "TEST_SEED=\(seed)")
    if budget == 2_000 { #expect(!main.has_tree && !main.has_stretches, "TEST_SEED=\(seed)") }
    if budget == 1_000_000 { #expect(main.has_tree && main.has_stretches, "TEST_SEED=\(seed)") }
  }

  @Test func stretchesOfPartsBeginWhereThePartsDo() throws {
    let seed = testSeed()
    let parts: [(a: UInt64, b: UInt64)] = [(1, 1), (300, 300), (250, 260)]
    for seqs in parts {
      let report = try diff(from: seqs, budget: 1_000_000, seed: seed)
      let file = try #require(report.chunks.first { $0.name == "stretches" }).packed
      // After the directory: the columns a and b, numbers as differences from the previous ones, in eight
      // planes each.
      let directory = file.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      let columns = try JSONDecoder().decode(Columns.self, from: Data(file[4..<(4 + directory)])).columns
      try #require(columns.map(\.name).starts(with: ["a", "b"]))
      let count = columns[0].count
      func first(_ column: Int) -> UInt64 {
        let start = 4 + directory + 8 * count * column
        return (0..<8).reversed().reduce(0) { $0 << 8 | UInt64(file[start + $1 * count]) } >> 1
      }
      #expect(first(0) == seqs.a - 1 && first(1) == seqs.b - 1, "TEST_SEED=\(seed): \(seqs)")
    }
  }

  private struct Columns: Decodable {
    struct Column: Decodable {
      var name: String
      var count: Int
    }

    var columns: [Column]
  }

  @Test func stretchesKeepWhatThereIsHoweverManyThereAre() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for most in [8, 64, 1 << 14] {
      var stretches = DiffStretches(most: most)
      var (a, b): (UInt64, UInt64) = (0, 0)
      var counts = [0, 0, 0]
      for _ in 0..<5000 {
        switch Int.random(in: 0..<9, using: &random) {
        case 0:
          a += 1
          counts[1] += 1
          stretches.add(.onlyA(a))
        case 1:
          b += 1
          counts[2] += 1
          stretches.add(.onlyB(b))
        default:
          (a, b) = (a + 1, b + 1)
          counts[0] += 1
          stretches.add(.both(a: a, b: b, isMoved: false))
        }
      }
      let found = stretches.stretches
      #expect(found.count <= most && stretches.count == 5000, "TEST_SEED=\(seed)")
      #expect(found.reduce(0) { $0 + Int($1.both) } == counts[0], "TEST_SEED=\(seed)")
      #expect(found.reduce(0) { $0 + Int($1.onlyA) } == counts[1], "TEST_SEED=\(seed)")
      #expect(found.reduce(0) { $0 + Int($1.onlyB) } == counts[2], "TEST_SEED=\(seed)")
      // Each begins after the end of the previous one.
      var (lastA, lastB): (UInt64, UInt64) = (0, 0)
      for stretch in found {
        #expect(stretch.a == lastA && stretch.b == lastB, "TEST_SEED=\(seed)")
        lastA += UInt64(stretch.both) + UInt64(stretch.onlyA)
        lastB += UInt64(stretch.both) + UInt64(stretch.onlyB)
      }
      if most == 1 << 14 {
        #expect(found.allSatisfy { ($0.both == 0) != ($0.onlyA + $0.onlyB == 0) }, "TEST_SEED=\(seed)")
      }
    }
  }
}
