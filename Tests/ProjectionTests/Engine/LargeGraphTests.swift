import Projection
import Testing

@Recorded private final class Lamp {
  var value = 0
  var text = ""
}

@Recorded private final class House {
  var lamps: RecordedArray<Lamp> = []
  var shared = 0
}

/// Graphs of many nodes, and nodes with many links: checks the number and order of runs, and that an
/// unoptimised build finishes. No time is measured; an algorithm that is quadratic in the count would not
/// finish.
@Suite struct LargeGraphTests {
  private static let many = 10_000
  private static let nodes = 99_999

  private let session = Session()
  private let house = House()

  init() { session.attach(house, as: "house") }

  private func makeLamps(_ count: Int) -> [Lamp] {
    let lamps = (0..<count).map { _ in Lamp() }
    house.lamps = RecordedArray(lamps)
    return lamps
  }

  @Test func aProjectionThatReadsTenThousandPlacesRunsOnceForAnyNumberOfThem() {
    let lamps = makeLamps(Self.many)
    var sums: [Int] = []
    let reader = session.projection("Sum") { _ in sums.append(lamps.reduce(0) { $0 + $1.value }) }
    for number in 0..<10 { lamps[number * 997].value = 1 }
    #expect(sums == Array(0...10))
    session.transaction { for lamp in lamps { lamp.value += 2 } }
    #expect(sums.last == 2 * Self.many + 10 && sums.count == 12)
    session.transaction {
      for lamp in lamps { lamp.value += 3 }
      for lamp in lamps { lamp.value -= 3 }
    }
    #expect(sums.count == 12)
    // Properties that it no longer reads, and properties that it never read.
    house.lamps.removeAll()
    lamps[0].text = "x"
    #expect(sums.count == 12)
    reader.cancel()
    lamps[1].value = 9
    #expect(sums.count == 12)
  }

  @Test func aProjectionMayReadTenThousandOtherPlacesInEachRun() {
    let lamps = makeLamps(2 * Self.many)
    var sums: [Int] = []
    session.projection("Half") { _ in
      let half = house.shared.isMultiple(of: 2) ? lamps[..<Self.many] : lamps[Self.many...]
      sums.append(half.reduce(0) { $0 + $1.value })
    }
    for turn in 1...3 {
      house.shared = turn
      #expect(sums.count == 2 * turn)
      // Sets of the other half invalidate nothing; sets of this half invalidate it once.
      lamps[turn.isMultiple(of: 2) ? Self.many : 0].value += 1
      #expect(sums.count == 2 * turn)
      lamps[turn.isMultiple(of: 2) ? 1 : Self.many + 1].value += 1
      #expect(sums.count == 2 * turn + 1)
    }
  }

  @Test func tenThousandProjectionsOfOnePlaceRunOnceEachInTheOrderInWhichTheyWereMade() {
    var order: [Int] = []
    var readers = (0..<Self.many).map { number in
      session.projection("Reader") { _ in order.append(number + house.shared * 0) }
    }
    order = []
    house.shared = 1
    #expect(order == Array(0..<Self.many))
    // Some projections end, and others are created, so that readers are not in the order of their creation.
    for number in stride(from: 0, to: Self.many, by: 3) { readers[number].cancel() }
    for number in Self.many..<(Self.many + 100) {
      readers.append(session.projection("Reader") { _ in order.append(number + house.shared * 0) })
    }
    order = []
    house.shared = 2
    #expect(order == (0..<(Self.many + 100)).filter { $0 >= Self.many || $0 % 3 != 0 })
  }

  @Test func projectionsThatTheFirstOfThemEndsDoNotRun() {
    var readers: [ProjectionHandle] = []
    var order: [Int] = []
    for number in 0..<Self.many {
      readers.append(
        session.projection("Reader") { _ in
          order.append(number + house.shared * 0)
          if house.shared == 1, number == 0 {
            for reader in readers.enumerated() where reader.offset % 2 == 1 { reader.element.cancel() }
          }
        })
    }
    order = []
    house.shared = 1
    #expect(order == Array(stride(from: 0, to: Self.many, by: 2)))
    order = []
    house.shared = 2
    #expect(order == Array(stride(from: 0, to: Self.many, by: 2)))
  }

  /// Two thirds of the nodes are derived values; every projection reads two of these.
  @Test func aLargeGraphIsMadeInvalidatedOnceAndEnded() {
    let lamps = makeLamps(Self.nodes / 3)
    var runs = 0
    func derived(_ lamp: Lamp, _ compute: @escaping (Int) -> Int) -> Derived<Int> {
      session.derived("value") {
        runs += 1
        return compute(lamp.value)
      }
    }
    var readers: [ProjectionHandle] = []
    for lamp in lamps {
      let (double, parity) = (derived(lamp) { $0 * 2 }, derived(lamp) { $0 % 2 })
      readers.append(
        session.projection("Reader") { _ in
          runs += 1
          return double.value + parity.value
        })
    }
    #expect(runs == Self.nodes)
    runs = 0
    session.transaction { for lamp in lamps { lamp.value += 1 } }
    #expect(runs == Self.nodes)
    // The parity stays: both derived values run, and the projection for one of them.
    runs = 0
    lamps[7].value += 2
    #expect(runs == 3)
    runs = 0
    for reader in readers { reader.cancel() }
    readers = []
    session.transaction { for lamp in lamps { lamp.value += 1 } }
    #expect(runs == 0)
    #expect(session.diagnostics.isEmpty)
  }

  /// Objects that a flush releases: the first projection releases all objects that the others are about to
  /// read.
  @Test func objectsMayDieWhileTheirReadersWait() {
    let count = Self.many / 5
    _ = makeLamps(count)
    var seen: [Int: Int] = [:]
    session.projection("First") { _ in
      if house.shared == 1 { untracked { house.lamps.removeAll() } }
    }
    for number in 0..<count {
      session.projection("Reader") { _ in
        seen[number] = number < house.lamps.count ? house.lamps[number].value + house.shared : -1
      }
    }
    #expect(seen.values.allSatisfy { $0 == 0 })
    house.shared = 1
    #expect(seen.count == count && seen.values.allSatisfy { $0 == -1 })
    // New objects, in the memory of those that died.
    house.lamps = RecordedArray((0..<count).map { _ in Lamp() })
    #expect(seen.values.allSatisfy { $0 == 1 })
    let report = session.measure { house.lamps[5].value = 7 }
    #expect(report.totalEvaluations == 1 && seen[5] == 8)
  }
}
