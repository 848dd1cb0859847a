import Algorithms
import EventLog

// What is made, set or run again though once would do: each with the runs that this took, which the log has.

extension LintJudge {
  /// Rows that come back under other names.
  func remadeRows() -> [Finding] {
    let remade = tally.remade.remade.filter { $1.work.runs >= max(1, thresholds.count) && $1.times >= 3 }
    let renamed = tally.remade.renamed.filter { edge, found in
      found.work.runs >= max(1, thresholds.count) && remade[edge] == nil
    }
    let renewed = tally.remade.renewed.filter { edge, found in
      found.work.runs >= max(1, thresholds.count) && found.times >= 3 && remade[edge] == nil
        && found.path.map { isRead($0, by: edge) } ?? false
    }
    func isBefore(_ a: RemadeRows.Edge, _ b: RemadeRows.Edge) -> Bool { (a.rows, a.list) < (b.rows, b.list) }
    return remade.sorted { isBefore($0.key, $1.key) }.map { remadeRows($0, $1) }
      + renamed.sorted { isBefore($0.key, $1.key) }.map { renamedRows($0, $1) }
      + renewed.sorted { isBefore($0.key, $1.key) }.map { renewedRows($0, $1) }
  }

  /// Whether a list or its rows read something of a path.
  private func isRead(_ path: GroupID<PathID>, by edge: RemadeRows.Edge) -> Bool {
    let path = text(path)
    return tally.reads[edge.list].union(tally.reads[edge.rows]).contains { read in
      text(read) == path || text(read).isPart(of: path)
    }
  }

  private func renewedRows(_ edge: RemadeRows.Edge, _ found: RemadeRows.Found) -> Finding {
    let (list, rows, path) = (text(edge.list), text(edge.rows), found.path.map { text($0) } ?? "")
    return Finding(
      rule: .madeAnew, projection: rows, path: path,
      message:
        "\(list) made \(Units.count(found.work.runs, rows)) anew for elements that were there before: each of"
        + " \(Units.count(found.times, "change")) of \(path) gave them other ids, and most of them no other content.",
      advice:
        "Keep the ids of \(path): take them from what the elements are, or merge what is new into what is there by something that"
        + " stays the same.",
      evidence: .init(found), changes: [], needless: found.work)
  }

  private func remadeRows(_ edge: RemadeRows.Edge, _ found: RemadeRows.Found) -> Finding {
    let (list, rows) = (text(edge.list), text(edge.rows))
    let id = found.path.map { ", whose id has \(text($0)) in it" } ?? ""
    return Finding(
      rule: .madeAnew, projection: rows, path: found.path.map { text($0) },
      message:
        "\(list) made \(Units.count(found.work.runs, rows)) anew where \(found.most.grouped) live: each of"
        + " \(Units.count(found.times, "run")) gave them other ids, as \(found.names.after.cut(to: 60)) in place of \(found.names.before.cut(to: 60))\(id).",
      advice:
        "Give each \(rows) one id that stays the same\(found.path.map { ", without \(text($0))" } ?? "").",
      evidence: .init(found), changes: [], needless: found.work)
  }

  private func renamedRows(_ edge: RemadeRows.Edge, _ found: RemadeRows.Found) -> Finding {
    let (list, rows) = (text(edge.list), text(edge.rows))
    let path = found.path.map { text($0) } ?? ""
    return Finding(
      rule: .madeAnew, projection: rows, path: path,
      message:
        "\(list) made \(Units.count(found.work.runs, rows)) anew, each where one had ended in that run, as"
        + " \(found.names.after.cut(to: 60)) in place of \(found.names.before.cut(to: 60)): the id has \(path) in it, which was"
        + " set. What a \(rows) keeps is lost with each.",
      advice: "Give each \(rows) one id that stays the same, and hand it \(path) as its input.",
      // Each shows something else, and so runs with that id too; what it keeps is lost all the same.
      evidence: .init(found), changes: [], needless: found.within, losesState: true)
  }

  /// Paths that are set once more from one action to the next, but for those that callbacks set of which it is known that
  /// they are made again.
  func registeredAgain(beside callbacks: [Finding]) -> [Finding] {
    let known = Set(callbacks.compactMap(\.projection))
    return tally.repeated.series.filter { series in
      series.grows(thresholds)
        && !tally.writers.edges.contains {
          $0.edge.path == series.group && known.contains(text($0.edge.writer))
        }
    }.map { series in
      let path = text(series.group)
      let times = "\(self.times(series.first)) the first time and \(self.times(series.last)) the last"
      let set =
        switch tally.repeated.kinds[Int(series.kind)] {
        case .label(let label): "\(label.cut(to: 60)) set \(path) \(times)"
        case .write(let group): "What follows from \(text(group)) set \(path) \(times)"
        case .bare, .other: "\(path) was set \(times)"
        }
      let occasion = tally.repeated.occasion(of: series)?.cut(to: 60)
      let more = occasion.map { ", one more after each \($0)" } ?? ""
      return Finding(
        rule: .madeAgain, projection: nil, path: path,
        message: "\(set)\(more): as if what sets it were registered again each time and never removed.",
        advice: "Remove what \(occasion ?? "the app") registers when its owner leaves, or register it once."
          + " If it is set for each element of what grows, set it once for all.",
        evidence: .init(series.evidence, writes: series.sets, series.work), changes: [],
        needless: series.work.all)
    }
  }

  private func times(_ count: Int) -> String { count == 1 ? "once" : Units.count(count, "time") }

  /// Paths that are set again and again, long after what led to it, but for those that other findings have.
  func timedLoops(beside findings: [Finding]) -> [Finding] {
    let known = Set(findings.compactMap(\.path))
    return tally.loops.found.sorted { $0.key < $1.key }.filter { !known.contains(text($0.key)) }.map {
      group, found in
      let (path, chain) = (text(group), found.longest)
      let callbacks = tally.pairs.pairs.filter { $0.path == group && isCallback($0.projection) }
        .map { text($0.projection) }
      let cycle = [path] + callbacks.uniqued().prefix(3) + [path]
      let (each, fix) =
        chain.isCaused
        ? (
          "each because of the one before: \(cycle.joined(separator: " -> "))",
          "Let what follows set something else, or end it once nothing differs."
        )
        : (
          "to what it is: something sets it again each time that it is told", "Set it only where it differs."
        )
      return Finding(
        rule: .selfWake, projection: callbacks.first, path: path,
        message:
          "\(origin(of: chain)) a set of \(path) every \(Units.duration(chain.interval)), \(each).",
        advice: fix, evidence: .init(found.evidence, writes: found.sets, found.work), changes: [],
        needless: found.work.all)
    }
  }

  /// `"Open" (event 5) ended 12.0 s ago and still leads to`
  private func origin(of chain: TimedLoops.Chain) -> String {
    let length = Units.duration(chain.length)
    let event = chain.origin > 0 ? log.event(chain.origin) : nil
    if let action = action(chain.origin) { return "\(action) ended \(length) ago and still leads to" }
    if let path = event?.body.writtenPath {
      return "A set of \(path.group) (event \(chain.origin)), \(length) ago, still leads to"
    }
    return "For \(length) there was"
  }

  /// Projections that a host ran though nothing that they had read had changed. One finding for all of them: it does not ask.
  func hostRuns() -> Finding? {
    let found = tally.unasked.values.enumerated().filter { _, unasked in
      unasked.work.wasted >= 10 * max(1, thresholds.count) && isMostlyWasted(unasked.work)
    }.filter { !isCallback(GroupID<ProjectionID>($0.offset)) }
      .map { (name: text(GroupID<ProjectionID>($0)), unasked: $1) }
      .filter { !isDerived($0.name) }
      .sorted { ($1.unasked.work.wasted, $0.name) < ($0.unasked.work.wasted, $1.name) }
    guard let first = found.first else { return nil }
    var work = LintSums()
    for (_, unasked) in found { work.add(unasked.work) }
    let names = found.prefix(3).map(\.name) + (found.count > 3 ? ["\((found.count - 3).grouped) more"] : [])
    return Finding(
      rule: .hostRuns, projection: first.name, path: nil,
      message:
        "A host ran \(list(names)) \(wasted(work)), though nothing that \(found.count == 1 ? "it" : "they") had read had"
        + " changed.",
      advice:
        "Ask isCurrent before a run and call skip() where it is so, or run only what invalidatedHosted has.",
      evidence: .init(first.unasked.evidence, writes: work.evaluations, work), changes: [],
      needless: work.waste)
  }
}

extension LintReport.Facts {
  fileprivate init(_ found: RemadeRows.Found) {
    self.init(found.evidence, writes: found.times)
    // What ran first has no output before.
    (evaluations, unknown, time) = (found.work.runs, found.work.runs, found.work.time)
  }
}
