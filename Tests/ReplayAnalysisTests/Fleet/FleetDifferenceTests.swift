import Foundation
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// Subjects are reported as worse if they are worse, and only then.
@Suite struct FleetDifferenceTests {
  @Test func aFaultOfOneClassIsFoundThereAndOneOfAllIsOneLine() {
    var random = SplitMix64(seed: 1)
    let before = tally(sessions: 600, &random) { _, _ in (100_000, 1_000_000) }
    let after = tally(sessions: 600, &random) { device, _ in
      device == "b" ? (180_000, 1_500_000) : (100_000, 1_500_000)
    }
    let found = FleetDifference(before, after)
    #expect(
      found.worse.map { "\($0.kind) \($0.scope) \($0.deviceClass ?? "")" } == [
        "Row all ", "store.x device b",
      ])
    #expect(found.sessions == [600, 600] && found.compared == [600, 600])
    #expect(found.comparisons == 6)
    for line in found.worse {
      #expect(line.low < line.after - line.before && line.after - line.before < line.high)
      #expect(line.p95Before > line.before && line.p95After > line.p95Before)
    }
    // The worst session of that class is the example to open.
    #expect(found.worse[1].example?.log.hasPrefix("b-") == true)
    // The other way round it got better.
    let back = FleetDifference(after, before)
    #expect(back.worse.isEmpty)
    #expect(back.better.map(\.kind) == ["Row", "store.x"])
  }

  @Test func whatOneClassOfSeveralHasIsOfThatClassAndNotOfAll() {
    var random = SplitMix64(seed: 8)
    for (devices, found) in [(["phone", "tablet"], "device phone"), (["phone"], "all ")] {
      let sides = [1, 2].map { factor in
        tally(200, &random) { number, random in
          let device = devices[number % devices.count]
          let cost = UInt64(factor) * (1_000_000 + random.next() % 99_999)
          return (device, [:], device == "phone" ? [("Camera", cost)] : [])
        }
      }
      let difference = FleetDifference(sides[0], sides[1])
      #expect(difference.worse.map { "\($0.scope) \($0.deviceClass ?? "")" } == [found])
      // Of several classes, of which none has enough sessions by itself, it cannot be told for which.
      var options = FleetDifference.Options()
      options.sessionsMin = 150
      let average = FleetDifference(sides[0], sides[1], options)
      #expect(average.worse.map(\.scope) == [devices.count > 1 ? .average : .all])
      // A session of that class, if there are others: not one of which half have nothing of it.
      let mean = difference.worse.first?.before ?? 0
      #expect((1_000_000..<1_100_000).contains(mean), "\(mean)")
    }
  }

  @Test func anotherMixOfDevicesIsNoRegression() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    // From a fifth to a half of slow devices, each unchanged.
    let sides = [0.2, 0.5].map { share in
      tally(600, &random) { _, random in
        let isSlow = Double.random(in: 0..<1, using: &random) < share
        let cost = UInt64.random(in: 500_000...1_500_000, using: &random) * (isSlow ? 4 : 1)
        return (isSlow ? "slow" : "fast", [:], [("Row", cost)])
      }
    }
    let found = FleetDifference(sides[0], sides[1])
    #expect(found.worse.isEmpty && found.better.isEmpty, "seed \(seed): \(found.worse)")
    #expect(found.comparisons == 3)
  }

  @Test func sessionsAreToldApartByTheDimensionsOfTheirApp() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let sides = [0.1, 0.9].map { share in
      tally(400, &random) { _, random in
        let isNew = Double.random(in: 0..<1, using: &random) < share
        return (
          "phone", ["list": isNew ? "new" : "old"],
          [("Row", isNew ? 3_000_000 + random.next() % 9_999 : 1_000_000)]
        )
      }
    }
    #expect(FleetDifference(sides[0], sides[1]).worse.isEmpty, "seed \(seed)")
  }

  @Test func whatOneSideHasTooFewOfIsNotComparedAndIsCounted() {
    var random = SplitMix64(seed: 3)
    func side(_ other: Int, _ device: String) -> FleetTally {
      tally(100 + other, &random) { number, random in
        (
          number < 100 ? "phone" : device, [:],
          [("Row", (number < 100 ? 1 : 50) * (1_000_000 + random.next() % 9_999))]
        )
      }
    }
    let found = FleetDifference(side(0, ""), side(40, "glasses"))
    #expect(found.worse.isEmpty)
    #expect(found.sessions == [100, 140] && found.compared == [100, 100])
  }

  @Test func standardisedMeansAreThoseOfAPlainCount() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var rows: [[(device: String, weight: Double, cost: Double)]] = [[], []]
    var sides = [FleetTally(), FleetTally()]
    for side in 0...1 {
      for number in 0..<300 {
        let device = ["a", "b", "c"][Int.random(in: 0..<(side == 0 ? 3 : 2), using: &random)]
        let weight = Double(Int.random(in: 1...3, using: &random))
        // Few enough different costs that none is cut.
        let cost = Double(Int.random(in: 1...4, using: &random) * (side + 1)) * 1e6
        rows[side].append((device, weight, cost))
        guard let ticket = sides[side].add(session("\(number)", device, weight)) else { continue }
        sides[side].add(FleetSubject(.projection, "Row"), cost: UInt64(cost), seq: 1, in: ticket)
      }
    }
    let line = FleetDifference(sides[0], sides[1]).worse[0]
    var (expected, sum) = ([0.0, 0.0], 0.0)
    // The third class is only on one side.
    for device in ["a", "b"] {
      let own = rows.map { $0.filter { $0.device == device } }
      let weights = own.map { $0.reduce(0) { $0 + $1.weight } }
      sum += weights[0] + weights[1]
      for side in 0...1 {
        let mean = own[side].reduce(0) { $0 + $1.weight * $1.cost } / weights[side]
        expected[side] += (weights[0] + weights[1]) * mean
      }
    }
    #expect(abs(line.before - expected[0] / sum) < 1e-6 * line.before, "seed \(seed)")
    #expect(abs(line.after - expected[1] / sum) < 1e-6 * line.after, "seed \(seed)")
    #expect(line.scope == .all)
  }

  @Test func chanceIsNotTakenForAFault() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var raised = 0
    for _ in 0..<100 {
      let sides = (0..<2).map { _ in
        tally(120, &random) { number, random in
          // Of a heavy tail, with a variance that no number of sessions tells.
          let costs = (0..<8).map { kind in
            ("Kind\(kind)", UInt64(1e6 * pow(.random(in: 0.0001..<1, using: &random), -0.6)))
          }
          return (["phone", "tablet"][number % 2], [:], costs)
        }
      }
      var options = FleetDifference.Options()
      options.growthMin = 0
      if !FleetDifference(sides[0], sides[1], options).worse.isEmpty { raised += 1 }
    }
    // At most one in twenty, and chance on top of that.
    #expect(raised <= 12, "seed \(seed): \(raised)")
  }

  @Test func aThirdMoreIsFoundAmongManyKinds() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var found = 0
    for _ in 0..<20 {
      let sides = [1.0, 1.3].map { factor in
        tally(200, &random) { _, random in
          let costs = (0..<40).map { kind in
            ("Kind\(kind)", UInt64(.random(in: 5e5..<1.5e6, using: &random) * (kind == 0 ? factor : 1)))
          }
          return ("phone", [:], costs)
        }
      }
      if FleetDifference(sides[0], sides[1]).worse.first?.kind == "Kind0" { found += 1 }
    }
    #expect(found >= 19, "seed \(seed): \(found)")
  }

  @Test func whatIsSaidToBeFoundIsFoundAndHalfOfItMostlyNot() {
    var random = SplitMix64(seed: 7)
    var options = FleetDifference.Options()
    options.tellsDetectable = true
    func difference(_ sessions: [Int], _ spread: Double, _ factor: Double) -> FleetDifference {
      let sides = zip(sessions, [1, factor]).map { count, factor in
        tally(count, &random) { number, random in
          let costs = (0..<4).map { kind in
            let cost = 1e6 * Double.random(in: 1 - spread...1 + spread, using: &random)
            return ("Kind\(kind)", UInt64(cost * (kind == 0 ? factor : 1)))
          }
          return (["phone", "tablet"][number % 2], [:], costs)
        }
      }
      return FleetDifference(sides[0], sides[1], options)
    }
    var (found, foundOfHalf) = (0, 0)
    for sessions in [[100, 100], [200, 80]] {
      for spread in [0.5, 0.95] {
        for _ in 0..<20 {
          let detectable = difference(sessions, spread, 1).detectable
          #expect(detectable?.kinds == 4)
          let ratio = detectable?.half ?? 0
          #expect(ratio > 1 && ratio <= detectable?.nineOfTen ?? 0)
          func isFound(_ factor: Double) -> Bool {
            difference(sessions, spread, factor).worse.contains { $0.kind == "Kind0" }
          }
          found += isFound(ratio) ? 1 : 0
          foundOfHalf += isFound((1 + ratio) / 2) ? 1 : 0
        }
      }
    }
    #expect(found >= 72, "\(found) of 80")
    #expect(foundOfHalf < 40, "\(foundOfHalf) of 80")
  }

  @Test func whatNoIncreaseWouldShowIsSaidToo() {
    var random = SplitMix64(seed: 6)
    var options = FleetDifference.Options()
    options.tellsDetectable = true
    func detectable(_ kinds: [(every: Int, cost: UInt64)]) -> FleetDetectable? {
      let sides = (0..<2).map { _ in
        tally(120, &random) { number, random in
          let costs = kinds.enumerated().filter { number % $1.every == 0 }.map { kind, of in
            ("Kind\(kind)", of.cost == 0 ? 0 : of.cost + random.next() % 100)
          }
          return ("phone", [:], costs)
        }
      }
      return FleetDifference(sides[0], sides[1], options).detectable
    }
    // Each in every session, but for one in which 15 on a side have it.
    let some = detectable([(1, 1_000_000), (1, 1_000_000), (8, 1_000_000)])
    #expect(some?.kinds == 3 && some?.nineOfTen == nil)
    // The costs hardly differ, so it is --growth that decides.
    #expect(abs((some?.half ?? 0) - 1.05) < 0.01)
    // Here it is --floor: from 200 ns to 1,200, and a little, since costs differ.
    #expect((6..<7).contains(detectable([(1, 150)])?.half ?? 0))
    // Nothing can be said of what costs nothing, or is in too few sessions.
    let none = detectable([(1, 0), (20, 1_000_000)])
    #expect(none?.kinds == 0 && none?.half == nil && none?.nineOfTen == nil)
    #expect(FleetDifference(FleetTally(), FleetTally(), options).detectable == nil)
  }

  @Test func theRatioOfHalfTheKindsIsTheMedian() {
    for count in 1...25 {
      let ratios = (1...count).map { Double($0) }.shuffled()
      let detectable = FleetDetectable(ratios)
      #expect(
        detectable.half
          == ratios.first { ratio in 2 * ratios.filter { $0 <= ratio }.count == count + count % 2 })
      #expect(10 * ratios.filter { $0 <= detectable.nineOfTen ?? 0 }.count >= 9 * count)
      #expect(10 * ratios.filter { $0 < detectable.nineOfTen ?? 0 }.count < 9 * count)
    }
  }

  @Test func theIntervalHoldsTheTrueDifference() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var (held, lines) = (0, 0)
    for _ in 0..<60 {
      let before = tally(sessions: 300, &random) { _, _ in (0, 1_000_000) }
      let after = tally(sessions: 300, &random) { _, _ in (0, 2_000_000) }
      var options = FleetDifference.Options()
      options.confidence = 0.95
      for line in FleetDifference(before, after, options).worse where line.isOfAll {
        lines += 1
        // The cost of a session is random, half of the bound on average.
        if line.low <= 500_000, 500_000 <= line.high { held += 1 }
      }
    }
    #expect(lines == 60)
    #expect(held >= 50, "seed \(seed): \(held) of 60")
  }

  @Test func ofManyComparisonsThoseCountThatBenjaminiAndHochbergTake() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let all = (0..<Int.random(in: 1...20, using: &random)).map { _ in
        pow(Double.random(in: 0..<1, using: &random), 4)
      }
      // The largest number of comparisons of which that many are at most their share.
      let count = (0...all.count).last { count in
        all.filter { $0 <= 0.05 * Double(count) / Double(all.count) }.count >= count
      }
      let bound = FleetDiscovery.bound(all, share: 0.05)
      #expect(all.filter { $0 <= bound ?? -1 }.count == count, "seed \(seed): \(all)")
    }
  }

  @Test func studentsDistributionIsThatOfTheTables() {
    for (t, freedom, expected) in [
      (2.228, 10.0, 0.05), (2.042, 30, 0.05), (3.169, 10, 0.01), (3.291, 1e9, 0.001),
    ] {
      #expect(abs(FleetStudent.probability(t, freedom: freedom) - expected) < 0.02 * expected)
      #expect(abs(FleetStudent.quantile(1 - expected, freedom: freedom) - t) < 0.01 * t)
    }
  }

  @Test func ofTwoIncreasesTheLargerIsNeverTheMoreProbable() {
    for skewness in [-0.0, 0, 0.1, 0.3, 0.5, 0.7, 1, 3] {
      for freedom in [8.0, 29, 1e9] {
        let probabilities = (0...400).map {
          FleetStudent.probability(Double($0) / 10, freedom: freedom, skewness: skewness)
        }
        #expect(
          zip(probabilities, probabilities.dropFirst()).allSatisfy { $0 >= $1 }, "\(skewness) \(freedom)")
      }
    }
  }

  @Test func whatAllOfTheFewNewSessionsCostIsFoundEvenIfFewDidBefore() {
    var random = SplitMix64(seed: 5)
    let sides = [(1_000, 8), (30, 1)].map { count, every in
      tally(count, &random) { number, random in
        let cost = UInt64(every == 1 ? 4_000_000 : 1_000_000) + random.next() % 100
        return ("phone", [:], number % every == 0 ? [("Row", cost)] : [])
      }
    }
    #expect(FleetDifference(sides[0], sides[1]).worse.map(\.kind) == ["Row"])
  }

  @Test func fewSessionsSayNothing() {
    var random = SplitMix64(seed: 2)
    let before = tally(sessions: 20, &random) { _, _ in (10, 10_000) }
    let after = tally(sessions: 20, &random) { _, _ in (10_000_000, 10_000_000) }
    #expect(FleetDifference(before, after).worse.isEmpty)
    var options = FleetDifference.Options()
    options.sessionsMin = 10
    #expect(!FleetDifference(before, after, options).worse.isEmpty)
  }

  @Test func whatIsNewGoneOrRenamedIsNotWorse() {
    var random = SplitMix64(seed: 4)
    func side(_ costs: [(String, UInt64)]) -> FleetTally {
      tally(60, &random) { _, random in ("phone", [:], costs.map { ($0.0, $0.1 + random.next() % 100) }) }
    }
    let before = side([("Same", 1_000_000), ("Old", 400_000), ("Left", 90_000_000)])
    let after = side([("Same", 1_000_000), ("Renamed", 410_000), ("Added", 5_000_000), ("Tiny", 50)])
    let found = FleetDifference(before, after)
    #expect(found.worse.isEmpty && found.better.isEmpty)
    #expect(found.new.map(\.kind) == ["Added"], "what costs 50 ns is below the floor")
    #expect(found.gone.map(\.kind) == ["Left"])
    #expect(found.renamed.map { "\($0.other ?? "") \($0.kind)" } == ["Old Renamed"])
  }

  @Test func longerSessionsAreNotWorseByTheMinute() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for unit in FleetUnit.allCases {
      let sides = [1.0, 1.4].map { length in
        var tally = FleetTally(per: unit)
        for number in 0..<200 {
          let minutes = length * .random(in: 5..<15, using: &random)
          var session = session("\(number)", "phone", 1)
          (session.duration, session.writes) = (UInt64(minutes * 60e9), UInt64(minutes * 100))
          guard let ticket = tally.add(session) else { continue }
          let cost = UInt64(minutes * .random(in: 9e5..<1.1e6, using: &random))
          tally.add(FleetSubject(.projection, "Row"), cost: cost, seq: 1, in: ticket)
        }
        return tally
      }
      let found = FleetDifference(sides[0], sides[1])
      #expect(found.worse.isEmpty == (unit != .session), "seed \(seed): \(unit) \(found.worse)")
      if unit == .session { continue }
      // Nothing can be divided by a session without any.
      var none = FleetTally(per: unit)
      #expect(none.add(session("a", "phone", 1)) == nil)
      #expect(none.partialCount == 1 && none.sessionCount == 0)
    }
  }

  @Test func weightsCountAsThatManySessions() {
    func tally(_ weights: [Double], _ costs: [UInt64]) -> FleetTally {
      var tally = FleetTally()
      for (index, (weight, cost)) in zip(weights, costs).enumerated() {
        guard let ticket = tally.add(session("\(index)", "a", weight)) else { continue }
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
      guard let ticket = tally.add(session("\(number)", "a", 1)) else { continue }
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
    var tally = FleetTally(FleetTally.Limits(kinds: 100, cells: 100, strata: 8))
    for number in 0..<30 {
      guard let ticket = tally.add(session("\(number)", "device \(number)", 1)) else { continue }
      for kind in ["of all", "a of \(number)", "b of \(number)"] {
        tally.add(FleetSubject(.projection, kind), cost: 1, seq: 1, in: ticket)
      }
    }
    let ranking = FleetRanking(tally)
    #expect(ranking.projections.count == 61)
    #expect(ranking.projections.first { $0.kind == "of all" }?.sessions == 30)
    #expect(ranking.isCrowded)
    // The others are counted, and not compared.
    #expect(tally.sessionCount == 30)
    #expect(tally.strata.count == 8 && tally.sides.allSatisfy { $0.count == 1 })
  }

  @Test func fewerKindsAndClassesThanThereIsRoomForAreAllToldApart() {
    var tally = FleetTally(FleetTally.Limits(kinds: 20, cells: 20, strata: 10))
    for number in 0..<10 {
      guard let ticket = tally.add(session("\(number)", "device \(number)", 1)) else { continue }
      for kind in ["a of \(number)", "b of \(number)"] {
        tally.add(FleetSubject(.projection, kind), cost: 1, seq: 1, in: ticket)
      }
    }
    #expect(!tally.isCrowded)
    #expect(tally.sums.count == 20)
    #expect(tally.sums.values.reduce(0) { $0 + $1.cells.count } == 20)
    guard let ticket = tally.add(session("10", "device 1", 1)) else { return }
    tally.add(FleetSubject(.write, "c"), cost: 1, seq: 1, in: ticket)
    #expect(tally.isCrowded)
    #expect(tally.sums.count == 20)
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
      guard let ticket = tally.add(session("\(number)", device, 1)) else { continue }
      let (write, run) = costs(device, number)
      for (role, kind, bound) in [(FleetSubject.Role.write, "store.x", write), (.projection, "Row", run)] {
        tally.add(FleetSubject(role, kind), cost: .random(in: 0...bound, using: &random), seq: 7, in: ticket)
      }
    }
    return tally
  }

  /// Sessions of which a closure gives the class of devices, the dimensions, and the costs of projections.
  private func tally(
    _ sessions: Int, _ random: inout SplitMix64,
    _ of: (Int, inout SplitMix64) -> (String, [String: String], [(String, UInt64)])
  ) -> FleetTally {
    var tally = FleetTally()
    for number in 0..<sessions {
      let (device, dimensions, costs) = of(number, &random)
      var session = session("\(number)", device, 1)
      session.dimensions = dimensions
      guard let ticket = tally.add(session) else { continue }
      for (kind, cost) in costs { tally.add(FleetSubject(.projection, kind), cost: cost, seq: 1, in: ticket) }
    }
    return tally
  }
}
