import Foundation
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// Subjects are reported as worse if they are worse, and only then.
@Suite struct FleetDifferenceTests {
  @Test func aFaultOfOneClassIsFoundThereAndOneOfAllIsOneLine() {
    var random = SplitMix64(seed: 1)
    let before = tally(sessions: 600, &random) { _, _ in (100, 1_000) }
    let after = tally(sessions: 600, &random) { device, _ in device == "b" ? (180, 1_500) : (100, 1_500) }
    let found = FleetDifference(before, after)
    #expect(
      found.worse.map { "\($0.kind) \($0.isOfAll ? "all" : $0.deviceClass ?? "")" } == [
        "Row all", "store.x b",
      ])
    #expect(found.sessions == [600, 600])
    for line in found.worse {
      #expect(line.low < line.after - line.before && line.after - line.before < line.high)
    }
    // The worst session of that class is the example to open.
    #expect(found.worse[1].example?.log.hasPrefix("b-") == true)
  }

  @Test func chanceIsNotTakenForAFault() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var found = 0
    for _ in 0..<40 {
      let tallies = (0..<2).map { _ in tally(sessions: 200, &random) { _, _ in (100, 1_000) } }
      var options = FleetDifference.Options()
      options.growthMin = 0
      options.samples = 400
      found += FleetDifference(tallies[0], tallies[1], options).worse.count
    }
    // Two subjects on three scopes, each wrongly reported as worse with a probability of one in two hundred:
    // about one.
    #expect(found <= 8, "seed \(seed)")
  }

  @Test func theIntervalHoldsTheTrueDifference() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var (held, lines) = (0, 0)
    for _ in 0..<60 {
      let before = tally(sessions: 300, &random) { _, _ in (0, 1_000) }
      let after = tally(sessions: 300, &random) { _, _ in (0, 2_000) }
      var options = FleetDifference.Options()
      options.confidence = 0.95
      options.samples = 400
      for line in FleetDifference(before, after, options).worse where line.isOfAll {
        lines += 1
        // The cost of a session is random, half of the bound on average.
        if line.low <= 500, 500 <= line.high { held += 1 }
      }
    }
    #expect(lines == 60)
    #expect(held >= 50, "seed \(seed): \(held) of 60")
  }

  @Test func fewSessionsSayNothing() {
    var random = SplitMix64(seed: 2)
    let before = tally(sessions: 20, &random) { _, _ in (10, 10) }
    let after = tally(sessions: 20, &random) { _, _ in (10_000, 10_000) }
    #expect(FleetDifference(before, after).worse.isEmpty)
    var options = FleetDifference.Options()
    options.sessionsMin = 10
    #expect(!FleetDifference(before, after, options).worse.isEmpty)
  }

  @Test func weightsCountAsThatManySessions() {
    func tally(_ weights: [Double], _ costs: [UInt64]) -> FleetTally {
      var tally = FleetTally()
      for (index, (weight, cost)) in zip(weights, costs).enumerated() {
        let ticket = tally.add(session("\(index)", "a", weight))
        tally.add(FleetSubject(.projection, "P"), cost: cost, seq: 1, in: ticket)
      }
      return tally
    }
    let weighted = FleetRanking(tally([1, 3], [100, 200]))
    let spread = FleetRanking(tally([1, 1, 1, 1], [100, 200, 200, 200]))
    #expect(weighted.projections[0].time == spread.projections[0].time)
    #expect(weighted.projections[0].time == 175)
    #expect(weighted.projections[0].example?.sessionID == "1")
  }

  @Test func theExampleOfAWriteIsItsLongestCascade() {
    var tally = FleetTally()
    for (number, cost) in [10, 30, 20].enumerated() {
      let ticket = tally.add(session("\(number)", "a", 1))
      tally.add(FleetSubject(.write, "store.x"), cost: UInt64(cost), seq: nil, in: ticket)
      tally.addCascades(
        shape: "1", root: "set store.x", count: 1, time: 5, seq: UInt64(number * 10 + 1), in: ticket)
      tally.addCascades(
        shape: "2", root: "set store.x", count: 1, time: 9, seq: UInt64(number * 10 + 2), in: ticket)
      tally.addCascades(
        shape: "3", root: "set store.y", count: 1, time: 99, seq: UInt64(number * 10 + 3), in: ticket)
    }
    let example = FleetRanking(tally).writes[0].example
    #expect(example?.sessionID == "1")
    #expect(example?.seq == 12)
  }

  @Test func manyClassesOfDevicesLeaveNoKindOut() {
    var tally = FleetTally(FleetTally.Limits(kinds: 100, kindsOfClasses: 100, classes: 8))
    for number in 0..<30 {
      let ticket = tally.add(session("\(number)", "device \(number)", 1))
      for kind in ["of all", "a of \(number)", "b of \(number)"] {
        tally.add(FleetSubject(.projection, kind), cost: 1, seq: 1, in: ticket)
      }
    }
    let ranking = FleetRanking(tally)
    #expect(ranking.projections.count == 61)
    #expect(ranking.projections.first { $0.kind == "of all" }?.sessions == 30)
    #expect(ranking.isCrowded)
    #expect(tally.sessions[.of(deviceClass: FleetTally.otherClasses)]?.count == 22)
    #expect(tally.sessions.count == 10)
  }

  @Test func fewerKindsAndClassesThanThereIsRoomForAreAllToldApart() {
    var tally = FleetTally(FleetTally.Limits(kinds: 20, kindsOfClasses: 20, classes: 10))
    for number in 0..<10 {
      let ticket = tally.add(session("\(number)", "device \(number)", 1))
      for kind in ["a of \(number)", "b of \(number)"] {
        tally.add(FleetSubject(.projection, kind), cost: 1, seq: 1, in: ticket)
      }
    }
    #expect(!tally.isCrowded)
    #expect(tally.sums.count == 40)
    let ticket = tally.add(session("10", "device 1", 1))
    tally.add(FleetSubject(.write, "c"), cost: 1, seq: 1, in: ticket)
    #expect(tally.isCrowded)
    #expect(tally.sums.count == 40)
  }

  // MARK: Help

  private func session(_ id: String, _ device: String, _ weight: Double) -> FleetSession {
    FleetSession(id: id, version: "1", deviceClass: device, weight: weight, log: "\(device)-\(id)")
  }

  /// Sessions of two classes, with costs up to a bound.
  private func tally(
    sessions: Int, _ random: inout SplitMix64, costs: (String, Int) -> (write: UInt64, run: UInt64)
  ) -> FleetTally {
    var tally = FleetTally()
    for number in 0..<sessions {
      let device = number % 2 == 0 ? "a" : "b"
      let ticket = tally.add(session("\(number)", device, 1))
      let (write, run) = costs(device, number)
      for (role, kind, bound) in [(FleetSubject.Role.write, "store.x", write), (.projection, "Row", run)] {
        tally.add(FleetSubject(role, kind), cost: .random(in: 0...bound, using: &random), seq: 7, in: ticket)
      }
    }
    return tally
  }
}
