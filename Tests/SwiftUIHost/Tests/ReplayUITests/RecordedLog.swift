import struct EventLog.Event
import struct EventLog.LogReader
import Dispatch
import Foundation
import Projection
import ReplayAnalysis
import Testing

/// The log of a session that is over. The file is removed with this object.
@MainActor final class RecordedLog {
  private let url: URL
  private(set) var events: [Event] = []

  /// Records what `body` does. The log must agree with itself.
  convenience init(_ body: (Session) throws -> Void) throws {
    let (url, session) = try Self.begin()
    try body(session)
    try self.init(url, of: session)
  }

  /// Records what `body` does, which may wait.
  static func wait(for body: (Session) async throws -> Void) async throws -> RecordedLog {
    let (url, session) = try begin()
    try await body(session)
    return try RecordedLog(url, of: session)
  }

  private static func begin() throws -> (URL, Session) {
    let url = FileManager.default.temporaryDirectory.appending(path: "replay-ui-\(UUID().uuidString).evlog")
    return (url, try Session(recordingTo: url))
  }

  private init(_ url: URL, of session: Session) throws {
    self.url = url
    try session.close()
    #expect(session.diagnostics.isEmpty)
    try LogReader(path: url.path).forEachEvent { events.append($0) }
    let verification = try Verification(LogSource(path: url.path, isScanned: true))
    #expect(verification.isSound, "\(verification.findings)")
  }

  isolated deinit { try? FileManager.default.removeItem(at: url) }

  /// How often each projection ran.
  var evaluations: [String: Int] {
    events.reduce(into: [:]) { counts, event in
      if case .evaluate(let name, _, _, _, _) = event.body { counts[name, default: 0] += 1 }
    }
  }

  /// For each projection, run by run: whether its input differed.
  var inputs: [String: [Bool?]] {
    events.reduce(into: [:]) { inputs, event in
      if case .evaluate(let name, _, _, let changed, _) = event.body {
        inputs[name, default: []].append(changed)
      }
    }
  }

  /// How often each kind of projection, the part of its name before `#`, ran because of its input.
  func runs(handed changed: Bool?) -> [String: Int] {
    inputs.reduce(into: [:]) { counts, item in
      let count = item.value.count { $0 == changed }
      if count > 0 { counts[String(item.key.prefix { $0 != "#" }), default: 0] += count }
    }
  }

  /// How often each projection was invalidated.
  var invalidations: [String: Int] {
    events.reduce(into: [:]) { counts, event in
      if case .invalidate(let name, _) = event.body { counts[name, default: 0] += 1 }
    }
  }

  /// The parent of each projection; empty for none.
  var parents: [String: String] {
    events.reduce(into: [:]) { parents, event in
      if case .projection(let name, let parent, _) = event.body { parents[name] = parent ?? "" }
    }
  }

  /// The projections that ended before the session did, in order.
  var disposed: [String] {
    events.compactMap { if case .dispose(let name) = $0.body { name } else { nil } }
  }

  /// The paths of the sets to which the runs of a projection are attributed; "-" for runs without a cause.
  func causes(of projection: String) -> [String] {
    events.compactMap { event in
      guard case .evaluate(projection, _, _, _, _) = event.body else { return nil }
      return event.cause.map(path) ?? "-"
    }
  }

  /// The paths of all sets, in order.
  var sets: [String] {
    events.compactMap { if case .set(let path, _, _) = $0.body { "\(path)" } else { nil } }
  }

  /// The path of the set to which each set of a path is attributed.
  func causes(ofSetsOf written: String) -> [String] {
    events.compactMap { event in
      guard case .set(let path, _, _) = event.body, "\(path)" == written else { return nil }
      return event.cause.map(self.path) ?? "-"
    }
  }

  private func path(of seq: UInt64) -> String {
    guard let event = events.first(where: { $0.seq == seq }), case .set(let path, _, _) = event.body else {
      return "#\(seq)"
    }
    return "\(path)"
  }

  /// The output of `replay why`, from the last run back: projections, and paths that were written.
  func why(_ projection: String) throws -> [String] {
    let chain = try WhyChain(of: projection, at: nil, in: LogSource(path: url.path))
    return chain.steps.compactMap { step in
      switch step.kind {
      case .evaluation: "ran \(step.projection ?? "")"
      case .followed: "with \(step.parent ?? step.projection ?? "")"
      case .invalidation, .omitted: nil
      case .write: "set \(step.path ?? "")"
      case .origin: "origin"
      }
    }
  }

  /// The output of `replay cascades`: for each kind of write, the projections that ran.
  func cascades() throws -> [String: Int] {
    let log = try LogSource(path: url.path)
    let report = try CascadeReport(log, Selection(in: log))
    return report.lines.reduce(into: [:]) { $0[$1.root, default: 0] += $1.evaluations }
  }
}

/// Waits until the main queue has done all work queued so far.
@MainActor func nextTurn() async {
  await withCheckedContinuation { turn in DispatchQueue.main.async { turn.resume() } }
}
