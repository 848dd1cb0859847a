import EventLog
import Foundation

/// The log of a sample, as far as it is the same in every run.
struct SampleLog {
  var isClean: Bool
  var byteCount: UInt64
  /// All events, without times and durations, and without the lines of the source.
  var events: [Event] = []

  init(at file: URL) throws {
    let reader = try LogReader(path: file.path)
    isClean = reader.isClean
    byteCount = reader.byteCount
    var events: [Event] = []
    try reader.forEachEvent { event in
      var event = event
      event.time = 0
      event.site = event.site.map { String($0.prefix { $0 != ":" }) }
      // The committed logs are older than the notes about writes made together and about inputs.
      if event.site == "with the write before" { event.site = nil }
      if case .evaluate(let projection, _, let changed, _, _) = event.body {
        event.body = .evaluate(projection: projection, duration: 0, changed: changed)
      }
      events.append(event)
    }
    self.events = events
  }

  /// The directory of the package.
  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  /// The log that is kept with the sources.
  static func kept(_ name: String) throws -> SampleLog {
    try SampleLog(at: root.appending(path: "SampleLogs/\(name).evlog"))
  }

  /// The projections that ran after each mark.
  var evaluations: StepEvaluations {
    var steps: StepEvaluations = []
    for event in events {
      switch event.body {
      case .mark(let label): steps.append((label, [:]))
      case .evaluate(let projection, _, _, _, _):
        if !steps.isEmpty { steps[steps.count - 1].evaluations[projection, default: 0] += 1 }
      default: break
      }
    }
    return steps
  }
}
