import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayAnalysis

@Suite struct DurationHistogramTests {
  @Test func bucketsFollowEachOtherAndAreNarrow() {
    let last = DurationHistogram.bucket(of: .max)
    #expect(DurationHistogram.durations(of: 0).lowerBound == 0)
    for bucket in 0..<last {
      let (this, next) = (
        DurationHistogram.durations(of: bucket), DurationHistogram.durations(of: bucket + 1)
      )
      #expect(this.upperBound + 1 == next.lowerBound)
      #expect(Double(this.upperBound - this.lowerBound) <= 0.016 * Double(this.lowerBound))
      for duration in [this.lowerBound, this.upperBound] {
        #expect(DurationHistogram.bucket(of: duration) == bucket)
      }
    }
    #expect(DurationHistogram.durations(of: last).upperBound == .max)
  }

  @Test func quantilesAreThoseOfTheSortedDurationsToHalfTheWidthOfABucket() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      var histogram = DurationHistogram()
      let durations = (0..<Int.random(in: 1...300, using: &random)).map { _ in
        random.next() >> UInt64.random(in: 0...63, using: &random)
      }
      for duration in durations { histogram.add(duration) }
      for percent in [1, 50, 95, 100] {
        let rank = (durations.count * percent + 99) / 100
        let exact = durations.sorted()[rank - 1]
        let found = histogram.quantile(percent: percent)
        let error = found > exact ? found - exact : exact - found
        #expect(Double(error) <= 0.008 * Double(exact), "seed \(seed): \(percent) % of \(durations)")
      }
    }
    #expect(DurationHistogram().quantile(percent: 50) == 0)
  }
}

@Suite struct SessionIdentityTests {
  @Test(arguments: [
    ("2.5", 2.5), ("1e308", 1e9), ("1e-308", 1e-9), ("inf", 1), ("nan", 1), ("-3", 1), ("0", 1), ("x", 1),
  ]) func aWeightHasBounds(text: String, expected: Double) {
    let header = LogHeader(program: "", salt: 0, created: 0, metadata: ["sampling_weight": text])
    #expect(SessionIdentity(header).samplingWeight == expected)
  }

  @Test func aDayIsThatOfTheCalendar() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    let edges: [UInt64] = [951_782_400, 951_868_799, 951_868_800, 4_107_542_399, 1]
    for second in edges + (0..<300).map({ _ in UInt64.random(in: 1...6_000_000_000, using: &random) }) {
      let header = LogHeader(program: "", salt: 0, created: second * 1_000_000_000, metadata: [:])
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: TimeInterval(second)))
      let expected = String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
      #expect(SessionIdentity(header).day == expected, "seed \(seed): second \(second)")
    }
  }

  @Test func whatAnAppNotesComesBeforeWhatTheHeaderHas() {
    var header = LogHeader(program: "/usr/bin/mail", salt: 0xABC, created: 0, metadata: [:])
    var identity = SessionIdentity(header)
    #expect(identity.id == "0000000000000abc")
    #expect((identity.app, identity.samplingWeight, identity.day, identity.version) == ("mail", 1, nil, nil))
    header.metadata = [
      "session_id": "s", "app": "Mail", "version": "1.5", "device_class": "phone", "os": "iOS 18",
      "sampling_weight": "20", "trigger": "hang",
    ]
    identity = SessionIdentity(header)
    #expect(
      (identity.id, identity.app, identity.version, identity.deviceClass) == ("s", "Mail", "1.5", "phone"))
    #expect((identity.os, identity.samplingWeight, identity.trigger) == ("iOS 18", 20, "hang"))
    for weight in ["", "-1", "0", "nan", "inf", "many"] {
      header.metadata["sampling_weight"] = weight
      #expect(SessionIdentity(header).samplingWeight == 1, "\(weight)")
    }
    header.metadata["version"] = String(repeating: "é", count: 100)
    #expect(SessionIdentity(header).version?.utf8.count == 80)
  }
}

@Suite struct FleetShapeTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test func aListWithARowMoreHasTheSameShape() throws {
    let found = try [51, 52, 63].map { try shapes(rows: $0) }
    #expect(found[0] == found[1])
    #expect(found[0] == found[2])
    #expect(found[0].count == 1)
    #expect(try shapes(rows: 64) != found[0])
  }

  @Test func theOrderOfBranchesAndTheNumbersOfLabelsMakeNoShape() throws {
    #expect(
      try shapes(rows: 3, names: ["A", "B"], label: "row 7")
        == shapes(rows: 3, names: ["B", "A"], label: "row 12"))
    #expect(
      try shapes(rows: 3, names: ["A", "B"], label: "x") != shapes(rows: 3, names: ["A", "C"], label: "x"))
    #expect(try shapes(rows: 3, names: ["A"], label: "x") != shapes(rows: 3, names: ["A"], label: "y"))
  }

  /// The shapes of a transaction that writes the values that rows of each name read.
  private func shapes(
    rows: Int, names: [String] = ["Row"], label: String = "all"
  ) throws -> Set<String> {
    let all = (0..<rows).flatMap { row in names.map { "\($0)#\(row)" } }
    var lines = [#"{"kind":"set","path":"x","value":{"$object":"X","a":0}}"#]
    for name in all {
      lines.append(#"{"kind":"projection","projection":"\#(name)","tracking":"element"}"#)
      lines.append(#"{"kind":"reads","projection":"\#(name)","paths":["x.a"]}"#)
      lines.append(#"{"kind":"evaluate","projection":"\#(name)","duration_ns":10}"#)
    }
    lines.append(#"{"kind":"begin","label":"\#(label)"}"#)
    lines.append(#"{"kind":"set","path":"x.a","value":1}"#)
    lines.append(#"{"kind":"end"}"#)
    let end = lines.count
    for name in all {
      lines.append(
        #"{"kind":"evaluate","projection":"\#(name)","duration_ns":10,"changed":true,"cause":\#(end)}"#)
    }
    let path = try workspace.log(lines.joined(separator: "\n"), "shapes.evlog")
    let summary = try SessionSummary(LogSource(path: path))
    #expect(summary.evaluations == 2 * all.count)
    return Set(summary.cascades.compactMap(\.shape))
  }
}
