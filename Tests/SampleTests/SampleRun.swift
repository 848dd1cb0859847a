import EventLog
import Foundation
import Projection
import SampleApps
import Testing

/// A run of a sample, recorded to a file of its own.
struct SampleRun {
  /// The groups that ran in each step, as the session measured them while it happened.
  var measured: [(label: String, evaluations: [String: Int])] = []
  /// What the session had to work around.
  var diagnostics: [SessionDiagnostic] = []
  /// The log, read back.
  var log: SampleLog

  init(of name: String) throws {
    let app = try #require(sampleApps.first { $0.name == name })
    let file = FileManager.default.temporaryDirectory.appending(path: "\(name)-\(UUID()).evlog")
    defer { try? FileManager.default.removeItem(at: file) }
    let session = try Session(recordingTo: file)
    var measured: [(String, [String: Int])] = []
    app.run(in: session) { label, step in
      let report = session.measure(step)
      var groups: [String: Int] = [:]
      for (instance, count) in report.evaluationsByInstance {
        groups[group(of: instance), default: 0] += count
      }
      measured.append((label, groups))
    }
    try session.close()
    self.measured = measured
    diagnostics = session.diagnostics
    log = try SampleLog(at: file)
  }
}

/// `Row` for `Row#42`.
func group(of instance: String) -> String {
  instance.firstIndex(of: "#").map { String(instance[..<$0]) } ?? instance
}
