import EventLog
import FormerCore

/// Drives the former invalidation core and another core with the same events, and finds where they differ: in
/// the invalidations of an event, with their order and causes, in the events that they refuse, and in the
/// state.
package struct SideBySide {
  /// The first difference between the two.
  package struct Difference: Error, CustomStringConvertible {
    /// The last event that was applied.
    package var seq: UInt64
    package var what: String
    package var former: String
    package var present: String

    package var description: String {
      "event \(seq): \(what)\nby the former core: \(former)\nby the present core: \(present)"
    }
  }

  /// The invalidations of an event, or the reason why it is refused.
  package typealias Outcome = Result<[FormerTimeline.Hit], StateError>

  private var former = FormerTimeline()
  private var present: any ComparedTimeline
  private var seq: UInt64 = 0
  private var eventCount = 0
  /// Some paths that were written or read recently; their values are compared.
  private var paths: [Path] = []
  /// The event at which the whole states are compared again.
  private var nextStateCount = SideBySide.lookInterval

  /// After this many events some values are compared. In between nothing reads the present core's state,
  /// because reading would carry out its deferred work.
  private static let lookInterval = 64
  private static let pathsMax = 20

  /// Starts before the first event.
  package init(_ present: any ComparedTimeline = PresentTimeline()) { self.present = present }

  /// Applies the next event to both.
  ///
  /// - Returns: The invalidations that both find, or the reason why both refuse the event; then no other
  ///   event can follow.
  @discardableResult
  package mutating func apply(_ event: Event) throws(Difference) -> Outcome {
    seq = event.seq
    eventCount += 1
    let result = formerHits(of: event)
    switch (result, presentHits(of: event)) {
    case (.failure(let before), .failure(let now)):
      try compare("the reason to refuse it", [before.description], [now.description])
      return result
    case (.success(let before), .success(let now)):
      if before == now { break }
      try compare("what it invalidates", before.map(\.description), now.map(\.description))
    case (.failure(let error), .success):
      throw Difference(seq: seq, what: "only one refuses it", former: error.description, present: "accepted")
    case (.success, .failure(let error)):
      throw Difference(seq: seq, what: "only one refuses it", former: "accepted", present: error.description)
    }
    remember(event.body)
    if eventCount % Self.lookInterval == 0 { try compareValues() }
    if eventCount >= nextStateCount { try compareStates() }
    return result
  }

  /// Whether applying an event now would leave every value as it is, judged by the values alone.
  package func wouldStaySame(_ body: Event.Body) -> Bool { former.wouldStaySame(body) }

  /// Compares the values at the latest paths and the whole states.
  package mutating func finish() throws(Difference) {
    try compareValues()
    try compareStates()
  }

  private mutating func formerHits(of event: Event) -> Outcome {
    do throws(StateError) { return .success(try former.apply(event)) } catch { return .failure(error) }
  }

  private mutating func presentHits(of event: Event) -> Outcome {
    do throws(StateError) { return .success(try present.hits(of: event)) } catch { return .failure(error) }
  }

  private mutating func remember(_ body: Event.Body) {
    var news: ArraySlice<Path> = []
    if let path = body.writtenPath { news = [path] }
    if case .reads(_, let reads) = body { news = reads.allPaths.prefix(4) }
    for path in news where !paths.contains(path) { paths.append(path) }
    if paths.count > Self.pathsMax { paths.removeFirst(paths.count - Self.pathsMax) }
  }

  private mutating func compareValues() throws(Difference) {
    for path in paths {
      let (before, now) = (former.value(at: path), present.value(at: path))
      if before == now { continue }
      throw Difference(
        seq: seq, what: "the value of \(path)", former: before?.json ?? "none", present: now?.json ?? "none")
    }
  }

  /// Compares the states, and postpones the next comparison so far that the cost is that of a few bytes an
  /// event.
  private mutating func compareStates() throws(Difference) {
    let (before, now) = (former.stateText, present.stateText)
    nextStateCount = eventCount + max(Self.lookInterval, before.utf8.count / 64)
    if before.hasSameBytes(as: now) { return }
    let lines = [before, now].map { $0.split(separator: "\n").map(String.init) }
    try compare("the state", lines[0], lines[1])
  }

  /// Throws unless two lists are the same; the error shows them from the first difference on.
  private func compare(_ what: String, _ before: [String], _ now: [String]) throws(Difference) {
    let common = zip(before, now).prefix { $0.hasSameBytes(as: $1) }.count
    if common == before.count, common == now.count { return }
    throw Difference(
      seq: seq, what: "\(what), from entry \(common) on", former: "\(before.dropFirst(common).prefix(3))",
      present: "\(now.dropFirst(common).prefix(3))")
  }
}

// MARK: Whole sessions

extension SideBySide {
  /// Plays events to both cores, up to one that both refuse.
  package static func check(
    _ events: some Sequence<Event>, against present: any ComparedTimeline = PresentTimeline()
  ) throws(Difference) {
    var both = SideBySide(present)
    for event in events {
      if case .failure = try both.apply(event) { return }
    }
    try both.finish()
  }

  /// Plays a log that a session recorded from its beginning to its end, and also compares the invalidations
  /// that the session itself recorded. Throws a ``Difference``, or the reason why the log cannot be read or
  /// its events do not fit.
  package static func check(log path: String) throws {
    var both = SideBySide()
    var recorded = RecordedHits()
    try LogReader(path: path).forEachEvent { event in
      recorded.expect(try both.apply(event).get(), of: event.seq)
      try recorded.take(event)
    }
    try recorded.finish()
    try both.finish()
  }
}

/// Compares the invalidations that a log holds with those derived from its events, which come first.
private struct RecordedHits {
  private var expected: [(seq: UInt64, hit: FormerTimeline.Hit)] = []
  /// How many of them were recorded.
  private var count = 0

  mutating func expect(_ hits: [FormerTimeline.Hit], of seq: UInt64) {
    expected += hits.map { (seq, $0) }
  }

  mutating func take(_ event: Event) throws(SideBySide.Difference) {
    guard case .invalidate(let projection, let causes) = event.body else { return }
    let hit = FormerTimeline.Hit(projection: projection, causes: causes)
    guard count < expected.count, expected[count].hit == hit, expected[count].seq == event.cause else {
      throw difference(event.seq, recorded: "\(hit), at \(event.cause ?? 0)")
    }
    count += 1
  }

  func finish() throws(SideBySide.Difference) {
    if count < expected.count { throw difference(expected[count].seq, recorded: "none") }
  }

  private func difference(_ seq: UInt64, recorded: String) -> SideBySide.Difference {
    SideBySide.Difference(
      seq: seq, what: "the recorded invalidation",
      former: count < expected.count ? "\(expected[count].hit), at \(expected[count].seq)" : "none",
      present: recorded)
  }
}
