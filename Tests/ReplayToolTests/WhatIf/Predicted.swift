import Foundation
import LogGenerator
import Projection
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

/// The predictions of `what-if` for a log, as counts of evaluations.
struct Predicted {
  var before: [String: Int]
  var after: [String: Int]
  var unknown: [String: Int]
  var limits: [String]

  init(_ log: String, _ rules: String...) throws { try self.init(log, rules) }

  init(_ log: String, _ rules: [String]) throws {
    let run = ToolRun(["what-if", log, "--format", "json"] + rules)
    try #require(run.status == .done, "\(run.errors)")
    let json = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    func counts(_ key: String) throws -> [String: Int] {
      let work = try #require(json[key] as? [String: [String: Int]])
      return work.compactMapValues { $0["evaluations"] }
    }
    before = try counts("before")
    after = try counts("after")
    limits = try #require(json["limits"] as? [String])
    let items = try #require(json["unknown"] as? [[String: Any]])
    unknown = [:]
    for item in items { unknown[item["projection"] as? String ?? ""] = item["evaluations"] as? Int }
  }
}

/// A run of a program in this process, recorded.
struct RecordedProgram {
  /// How often projections of each name ran.
  var evaluations: [String: Int] = [:]
  let log: String

  init(in workspace: Workspace, _ name: String, _ program: (Session) throws -> Void) throws {
    log = workspace.file("\(name).evlog")
    let session = try Session(recordingTo: URL(filePath: log))
    let report = try session.measure { try program(session) }
    for (instance, count) in report.evaluationsByInstance {
      evaluations[instance.projectionGroup, default: 0] += count
    }
    try session.close()
  }
}

/// How often projections of each name ran in a log that is kept with the sources.
func evaluations(ofSample name: String) throws -> [String: Int] {
  let run = ToolRun("hot", sample(name), "--format", "json")
  let report = try JSONDecoder().decode(HotReport.self, from: Data(run.output.utf8))
  return Dictionary(
    uniqueKeysWithValues: report.projections.filter { $0.evaluations > 0 }.map { ($0.name, $0.evaluations) })
}

/// The path of a log that is kept with the sources.
func sample(_ name: String) -> String {
  #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined() + "/SampleLogs/\(name).evlog"
}
