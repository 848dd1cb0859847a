import Foundation
import LogGenerator
import SampleApps
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

/// A fix is proposed only where the command that predicts it says that it saves something.
@Suite struct LintFixTests {
  /// With these thresholds everything that may be a finding is one.
  private static let all = ["count=1", "wasted=0", "fan-out=1", "same-value=1", "flood-rate=1"]

  @Test(arguments: sampleNames) func everyProposedFixSaves(name: String) throws {
    let options = Self.all.flatMap { ["--threshold", $0] }
    let run = ToolRun(["lint", sample(name), "--format", "json"] + options)
    let report = try JSONDecoder().decode(LintReport.self, from: Data(run.output.utf8))
    for finding in report.findings where !finding.whatIf.isEmpty {
      // Every second part is quoted.
      let words = finding.whatIf.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap
      {
        $0 % 2 == 1 ? [String($1)] : $1.split(separator: " ").map(String.init)
      }
      let predicted = ToolRun(["what-if", words[2]] + words.dropFirst(3) + ["--format", "json"])
      #expect(predicted.status == .done, "\(finding.whatIf): \(predicted.errors)")
      let json = try JSONSerialization.jsonObject(with: Data(predicted.output.utf8)) as? [String: Any]
      func sum(_ key: String, _ measure: String) -> Int {
        let work = json?[key] as? [String: [String: Int]] ?? [:]
        return work.values.reduce(0) { $0 + ($1[measure] ?? 0) }
      }
      #expect(
        sum("after", "evaluations") < sum("before", "evaluations")
          || sum("after", "time_ns") < sum("before", "time_ns"), "\(finding.whatIf): \(predicted.output)")
    }
  }

  /// Panels without a parent, each of which reads all of a map to show a part of it.
  private static let panels: String = {
    var lines = [#"{"kind":"set","path":"env","value":{"$object":"Env","values":{"theme":"dark","tab":0}}}"#]
    for panel in 0..<3 {
      lines += [
        #"{"kind":"projection","projection":"Panel#\#(panel)"}"#,
        #"{"kind":"reads","projection":"Panel#\#(panel)","paths":["env.values"]}"#,
        #"{"kind":"evaluate","projection":"Panel#\#(panel)","duration_ns":1000}"#,
      ]
    }
    for tab in 1..<20 {
      lines.append(#"{"kind":"set","path":"env.values.tab","value":\#(tab)}"#)
      let cause = lines.count
      for panel in 0..<3 {
        lines.append(
          #"{"kind":"evaluate","projection":"Panel#\#(panel)","duration_ns":100000,"changed":false,"cause":\#(cause)}"#
        )
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }()

  @Test func aProjectionWithoutAParentIsHandedNothing() throws {
    let workspace = try Workspace()
    let log = try workspace.log(Self.panels)
    for input in ["Panel:env.values", "Panel"] {
      let refused = ToolRun("what-if", log, "--input", input)
      #expect(
        refused.status == .refused && refused.errors.contains("Panel has no parent"), "\(refused.errors)")
    }
  }

  /// A value that is derived is all that helps, since there is no parent to hand anything.
  @Test func aFixThatSavesNothingIsNotProposed() throws {
    let workspace = try Workspace()
    let log = try workspace.log(Self.panels)
    let report = try LintReport.of(log)
    #expect(report.findings.map(\.rule) == [.excessReads])
    #expect(report.findings.map(\.changes) == [[Change(.derived, "Panel:env.values.tab")]])
    // Each run is a derived value instead, which is beside the first runs that are left.
    #expect(report.findings.first?.predicted?.runs == 3)
    #expect(report.findings.first?.predicted?.derivedValues == 57)
    let text = ToolRun("lint", log)
    #expect(!text.output.contains("--input") && !text.output.contains("--isolate"), "\(text.output)")
  }
}
