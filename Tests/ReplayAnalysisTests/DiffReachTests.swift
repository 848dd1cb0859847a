import LogGenerator
import Testing

@testable import ReplayAnalysis

/// Runs that differ by more events than the window holds, with a window of 64 events.
@Suite struct DiffReachTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  private func align(_ a: [String], _ b: [String], reach: Int = 1 << 14) throws -> DiffAlignment {
    func log(_ lines: [String], _ name: String) throws -> LogSource {
      try LogSource(path: workspace.log(root + lines.joined(separator: "\n") + "\n", name))
    }
    let (a, b) = (try log(a, "a.evlog"), try log(b, "b.evlog"))
    var comparison = RunComparison()
    comparison.window = 64
    comparison.reach = reach
    return try comparison.compare(a, Selection(in: a), b, Selection(in: b)).alignment
  }

  /// Writes to five places in turn, with values from a number on.
  private func writes(_ count: Int, from first: Int) -> [String] {
    (0..<count).map { #"{"kind":"set","path":"s.p\#($0 % 5)","value":\#(first + $0)}"# }
  }

  @Test(arguments: [65, 500, 4000]) func anInsertionManyTimesTheWindowIsAllThatIsTold(count: Int) throws {
    let same = writes(1000, from: 0)
    let longer = same[..<300] + writes(count, from: 10_000) + same[300...]
    let inserted = try align(same, Array(longer))
    #expect((inserted.both, inserted.onlyA, inserted.onlyB) == (1001, 0, count))
    let deleted = try align(Array(longer), same)
    #expect((deleted.both, deleted.onlyA, deleted.onlyB) == (1001, count, 0))
  }

  @Test func bothMayHaveMoreOfTheirOwnAndMoreThanOnce() throws {
    let same = writes(900, from: 0)
    let a = same[..<300] + writes(700, from: 10_000) + same[300...]
    let b =
      same[..<300] + writes(400, from: 20_000) + same[300..<600] + writes(2000, from: 30_000) + same[600...]
    let alignment = try align(Array(a), Array(b))
    #expect((alignment.both, alignment.onlyA, alignment.onlyB) == (901, 700, 2400))
  }

  @Test func whatIsSaidTwiceIsFoundFromWhatIsSaidOnce() throws {
    // The insertion ends with the same events that follow it, and begins with the events that precede it.
    let same = writes(600, from: 0)
    let b = same[..<300] + same[200..<300] + writes(500, from: 10_000) + same[300..<400] + same[300...]
    let alignment = try align(same, Array(b))
    #expect((alignment.both, alignment.onlyA) == (601, 0))
  }

  @Test func runsWithNothingInCommonAreToldWhole() throws {
    let alignment = try align(writes(3000, from: 0), writes(2000, from: 10_000), reach: 256)
    #expect((alignment.both, alignment.onlyA, alignment.onlyB) == (1, 3000, 2000))
  }

  @Test func beyondItsReachAnInsertionIsADifferenceToTheEnd() throws {
    let same = writes(1000, from: 0)
    let longer = same[..<300] + writes(4000, from: 10_000) + same[300...]
    let alignment = try align(same, Array(longer), reach: 128)
    #expect(alignment.both < 1001)
  }
}

private let root = #"{"kind":"set","path":"s","value":{"$object":"S"}}"# + "\n"
