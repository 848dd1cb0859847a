import Foundation

/// Records the app of a plan and its mended twin, asks the tool, and compares what it says with what was planted.
@MainActor struct Judge {
  let tool: Tool
  /// Where logs are made.
  let folder: URL
  /// Where the logs of plans that went wrong are kept.
  let kept: URL?

  func judge(_ plan: Plan) async -> Verdict {
    var verdict = Verdict(plan)
    do {
      try await judge(plan, into: &verdict)
    } catch {
      verdict.trouble = "\(error)"
    }
    if verdict.wentWrong { keep(plan) }
    return verdict
  }

  /// Judges what is said of a log that is said to be healthy.
  func judge(healthyLog log: String, index: Int) -> Verdict {
    var verdict = Verdict(ofHealthyLog: log, index: index)
    do {
      let findings = try tool.lint(URL(fileURLWithPath: log)).findings
      verdict.said = findings.filter { !$0.isNote }.map { Verdict.Said($0, Truth()) }
      verdict.notes = findings.filter(\.isNote).map { Verdict.Said($0, Truth()) }
    } catch {
      verdict.trouble = "\(error)"
    }
    return verdict
  }

  private func judge(_ plan: Plan, into verdict: inout Verdict) async throws {
    let faulty = try await ask(plan, isMended: false)
    verdict.cost = faulty.cost
    verdict.expected = faulty.truth.causes.first?.rules.first?.rawValue
    verdict.said = faulty.said.filter { !$0.isNote }.map { Verdict.Said($0, faulty.truth) }
    verdict.notes = faulty.said.filter(\.isNote).map { Verdict.Said($0, faulty.truth) }
    guard plan.fault != nil else { return }
    let mended = try await ask(plan, isMended: true)
    verdict.costOfMended = mended.cost
    verdict.saidOfMended = mended.said.filter { !$0.isNote }.map { Verdict.Said($0, Truth()) }
  }

  private func ask(_ plan: Plan, isMended: Bool) async throws -> (said: [Finding], truth: Truth, cost: Cost) {
    let raw = folder.appendingPathComponent("raw.evlog")
    let log = log(isMended: isMended)
    let recorded = try await App.record(plan, isMended: isMended, to: raw)
    let cost = try SimulatedLog.write(raw, to: log, program: "app-\(plan.index)", done: recorded.done)
    return (try tool.lint(log).findings, recorded.truth, cost)
  }

  private func log(isMended: Bool) -> URL {
    folder.appendingPathComponent(isMended ? "mended.evlog" : "faulty.evlog")
  }

  private func keep(_ plan: Plan) {
    guard let kept else { return }
    for isMended in plan.fault == nil ? [false] : [false, true] {
      let name = "\(plan.index)-\(plan.kind)\(isMended ? "-mended" : "").evlog"
      let target = kept.appendingPathComponent(name)
      try? FileManager.default.removeItem(at: target)
      try? FileManager.default.copyItem(at: log(isMended: isMended), to: target)
    }
  }
}

extension Verdict.Said {
  init(_ finding: Finding, _ truth: Truth) {
    let (judgement, isMend) = truth.judge(finding)
    self.init(
      rule: finding.rule, judgement: judgement, isMend: isMend, message: finding.message,
      advice: finding.advice,
      baseline: finding.baseline, promise: finding.promise)
  }
}
