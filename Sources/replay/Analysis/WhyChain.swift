import EventLog
import Projection

/// Why a projection ran: from its evaluation back to the root, one step after the other.
struct WhyChain {
  /// One write on the way.
  struct Write {
    var event: Event
    var path: Path
    /// The values at the path before and after; nil where there was or is none.
    var old: Value?
    var new: Value?
    /// The label of the transaction around it.
    var transaction: String?
    var isInTransaction: Bool
    /// Who made it, where the recording was asked to keep that.
    var origin: WriteOrigin?
    /// What the projection reads there.
    var reads: [Path] = []
  }

  /// One run on the way.
  struct Evaluation {
    var seq: UInt64
    var time: UInt64
    var projection: String
    var duration: UInt64
    var changed: Bool?
    var cause: UInt64?
  }

  enum Step {
    case evaluation(Evaluation)
    /// The projection ran because this ancestor did.
    case followed(String)
    case invalidation(Invalidation, time: UInt64)
    case write(Write)
    /// The chain goes on with what this event led to.
    case origin(String)
  }

  let projection: String
  let steps: [Step]
  /// What would show more of who made the writes.
  let advice: String?

  /// - Throws: `ToolError` when the projection is unknown or nothing woke it by then.
  init(of name: String, at moment: Moment?, in log: LogSource, progress: Progress = .hidden) throws {
    let limit = try moment?.seq(in: log) ?? .max
    var run = Run(log, progress: progress)
    guard let subject = try WhySubject.find(name, upTo: limit, in: &run, progress) else {
      let when = moment == nil ? "" : " up to event \(limit)"
      throw ToolError("\(log.path): \(name) was neither woken nor evaluated\(when)")
    }
    var walk = WhyWalk(run, subject.cascade)
    switch subject.found {
    case .evaluation(let evaluation):
      projection = run.tables.names[Int(evaluation.projection)]
      walk.follow(evaluation)
    case .invalidation(let invalidation):
      projection = run.tables.names[Int(invalidation.projection)]
      walk.follow(invalidation)
    }
    steps = try walk.finished()
    advice = walk.symbolizer.advice
  }

  var json: JSON {
    ["projection": .text(projection), "steps": .array(steps.map(\.json))]
  }
}

extension WhyChain.Step {
  var json: JSON {
    switch self {
    case .evaluation(let evaluation):
      let json: JSON = [
        "kind": "evaluation", "seq": .number(evaluation.seq), "time_ns": .number(evaluation.time),
        "projection": .text(evaluation.projection), "duration_ns": .number(evaluation.duration),
      ]
      return json.adding("changed", evaluation.changed.map { .bool($0) })
        .adding("cause", evaluation.cause.map { .number($0) })
    case .followed(let parent): return ["kind": "followed", "parent": .text(parent)]
    case .invalidation(let entry, let time):
      return [
        "kind": "invalidation", "seq": .number(entry.seq), "time_ns": .number(time),
        "projection": .text(entry.projection), "causes": .array(entry.causes.map { .number($0) }),
        "cascade": .number(entry.cascade), "depth": .int(entry.depth),
      ]
    case .write(let write): return write.json
    case .origin(let text): return ["kind": "origin", "text": .text(text)]
    }
  }
}

extension WhyChain.Write {
  var json: JSON {
    let json: JSON = [
      "kind": "write", "seq": .number(event.seq), "time_ns": .number(event.time),
      "event": .text(event.body.kind), "path": .text(path.description),
    ]
    return json.adding("old", old.map { .raw($0.json) }).adding("new", new.map { .raw($0.json) })
      .adding("same_value", event.body.sameValue == true ? .bool(true) : nil)
      .adding("cause", event.cause.map { .number($0) }).adding("site", event.site.map { .text($0) })
      .adding("transaction", isInTransaction ? transaction.map { .text($0) } ?? .null : nil)
      .adding("reads", .array(reads.map { .text($0.description) }))
      .adding("origin", origin.flatMap { try? JSON(encoding: $0) })
  }
}
