import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// The content of a cascade does not depend on how often the ids of paths start over.
@Suite struct CascadeFeedTests {
  /// Cascades as text, with names in place of ids.
  private struct Texts: CascadeSink {
    private(set) var texts: [String] = []
    private(set) var notes: [String] = []

    mutating func receive(_ evaluation: Cascade.Evaluation, _ run: inout LogRun) {
      notes.append("\(text(evaluation, run)), first \(evaluation.isFirst)")
    }

    mutating func receive(_ cascade: Cascade, _ titles: inout CascadeTitles, _ run: inout LogRun) {
      let units = cascade.units.map { "\($0.seq) \(titles.text($0.title)) cause \($0.cause)" }
      let hits = cascade.invalidations.map { "\($0.seq) \(run.tables.name($0.projection)) \($0.causes.all)" }
      let runs = cascade.evaluations.map { text($0, run) }
      texts.append("\(cascade.root): \(units) invalidate \(hits) evaluate \(runs)")
    }

    private func text(_ evaluation: Cascade.Evaluation, _ run: borrowing LogRun) -> String {
      let parent = evaluation.parent.map { run.tables.name($0) } ?? "-"
      let projection = run.tables.name(evaluation.projection)
      return "\(evaluation.seq) \(projection) in \(parent) cause \(evaluation.cause)"
    }
  }

  @Test func cascadesStayTheSameWhenIDsOfPathsStartOver() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var count = 0
    for number in 0..<8 {
      let log = try LogSource(path: workspace.session(number, &random))
      var (feed, other) = (CascadeFeed(Texts()), CascadeFeed(Texts()))
      var run = LogRun(log, feed.needs)
      try run.play(to: &feed)
      var otherRun = LogRun(log, other.needs, pathsMax: 1 << Int.random(in: 0...4, using: &random))
      try otherRun.play(to: &other)
      #expect(feed.sink.texts == other.sink.texts, "log \(number), seed \(seed)")
      #expect(feed.sink.notes == other.sink.notes, "log \(number), seed \(seed)")
      count += feed.sink.texts.count
    }
    #expect(count > 0, "seed \(seed)")
  }
}
