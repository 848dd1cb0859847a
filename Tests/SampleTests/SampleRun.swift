import EventLog
import Foundation
import Projection
import SampleApps
import Testing

/// How often each projection instance ran in each step.
typealias StepEvaluations = [(label: String, evaluations: [String: Int])]

/// A run of a sample, recorded to a file of its own.
struct SampleRun {
  /// The counts that the session measured during the run.
  var measured: StepEvaluations
  /// The session's diagnostics.
  var diagnostics: [SessionDiagnostic]
  /// The log, read back.
  var log: SampleLog

  init(of name: String) throws {
    let app = try #require(sampleApps.first { $0.name == name })
    let file = FileManager.default.temporaryDirectory.appending(path: "\(name)-\(UUID()).evlog")
    defer { try? FileManager.default.removeItem(at: file) }
    let session = try app.session(recordingTo: file)
    var measured: StepEvaluations = []
    app.run(in: session) { label, step in
      measured.append((label, session.measure(step).evaluationsByInstance))
    }
    try session.close()
    self.measured = measured
    diagnostics = session.diagnostics
    log = try SampleLog(at: file)
  }
}

/// Counts instances under their group: `Row#42` under `Row`.
func byGroup(_ instances: [String: Int]) -> [String: Int] {
  instances.reduce(into: [:]) { groups, entry in
    groups[String(entry.key.prefix { $0 != "#" }), default: 0] += entry.value
  }
}
