import Foundation
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// The counts that pictures are drawn from, compared with counts in a dictionary.
@Suite struct LaneBinsTests {
  private struct Count: Equatable {
    var all = 0
    var wasted = 0
    var time = 0.0
  }

  @Test(arguments: 0..<6) func everyNumberCountsInItsBin(trial: Int) {
    let seed = testSeed(trial: trial)
    var random = SplitMix64(seed: seed)
    var bins = LaneBins(span: trial.isMultiple(of: 2) ? 0 : 1 << UInt64.random(in: 0..<40, using: &random))
    var model: [[UInt64: Count]] = Array(repeating: [:], count: 5)
    var numbers: [(lane: Int, number: UInt64, time: UInt64, isWasted: Bool)] = []
    for _ in 0..<2000 {
      let number = UInt64.random(in: 0...(.max >> UInt64.random(in: 0..<63, using: &random)), using: &random)
      numbers.append(
        (
          Int.random(in: 0..<5, using: &random), number, .random(in: 0..<1_000_000, using: &random),
          .random(using: &random)
        ))
    }
    for (lane, number, time, isWasted) in numbers {
      bins.add(lane, at: number, time: time, isWasted: isWasted)
    }
    for (lane, number, time, isWasted) in numbers {
      var count = model[lane][number >> bins.shift] ?? Count()
      count.all += 1
      if isWasted { count.wasted += 1 }
      count.time += Double(time)
      model[lane][number >> bins.shift] = count
    }
    #expect(bins.binCount <= LaneBins.binsMost)
    #expect(bins.binCount == bins.lanes.map(\.count).max())
    for (lane, cells) in bins.lanes.enumerated() {
      for (bin, cell) in cells.enumerated() {
        let right = model[lane][UInt64(bin)] ?? Count()
        #expect(Int(cell.count) == right.all && Int(cell.wasted) == right.wasted, "TEST_SEED=\(seed)")
        #expect(abs(Double(cell.time) - right.time) <= 1e-3 * right.time, "TEST_SEED=\(seed)")
      }
      #expect(
        cells.reduce(0) { $0 + Int($1.count) } == model[lane].values.reduce(0) { $0 + $1.all },
        "TEST_SEED=\(seed)")
    }
  }

  @Test func manyLanesTakeNoMoreMemoryThanFewDo() {
    var bins = LaneBins(span: 1 << 20)
    for lane in 0..<20_000 { bins.add(lane, at: UInt64(lane) << 6) }
    bins.add(3, at: 1 << 20)
    #expect(bins.lanes.reduce(0) { $0 + $1.count } <= 1 << 22)
    #expect(bins.lanes.count <= 1 << 14 && bins.lanes.count * bins.binCount <= 1 << 22)
    #expect(bins.lanes[7].reduce(0) { $0 + $1.count } == 1)
  }

  @Test func bytesGrowWithWhatTheyStandFor() {
    var last: UInt8 = 0
    for count in UInt32(0)..<5000 {
      let code = LaneBins.Cell.code(count: count)
      let value = code <= 32 ? Double(code) : 32 * pow(2, (Double(code) - 32) / 12)
      #expect(code >= last && abs(value - Double(count)) <= 0.03 * Double(count))
      last = code
    }
    last = 0
    for exponent in 0..<60 {
      let time = Float(pow(2, Double(exponent) / 1.3))
      let code = LaneBins.Cell.code(time: time)
      #expect(code > last && abs(log2(Double(time)) - (Double(code) - 1) / 5.5) <= 0.1)
      last = code
    }
    #expect(
      LaneBins.Cell.code(time: .greatestFiniteMagnitude) == 255 && LaneBins.Cell.code(count: .max) == 255)
  }
}
