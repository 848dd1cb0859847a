import EventLog
import Foundation
import Projection
import ReplayAnalysis
import Testing

/// The recording of a session with hosted projections.
struct HostedLog {
  /// A run, and whether it obeys the rules that hold for every log.
  struct Run: Equatable, CustomStringConvertible {
    var name: String
    var changed: Bool?
    /// Its cause, as ``HostedLog/text(of:)`` writes it; nil if there is none.
    var cause: String?

    init(_ name: String, changed: Bool?, cause: String?) {
      (self.name, self.changed, self.cause) = (name, changed, cause)
    }

    var description: String { "\(name) \(changed.map { "\($0)" } ?? "?") <- \(cause ?? "nothing")" }
  }

  let events: [Event]
  /// The projections that were invalidated after their last run, as `why` finds them.
  private(set) var waiting: [String] = []

  /// Records a session, closes it, and checks that its log agrees with itself.
  init(delivery: Delivery = .immediate, _ body: (Session) throws -> Void) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url, delivery: delivery)
    try body(session)
    try closeAndCheck(session, url)
    var events: [Event] = []
    try LogReader(path: url.path).forEachEvent { events.append($0) }
    self.events = events
    let source = try LogSource(path: url.path, isScanned: true)
    for name in Set(names).sorted() where try WhyChain(of: name, at: nil, in: source).invalidatedAgain != nil
    {
      waiting.append(name)
    }
    let verification = try Verification(source)
    #expect(verification.isSound, "\(verification.findings)")
    #expect(verification.explained == verification.evaluations)
  }

  /// The runs, in order.
  var runs: [Run] {
    events.compactMap { event in
      guard case .evaluate(let name, _, let changed, _, _) = event.body else { return nil }
      return Run(name, changed: changed, cause: event.cause.map(text))
    }
  }

  /// The names of the projections that ran, in order.
  var names: [String] { runs.map(\.name) }

  /// The names of the projections that were invalidated, in order.
  var invalidated: [String] {
    events.compactMap { event in
      guard case .invalidate(let name, _) = event.body else { return nil }
      return name
    }
  }

  /// The names of the projections that ended, in order.
  var ended: [String] {
    events.compactMap { event in
      guard case .dispose(let name) = event.body else { return nil }
      return name
    }
  }

  /// The writes, each with its cause.
  var writes: [String] {
    events.filter { $0.body.writtenPath != nil }.map { event in
      "\(text(of: event.seq)) <- \(event.cause.map(text) ?? "nothing")"
    }
  }

  /// A description of an event: `app.isLoading = true`, `run of List`.
  private func text(of seq: UInt64) -> String {
    guard let event = events.first(where: { $0.seq == seq }) else { return "event \(seq)" }
    switch event.body {
    case .set(let path, .object, _): return "\(path)"
    case .set(let path, let value, _): return "\(path) = \(value.json)"
    case .evaluate(let name, _, _, _, _): return "run of \(name)"
    case .end: return "transaction"
    default: return event.body.kind.name
    }
  }
}
