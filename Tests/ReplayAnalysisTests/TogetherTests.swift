import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// The results of an observer do not depend on which other observers share the pass, or on their requests to
/// the run.
@Suite struct TogetherTests {
  /// Takes ids and groups before the other observers can, makes requests that they do not make, and reads to
  /// the end of the log.
  private struct Company: RowObserver {
    let needs: RunNeeds = [.hits, .lookback, .reads, .state]
    var random: SplitMix64

    mutating func begin(_ run: inout LogRun) {
      for number in 0..<Int.random(in: 0..<100, using: &random) {
        let id = run.id(ofProjection: "Stranger#\(number)")
        if Bool.random(using: &random) { _ = run.group(of: id) }
        let others = ["Row", "List", "\(number)"]
        if let other = others.randomElement(using: &random) { _ = run.projectionGroup(called: other) }
      }
    }

    mutating func observe(_ run: inout LogRun) {
      if Bool.random(using: &random) { return }
      if let path = run.writtenPath(of: run.row.seq / 2) { _ = run.group(of: path) }
      if run.row.kind == .reads { for path in run.readPaths { _ = run.group(of: path) } }
    }
  }

  private struct Rules {
    var hot: Selection
    var thresholds = LintThresholds()
    var lint: Range<UInt64>
    var whatIf: WhatIfRules

    /// Rules that report most of what happens, for other parts of a log.
    init(_ log: LogSource, _ random: inout SplitMix64) throws {
      func part() -> Range<UInt64> {
        let first = UInt64.random(in: log.firstSeq...log.lastSeq, using: &random)
        let end = UInt64.random(in: first...log.lastSeq + 1, using: &random)
        return Bool.random(using: &random) ? log.firstSeq..<end : first..<end
      }
      hot = try Selection(in: log)
      (hot.seqs, lint) = (part(), part())
      (thresholds.count, thresholds.fanOut, thresholds.wasted, thresholds.rounds) = (1, 1, 1, 2)
      whatIf = try WhatIfRules([
        Change(.tracking, Bool.random(using: &random) ? "object" : "property"), Change(.isolate, "Row:**"),
      ])
    }

    var counter: HotCounter { HotCounter(hot) }
    var tally: LintTally { LintTally(thresholds, in: lint) }
    var cascades: CascadeFeed<ReportedCascades> { CascadeFeed(ReportedCascades(hot, by: .evaluations)) }
    var prediction: Predictions { Predictions([whatIf], counting: lint, derives: true) }
  }

  private func text(_ counter: HotCounter, _ run: borrowing LogRun) throws -> String {
    try text(counter.report(run))
  }

  private func text(_ tally: LintTally, _ run: borrowing LogRun) throws -> String {
    try text(tally.report(LintRule.allCases, run))
  }

  private func text(_ predictions: borrowing Predictions, _ run: borrowing LogRun) throws -> String {
    let group = predictions.groups[0]
    let prediction = group.predictions[0]
    let lines = prediction.ledger.finished(group.other.followers)
      .map { "\(run.text($0.group)) \($0.counts)" }.sorted()
    let limits = try prediction.limits(WhatIfRules([]), group.other, run)
    return (lines + limits).joined(separator: "\n")
  }

  private func text(_ report: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(report), as: UTF8.self)
  }

  /// Compares the results of each observer alone with its results among others.
  private func check(_ log: LogSource, _ random: inout SplitMix64, _ comment: Comment) throws {
    let rules = try Rules(log, &random)
    var (counter, tally) = (rules.counter, rules.tally)
    var prediction = rules.prediction
    var run = try log.play(to: &counter)
    let hot = try text(counter, run)
    run = try log.play(to: &tally)
    let lint = try text(tally, run)
    run = try log.play(to: &prediction)
    let whatIf = try text(prediction, run)
    var feed = rules.cascades
    _ = try log.play(to: &feed)

    var together = Together(
      Together(Company(random: random), Together(rules.counter, rules.cascades)),
      Together(rules.tally, rules.prediction))
    run = try log.play(to: &together)
    let found = try (text(together.a.b.a, run), text(together.b.a, run), text(together.a.b.b.sink.report))
    #expect(found.0 == hot, comment)
    #expect(found.1 == lint, comment)
    #expect(found.2 == (try text(feed.sink.report)), comment)
    #expect(try text(together.b.b, run) == whatIf, comment)
  }

  /// Compares predictions that share a pass with each of them alone.
  private func checkPredictions(_ log: LogSource, _ comment: Comment) throws {
    let changes: [[Change]] = [
      [Change(.tracking, "object")], [Change(.isolate, "Row:**")], [Change(.derived, "Row")],
      // These share another run with one of those above.
      [Change(.derived, "*")], [], [Change(.isolate, "Row:**"), Change(.derived, "Row")],
      [Change(.isolate, "Row:**"), Change(.derived, "*")],
      [Change(.noSameValue, "**")], [Change(.transaction, "1s"), Change(.tracking, "property")],
      [Change(.isolate, "Nobody:nothing")],
    ]
    let rules = try changes.map { try WhatIfRules($0) }
    let seqs = log.firstSeq..<log.lastSeq + 1
    for (rules, together) in zip(rules, try WhatIf.all(log, rules, counting: seqs)) {
      let alone = Result { try WhatIf(log, rules, counting: seqs) }
      switch (alone, together) {
      case (.success(let alone), .success(let together)):
        #expect(try text(WhatIfReport(alone)) == text(WhatIfReport(together)), comment)
      case (.failure(let alone), .failure(let together)): #expect("\(alone)" == "\(together)", comment)
      default: Issue.record("\(rules.texts) fails only in one of both, \(comment)")
      }
    }
  }

  /// Compares predictions from the invalidations that the log has with those from the ones that are derived from it.
  private func checkInvalidations(_ log: LogSource, _ rules: [WhatIfRules], _ comment: Comment) throws {
    #expect(log.hasInvalidations, comment)
    let seqs = log.firstSeq..<log.lastSeq + 1
    let all = try [false, true].map { try WhatIf.all(log, rules, counting: seqs, derives: $0) }
    #expect(all[0].contains { $0 != nil } && all[1].allSatisfy { $0 != nil }, comment)
    for (recorded, derived) in zip(all[0], all[1]) {
      switch (recorded, derived) {
      case (.success(let recorded), .success(let derived)):
        #expect(try text(WhatIfReport(recorded)) == text(WhatIfReport(derived)), comment)
      case (.failure(let recorded), .failure(let derived)): #expect("\(recorded)" == "\(derived)", comment)
      case (nil, _): continue
      default: Issue.record("only one of both fails, \(comment)")
      }
    }
  }

  @Test(arguments: ["scopes", "list-trap"])
  func inASample(name: String) throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let log = try LogSource(path: Self.sample(name))
    try check(log, &random, "seed \(seed)")
    try checkPredictions(log, "\(name)")
  }

  @Test(arguments: [
    "mailbox", "catalog-single", "chat-wide", "episodes-struct", "feed-stale", "game-mixed", "list-object",
    "stream-wide",
  ])
  func invalidationsOfASampleAreThoseThatAreDerived(name: String) throws {
    let log = try LogSource(path: Self.sample(name))
    let changes: [[Change]] = [
      [Change(.tracking, "property")], [Change(.derived, "Row")], [Change(.transaction, "4ms")],
      [Change(.isolate, "Row:**")], [Change(.input, "Row")], [Change(.identity, "Row:**")],
      [Change(.transaction, "20ms"), Change(.tracking, "element")], [Change(.noSameValue, "**")],
    ]
    try checkInvalidations(log, try changes.map { try WhatIfRules($0) }, "\(name)")
  }

  private static func sample(_ name: String) -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return folder.appending(path: "../SampleLogs/\(name).evlog").path
  }

  @Test func inRandomLogs() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    for number in 0..<8 {
      let path = workspace.file("\(number).evlog")
      let writer = try LogWriter(creating: path)
      var session = ValidSession(seed: random.next())
      for event in session.events(300) { try writer.append(event.inGroups) }
      try writer.close()
      try check(LogSource(path: path), &random, "log \(number), seed \(seed)")
      try checkPredictions(LogSource(path: path), "log \(number), seed \(seed)")
    }
  }
}

extension Event {
  /// The same event, but if it has a projection, of another group: `Row#7` becomes `List#7`.
  fileprivate var inGroups: Event {
    func name(_ name: String) -> String {
      guard let digit = name.last?.wholeNumberValue else { return name }
      return name.replacing("Row", with: ["Row", "List", "Cell"][digit % 3])
    }
    var event = self
    switch body {
    case .projection(let projection, let parent, let tracking):
      event.body = .projection(name: name(projection), parent: parent.map(name), tracking: tracking)
    case .reads(let projection, let reads): event.body = .reads(projection: name(projection), reads)
    case .invalidate(let projection, let causes):
      event.body = .invalidate(projection: name(projection), causes: causes)
    case .evaluate(let projection, let duration, let changed, let inputChanged, let comparing):
      event.body = .evaluate(
        projection: name(projection), duration: duration, changed: changed, inputChanged: inputChanged,
        comparing: comparing)
    case .dispose(let projection): event.body = .dispose(projection: name(projection))
    default: break
    }
    return event
  }
}
