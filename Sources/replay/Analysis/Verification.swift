import EventLog
import Projection

/// Whether a log agrees with itself: the recorded timeline with the derived one, and every run with a reason.
struct Verification {
  /// An entry of the timeline, as far as a log records it.
  struct Entry: Hashable {
    var seq: UInt64
    var projection: String
    var causes: [UInt64]
  }

  enum Finding {
    /// The core finds this invalidation, the session did not record it.
    case unrecorded(Entry)
    /// The session recorded this invalidation, the core does not find it.
    case underived(Entry)
    /// A projection ran for this cause without having been woken by it.
    case unexplained(Causality.Evaluation)
    /// The number of an event does not follow the one before.
    case outOfSequence(seq: UInt64, expected: UInt64)
  }

  let path: String
  let events: Int
  let derived: Int
  let recorded: Int
  let matched: Int
  /// Entries of the last unit that a log which was not closed never got.
  let lost: Int
  let evaluations: Int
  let explained: Int
  let findings: [Finding]

  var isSound: Bool { findings.isEmpty }

  init(_ run: Run) throws {
    path = run.log.path
    events = run.events.count
    var findings = Self.sequence(run)
    let derivedEntries = run.invalidations.map {
      Entry(seq: $0.seq, projection: $0.projection, causes: $0.causes)
    }
    let recordedEntries = Self.recorded(run)
    derived = derivedEntries.count
    recorded = recordedEntries.count
    if recordedEntries.isEmpty {
      matched = 0
      lost = 0
    } else {
      var comparison = TimelineComparison(derived: derivedEntries, recorded: recordedEntries)
      lost = run.log.isClean ? 0 : comparison.forgiveLastUnit()
      findings += comparison.findings
      matched = comparison.matched
    }
    let caused = Causality(run)
    let unexplained = try UnexplainedRuns.find(caused, in: run)
    evaluations = caused.evaluations.count { $0.cause != nil }
    explained = evaluations - unexplained.count
    self.findings = findings + unexplained.map { .unexplained($0) }
  }

  private static func sequence(_ run: Run) -> [Finding] {
    run.events.enumerated().compactMap { index, event in
      let expected = UInt64(index) + 1
      return event.seq == expected ? nil : .outOfSequence(seq: event.seq, expected: expected)
    }
  }

  private static func recorded(_ run: Run) -> [Entry] {
    run.events.compactMap { event in
      guard case .invalidate(let name, let causes) = event.body else { return nil }
      return Entry(seq: event.cause ?? event.seq, projection: name, causes: causes)
    }
  }

  var json: JSON {
    [
      "log": .text(path), "ok": .bool(isSound), "events": .int(events), "derived": .int(derived),
      "recorded": .int(recorded), "matched": .int(matched), "lost": .int(lost),
      "evaluations": .int(evaluations), "explained": .int(explained),
      "findings": .array(findings.map(\.json)),
    ]
  }
}

extension Verification.Finding {
  var json: JSON {
    switch self {
    case .unrecorded(let entry): entry.json("unrecorded")
    case .underived(let entry): entry.json("underived")
    case .unexplained(let evaluation):
      [
        "kind": "unexplained", "seq": .number(evaluation.seq), "projection": .text(evaluation.projection),
        "cause": .optional(evaluation.cause) { .number($0) },
      ]
    case .outOfSequence(let seq, let expected):
      ["kind": "out-of-sequence", "seq": .number(seq), "expected": .number(expected)]
    }
  }
}

extension Verification.Entry {
  fileprivate func json(_ kind: String) -> JSON {
    [
      "kind": .text(kind), "seq": .number(seq), "projection": .text(projection),
      "causes": .array(causes.map { .number($0) }),
    ]
  }
}
