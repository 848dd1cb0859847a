import Foundation
import ReplayAnalysis

/// Measures how often `fleet diff` raises what is none, how often it finds what is there, and of how many sessions, on made-up
/// sessions. What every comparison draws is fixed by its number, so the figures are the same each time.
@main struct FleetStatistics {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    let comparisons = arguments.first.flatMap { Int($0) } ?? 400
    print(
      "comparisons of a version with itself: \(comparisons) of each row; of those that raise anything at most 5 % may"
    )
    print("| costs | kinds | sessions a side | mix of devices | raise anything | list anything |")
    print("|---|---|---|---|---|---|")
    var isMet = true
    for kinds in [15, 200] {
      for shape in Shape.allCases {
        for mix in Mix.allCases {
          for sessions in [(200, 200), (200, 800), (800, 200)] {
            let setting = Setting(kinds: kinds, shape: shape, mix: mix, sessions: sessions, factor: 1)
            let found = setting.run(comparisons)
            let share = Double(found.raised) / Double(comparisons)
            if share > 0.05 { isMet = false }
            print(
              "| \(shape) | \(kinds) | \(sessions.0), \(sessions.1) | \(mix.words) | \(percent(found.raised, comparisons)) "
                + "| \(percent(found.listed, comparisons)) |")
          }
        }
      }
    }
    print(
      "\none kind costs 1.3 times as much, 200 sessions a side: how often that is found, and with it others, and what fleet diff "
        + "says would be found in 95 %")
    print("| costs | kinds | mix of devices | found | others raised | found in 95 % |")
    print("|---|---|---|---|---|---|")
    for kinds in [15, 200] {
      for shape in Shape.allCases {
        for mix in Mix.allCases {
          let setting = Setting(kinds: kinds, shape: shape, mix: mix, sessions: (200, 200), factor: 1.3)
          let found = setting.run(comparisons)
          if shape == .mild, Double(found.planted) < 0.95 * Double(comparisons) { isMet = false }
          print(
            "| \(shape) | \(kinds) | \(mix.words) | \(percent(found.planted, comparisons)) "
              + "| \(percent(found.raised, comparisons)) | \(found.detectable) |")
        }
      }
    }
    let fewer = max(1, comparisons / 4)
    print(
      "\none of 15 kinds costs 1.3 times as much: how often that is found, up to the sessions a side that find it in 95 % "
        + "(\(fewer) comparisons each)")
    print("| costs | mix of devices | \(counts.map(String.init).joined(separator: " | ")) |")
    print("|---|---|" + String(repeating: "---|", count: counts.count))
    for shape in Shape.allCases {
      for mix in Mix.allCases {
        var cells: [String] = []
        for count in counts {
          let setting = Setting(kinds: 15, shape: shape, mix: mix, sessions: (count, count), factor: 1.3)
          let found = setting.run(fewer).planted
          cells.append(percent(found, fewer))
          if Double(found) >= 0.95 * Double(fewer) { break }
        }
        cells += Array(repeating: "", count: counts.count - cells.count)
        print("| \(shape) | \(mix.words) | \(cells.joined(separator: " | ")) |")
      }
    }
    print(isMet ? "\nall goals are met" : "\na goal is missed")
    exit(isMet ? 0 : 1)
  }

  /// The numbers of sessions a side of the last table.
  private static let counts = [200, 800, 3_200, 12_800]

  private static func percent(_ part: Int, _ all: Int) -> String {
    String(format: "%.1f %%", 100 * Double(part) / Double(all))
  }
}

/// How the costs of a kind are spread over sessions.
private enum Shape: CaseIterable {
  /// Log-normal, of which 95 % lie between the half and the double of the median.
  case mild
  /// A power law with an infinite variance.
  case heavy
  /// As mild, in one session of eight.
  case rare
}

/// The classes of devices on the two sides.
private enum Mix: CaseIterable {
  case one, same, changed

  var words: String {
    switch self {
    case .one: "one class"
    case .same: "three classes"
    case .changed: "20 to 50 % old"
    }
  }
}

private struct Setting {
  var kinds: Int
  var shape: Shape
  var mix: Mix
  var sessions: (Int, Int)
  /// How much more the first kind costs after.
  var factor: Double

  struct Found {
    var raised = 0
    var listed = 0
    var planted = 0
    /// What would be found for half of the kinds, for some of the comparisons.
    fileprivate var ratios: [Double] = []

    /// The median of these.
    var detectable: String {
      let ratio = ratios.sorted().dropFirst(ratios.count / 2).first
      return ratio.map { $0.isFinite ? String(format: "%.2f times", $0) : "none" } ?? ""
    }
  }

  func run(_ comparisons: Int) -> Found {
    var result = Found()
    for number in 0..<comparisons {
      var random = Random(state: UInt64(number) &* 0x1_0000_0001)
      let before = tally(sessions.0, isAfter: false, &random)
      let after = tally(sessions.1, isAfter: true, &random)
      var options = FleetDifference.Options()
      options.tellsDetectable = factor != 1 && number < 20
      let difference = FleetDifference(before, after, options)
      if let detectable = difference.detectable { result.ratios.append(detectable.half ?? .infinity) }
      let others = difference.worse.filter { factor == 1 || $0.kind != "Kind0" }
      if !others.isEmpty { result.raised += 1 }
      if !others.isEmpty || !difference.better.isEmpty { result.listed += 1 }
      if difference.worse.contains(where: { $0.kind == "Kind0" }) { result.planted += 1 }
    }
    return result
  }

  private func tally(_ count: Int, isAfter: Bool, _ random: inout Random) -> FleetTally {
    var tally = FleetTally()
    for number in 0..<count {
      let device = device(isAfter, &random)
      // The slower devices take longer for everything.
      let slowness = [1, 1.6, 3][device]
      let session = FleetSession(
        id: "\(number)", version: isAfter ? "2" : "1", deviceClass: ["new", "middle", "old"][device],
        weight: 1, log: "")
      guard let ticket = tally.add(session) else { continue }
      // One session is longer than another, in all kinds.
      let length = exp(0.2 * random.normal())
      for kind in 0..<kinds {
        guard let cost = cost(&random) else { continue }
        let more = isAfter && kind == 0 ? factor : 1
        tally.add(
          FleetSubject(.projection, "Kind\(kind)"), cost: UInt64(1e6 * cost * slowness * length * more),
          seq: 1,
          in: ticket)
      }
    }
    return tally
  }

  private func device(_ isAfter: Bool, _ random: inout Random) -> Int {
    let draw = random.uniform()
    switch mix {
    case .one: return 0
    case .same: return draw < 0.3 ? 2 : draw < 0.6 ? 1 : 0
    case .changed: return draw < (isAfter ? 0.5 : 0.2) ? 2 : draw < 0.75 ? 1 : 0
    }
  }

  private func cost(_ random: inout Random) -> Double? {
    switch shape {
    case .mild: return exp(0.35 * random.normal())
    case .heavy: return pow(1 - random.uniform(), -1 / 1.5)
    case .rare: return random.uniform() < 0.125 ? exp(0.35 * random.normal()) : nil
    }
  }
}

/// Random numbers from a seed, the same in each run (SplitMix64).
private struct Random {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// From 0, below 1.
  mutating func uniform() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  mutating func normal() -> Double {
    let radius = (-2 * log(1 - uniform())).squareRoot()
    return radius * cos(2 * .pi * uniform())
  }
}
