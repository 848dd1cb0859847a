import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// Own time of bodies that goes into what they did not run for is found, and counted as a plain pass over the events counts it.
@Suite struct BodyTimeTests {
  /// How the app makes a write.
  enum Form: CaseIterable { case bare, transaction, action, callback }

  /// A list of items and a selection, with a view that reads both.
  private struct Screen {
    private(set) var lines: [String] = []
    private var time: UInt64 = 0
    private var selected = 0

    /// - Parameters:
    ///   - elements: How many items it reads one by one; nil for the whole array.
    ///   - children: How many children it makes.
    init(items: Int = 500, elements: Int? = 500, children: Int = 20) {
      let values = (0..<items).map { "\($0)" }.joined(separator: ",")
      add(#""kind":"set","path":"app","value":{"$object":"App","items":[\#(values)],"selected":0,"other":0}"#)
      add(#""kind":"projection","projection":"Content""#)
      let read = elements.map { (0..<$0).map { "app.items[\($0)]" } } ?? ["app.items"]
      let paths = (read + ["app.selected"]).map { "\"\($0)\"" }.joined(separator: ",")
      add(#""kind":"reads","projection":"Content","paths":[\#(paths)]"#)
      for child in 0..<children {
        add(#""kind":"projection","projection":"Row#\#(child)","parent":"Content""#)
      }
      for child in 0..<children {
        add(#""kind":"evaluate","projection":"Row#\#(child)","duration_ns":20000"#)
      }
      run(3_000_000, cause: nil)
    }

    var seq: Int { lines.count }

    mutating func add(_ line: String) {
      time += 30_000_000
      lines.append(#"{"time_ns":\#(time),\#(line)}"#)
    }

    /// Writes a path. Returns the event that its runs have as their cause.
    mutating func write(_ path: String, _ value: Int, _ form: Form = .bare) -> Int {
      let line = #""kind":"set","path":"\#(path)","value":\#(value)"#
      switch form {
      case .bare: add(line)
      case .action:
        add(#""kind":"action","label":"Select""#)
        add(line + ",\"cause\":\(seq)")
      case .transaction:
        add(#""kind":"begin""#)
        add(line)
        add(#""kind":"end""#)
      case .callback:
        add(#""kind":"set","path":"app.other","value":\#(value)"#)
        add(line + ",\"cause\":\(seq)")
      }
      return seq
    }

    mutating func run(_ duration: UInt64, comparing: UInt64 = 0, cause: Int?) {
      let cause = cause.map { ",\"cause\":\($0)" } ?? ""
      add(
        #""kind":"evaluate","projection":"Content","duration_ns":\#(duration),"comparing_ns":\#(comparing)\#(cause)"#
      )
    }

    mutating func select(_ duration: UInt64, comparing: UInt64 = 0, _ form: Form = .bare) {
      selected += 1
      let cause = write("app.selected", selected, form)
      run(duration, comparing: comparing, cause: cause)
    }
  }

  private func report(_ screen: Screen, _ rules: [LintRule] = [.slowBody, .slowComparison]) throws
    -> LintReport
  {
    let workspace = try Workspace()
    let log = try LogSource(path: workspace.log(screen.lines.joined(separator: "\n"), "screen.evlog"))
    return try LintReport(log, rules, LintThresholds(), in: 0..<UInt64.max)
  }

  @Test(arguments: Form.allCases) func aBodyThatIsSlowForWhatDidNotChangeIsFound(form: Form) throws {
    var screen = Screen()
    for step in 0..<40 { screen.select(UInt64(4_000_000 + step * 10_000), form) }
    let report = try report(screen)
    #expect(report.findings.map(\.rule) == [.slowBody], "\(form)")
    let found = try #require(report.findings.first)
    #expect(found.projection == "Content" && found.path == "app.selected" && !found.isNote, "\(form)")
    #expect(
      found.message.hasPrefix("Content ran 40 times for app.selected alone, and took 4."),
      "\(form): \(found.message)")
    #expect(
      found.message.contains("it also reads 500 elements of app.items, which did not change"), "\(form)")
    // 500 of 521 reads and children are of the items.
    let all = (0..<40).reduce(UInt64(0)) { $0 + UInt64(4_000_000 + $1 * 10_000) }
    let (baseline, predicted) = (try #require(found.baseline), try #require(found.predicted))
    #expect(predicted.runs == baseline.runs, "\(form)")
    let saved = Double(baseline.time - predicted.time)
    #expect(abs(saved - Double(all) * 500 / 521) < 1_000, "\(form)")
    #expect(report.account?.unchanged?.map(\.time) == [baseline.time - predicted.time], "\(form)")
  }

  @Test func aPlainArrayThatIsReadAsAWholeCountsWithAllItsElements() throws {
    var screen = Screen(elements: nil)
    for _ in 0..<40 { screen.select(4_000_000) }
    let found = try report(screen).findings
    #expect(found.map(\.rule) == [.slowBody])
    #expect(found.first?.message.contains("it also reads 500 elements of app.items") == true)
  }

  @Test func aBodyThatIsSlowForWhatChangesIsFine() throws {
    var screen = Screen()
    for step in 0..<40 {
      let cause = screen.write("app.items[\(step)]", 1_000 + step)
      screen.run(4_000_000, cause: cause)
    }
    #expect(try report(screen).findings.isEmpty)
  }

  @Test func aBodyThatIsSlowForSeveralChangesAtOnceIsFine() throws {
    var screen = Screen()
    for step in 0..<40 {
      _ = screen.write("app.selected", 1 + step)
      let cause = screen.write("app.items[\(step)]", 1_000 + step)
      screen.run(4_000_000, cause: cause)
    }
    #expect(try report(screen).findings.isEmpty)
  }

  @Test(arguments: [(8, 0), (500, 400)]) func aBodyThatReadsLittleOrMakesARowOfEachElementIsFine(
    elements: Int, children: Int
  ) throws {
    var screen = Screen(elements: elements, children: children)
    for _ in 0..<40 { screen.select(4_000_000) }
    #expect(try report(screen).findings.isEmpty)
  }

  @Test func whatAKeptDerivedValueLeavesIsFine() throws {
    var screen = Screen(elements: 1)
    for _ in 0..<40 { screen.select(130_000) }
    let report = try report(screen)
    #expect(report.findings.isEmpty && report.account?.unchanged == nil)
  }

  /// A loaded machine makes some runs of a quick body long, and all runs longer.
  @Test func aQuickBodyOnALoadedMachineIsFine() throws {
    var screen = Screen()
    for step in 0..<60 { screen.select(step % 3 == 0 ? 4_000_000 : 60_000) }
    #expect(try report(screen).findings.isEmpty)
  }

  @Test func whatGoesIntoComparingIsNoTimeOfTheBody() throws {
    var screen = Screen()
    for _ in 0..<40 { screen.select(15_500_000, comparing: 15_400_000) }
    screen.add(#""kind":"mark","label":"compared by parts: Group as the input of Row""#)
    let report = try report(screen)
    #expect(report.findings.map(\.rule) == [.slowComparison])
    let found = try #require(report.findings.first)
    #expect(
      found.message
        == "Content spent 616.0 ms of its 620.0 ms in 40 runs in comparing what it hands to Row with what it handed in before:"
        + " Group has no ==, and so all parts are compared one by one.")
    #expect(found.advice == "Make Group Equatable.")
    #expect(found.baseline?.time == 623_400_000 && found.predicted?.time == 7_400_000)
    #expect(report.account?.comparing == 616_000_000)
    #expect(
      report.account?.summary.hasSuffix("; of that 616.0 ms in comparing") == true,
      "\(report.account?.summary ?? "")")
  }

  @Test func comparingThatTakesAThirdOfAMillisecondIsFineWhereTheTypeHasAnOperator() throws {
    var screen = Screen()
    for _ in 0..<40 { screen.select(400_000, comparing: 300_000) }
    #expect(try report(screen).findings.isEmpty)
  }

  @Test func theTimeIsWhatAPlainCountFinds() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    func number(_ below: UInt64) -> UInt64 { random.next() % below }
    for round in 0..<20 {
      var screen = Screen(items: 60, elements: 60, children: 5)
      for step in 0..<200 {
        let duration = number(2_000_000)
        let comparing = number(3) == 0 ? number(3_000_000) : 0
        switch number(4) {
        case 0:
          let cause = screen.write("app.items[\(number(60))]", 1_000 + step)
          screen.run(duration, comparing: comparing, cause: cause)
        case 1:
          _ = screen.write("app.items[\(number(60))]", 1_000 + step)
          screen.select(duration, comparing: comparing)
        case 2: _ = screen.write("app.other", step)
        default: screen.select(duration, comparing: comparing, Form.allCases[Int(number(4))])
        }
      }
      let workspace = try Workspace()
      let path = try workspace.log(screen.lines.joined(separator: "\n"), "random.evlog")
      let report = try LintReport(LogSource(path: path), [.slowBody], LintThresholds(), in: 0..<UInt64.max)
      let expected = try Self.count(path)
      #expect(report.account?.comparing ?? 0 == expected.comparing, "round \(round), seed \(seed)")
      let unchanged = report.account?.unchanged ?? []
      #expect(
        unchanged.map(\.runs) == (expected.long > 0 ? [expected.alone] : []), "round \(round), seed \(seed)")
      let time = UInt64(Double(expected.time) * (60.0 / 66))
      #expect(unchanged.map(\.time) == (expected.long > 0 ? [time] : []), "round \(round), seed \(seed)")
    }
  }

  /// What a pass over the events counts, which knows the program: its view runs after each write to what it reads. Short runs
  /// count from the first long one on.
  private static func count(
    _ path: String
  ) throws -> (comparing: UInt64, alone: Int, long: Int, time: UInt64) {
    var found = (comparing: UInt64(0), alone: 0, long: 0, time: UInt64(0))
    var written: Set<String> = []
    var isFirst = true
    try LogReader(path: path).forEachEvent { event in
      switch event.body {
      case .set(let path, _, _):
        let name = path.description
        if name.hasPrefix("app.items") || name == "app.selected" {
          written.insert(name == "app.selected" ? name : "app.items")
        }
      case .evaluate("Content", let duration, _, _, let comparing):
        let compared = min(comparing, duration)
        found.comparing += compared
        if !isFirst, written == ["app.selected"] {
          let isLong = duration - compared >= 250_000
          if isLong { (found.long, found.time) = (found.long + 1, found.time + duration - compared) }
          if found.long > 0 { found.alone += 1 }
        }
        (written, isFirst) = ([], false)
      default: break
      }
    }
    return found
  }

  @Test func numbersAtTheEndsOfTheirTypeAreOutlived() throws {
    var screen = Screen()
    for step in 0..<40 { screen.select(step % 2 == 0 ? .max : 1, comparing: step % 3 == 0 ? .max : 0) }
    let report = try report(screen, LintRule.allCases)
    #expect(report.account?.time == .max)
    #expect(report.account.map { $0.comparing ?? 0 <= $0.time } == true)
  }
}
