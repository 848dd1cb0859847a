import EventLog
import Foundation
import Projection
import ReplayAnalysis
import Testing

/// The differences between a recorded session and a session that the recording drove through this program's
/// code.
public struct DriveReport: Sendable, CustomStringConvertible {
  /// The number and duration of the runs of a projection's instances.
  public struct Runs: Hashable, Sendable {
    /// The number of runs.
    public var evaluations = 0
    /// The number of runs with the same output as before.
    public var wasted = 0
    /// The total duration, without children.
    public var time: Duration = .zero
  }

  /// A write by a callback, a body or a derived value that differs between the sessions.
  public struct Reaction: Hashable, Sendable {
    /// How it differs.
    public enum Change: String, Hashable, Sendable {
      /// The recorded session did not write it.
      case new
      /// The driven session did not write it.
      case missing
      /// Both sessions wrote to the path, but different values.
      case different
    }

    /// How it differs.
    public var change: Change
    /// The written path.
    public var path: String
    /// The event of the recording as a JSON line, if it has one.
    public var recorded: String?
    /// The event of the new log as a JSON line, if it has one.
    public var driven: String?
  }

  /// The point at which the two sessions diverge: the first events that are not in both.
  public struct Divergence: Hashable, Sendable {
    /// The event of the recording, then its cause, the cause of that, and so on, as JSON lines; empty if
    /// there is none.
    public var recorded: [String]
    /// The same for the new log.
    public var driven: [String]
  }

  /// The runs of each projection in the recording, by the name before a `#`.
  public let recorded: [String: Runs]
  /// The runs of each projection in the driven session.
  public let driven: [String: Runs]
  /// The first write that is not in both sessions; nil if the state was always the same.
  public let state: Divergence?
  /// The first event about a projection that is not in both sessions.
  public let timeline: Divergence?
  /// The writes by callbacks that differ; the first 200.
  public let reactions: [Reaction]
  /// The number of these writes.
  public let reactionCount: Int
  /// The parts of the recording that could not be driven; the first thousand.
  public let problems: [DriveProblem]
  /// The number of writes that were driven.
  public let writeCount: Int
  /// Whether the two sessions did the same, and have the same final state.
  public let isIdentical: Bool
  /// The recording.
  public let recording: URL
  /// The new log, which any command of `replay` can read.
  public let log: URL

  init(_ drive: Drive, recording: URL, log: URL) throws {
    let comparison = try DriveComparison(
      LogSource(path: recording.path), LogSource(path: log.path), through: drive.nextSeq - 1)
    func runs(_ runs: DriveComparison.Runs) -> Runs {
      Runs(
        evaluations: runs.evaluations, wasted: runs.wasted,
        time: .nanoseconds(Int64(clamping: runs.time)))
    }
    func divergence(_ divergence: DriveComparison.Divergence?) -> Divergence? {
      divergence.map { Divergence(recorded: $0.recorded.map(\.text), driven: $0.driven.map(\.text)) }
    }
    let projections = comparison.projections
    recorded = Dictionary(
      uniqueKeysWithValues: projections.filter { $0.recorded.evaluations > 0 }.map {
        ($0.name, runs($0.recorded))
      })
    driven = Dictionary(
      uniqueKeysWithValues: projections.filter { $0.driven.evaluations > 0 }.map {
        ($0.name, runs($0.driven))
      })
    state = divergence(comparison.state)
    timeline = divergence(comparison.timeline)
    reactions = comparison.reactions.map {
      Reaction(
        change: Reaction.Change(rawValue: $0.change.rawValue) ?? .different, path: $0.path,
        recorded: $0.recorded?.text, driven: $0.driven?.text)
    }
    reactionCount = comparison.reactionCount
    problems = drive.problems
    writeCount = drive.writeCount
    isIdentical = comparison.isIdentical
    self.recording = recording
    self.log = log
  }

  /// The differences, line by line.
  public var description: String {
    if isIdentical { return "the driven session did what the recorded one did" }
    var lines: [String] = []
    for name in Set(recorded.keys).union(driven.keys).sorted() {
      let (a, b) = (recorded[name] ?? Runs(), driven[name] ?? Runs())
      if a.evaluations == b.evaluations, a.wasted == b.wasted { continue }
      var line = "\(name): \(a.evaluations) -> \(b.evaluations) evaluations"
      if a.wasted != b.wasted { line += ", \(a.wasted) -> \(b.wasted) wasted" }
      lines.append(line)
    }
    func add(_ divergence: Divergence?, _ title: String) {
      guard let divergence else { return }
      lines.append("\(title):")
      for (name, chain) in [("recorded", divergence.recorded), ("driven", divergence.driven)] {
        lines += chain.enumerated().map { "  \(name)\($0 == 0 ? "" : ", because of") \($1)" }
      }
    }
    add(state, "the state differs first by")
    add(timeline, "the timeline differs first by")
    for reaction in reactions.prefix(20) {
      lines.append(
        "\(reaction.change.rawValue) write of a callback: \(reaction.driven ?? reaction.recorded ?? "")")
    }
    if reactionCount > 20 { lines.append("and \(reactionCount - 20) more writes of callbacks") }
    lines += problems.prefix(20).map { "left out: \($0)" }
    return lines.joined(separator: "\n")
  }
}

/// The session that a driven session is compared with.
public struct DriveBaseline: Hashable, Sendable {
  fileprivate enum Kind { case recorded }
  fileprivate let kind: Kind

  /// The session that was recorded.
  public static let recorded = DriveBaseline(kind: .recorded)
}

extension DriveReport {
  /// Records an issue if a projection of the recorded session, or all projections together, ran more often
  /// than there, or ran more often without a change of output. A projection that is new counts among all.
  ///
  /// It is also an issue if no write was driven or if one was left out, because what is not driven runs
  /// nothing.
  ///
  /// - Parameters:
  ///   - baseline: The recorded session.
  ///   - names: Projections that may run more often, by their names before a `#`. They are left out of the
  ///     sums over all projections in both sessions.
  ///   - sourceLocation: The location of the issue.
  ///   - isAllowed: Whether a part of the recording may be left out.
  public func expectNoMore(
    than baseline: DriveBaseline, except names: Set<String> = [],
    sourceLocation: SourceLocation = #_sourceLocation,
    allowing isAllowed: (DriveProblem) -> Bool = { _ in false }
  ) {
    var failed: [String] = []
    var lines = gaps(isAllowed)
    func check(_ name: String, _ before: Runs, _ runs: Runs) {
      if runs.evaluations > before.evaluations {
        lines.append("\(name) ran \(runs.evaluations) times, and \(before.evaluations) times when recorded")
      } else if runs.wasted > before.wasted {
        lines.append("\(name) ran \(runs.wasted) times for nothing, and \(before.wasted) times when recorded")
      } else {
        return
      }
      failed.append(name)
    }
    for (name, before) in recorded.sorted(by: { $0.key < $1.key }) where !names.contains(name) {
      check(name, before, driven[name] ?? Runs())
    }
    func sum(_ runs: [String: Runs]) -> Runs {
      runs.reduce(into: Runs()) { sum, entry in
        if names.contains(entry.key) { return }
        sum.evaluations += entry.value.evaluations
        sum.wasted += entry.value.wasted
      }
    }
    if failed.isEmpty { check("something", sum(recorded), sum(driven)) }
    fail(failed, lines, at: sourceLocation)
  }

  /// Records an issue unless projections ran in the driven session as often as expected, all instances of a
  /// name together.
  ///
  /// All projections that are not named may together run as often as `others`; by default any number of
  /// times. It is also an issue if no write was driven or if one was left out, unless `isAllowed` permits it.
  public func expectEvaluations(
    _ expected: [String: ExpectedCount], others: ExpectedCount? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    allowing isAllowed: (DriveProblem) -> Bool = { _ in false }
  ) {
    var failed: [String] = []
    var lines = gaps(isAllowed)
    func check(_ name: String, _ count: Int, _ expected: ExpectedCount) {
      if expected.contains(count) { return }
      failed.append(name)
      lines.append("\(name) ran \(count) times, expected \(expected)")
    }
    for (name, expected) in expected.sorted(by: { $0.key < $1.key }) {
      check(name, driven[name]?.evaluations ?? 0, expected)
    }
    if let others {
      let rest = driven.filter { expected[$0.key] == nil }
      check("something else", rest.values.reduce(0) { $0 + $1.evaluations }, others)
    }
    fail(failed, lines, at: sourceLocation)
  }

  /// Records an issue if a part of the recording could not be driven.
  public func expectNoProblems(sourceLocation: SourceLocation = #_sourceLocation) {
    fail([], problems.prefix(20).map(\.description), at: sourceLocation)
  }

  /// Records an issue unless the driven session did the same as the recorded one.
  public func expectIdentical(sourceLocation: SourceLocation = #_sourceLocation) {
    if !isIdentical { fail([], [description], at: sourceLocation) }
  }

  /// The reasons why the runs cannot be compared with those of the recorded session.
  private func gaps(_ isAllowed: (DriveProblem) -> Bool) -> [String] {
    let unwanted = problems.filter { !isAllowed($0) }
    if !unwanted.isEmpty {
      let shown = unwanted.prefix(20).map { "left out: \($0)" }
      return unwanted.count > 20 ? shown + ["and \(unwanted.count - 20) more problems"] : shown
    }
    return writeCount == 0 ? ["no write was driven: attach the roots of the recording before it runs"] : []
  }

  private func fail(_ projections: [String], _ lines: [String], at location: SourceLocation) {
    if lines.isEmpty { return }
    let see = "replay diff \(recording.path.quoted) \(log.path.quoted)"
    UnmetExpectation(
      projections: projections, description: (lines + [see]).joined(separator: "\n"), tooFew: []
    )
    .record(notes: [], at: location)
  }
}
